"""The screen of thoughts: beliefs as a heat map over the analyses of a match, and the words."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from parlour.games.engine.moves import Seat
from parlour.tournament.reports.thoughts import Thought
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.look.palette import NIGHT
from parlour.tui.models.save_view import Focus
from parlour.tui.screens.live import LiveScreen
from parlour.tui.screens.thoughts import ThoughtsScreen
from parlour.tui.views import beliefs
from parlour.tui.views.scene import Scene, scene_of
from tests.hostile import PAYLOADS
from tests.tournaments import tamper
from tests.tui.boards import DRAWINGS
from tests.tui.playing import driven, pane_text, saved
from tests.tui.test_hostile import strange, whole_screen

SAVE = Path("saves/thinking.db")
AGENTS = ("Ada", "Rob", "Ada")
FIRST = ((0.0, 0.5, 0.5), (0.2, 0.4, 0.4), (1.0, 0.0, 0.0))
SECOND = ((0.1, 0.3, 0.6), (0.3, 0.3, 0.4), (0.34, 0.33, 0.33))


def thought(seat: int, kind: str, round: int, matrix: Any, target: int | None) -> Thought:
    return Thought(Seat(seat), kind, round, (f"{kind} {round}",), matrix, target)


THOUGHTS = [
    thought(0, "clue", 1, FIRST, None),
    thought(1, "clue", 1, SECOND, 0),
    thought(0, "vote", 2, SECOND, 2),
]


def heat(seat: int) -> list[str]:
    return list(beliefs.heat(THOUGHTS, AGENTS, seat))


def scene() -> Scene:
    match = StoredMatch(
        *(1, 0, 0, "key", "undercover", "", "Ada vs Rob", AGENTS, (0, 1, 2), 1), *(None, None)
    )
    return scene_of(Focus(match), Cast(("Ada", "Rob"), NIGHT), Look())


def drawn(chosen: int, first: int = 0, width: int = 60) -> list[str]:
    lines = beliefs.belief_lines(scene(), THOUGHTS, chosen, first, width)
    assert {line.cell_len for line in lines} == {width}
    return [line.plain.rstrip() for line in lines]


def test_rows_are_the_suspected_and_columns_the_moments_of_one_player() -> None:
    assert heat(0) == [*DRAWINGS["heat"], ""]


def test_each_players_beliefs_are_its_own_row_first() -> None:
    assert heat(1)[:6] == [
        "Player 2 suspects",
        "              clue 1",
        "Player 1 Ada    ░ 30",
        "Player 2 Rob    ░ 30",
        "Player 3 Ada    ▓ 40",
        "target            P1",
    ]
    assert heat(2) == ["This player has no stored beliefs."]


def test_the_screen_has_a_map_for_each_player_and_those_that_the_chosen_one_imagines() -> None:
    lines = drawn(0)
    own = [
        "──  A1  Ada·1 suspects  now at A3 " + 26 * "─",
        "              clue 1     vote 2",
        "  A1 Ada·1      ·          ·",
        "  R2 Rob        50         30",
        "  A3 Ada·3      50         60",
        "",
    ]
    assert lines[:6] == own
    assert lines[6] == "──  R2  Rob suspects  now at A1 " + 28 * "─"
    assert [line for line in lines if "thinks that" in line] == [
        "──  A1  Ada·1 thinks that Rob suspects " + 21 * "─",
        "──  A1  Ada·1 thinks that Ada·3 suspects " + 19 * "─",
    ]
    assert drawn(1)[:12] == lines[:12]
    assert [beliefs.first_line(THOUGHTS, seat, 3) for seat in range(3)] == [0, 6, 12]
    assert "thinks that" not in "".join(drawn(2))


def test_analyses_that_do_not_fit_come_into_sight_one_by_one() -> None:
    assert beliefs.in_sight(scene(), 28) == 1
    assert drawn(0, 0, 28)[1].split() == ["clue", "1"]
    assert drawn(0, 1, 28)[1].split() == ["vote", "2"]


@pytest.mark.parametrize("width", [20, 34, 54, 80, 220])
def test_maps_and_words_are_exactly_as_wide_as_their_pane(width: int) -> None:
    for chosen in range(3):
        lines = beliefs.belief_lines(scene(), THOUGHTS, chosen, 0, width)
        lines += beliefs.word_lines(scene(), THOUGHTS, chosen, width)
        assert {line.cell_len for line in lines} == {width}


def test_words_on_the_screen_name_players_and_say_what_went_wrong() -> None:
    odd = Thought(Seat(0), "vote", 2, ("Player 2 it is",), None, 1, "truncated")
    lines = [line.plain.rstrip() for line in beliefs.word_lines(scene(), [odd], 0, 50)]
    assert lines == ["before its vote of round 2  ▸ Rob  ✗ truncated", "┊ Rob it is"]
    assert "no stored thoughts" in beliefs.word_lines(scene(), [odd], 1, 50)[0].plain


@pytest.mark.parametrize(
    ("value", "players", "sign"),
    # An even share of three is a third: half of it .167, nine tenths .3, 1.1 of it .367, 1.5 .5.
    [
        (0.0, 3, "·"),
        (0.16, 3, "·"),
        (0.17, 3, "░"),
        (0.3, 3, "░"),
        (0.31, 3, "▒"),
        (0.36, 3, "▒"),
        (0.37, 3, "▓"),
        (0.5, 3, "▓"),
        (0.51, 3, "█"),
        (0.25, 4, "▒"),
        (0.4, 4, "█"),
    ],
)
def test_a_shade_says_how_a_value_stands_to_an_even_share(
    value: float, players: int, sign: str
) -> None:
    assert beliefs.shade(value, players) == sign


def test_words_come_with_their_moment_target_and_fault() -> None:
    odd = Thought(Seat(0), "vote", 2, ("so\nit is", "and then"), None, None, "truncated")
    assert list(beliefs.words([THOUGHTS[0], THOUGHTS[1], odd], 0)) == [
        "Before its clue in round 1",
        "   clue 1",
        "Before its vote in round 2  [truncated]",
        "   so it is",
        "   and then",
    ]
    (head, _words) = beliefs.words(THOUGHTS, 1)
    assert head == "Before its clue in round 1  → Player 1"


# --- On the screen


async def noted(notes: Sequence[tuple[int, int, dict[str, Any]]], answers: int = 150) -> Path:
    """A save with such notes (ask, seat, notes) in its first match."""
    save = await saved(SAVE, answers)
    for ask, seat, note in notes:
        sql = "UPDATE answers SET notes = ? WHERE match = 1 AND (ask, seat) = (?, ?)"
        tamper(save, sql, json.dumps(note), ask, seat)
    return save


def belief(heard: int, matrix: Any, target: int | None, words: str = "") -> dict[str, Any]:
    return {"heard": heard, "analysis": words, "beliefs": matrix, "target": target}


# The votes of a match of SMALL are asked for at once, by ask 10.
VOTES = 10
NOTES = [
    (VOTES, 0, belief(6, FIRST, None, "I weigh it all")),
    (VOTES, 1, belief(6, SECOND, 0, "it is Player 1")),
    (VOTES, 2, {"scratchpad": "I only think"}),
]


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
async def test_t_shows_whose_beliefs_one_chooses_and_escape_goes_back(
    size: tuple[int, int],
) -> None:
    save = await noted(NOTES)
    async with driven(save, size=size) as pilot:
        pilot.live.show_match(1)
        await pilot.press("t")
        screen = pilot.at(ThoughtsScreen)
        await pilot.sees("suspects")
        text = pilot.shown
        assert "vote 2" in text
        assert "for onlookers only" in text or size[0] == 80
        assert "I weigh it all" in text
        own = " ".join(pane_text(screen, "#beliefs").split())
        # The own maps of both players, of which one has a target, and what the first imagines.
        assert own.count(" suspects now at") == 1
        assert own.count("thinks that") == 2
        assert max(len(line) for line in text.splitlines()) <= size[0]
        await pilot.press("n")
        first = Save(save).match(1).agents[0]
        await pilot.until(lambda: f"it is {first}" in pane_text(screen, "#words"))
        if size[1] == 24:  # its map was out of sight
            await pilot.until(lambda: screen.query_one("#beliefs").scroll_offset.y > 0)
        assert f"▸ {first}" in pane_text(screen, "#words")
        assert "I weigh it all" not in pilot.shown
        await pilot.press("n")
        await pilot.until(lambda: "I only think" in pane_text(screen, "#words"))
        assert "thinks that" not in pane_text(screen, "#beliefs")
        await pilot.press("n", "p", "p")
        await pilot.until(lambda: "it is" in pane_text(screen, "#words"))
        await pilot.press("e")
        written = save.with_name("thinking-match-1-thoughts.txt").read_text(encoding="utf-8")
        assert "Thoughts of Player 1" in written
        assert "I weigh it all" in written
        assert "I only think" in written
        await pilot.press("escape", at=LiveScreen)


async def test_the_board_shows_the_latest_beliefs_and_a_replay_those_of_its_ask() -> None:
    async with driven(await noted(NOTES), size=(160, 48)) as pilot:
        pilot.live.show_match(1)
        await pilot.pause()
        board = pane_text(pilot.live, "#board")
        assert "who suspects whom, %" in board
        rows = [row.split() for row in board.splitlines() if "50" in row]
        assert [row[-3:] for row in rows] == [["·", "50", "50"]]
        await pilot.press("r")
        assert "who suspects whom, %" in pane_text(pilot.app.screen, "#board")
        await pilot.press("left")  # before the votes nothing was noted
        assert "50" not in pane_text(pilot.app.screen, "#board")
        await pilot.press("t", at=ThoughtsScreen)


async def test_hostile_thoughts_are_seen_and_do_nothing() -> None:
    notes = [(VOTES, 0, belief(6, FIRST, None, "\n".join(PAYLOADS)))]
    notes += [(VOTES, 1, {"scratchpad": "\n".join(reversed(PAYLOADS))})]
    async with driven(await noted(notes), size=(160, 48)) as pilot:
        pilot.live.show_match(1)
        await pilot.press("t")
        screen = pilot.app.screen
        await pilot.sees("suspects")
        for _ in range(2):
            await pilot.until(lambda: "before its vote" in pane_text(screen, "#words"))
            whole_screen(pilot)
            assert not strange(pane_text(screen, "#words").replace("\n", ""))
            await pilot.press("n")
