"""The screen of an agent: its chart, its figures, the agents around it, and its exports."""

from pathlib import Path

from parlour.ratings.reports.cells import counts
from parlour.tui.screens.agent import AgentScreen
from parlour.tui.screens.leaderboard import LeaderboardScreen
from tests.tournaments import tamper
from tests.tui.playing import Driven, driven, pane_text, saved

SAVE = Path("saves/small.db")


async def opened(pilot: Driven) -> AgentScreen:
    """The page of the best agent."""
    await pilot.press("l", sees="Ada")
    await pilot.press("enter", at=AgentScreen)
    return pilot.at(AgentScreen)


def header(pilot: Driven) -> str:
    """The words of the first line."""
    return " ".join(pilot.shown.splitlines()[0].split())


async def test_enter_on_a_line_of_the_leaderboard_opens_the_agent_and_escape_goes_back() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await opened(pilot)
        assert header(pilot).startswith("Agent │ A Ada rank 1")
        await pilot.press("escape", "down", "down", "enter")
        below = pilot.app.screen_stack[-2]
        assert isinstance(below, LeaderboardScreen)
        assert header(pilot).startswith("Agent │ R Rob rank 1")
        await pilot.press("escape")
        assert pilot.app.screen is below


async def test_values_stand_beside_the_chart_with_counts_and_dashes_for_what_there_is_not() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        values = pane_text(screen, "#values")
        assert screen._page is not None
        lines = {line.split()[1]: line.split() for line in values.splitlines() if line.strip()}
        for key in ("judgment", "reasoning", "self_awareness"):
            cell = screen._page.overall[key]
            name = {"self_awareness": "Self-awareness"}.get(key, key.capitalize())
            assert lines[name][-2:] == [f"{100 * cell.value:.0f}", counts(cell)]
        assert lines["Cooperation"][-1] == "–"  # undercover alone is played
        assert "Radar area" in values
        assert "Faults" in values
        # All of the capabilities are in sight at 80 × 24, beside the chart with its seven numbers.
        text = pilot.shown
        assert "7 Rationality" in text
        chart = pane_text(screen, "#radar")
        assert any("\u2801" <= sign <= "\u28ff" for sign in chart)
        assert all(str(number) in chart for number in range(1, 8))


async def test_games_roles_faults_and_the_agents_it_met_are_below() -> None:
    async with driven(await saved(SAVE), size=(160, 48)) as pilot:
        screen = await opened(pilot)
        assert screen._page is not None
        places = pane_text(screen, "#places").splitlines()
        names = [line[2:].split("  ")[0].strip() or line.split("  ")[2] for line in places[1:5]]
        assert [name.strip("└ ") for name in map(str.strip, names)][:2] == [
            *("All games", "♠ Undercover")
        ]
        for line, standing in zip(places[1:], screen._page.standings, strict=False):
            strength = standing.strength
            assert strength is not None
            half = (strength.high - strength.low) / 2
            assert f"{strength.value:+.2f} ±{half:.2f}".replace("-", "−") in line
            assert str(standing.matches) in line.split()
        met = pane_text(screen, "#met")
        assert len(screen._page.meetings) == 2
        for meeting in screen._page.meetings:
            words = f"{meeting.wins}–{meeting.draws}–{meeting.losses}"
            line = next(line for line in met.splitlines() if meeting.other in line)
            assert words in line
            assert f"{100 * meeting.share:.0f} %" in line


async def test_a_small_screen_has_tabs() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        assert "Values 0–100, 95 % intervals, counts ─" in pilot.shown
        for key, inside, outside in (
            ("2", "Games and roles", "Values"),
            ("3", "share of matches won", "Games and roles"),
            ("1", "Values", "share of matches won"),
        ):
            await pilot.press(key)
            assert inside in pilot.shown
            assert outside not in pilot.shown
        await pilot.resize_terminal(160, 48)
        await pilot.sees("share of matches won")
        assert "Values" in pilot.shown
        await pilot.press("3")
        assert screen.query_one("#met").has_focus


async def test_s_sorts_the_table_with_the_focus() -> None:
    async with driven(await saved(SAVE), size=(160, 48)) as pilot:
        screen = await opened(pilot)
        await pilot.press("3", "s")  # by name
        order = [
            line.split()[1] for line in pane_text(screen, "#met").splitlines()[1:] if "–" in line
        ]
        assert order == ["Lin", "Rob"]
        await pilot.press("S")
        order = [
            line.split()[1] for line in pane_text(screen, "#met").splitlines()[1:] if "–" in line
        ]
        assert order == ["Rob", "Lin"]
        await pilot.press("2", "s", "s")  # by name, then by strength
        assert "strength ▼" in pane_text(screen, "#places")


async def test_c_draws_another_agent_over_it() -> None:
    async with driven(await saved(SAVE), size=(160, 48)) as pilot:
        screen = await opened(pilot)
        assert len(pane_text(screen, "#radar").split("━━")) == 2
        seen = []
        for _ in range(3):
            await pilot.press("c")
            seen.append(header(pilot).split(" rank ")[0])
        assert seen == [
            "Agent │ A Ada against L Lin",
            "Agent │ A Ada against R Rob",
            "Agent │ A Ada",
        ]
        await pilot.press("c")
        assert " L " in pane_text(screen, "#values")
        assert "━━ Lin" in pane_text(screen, "#radar")
        await pilot.press("n")  # Lin herself: against nobody
        assert header(pilot).startswith("Agent │ L Lin rank")


async def test_n_and_p_go_through_the_leaderboard() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        board = screen._standings.board
        assert board is not None
        names = [standing.agent for standing in board.by("overall")]
        seen = []
        for key in ("n", "n", "n", "p"):
            await pilot.press(key)
            seen.append(header(pilot).split()[3])
        assert seen == [names[1], names[2], names[0], names[2]]


async def test_without_faults_it_is_the_page_of_that_leaderboard() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("l", sees="Ada")
        await pilot.press("f", sees="Left out because of a fault")
        await pilot.press("enter", "e", "1")
        assert "without faults" in pilot.shown.splitlines()[0]
        assert pilot.toasts[0].endswith("-without-faults.md")


async def test_a_save_that_cannot_be_read_any_more_is_said_to_be_so() -> None:
    save = await saved(SAVE)
    async with driven(save) as pilot:
        await pilot.press("l", sees="Ada")
        tamper(save, "UPDATE tournament SET spec = '[]'")
        board = pilot.app.screen
        await pilot.press("enter")
        assert pilot.app.screen is board
        assert "saves/small.db" in pilot.toasts[0]
