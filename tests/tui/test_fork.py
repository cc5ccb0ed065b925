"""A fork from the screen: an answer or a player is changed, and both matches are shown."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from parlour.tournament.save.reader import Save
from parlour.tui.models.form import Filling
from parlour.tui.screens.fork import ForkScreen
from parlour.tui.screens.forking import SAME as SAME_ANSWER
from parlour.tui.screens.forking import AnswerDialog
from parlour.tui.screens.replay import ReplayScreen
from parlour.tui.screens.seat import SeatScreen
from parlour.tui.views.fork import SAME
from tests.tui.playing import (
    at_field,
    driven,
    pane_text,
    saved,
    shown,
    toasts,
    until,
)

SAVE = Path("saves/small.db")
CLUE = "a very new clue"


def forks() -> list[Path]:
    return sorted(Path("saves/forks").glob("*.db"))


async def chooses_a_seat(pilot: Pilot[None], *keys: str) -> None:
    """Goes to an ask of the replay, and forks the match there for the seat that is asked."""
    if not isinstance(pilot.app.screen, ReplayScreen):
        await pilot.press("r")
        await until(pilot, lambda: "Replay" in shown(pilot))
    await pilot.press(*keys, "F")
    await until(pilot, lambda: "which seat" in shown(pilot))
    await pilot.press("1")
    await until(pilot, lambda: "I play this seat" in shown(pilot))


async def opens_the_form(pilot: Pilot[None], *keys: str) -> None:
    """Asks for another answer at an ask of the replay."""
    await chooses_a_seat(pilot, *keys)
    await pilot.press("1")
    await until(pilot, lambda: "Another answer" in shown(pilot) and at_field(pilot) == 0)


def filling(pilot: Pilot[None]) -> Filling:
    """The form on screen."""
    assert isinstance(pilot.app.screen, AnswerDialog)
    return pilot.app.screen.filling


async def writes(pilot: Pilot[None], text: str) -> None:
    """Replaces the text of the first field."""
    await pilot.press("ctrl+u")
    await pilot.press(*(key if key != " " else "space" for key in text))


async def is_played_on(pilot: Pilot[None]) -> None:
    """The fork was played to its end. The clue may be out of sight: the pane follows the end."""
    await until(pilot, lambda: isinstance(pilot.app.screen, ForkScreen))
    await until(pilot, lambda: "✓ finished" in shown(pilot))
    await until(pilot, lambda: CLUE in pane_text(pilot.app.screen, "#fork"))


async def test_another_answer_is_played_on_and_shown_beside_the_match() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await opens_the_form(pilot, "home")
        (clue,) = filling(pilot).contents
        assert isinstance(clue, str)  # as it was given
        assert clue
        await writes(pilot, CLUE)
        await pilot.press("ctrl+s")
        await is_played_on(pilot)
        screen = pilot.app.screen
        assert CLUE not in pane_text(screen, "#origin")
        assert clue in pane_text(screen, "#origin")
        for pane in ("#fork", "#origin"):
            assert SAME in pane_text(screen, pane).splitlines()[0]
        await pilot.press("a")
        assert SAME not in pane_text(screen, "#origin")
        assert "told “" in pane_text(screen, "#origin")
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, ReplayScreen)
    (fork,) = forks()
    with Save(fork) as opened:
        assert opened.tournament.fork is not None
        assert opened.progress().finished == 1


async def test_another_vote_is_chosen_from_those_that_are_legal() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await opens_the_form(pilot, "end", "left")
        vote = filling(pilot).fields()[0]
        assert vote.content is not None
        assert len(vote.options) == 2  # three seats, and nobody votes for oneself
        await pilot.press("right", "ctrl+s")
        await until(pilot, lambda: isinstance(pilot.app.screen, ForkScreen))
        await until(pilot, lambda: "✓ finished" in shown(pilot))
        await until(pilot, lambda: "▌" in pane_text(pilot.app.screen, "#fork"))


async def test_another_agent_or_oneself_takes_a_seat() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await chooses_a_seat(pilot, "home")
        await pilot.press("2")
        await until(pilot, lambda: isinstance(pilot.app.screen, SeatScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ForkScreen))
        await until(pilot, lambda: "A person plays in this fork" in shown(pilot))
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, SeatScreen))
    (fork,) = forks()
    with Save(fork) as opened:
        assert "me" in opened.match(1).agents


async def test_after_the_end_of_a_fork_one_leaves_the_seat_for_both_matches() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await chooses_a_seat(pilot, "end", "left")
        await pilot.press("2")
        await until(pilot, lambda: isinstance(pilot.app.screen, SeatScreen))
        await until(pilot, lambda: "Your turn" in shown(pilot) and at_field(pilot) == 0)
        await pilot.press("right", "ctrl+s")
        await until(pilot, lambda: "[ Leave the seat ]" in shown(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ForkScreen))
        await until(pilot, lambda: "✓ finished" in shown(pilot))
        assert "▌" in pane_text(pilot.app.screen, "#fork")  # how it ended


async def test_dialogs_name_players_as_the_board_does() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: "Replay" in shown(pilot))
        await pilot.press("end", "left", "F")
        await until(pilot, lambda: "which seat" in shown(pilot))
        assert " R1  Rob·1" in shown(pilot)
        assert "Player 1" not in pane_text(pilot.app.screen, "#options")
        await pilot.press("1")
        await until(pilot, lambda: "What changes for Rob·1" in shown(pilot))
        assert " A  Ada plays it" in shown(pilot)
        await pilot.press("1")
        await until(pilot, lambda: "Another answer of Rob·1" in shown(pilot))
        await until(pilot, lambda: at_field(pilot) == 0)
        assert pilot.app.screen.is_modal
        assert pilot.app.screen.styles.background.a < 1  # the match shines through
        form = shown(pilot)
        assert "2  A2  Ada" in form
        assert "Player" not in form
        assert "(you)" not in form


async def test_a_refused_answer_is_said_where_it_is_and_nothing_is_made() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: "Replay" in shown(pilot))
        await pilot.press("F")
        await until(pilot, lambda: any("The match is over" in text for text in toasts(pilot)))
        await opens_the_form(pilot, "home")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: SAME_ANSWER in shown(pilot))
        await writes(pilot, "")
        await pilot.press("enter", "enter")
        await until(pilot, lambda: "✗" in shown(pilot))
        assert at_field(pilot) == 0
        assert isinstance(pilot.app.screen, AnswerDialog)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
    assert not forks()


async def test_keys_of_a_match_are_about_the_pane_with_the_focus() -> None:
    async with driven(await saved(SAVE), size=(80, 24)) as pilot:
        await opens_the_form(pilot, "home")
        await writes(pilot, CLUE)
        await pilot.press("ctrl+s")
        await is_played_on(pilot)
        await pilot.press("slash", *"very", "enter")
        await until(pilot, lambda: "1 of 1" in shown(pilot))
        await pilot.press("y")
        await until(pilot, lambda: any("opied" in text for text in toasts(pilot)))
        await pilot.press("1")
        await until(pilot, lambda: "1 As it went" in shown(pilot) and CLUE not in shown(pilot))
        await pilot.press("r")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
        assert CLUE not in shown(pilot)
        await pilot.press("escape", "2", "F")
        await until(pilot, lambda: any("a fork itself" in text for text in toasts(pilot)))
        await pilot.press("s")
        await until(pilot, lambda: any("no seat waits" in text for text in toasts(pilot)))


@pytest.mark.parametrize(
    ("size", "sight"),
    [((80, 24), 1), ((80, 60), 2), ((110, 24), 2)],
    ids=["tabs", "one below the other", "side by side"],
)
async def test_both_are_in_sight_where_there_is_room(size: tuple[int, int], sight: int) -> None:
    async with driven(await saved(SAVE), size=size) as pilot:
        await opens_the_form(pilot, "home")
        await writes(pilot, CLUE)
        await pilot.press("ctrl+s")
        await is_played_on(pilot)
        titles = ("1 As it went ·", "2 The fork ·")
        assert sum(title in shown(pilot) for title in titles) == sight
