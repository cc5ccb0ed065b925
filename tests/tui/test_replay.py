"""The replay: a match at any of its asks, forwards and backwards."""

from pathlib import Path

from textual.pilot import Pilot

from parlour.tui.screens.replay import ReplayScreen
from tests.tui.playing import change, driven, live, looped, pane_text, saved, shown, toasts

SAVE = Path("saves/small.db")
ASKS = 11
"""Undercover asks six seats in turn for a clue, and all at once twice for their role, twice for
their beliefs, and for a vote."""


async def opened(pilot: Pilot[None]) -> ReplayScreen:
    """The replay of the first match."""
    await pilot.press("g", "r")
    assert isinstance(pilot.app.screen, ReplayScreen)
    return pilot.app.screen


@looped
async def test_a_replay_starts_at_the_end_and_each_ask_back_takes_its_answers_away() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        screen = await opened(pilot)
        assert f"Replay  ask {ASKS} of {ASKS}" in shown(pilot)
        whole = pane_text(screen, "#transcript")
        assert whole.count("votes for") == 3
        assert "Ended:" in whole
        await pilot.press("left")
        assert f"ask {ASKS - 1} of {ASKS}" in shown(pilot)
        earlier = pane_text(screen, "#transcript")
        assert earlier.count("votes for") == 0
        assert "Ended:" not in earlier
        assert earlier.count("suspects") > 0
        await pilot.press("right")
        assert pane_text(screen, "#transcript") == whole


@looped
async def test_every_key_goes_forwards_backwards_or_to_an_edge() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        at = ASKS
        for keys, by in ((("left", "h", "p"), -1), (("right", "l", "n"), +1)):
            for key in keys:
                await pilot.press(key)
                at += by
                assert f"ask {at} of {ASKS}" in shown(pilot), key
        for key, at in (("home", 0), ("end", ASKS), ("0", 0), ("left", 0), ("end", ASKS)):
            await pilot.press(key)
            assert f"ask {at} of {ASKS}" in shown(pilot), key
            assert ("says" in pane_text(screen, "#transcript")) == (at > 0)
        await pilot.press("right")  # behind the last there is nothing
        assert f"ask {ASKS} of {ASKS}" in shown(pilot)
        await pilot.press("home")
        lengths = [len(pane_text(screen, "#transcript"))]
        for _ in range(ASKS):  # each ask adds something
            await pilot.press("right")
            lengths.append(len(pane_text(screen, "#transcript")))
        assert lengths == sorted(set(lengths))


@looped
async def test_the_special_role_is_not_marked_before_the_end() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        await pilot.press("1")
        assert "★ undercover" in pane_text(screen, "#side")
        await pilot.press("2")
        assert "undercover, 3" in pane_text(screen, "#side")
        await pilot.press("left")
        assert "undercover" not in pane_text(screen, "#side")
        await pilot.press("1")
        assert pane_text(screen, "#side").strip() == "No votes yet."


@looped
async def test_the_keys_of_the_text_scroll_it_and_leave_the_ask_alone() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        transcript = screen.query_one("#transcript")
        await pilot.press("g")
        assert transcript.scroll_offset.y == 0
        await pilot.press("j")
        assert transcript.scroll_offset.y == 1
        await pilot.press("G")
        assert transcript.scroll_offset.y == transcript.max_scroll_y
        assert f"ask {ASKS} of {ASKS}" in shown(pilot)


@looped
async def test_escape_and_b_go_back_to_the_same_match() -> None:
    async with driven(await saved(SAVE)) as pilot:
        for key in ("escape", "b"):
            await opened(pilot)
            await pilot.press(key)
            assert live(pilot).watched.focus.match.number == 1


@looped
async def test_a_match_without_answers_can_be_looked_at() -> None:
    async with driven(await saved(SAVE, 0)) as pilot:
        screen = await opened(pilot)
        assert "ask 0 of 0" in shown(pilot)
        await pilot.press("left", "right", "home", "end")
        assert "your word is" in pane_text(screen, "#transcript")


@looped
async def test_a_replay_that_differs_says_where_at_that_ask_and_not_before() -> None:
    save = await saved(SAVE)
    change(save, "UPDATE answers SET digest = 'x' WHERE match = 1 AND ask = 5")
    async with driven(save) as pilot:
        screen = await opened(pilot)
        said = "what the asked players had been told differs from the replay"
        assert said in " ".join(pane_text(screen, "#transcript").split())
        await pilot.press("home")
        assert said not in " ".join(pane_text(screen, "#transcript").split())


@looped
async def test_a_match_that_cannot_be_read_is_refused_in_one_line() -> None:
    save = await saved(SAVE)
    async with driven(save) as pilot:
        change(save, "UPDATE matches SET agents = 'no JSON' WHERE number = 1")
        await pilot.press("g", "r")
        assert live(pilot)
        assert len(toasts(pilot)) == 1
        assert toasts(pilot)[0].startswith("saves/small.db: is damaged")


@looped
async def test_e_writes_the_match_as_far_as_it_is_shown() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await opened(pilot)
        await pilot.press("e")
        assert toasts(pilot) == ["Written: saves/small-match-1.txt"]
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
