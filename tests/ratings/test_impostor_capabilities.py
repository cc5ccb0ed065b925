"""The capabilities in a match of impostor, by hand."""

from dataclasses import replace

from parlour.games.engine.record import Answered, MatchRecord
from parlour.ratings.measures.measures import Row, measures
from tests.ratings.impostors import impostor
from tests.ratings.records import beliefs, find, own_role


def match(ballot: tuple[int, ...], ending: str, answers: list[Answered]) -> MatchRecord:
    """x is the impostor in seat 1, and y holds the three other seats."""
    record = impostor("yxyy", ballot, ending, seat=1)
    return replace(record, answers=(*record.answers, *answers))


def of(rows: list[Row], measure: str, agent: str, role: str | None = None) -> Row:
    row = find(rows, measure, agent, role, game="impostor")
    assert row is not None
    return row


def test_every_capability_of_a_match_by_hand() -> None:
    # Two of the three others name seat 1.
    ballot = (1, 2, 1, 0)
    answers = [own_role(0, "ordinary"), own_role(1, "special"), own_role(2, "unsure")]
    answers += [own_role(3, None)]
    # The own view is held against the truth, the others' against what they answered.
    answers += [beliefs(0, 1, 0, 1, None), beliefs(1, 1, 1, None, None)]
    answers += [beliefs(2, 1, 1, 1, None), beliefs(3)]
    rows = measures([match(ballot, "convicted", answers)])
    judged = of(rows, "judgment", "y")
    assert (judged.k, judged.n) == (2, 3)
    assert find(rows, "judgment", "x", game="impostor") is None
    assert (of(rows, "self_awareness", "x").k, of(rows, "self_awareness", "x").n) == (1, 1)
    assert (of(rows, "self_awareness", "y").k, of(rows, "self_awareness", "y").n) == (1, 3)
    # Seat 0: itself 1 right, seat 1 not 0 (it said 1), seat 2 right; seat 3 gave nothing.
    # Seat 2: itself right, seats 0 and 1 right. Seat 3: both points due, none given.
    # Seat 1: itself right, seat 0 right, but seat 2 wrong.
    assert (of(rows, "reasoning", "x").k, of(rows, "reasoning", "x").n) == (1, 2)
    assert (of(rows, "reasoning", "y").k, of(rows, "reasoning", "y").n) == (3, 6)
    assert of(rows, "deception_raw", "x").value == 0
    assert of(rows, "win_rate", "x", "impostor").value == 0
    assert of(rows, "win_rate", "y", "majority").value == 1


def test_an_impostor_deceives_where_it_escapes_or_ties() -> None:
    for ending, ballot, deceived in (
        ("escaped", (2, 2, 3, 2), 1),
        ("tie", (1, 2, 3, 0), 1),
        ("convicted", (1, 0, 1, 1), 0),
    ):
        rows = measures([match(ballot, ending, [])])
        assert of(rows, "deception_raw", "x").value == deceived, ending
        assert of(rows, "deception_raw", "x").value == deceived, ending
        assert of(rows, "win_rate", "x").value == deceived, ending
