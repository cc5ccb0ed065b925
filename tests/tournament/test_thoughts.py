"""Thoughts of the seats, read from the notes of their answers."""

import json
from typing import Any

import pytest

from parlour.games.engine.moves import Seat
from parlour.tournament.reports.thoughts import Thought, thoughts
from parlour.tournament.save.rows import StoredAnswer

ROWS = [[0.0, 0.5, 0.5], [0.25, 0.25, 0.5], [0.5, 0.5, 0.0]]
KEPT = tuple(map(tuple, ROWS))


def answer(ask: int, seat: int, notes: dict[str, Any] | str | None, **more: Any) -> StoredAnswer:
    text = json.dumps(notes) if isinstance(notes, dict) else notes
    row = {"kind": "clue", "round": 1, "seq": ask, **more}
    return StoredAnswer(
        match=1, ask=ask, seat=Seat(seat), value="{}", fault=None, tries=1, notes=text,
        digest="", **row,
    )  # fmt: skip


def analysis(heard: int, text: str, target: int | None = 2) -> dict[str, Any]:
    return {"heard": heard, "analysis": text, "beliefs": ROWS, "target": target}


def test_thoughts_come_in_the_order_of_the_asks_not_of_arrival() -> None:
    listed = thoughts(
        [
            answer(3, 1, analysis(2, "third")),
            answer(1, 2, {"scratchpad": "second"}),
            answer(1, 0, {"thinking": "first"}),
            answer(2, 0, None),
        ],
        3,
    )
    assert [(each.seat, each.words) for each in listed] == [
        (0, ("first",)),
        (2, ("second",)),
        (1, ("third",)),
    ]
    assert listed[0] == Thought(Seat(0), "clue", 1, ("first",))
    assert listed[2] == Thought(Seat(1), "clue", 1, ("third",), KEPT, 2)


def test_a_reused_analysis_appears_once_with_its_new_texts() -> None:
    listed = thoughts(
        [
            answer(1, 0, analysis(2, "said")),
            answer(2, 0, analysis(2, "said"), kind="guess"),
            answer(3, 0, {**analysis(2, "said"), "thinking": "new"}, kind="vote"),
            answer(4, 1, analysis(2, "said")),  # another seat heard as much
            answer(5, 0, analysis(5, "more")),
        ],
        3,
    )
    assert [(each.seat, each.kind, each.words, each.beliefs is None) for each in listed] == [
        (0, "clue", ("said",), False),
        (0, "vote", ("new",), True),
        (1, "clue", ("said",), False),
        (0, "clue", ("more",), False),
    ]


def test_an_unreadable_analysis_has_its_fault() -> None:
    notes = {**analysis(1, "Player 2 it is"), "analysis_fault": "unparsable", "target": None}
    (thought,) = thoughts([answer(1, 0, notes)], 3)
    assert (thought.fault, thought.target, thought.beliefs) == ("unparsable", None, KEPT)


@pytest.mark.parametrize("beliefs", [None, "even", [[1, 0], [0, 1]], [[2, 0, 0]] * 3, ROWS[:2]])
def test_odd_beliefs_are_none(beliefs: object) -> None:
    (thought,) = thoughts([answer(1, 0, {**analysis(1, "said"), "beliefs": beliefs})], 3)
    assert (thought.words, thought.beliefs, thought.target) == (("said",), None, None)


@pytest.mark.parametrize("target", [3, -1, "Player 1", [1], 1.5])
def test_an_odd_target_is_none(target: Any) -> None:
    (thought,) = thoughts([answer(1, 0, analysis(1, "said", target))], 3)
    assert (thought.beliefs, thought.target) == (KEPT, None)


@pytest.mark.parametrize("notes", ["no JSON", "[1]", "[" * 100_000, "{}", '{"words": 3}'])
def test_notes_that_cannot_be_read_or_hold_no_thought_are_passed_over(notes: str) -> None:
    assert thoughts([answer(1, 0, notes), answer(2, 0, {"scratchpad": ""})], 3) == []


def test_words_are_cleaned_of_what_steers_a_terminal() -> None:
    (thought,) = thoughts([answer(1, 0, {"scratchpad": "a\u202eb\x1b[2Jc"})], 3)
    assert thought.words == ("ab[2Jc",)
