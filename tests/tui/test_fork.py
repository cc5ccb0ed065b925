"""A fork from the screen: an answer or a player is changed, and both matches are shown."""

import json
from pathlib import Path

from parlour.tournament.save.reader import Save
from parlour.tui.screens.fork import ForkScreen
from parlour.tui.screens.seat import SeatScreen
from tests.tui.playing import driven, looped, pane_text, saved, shown, toasts, until

SAVE = Path("saves/small.db")


def forks() -> list[Path]:
    return sorted(Path("saves/forks").glob("*.db"))


@looped
async def test_another_answer_is_played_on_and_shown_beside_the_match() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: "Replay" in shown(pilot))
        await pilot.press("home", "F")
        await until(pilot, lambda: "which seat" in shown(pilot))
        await pilot.press("1")
        await until(pilot, lambda: "another answer" in shown(pilot))
        await pilot.press("1")
        await until(pilot, lambda: "Another answer of" in shown(pilot))
        pilot.app.screen.query_one("#line").value = json.dumps({"text": "a very new clue"})  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ForkScreen))
        await until(pilot, lambda: "finished" in shown(pilot))
        screen = pilot.app.screen
        await until(pilot, lambda: "a very new clue" in pane_text(screen, "#fork"))
        assert "a very new clue" not in pane_text(screen, "#origin")
        assert "lines as in both" in pane_text(screen, "#origin").splitlines()[0]
        await pilot.press("a")
        assert "lines as in both" not in pane_text(screen, "#origin")
        await pilot.press("escape")
        assert not isinstance(pilot.app.screen, ForkScreen)
    (fork,) = forks()
    with Save(fork) as opened:
        assert opened.tournament.fork is not None
        assert opened.progress().finished == 1


@looped
async def test_another_agent_or_oneself_takes_a_seat() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: "Replay" in shown(pilot))
        await pilot.press("home", "F")
        await until(pilot, lambda: "which seat" in shown(pilot))
        await pilot.press("1")
        await until(pilot, lambda: "I play this seat" in shown(pilot))
        await pilot.press("2")
        await until(pilot, lambda: isinstance(pilot.app.screen, SeatScreen))
    (fork,) = forks()
    with Save(fork) as opened:
        assert "me" in opened.match(1).agents


@looped
async def test_a_refused_answer_is_said_and_nothing_is_made() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: "Replay" in shown(pilot))
        await pilot.press("F")
        await until(pilot, lambda: any("The match is over" in text for text in toasts(pilot)))
        await pilot.press("home", "F")
        await until(pilot, lambda: "which seat" in shown(pilot))
        await pilot.press("1", "1")
        await until(pilot, lambda: "Another answer of" in shown(pilot))
        pilot.app.screen.query_one("#line").value = '{"txt": 1}'  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(pilot, lambda: any("is missing" in text for text in toasts(pilot)))
    assert not forks()
