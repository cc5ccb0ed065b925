"""A fork from the screen: an answer or a player is changed, and both matches are shown."""

from pathlib import Path

import pytest

from parlour.tournament.save.reader import Save
from parlour.tui.models.form import Filling
from parlour.tui.screens.fork import ForkScreen
from parlour.tui.screens.forking import SAME as SAME_ANSWER
from parlour.tui.screens.forking import AnswerDialog
from parlour.tui.screens.replay import ReplayScreen
from parlour.tui.screens.seat import SeatScreen
from parlour.tui.views.fork import SAME
from tests.tournaments import in_save
from tests.tui.playing import Driven, driven, end, pane_text, saved

SAVE = Path("saves/small.db")
CLUE = "a very new clue"


def forks() -> list[Path]:
    return sorted(Path("saves/forks").glob("*.db"))


async def chooses_a_seat(pilot: Driven, *keys: str) -> None:
    """Goes to an ask of the replay, and forks the match there for the seat that is asked."""
    if not isinstance(pilot.app.screen, ReplayScreen):
        await pilot.press("r", sees="Replay")
    await pilot.press(*keys, "F", sees="which seat")
    await pilot.press("1", sees="I play this seat")


async def opens_the_form(pilot: Driven, *keys: str) -> None:
    """Asks for another answer at an ask of the replay."""
    await chooses_a_seat(pilot, *keys)
    await pilot.press("1")
    await pilot.until(lambda: "Another answer" in pilot.shown and pilot.at_field == 0)


def filling(pilot: Driven) -> Filling:
    """The form on screen."""
    return pilot.at(AnswerDialog).filling


async def writes(pilot: Driven, text: str) -> None:
    """Replaces the text of the first field."""
    await pilot.press("ctrl+u")
    await pilot.press(*(key if key != " " else "space" for key in text))


async def is_played_on(pilot: Driven) -> None:
    """The fork was played to its end. The clue may be out of sight: the pane follows the end."""
    await pilot.until(lambda: isinstance(pilot.app.screen, ForkScreen))
    await pilot.sees("✓ finished")
    await pilot.until(lambda: CLUE in pane_text(pilot.app.screen, "#fork"))


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
        await pilot.press("escape", at=ReplayScreen)
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
        await pilot.press("right", "ctrl+s", at=ForkScreen, sees="✓ finished")
        await pilot.until(lambda: "▌" in pane_text(pilot.app.screen, "#fork"))


async def test_another_agent_or_oneself_takes_a_seat() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await chooses_a_seat(pilot, "home")
        await pilot.press("2", at=SeatScreen)
        await pilot.press("escape", at=ForkScreen, sees="A person plays in this fork")
        await pilot.press("s", at=SeatScreen)
    (fork,) = forks()
    assert "me" in in_save(fork, lambda s: s.match(1)).agents
    end(fork)


async def test_after_the_end_of_a_fork_one_leaves_the_seat_for_both_matches() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await chooses_a_seat(pilot, "end", "left")
        await pilot.press("2", at=SeatScreen)
        await pilot.until(lambda: "Your turn" in pilot.shown and pilot.at_field == 0)
        await pilot.press("right", "ctrl+s", sees="[ Leave the seat ]")
        await pilot.press("enter", at=ForkScreen, sees="✓ finished")
        assert "▌" in pane_text(pilot.app.screen, "#fork")  # how it ended


async def test_dialogs_name_players_as_the_board_does() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await pilot.press("r", sees="Replay")
        await pilot.press("end", "left", "F", sees=("which seat", " R1  Rob·1"))
        assert "Player 1" not in pane_text(pilot.app.screen, "#options")
        await pilot.press("1", sees=("What changes for Rob·1", " A  Ada plays it"))
        await pilot.press("1", sees="Another answer of Rob·1")
        await pilot.until(lambda: pilot.at_field == 0)
        assert pilot.app.screen.is_modal
        assert pilot.app.screen.styles.background.a < 1  # the match shines through
        form = pilot.shown
        assert "2  A2  Ada" in form
        assert "Player" not in form
        assert "(you)" not in form


async def test_a_refused_answer_is_said_where_it_is_and_nothing_is_made() -> None:
    async with driven(await saved(SAVE), size=(120, 40)) as pilot:
        await pilot.press("r", sees="Replay")
        await pilot.press("F")
        await pilot.until(lambda: any("The match is over" in text for text in pilot.toasts))
        await opens_the_form(pilot, "home")
        await pilot.press("ctrl+s", sees=SAME_ANSWER)
        await writes(pilot, "")
        await pilot.press("enter", "enter", sees="✗")
        assert pilot.at_field == 0
        assert isinstance(pilot.app.screen, AnswerDialog)
        await pilot.press("escape", at=ReplayScreen)
    assert not forks()


async def test_keys_of_a_match_are_about_the_pane_with_the_focus() -> None:
    async with driven(await saved(SAVE), size=(80, 24)) as pilot:
        await opens_the_form(pilot, "home")
        await writes(pilot, CLUE)
        await pilot.press("ctrl+s")
        await is_played_on(pilot)
        await pilot.press("slash", *"very", "enter", sees="1 of 1")
        await pilot.press("y")
        await pilot.until(lambda: any("opied" in text for text in pilot.toasts))
        await pilot.press("1")
        await pilot.until(lambda: "1 As it went" in pilot.shown and CLUE not in pilot.shown)
        await pilot.press("r", at=ReplayScreen)
        assert CLUE not in pilot.shown
        await pilot.press("escape", "2", "F")
        await pilot.until(lambda: any("a fork itself" in text for text in pilot.toasts))
        await pilot.press("s")
        await pilot.until(lambda: any("no seat waits" in text for text in pilot.toasts))


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
        assert sum(title in pilot.shown for title in titles) == sight
