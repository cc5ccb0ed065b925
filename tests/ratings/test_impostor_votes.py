"""Endings, ties and accusations of the impostor game, worked by hand."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.impostor.counting import ALL
from parlour.ratings.measures.conditions import ALL_CONDITIONS, DEFAULT_CONDITION
from parlour.ratings.measures.measures import Row, measures
from tests.ratings.impostors import BLIND, impostor, played_impostor
from tests.ratings.records import beliefs, measured, numbered, own_role, shown


def parts(
    rows: Iterable[Row], measure: str, agent: str = ALL, condition: str = ALL_CONDITIONS
) -> dict[str, tuple[float | None, float]]:
    """(k, n) of a measure by what stands in the role column."""
    return {
        row.role: (row.k, row.n)
        for row in rows
        if (row.game, row.condition, row.agent, row.measure)
        == ("impostor", condition, agent, measure)
        and row.role is not None
    }


def test_the_endings_of_a_condition_by_hand() -> None:
    rows = measured(
        impostor("yxxx", (1, 0, 0, 1), "convicted"),
        impostor("yxxx", (1, 0, 0, 0), "convicted"),
        impostor("xyyy", (1, 2, 3, 0), "tie"),
        impostor("xyyy", (1, 2, 1, 1), "escaped", condition=BLIND),
    )
    never = dict.fromkeys(
        ("impostor_guessed", "impostor_misguessed", "false_declaration", "sole_suspect"), (0, 4)
    )
    assert parts(rows, "ending_share") == never | {
        "convicted": (2, 4),
        "tie": (1, 4),
        "escaped": (1, 4),
    }
    own = parts(rows, "ending_share", condition=BLIND)
    assert (own["escaped"], own["convicted"]) == ((1, 1), (0, 1))
    assert {row.agent for row in rows if row.measure == "ending_share"} == {ALL}


def test_the_shares_of_endings_and_of_tie_sizes_sum_to_one_on_played_matches() -> None:
    rows = measures(played_impostor())
    for measure in ("ending_share", "tie_size"):
        shares = parts(rows, measure)
        assert sum(k or 0 for k, _ in shares.values()) == next(iter(shares.values()))[1] > 3


def test_ties_by_size_and_with_the_impostor_among_them() -> None:
    # The impostor is seat 0. The tops: {0, 1}; {1, 2}; {0, 1, 2, 3}; seat 1 alone; nobody.
    ballots = [(1, 0, 0, 1), (1, 2, 1, 2), (1, 2, 3, 0), (1, 2, 1, 1), (None,) * 4]
    endings = ["convicted", "tie", "tie", "escaped", "escaped"]
    rows = measures(
        numbered(
            impostor("yxxx", ballot, ending)
            for ballot, ending in zip(ballots, endings, strict=True)
        )
    )
    assert parts(rows, "tie_size") == {"2": (2, 3), "3": (0, 3), "4": (1, 3)}
    (tied,) = (r for r in rows if r.measure == "tied_impostor" and r.condition == DEFAULT_CONDITION)
    assert (tied.agent, tied.role, tied.k, tied.n) == (ALL, None, 2, 3)
    untied = measures([impostor("yxxx", (1, 2, 1, 1), "escaped")])
    assert not {row.measure for row in untied} & {"tie_size", "tied_impostor"}


def test_accusations_by_hand() -> None:
    # x holds seats 1 and 2, y seat 0, z seat 3.
    rows = measured(
        # y names x; x names y, and itself in its other seat; z names nobody.
        impostor("yxxz", (1, 0, 1, None), "tie"),
        # y names z; x names z and y; z names x.
        impostor("yxxz", (3, 3, 0, 2), "escaped"),
    )
    assert parts(rows, "accusation", "y") == {"x": (1, 2), "z": (1, 2)}
    # Four votes of x, in each of which y, z and its own other seat could be named.
    assert parts(rows, "accusation", "x") == {"x": (1, 4), "y": (2, 4), "z": (1, 4)}
    assert parts(rows, "accusation", "z") == {"x": (1, 2), "y": (0, 2)}


def test_an_agent_is_accused_only_where_it_sits() -> None:
    rows = measured(
        impostor("yxxx", (1, 0, 0, 0), "convicted"), impostor("yzzz", (1, 0, 0, 2), "convicted")
    )
    # y votes once against x and once against z; it never met itself.
    assert parts(rows, "accusation", "y") == {"x": (1, 1), "z": (1, 1)}
    # Three votes of z: for y, y, and its own seat 2.
    assert parts(rows, "accusation", "z") == {"y": (2, 3), "z": (1, 3)}


def test_a_defender_is_accused_and_its_own_votes_are_not_measured() -> None:
    rows = measures([impostor("yxxx", (1, 0, 0, 1), "convicted", counted=(0,))])
    assert parts(rows, "accusation", "y") == {"x": (1, 1)}
    assert parts(rows, "accusation", "x") == {}


@pytest.mark.parametrize(
    ("wins", "first", "second"),
    [
        # i: the impostor wins, m: the majority does.
        ("iimm", (2, 2), (0, 2)),
        ("imi", (1, 2), (1, 1)),  # the middle one belongs to the first half
        ("i", (1, 1), None),
    ],
)
def test_the_outcome_by_half_of_an_experiment(
    wins: str, first: tuple[int, int], second: tuple[int, int] | None
) -> None:
    def season(experiment: str) -> list[MatchRecord]:
        matches = []
        for each in wins:
            ballot, ending = {"i": ((1, 2, 1, 1), "escaped"), "m": ((1, 0, 0, 0), "convicted")}[
                each
            ]
            matches.append(impostor("yxxx", ballot, ending, experiment=experiment))
        return matches

    expected = {"first half": first} | ({"second half": second} if second else {})
    expected["impostor is Player 1"] = (wins.count("i"), len(wins))
    records = numbered(season("one"))
    assert parts(measures(records), "impostor_win") == expected
    # The order of match numbers counts, not that of the list.
    assert parts(measures(records[::-1]), "impostor_win") == expected
    # Each experiment has halves of its own, however their matches lie.
    two = numbered(season("one") + season("two"))
    doubled = {half: (2 * k, 2 * n) for half, (k, n) in expected.items()}
    assert parts(measures(two), "impostor_win") == doubled


def match(ballot: tuple[int, ...], ending: str, answers: list[Answered]) -> MatchRecord:
    """x is the impostor in seat 1, and y holds the three other seats."""
    record = impostor("yxyy", ballot, ending, seat=1)
    return replace(record, answers=(*record.answers, *answers))


def test_every_capability_of_a_match_by_hand() -> None:
    # Two of the three others name seat 1.
    ballot = (1, 2, 1, 0)
    answers = [own_role(0, "ordinary"), own_role(1, "special"), own_role(2, "unsure")]
    answers += [own_role(3, None)]
    # The own view is held against the truth, the others' against what they answered.
    answers += [beliefs(0, 1, 0, 1, None), beliefs(1, 1, 1, None, None)]
    answers += [beliefs(2, 1, 1, 1, None), beliefs(3)]
    shown(measures([match(ballot, "convicted", answers)]), "impostor").are("""
        judgment: y 2/3, x none
        self_awareness: x 1/1, y 1/3
        # Seat 0: itself 1 right, seat 1 not 0 (it said 1), seat 2 right; seat 3 gave nothing.
        # Seat 2: itself right, seats 0 and 1 right. Seat 3: both points due, none given.
        # Seat 1: itself right, seat 0 right, but seat 2 wrong.
        reasoning: x 1/2, y 3/6
        deception_raw: x 0/1
        win_rate: x (impostor) 0/1, y (majority) 1/1
        """)


def test_an_impostor_deceives_where_it_escapes_or_ties() -> None:
    for ending, ballot, deceived in (
        ("escaped", (2, 2, 3, 2), 1),
        ("tie", (1, 2, 3, 0), 1),
        ("convicted", (1, 0, 1, 1), 0),
    ):
        rows = shown(measures([match(ballot, ending, [])]), "impostor")
        rows.are(f"deception_raw: x {deceived}/1; win_rate: x {deceived}/1")
