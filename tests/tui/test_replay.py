"""The replay: a match at any of its asks, forwards and backwards."""

import json
from pathlib import Path

from parlour.tui.screens.replay import ReplayScreen
from tests.tournaments import tamper
from tests.tui.playing import Driven, driven, pane_text, saved

SAVE = Path("saves/small.db")
ASKS = 11
"""Undercover asks six seats in turn for a clue, and all at once twice for their role, twice for
their beliefs, and for a vote."""


async def opened(pilot: Driven, number: int = 1) -> ReplayScreen:
    """The replay of a match."""
    pilot.live.show_match(number)
    await pilot.press("r", at=ReplayScreen)
    return pilot.app.screen


def clues(screen: ReplayScreen) -> list[str]:
    """The first word of each clue of the match, in order."""
    answers = screen.watched.save.answers_of(1)
    said = [answer for answer in answers if answer.kind == "clue"]
    return [next(iter(json.loads(answer.value).values())).split()[0] for answer in said]


def talk(screen: ReplayScreen) -> str:
    return " ".join(pane_text(screen, "#talk").split())


async def test_a_replay_starts_at_the_end_and_each_ask_back_takes_its_answers_away() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        screen = await opened(pilot)
        assert f"ask {ASKS} of {ASKS}   answer 21 of 21" in pilot.shown
        whole, board = talk(screen), pane_text(screen, "#board")
        assert "◆" in board
        await pilot.press("left", sees=f"ask {ASKS - 1} of {ASKS}   answer 18 of 21")
        earlier = talk(screen)
        assert len(earlier) < len(whole)
        assert all(word in earlier for word in clues(screen))
        assert "◆" not in pane_text(screen, "#board")
        await pilot.press("right")
        assert (talk(screen), pane_text(screen, "#board")) == (whole, board)


async def test_every_key_goes_forwards_backwards_or_to_an_edge() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        at = ASKS
        for keys, by in ((("left", "h", "p"), -1), (("right", "l", "n"), +1)):
            for key in keys:
                await pilot.press(key)
                at += by
                assert f"ask {at} of {ASKS}" in pilot.shown, key
        first = clues(screen)[0]
        for key, at in (("home", 0), ("end", ASKS), ("0", 0), ("left", 0), ("end", ASKS)):
            await pilot.press(key)
            assert f"ask {at} of {ASKS}" in pilot.shown, key
            assert (first in talk(screen)) == (at > 0)
        await pilot.press("right")  # behind the last there is nothing
        assert f"ask {ASKS} of {ASKS}" in pilot.shown
        await pilot.press("home")
        states = [talk(screen)]
        for _ in range(ASKS):  # each ask changes something
            await pilot.press("right")
            states.append(talk(screen))
        assert len(set(states)) == ASKS + 1


async def test_brackets_go_by_rounds() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await opened(pilot)
        # Round 1 has 3 clues, own roles and beliefs: 5 asks. The votes are asked in round 2.
        for key, at in (("[", 5), ("[", 0), ("[", 0), ("]", 5), ("right", 6), ("[", 5)):
            name = "left_square_bracket" if key == "[" else "right_square_bracket"
            await pilot.press(name if key in "[]" else key, sees=f"ask {at} of {ASKS}")
        await pilot.press("right_square_bracket", sees=f"ask {ASKS} of {ASKS}")


async def test_the_scrubber_marks_every_ask_and_the_place() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await opened(pilot)
        line = pilot.shown.splitlines()[1]
        assert (line.count("┿"), line[-1]) == (ASKS, "●")
        await pilot.press("home")
        line = pilot.shown.splitlines()[1]
        assert (line.count("┿"), line[0]) == (ASKS - 1, "●")


async def test_the_board_takes_a_narrow_terminal_by_its_key() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        await pilot.press("2")
        assert not screen.query_one("#talk").display
        assert screen.query_one("#board").region.width == 80
        await pilot.press("1")
        assert screen.query_one("#talk").display
        assert pilot.focused == "talk"


async def test_the_special_role_is_not_marked_before_the_end() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        await pilot.press("2")
        assert "◆ undercover" in pane_text(screen, "#board")
        await pilot.press("left")
        assert "undercover" not in pane_text(screen, "#board")


async def test_the_keys_of_the_text_scroll_it_and_leave_the_ask_alone() -> None:
    async with driven(await saved(SAVE), size=(80, 17)) as pilot:
        screen = await opened(pilot)
        pane = screen.query_one("#talk")
        last = pane.scroll_offset.y
        assert last > 0
        await pilot.press("k")
        assert pane.scroll_offset.y == last - 1
        await pilot.press("G")
        assert pane.scroll_offset.y == last
        assert f"ask {ASKS} of {ASKS}" in pilot.shown


async def test_escape_and_b_go_back_to_the_same_match() -> None:
    async with driven(await saved(SAVE)) as pilot:
        for key in ("escape", "b"):
            await opened(pilot, 3)
            assert "match 3" in pilot.shown
            await pilot.press(key)
            assert pilot.live.watched.focus.match.number == 3


async def test_a_match_without_answers_can_be_looked_at() -> None:
    async with driven(await saved(SAVE, 0)) as pilot:
        screen = await opened(pilot)
        assert "ask 0 of 0" in pilot.shown
        await pilot.press("left", "right", "home", "end")
        assert talk(screen)


async def test_a_replay_that_differs_says_where_at_that_ask_and_not_before() -> None:
    save = await saved(SAVE)
    tamper(save, "UPDATE answers SET digest = 'x' WHERE match = 1 AND ask = 5")
    async with driven(save) as pilot:
        screen = await opened(pilot)
        said = "what the asked players had been told differs from the replay"
        assert said in talk(screen)
        await pilot.press("home")
        assert said not in talk(screen)


async def test_a_match_that_cannot_be_read_is_refused_in_one_line() -> None:
    save = await saved(SAVE)
    async with driven(save) as pilot:
        tamper(save, "UPDATE matches SET agents = 'no JSON' WHERE number = 1")
        pilot.live.action_replay()
        await pilot.pause()
        assert pilot.live
        assert len(pilot.toasts) == 1
        assert pilot.toasts[0].startswith("saves/small.db: is damaged")


async def test_e_writes_the_match_as_far_as_it_is_shown() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await opened(pilot)
        await pilot.press("e", says="Written: saves/small-match-1.txt")
        whole = Path("saves/small-match-1.txt").read_text("utf-8")
        assert whole.splitlines()[0] == "Match 1: undercover: Ada vs Rob"
        assert whole.count("votes for") == 3
        assert "Ended:" in whole
        await pilot.press("left", "e")
        part = Path(f"saves/small-match-1-ask-{ASKS - 1}.txt").read_text("utf-8")
        assert part.count("votes for") == 0
        *lines, last = part.splitlines()
        assert whole.splitlines()[: len(lines)] == lines
        assert last == "Unfinished: waiting for Player 1, Player 2, Player 3"
