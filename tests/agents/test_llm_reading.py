"""Answers read from what a model wrote, and the fault where there is none: nothing is guessed."""

import json

import pytest

from parlour.agents.llm.answer_parser import (
    LONGEST_REPAIRED,
    ParsedAnswer,
    read_answer,
    split_thinking,
)
from parlour.agents.model_calls import Completion
from parlour.games.donation.rules import donate
from parlour.games.engine.moves import Fault, FaultKind, Seat
from parlour.games.families.word_games import Belief, Beliefs, Vote, ballot, beliefs

SEATS = tuple(Seat(i) for i in range(3))
VOTE = '{"suspect": "Player 2"}'
DATA = {"suspect": "Player 2"}


def test_raw_control_characters_inside_a_text_do_not_spoil_the_object() -> None:
    read = read_answer(Completion('{"text": "one\ntwo\x07"}'))
    assert read == ParsedAnswer({"text": "one\ntwo\x07"}, "json")


def kind_of(completion: Completion) -> FaultKind:
    parsed = read_answer(completion)
    assert isinstance(parsed, Fault), parsed
    return parsed.kind


@pytest.mark.parametrize(
    ("completion", "kind"),
    [
        (Completion(""), "empty"),
        (Completion('{"suspect": "Play', finish="length"), "truncated"),
        (Completion(VOTE, finish="length"), "truncated"),  # even where it could be read
        (Completion("", finish="length"), "truncated"),
        (Completion("I would rather not.", finish="refusal"), "refusal"),
        (Completion(VOTE, finish="content_filter"), "refusal"),
        (Completion("I'm sorry, but I can't help with deceiving others."), "refusal"),
        (Completion("I cannot take part."), "refusal"),
        (Completion("As an AI I have no opinion."), "refusal"),
        (Completion("We must decline to answer."), "refusal"),
        (Completion("2"), "unparsable"),
    ],
)
def test_every_class_of_fault_is_distinguished_from_the_others(
    completion: Completion, kind: str
) -> None:
    assert kind_of(completion) == kind


@pytest.mark.parametrize(
    "text",
    [
        '{"suspect": "Player 1"} or {"suspect": "Play',
        '{"suspect": ...} is Player 2',
        "{hm} it is suspect: Player 2",
        "{suspect} is Player 2",
    ],
)
def test_no_move_is_guessed_out_of_half_an_object_or_out_of_prose(text: str) -> None:
    parsed = read_answer(Completion(text))
    judged = (
        parsed if isinstance(parsed, Fault) else ballot(SEATS, 1, Vote).judge(SEATS[0], parsed.data)
    )
    assert judged.kind is FaultKind.UNPARSABLE


def test_a_text_that_is_as_long_as_may_be_fixed_is_fixed() -> None:
    text = '{"text": "' + "x" * (LONGEST_REPAIRED - 13) + '",}'
    assert len(text) == LONGEST_REPAIRED
    assert isinstance(read_answer(Completion(text)), ParsedAnswer)
    assert kind_of(Completion(text.replace("x", "xx", 1))) is FaultKind.UNPARSABLE


@pytest.mark.parametrize(
    ("text", "apart", "rest", "thinking"),
    [
        ("<think>if {x}</think>{}", "", "{}", "if {x}"),
        ("<thinking>\nhm\n</thinking>\n{}", "", "\n{}", "hm"),
        ("<THINK>hm</THINK>{}", "first", "{}", "first\nhm"),
        ("{}", "apart", "{}", "apart"),
        ("<think>no end {}", "", "", "no end {}"),
        ('{"text": "<think>a</think>"}', "", '{"text": "<think>a</think>"}', ""),
    ],
)
def test_thinking_is_kept_apart_from_the_answer(
    text: str, apart: str, rest: str, thinking: str
) -> None:
    assert split_thinking(Completion(text, thinking=apart)) == (rest, thinking)


def test_a_bare_number_is_no_player() -> None:
    judged = ballot(SEATS, 1, Vote).judge(SEATS[0], {"suspect": 3})
    line = "suspect: 3 is no player: name players as 'Player 1', 'Player 2' and so on"
    assert judged == Fault(FaultKind.UNPARSABLE, line)
    inside = {"beliefs": [{"viewer": 0, "suspect": None}]}
    judged = beliefs(SEATS, 1).judge(SEATS[0], inside)
    assert judged.message.startswith("beliefs[0].viewer: 0 is no player")


def test_a_seat_that_code_names_and_a_seat_in_a_save_stay_what_they_were() -> None:
    vote = Vote(suspect=Seat(2))
    assert ballot(SEATS, 1, Vote).judge(SEATS[0], vote) == vote
    assert Vote.model_validate_json('{"suspect": 2, "reasoning": ""}') == vote
    assert ballot(SEATS, 1, Vote).judge(SEATS[0], {"suspect": "Player 3"}) == vote
    all_of_them = Beliefs(beliefs=tuple(Belief(viewer=s, suspect=Seat(0)) for s in SEATS))
    assert beliefs(SEATS, 1).judge(SEATS[0], all_of_them) == all_of_them
    assert Beliefs.model_validate_json(all_of_them.model_dump_json()) == all_of_them


@pytest.mark.parametrize("evil", ["\x1b[2J", "\u202e", "\ud800", "\x9b31m", "\x00", "\u2028"])
def test_nothing_that_steers_a_terminal_or_cannot_be_written_reaches_a_fault(evil: str) -> None:
    strange = json.loads(json.dumps({f"a{evil}b": 1, "action": f"defect{evil}!"}))
    judged = donate(SEATS[0], True, 1).judge(SEATS[0], strange)
    assert judged.kind is FaultKind.UNPARSABLE
    assert evil not in judged.message
    judged.message.encode()
    long = {"x" * 5_000: 1, "suspect": "Player 2"}
    judged = ballot(SEATS, 1, Vote).judge(SEATS[0], long)
    assert len(judged.message) == 300


def test_an_escape_around_a_move_is_cleaned_away_before_it_is_judged() -> None:
    judged = donate(SEATS[0], True, 1).judge(SEATS[0], {"action": "defect\u200b"})
    assert not isinstance(judged, Fault)
    assert judged.action == "defect"
