"""Answers: players are known by name, and a model is asked for nothing that would be refused."""

import pytest

from parlour.games.engine.moves import Fault, FaultKind, Seat, player
from parlour.games.families.word_games import Beliefs, OwnRole, Vote, ballot, beliefs, own_role

SEATS = (Seat(0), Seat(1), Seat(2))
NAME = {"type": "string", "pattern": "^Player [1-9][0-9]*$"}


def test_a_player_is_read_by_name() -> None:
    named = {"player 12": 11, " PLAYER 3 ": 2, 0: 0, 5: 5}
    named |= {player(Seat(seat)): seat for seat in (0, 1, 8, 98)}
    assert {name: Vote.model_validate({"suspect": name}).suspect for name in named} == named


@pytest.mark.parametrize(
    "raw", ["1", "Player", "Player x", "Player ²", "Player 1000", "Player 1 or 2", "x 2", True, 2.0]
)
def test_what_names_no_player_is_unparsable(raw: object) -> None:
    viewers = {"Player 1": None, "Player 2": None, raw: None}
    for judged in (
        ballot(SEATS, 1, Vote).judge(SEATS[0], {"suspect": raw}),
        beliefs(SEATS, 1).judge(SEATS[0], {"beliefs": viewers}),
    ):
        assert judged.kind is FaultKind.UNPARSABLE


def test_a_stored_answer_reads_back_the_same() -> None:
    for answer in (
        Vote(suspect=Seat(2), reasoning="because"),
        Vote(suspect=None),
        OwnRole(role=None),
        Beliefs.model_validate({"beliefs": [{"viewer": 0, "suspect": None}]}),
    ):
        assert type(answer).model_validate_json(answer.model_dump_json()) == answer


def test_a_text_is_cleaned_when_made_when_read_from_a_save_and_when_judged() -> None:
    assert Vote(suspect=Seat(1), reasoning="a\x1b[2J").reasoning == "a[2J"
    stored = r'{"suspect": 1, "reasoning": "a\u001b[2J\u202e"}'
    assert Vote.model_validate_json(stored).reasoning == "a[2J"
    forged = Vote.model_construct(suspect=Seat(1), reasoning="a\x1b[2J")
    assert ballot(SEATS, 1, Vote).judge(SEATS[0], forged) == Vote(suspect=Seat(1), reasoning="a[2J")


def test_a_schema_offers_only_what_is_legal() -> None:
    suspect = Vote.model_json_schema()["properties"]["suspect"]
    assert {key: suspect[key] for key in NAME} == NAME
    role = OwnRole.model_json_schema()["properties"]["role"]
    assert (role["type"], role["enum"]) == ("string", ["special", "ordinary", "unsure"])


def belief(*pairs: tuple[int, int | None]) -> dict[str, object]:
    """As an agent writes it: players by their names."""
    named = [(player(v), None if s is None else player(s)) for v, s in pairs]
    return {"beliefs": [{"viewer": viewer, "suspect": suspect} for viewer, suspect in named]}


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (belief((0, 1), (1, None), (2, 2)), ""),
        (belief((2, None), (0, None), (1, None)), ""),  # in any order
        ({"beliefs": {"Player 3": None, "Player 1": "Player 2", "player 2": "Player 1"}}, ""),
        (belief(), "exactly one belief for each player"),
        (belief((0, 1), (1, 1), (1, 1)), "exactly one belief for each player"),
        (belief((0, 1), (1, 1), (2, 1), (3, 1)), "exactly one belief for each player"),
        (belief((0, 1), (1, 1), (2, 1), (1, 0)), "exactly one belief for each player"),
        (belief((0, 1), (1, 1), (2, 3)), "there is no Player 4"),
        (belief((0, 1), (1, 1), (2, -1)), "there is no Player 0"),
        ({"beliefs": {"Player 1": None, "Player 2": None}}, "exactly one belief for each player"),
    ],
)
def test_a_belief_for_each_player_is_legal(answer: object, fault: str) -> None:
    judged = beliefs(SEATS, 1).judge(SEATS[0], answer)
    if isinstance(judged, Fault):
        assert (judged.kind, fault in judged.message) == (FaultKind.ILLEGAL, True)
    assert isinstance(judged, Fault) == bool(fault)


def test_no_own_role_is_illegal_and_an_unknown_one_unparsable() -> None:
    for role, kind in ((None, FaultKind.ILLEGAL), ("undercover", FaultKind.UNPARSABLE)):
        judged = own_role(SEATS, 1).judge(SEATS[0], {"role": role})
        assert judged.kind is kind
