"""Measures of hand-made matches: values, slices, intervals, and what has no row."""

import csv
import io
import json
from dataclasses import replace
from itertools import permutations, product
from math import sqrt
from operator import itemgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.engine.registry import games
from parlour.ratings.measures.conditions import ALL_CONDITIONS
from parlour.ratings.measures.measures import Row, measures
from parlour.ratings.reports.measures_report import measures_report
from parlour.ratings.reports.report import Report
from parlour.ratings.reports.writers import as_csv, as_json
from parlour.ratings.statistics.intervals import wilson
from tests.ratings.impostors import played_impostor
from tests.ratings.records import (
    beliefs,
    drawn,
    find,
    numbered,
    own_role,
    played,
    pooling,
    shown,
    undercover,
    vote,
)


def value(records: list[MatchRecord], measure: str, agent: str = "x", **where: object) -> Row:
    row = find(measures(records), measure, agent, **where)  # type: ignore[arg-type]
    assert row is not None
    return row


# x is the civilians of matches 1 to 3 and the undercover of 4 and 5, each time against y.
FIVE = numbered(
    [
        undercover("xyx", ending="caught"),
        undercover("xyx", ending="caught"),
        undercover("xyx", ending="tie"),
        undercover("yxy", ending="escaped"),
        undercover("yxy", ending="tie"),
    ]
)


WORKED: dict[str, tuple[list[MatchRecord], str]] = {
    "five matches": (
        FIVE,
        """
        # Credits out of three a match in each role; the mean over roles however often each was
        # played.
        win_rate: x (civilian) 7/9, x (undercover) 5/6, y (civilian) 1/6, y (undercover) 2/9
        win_rate: x 29/36 in 5
        # Caught, caught, and a tie, which is a success.
        deception: y 1/3; deception_raw: y 1/3
        payoff: x (civilian) 7/3 in 3, x 12/5 in 5
        # All seats together: 6, 6, 4, 3, 4.
        welfare: x 23/5 in 5, x (undercover) 7/2 in 2
        """,
    ),
    "a role that was not played does not enter": (FIVE[:3], "win_rate: x 7/9, x (undercover) none"),
    "one agent in all seats counts once in each role": (
        [undercover("xxx", ending="tie")],
        "win_rate: x (civilian) 1/3, x (undercover) 2/3, x 1/2 in 2; payoff: x 3/2 in 2",
    ),
    "both civilian seats are one match, and two votes": (
        [undercover("xyx", answers=[vote(0, 1), vote(1, 0), vote(2, 0)], ending="escaped")],
        "win_rate: x (civilian) 0/3; judgment: x 1/2",
    ),
    "faulted answers out of all answers": (
        [undercover("xyx", answers=[vote(0, None), vote(1, 0), vote(2, 1), own_role(0, "unsure")])],
        "fault_rate: x 1/3, x (civilian) 1/3, y (undercover) 0/1",
    ),
    "answers given in a role": (
        [
            undercover("xyx", answers=[vote(0, None), vote(2, 1)]),
            undercover("yxy", answers=[vote(1, 0)]),
        ],
        "fault_rate: x (civilian) 1/2, x (undercover) 0/1, x 1/3",
    ),
}


@pytest.mark.parametrize(("records", "expected"), WORKED.values(), ids=WORKED)
def test_a_measure_worked_by_hand(records: list[MatchRecord], expected: str) -> None:
    shown(measures(numbered(records)), "undercover").are(expected)


def test_payoffs_of_several_games_are_not_put_together_and_few_matches_have_no_interval() -> None:
    shown(measures(FIVE)).are("payoff: x none; welfare: x none")
    for records, measure, agent in ((FIVE, "deception", "y"), (FIVE[:1], "win_rate", "x")):
        row = value(records, measure, agent)
        assert (row.low, row.high) == (None, None)


def test_the_overall_win_rate_is_the_mean_over_the_roles_of_all_games(other_game: str) -> None:
    # Undercover: 7/9 and 5/6. The other game, as a civilian only: 0 of 3.
    records = [*FIVE, undercover("xyx", ending="escaped", number=6, game=other_game)]
    row = value(records, "win_rate", game=None)
    assert row.value == pytest.approx((7 / 9 + 5 / 6 + 0) / 3)
    assert row.n == 6


def test_the_interval_of_credits_is_that_of_their_share() -> None:
    endings = ("caught", "escaped", "caught", "tie", "caught", "escaped", "caught")
    records = numbered(
        [undercover("xyx", ending=ending, setting=ending * n) for n, ending in enumerate(endings)]
    )
    share = value(records, "win_rate", role="civilian")
    credits = value(records, "payoff", role="civilian")
    assert share.low is not None
    assert share.high is not None
    assert (credits.value, credits.low, credits.high) == pytest.approx(
        (3 * share.value, 3 * share.low, 3 * share.high)
    )


def test_the_interval_of_an_amount_ends_at_zero_and_that_of_the_same_payoffs_goes_below() -> None:
    gifts = [60, 61, 62, 0, 60, 59]
    matches = numbered([pooling("xyz", [(gift, 0, 0)], 2 * gift - 100) for gift in gifts])
    given, earned = (
        value(matches, each, game="public_good") for each in ("contribution", "payoff")
    )
    assert given.value == earned.value
    assert given.high == earned.high
    assert earned.low is not None
    assert earned.low < given.low == 0


def test_a_measure_with_nothing_to_divide_by_has_no_row(other_game: str) -> None:
    rows = measures([undercover("xyx")])
    of_x = {row.measure for row in rows if row.agent == "x"}
    of_y = {row.measure for row in rows if row.agent == "y"}
    usual = {"win_rate", "payoff", "welfare"}
    deception = {"deception", "deception_raw", "deception_extended"}
    assert (of_x, of_y) == (usual, usual | deception)
    assert measures([]) == []
    game = games()[other_game]
    games()[other_game] = replace(game, scoring=replace(game.scoring, special=None))
    answers = [vote(0, 1), own_role(0, "ordinary"), beliefs(0, 1, 1, 1)]
    rows = measures([undercover("xyx", answers=answers, game=other_game)])
    assert {row.measure for row in rows} == usual | {"fault_rate"}


def test_plain_rates_carry_wilson_intervals() -> None:
    votes = [[vote(0, 1)], [vote(0, 2)]] * 3
    records = [undercover("xyz", answers=each, number=n) for n, each in enumerate(votes)]
    row = value(records, "judgment")
    assert (row.low, row.high) == pytest.approx(wilson(3, 6)[1:])
    assert row.se == pytest.approx(sqrt(1 / 4 / 5))  # s / √6 of six values 0 and 1


def test_votes_of_one_match_are_not_trials_of_their_own() -> None:
    both = [undercover("xyx", answers=[vote(0, right), vote(2, right)]) for right in (1, 3)]
    row = value(numbered(both * 4), "judgment")
    assert (row.k, row.n) == (8, 16)
    # Eight matches of two votes that agree: 16 votes have a design effect of 2 × 15/16 × 8/7, and
    # t of 15 and of 7 degrees of freedom are 2.1314 and 2.3646.
    trials = 16 / (2 * 15 / 16 * 8 / 7) * (2.131450 / 2.364624) ** 2
    assert (row.low, row.high) == pytest.approx(wilson(trials / 2, trials)[1:], rel=1e-5)


def test_a_mean_over_roles_leaves_all_roles_of_a_cluster_out_together() -> None:
    # Credits and possible credits as civilian, then as undercover, of the five matches.
    lines = np.array([[3, 3, 0, 0], [3, 3, 0, 0], [1, 3, 0, 0], [0, 0, 3, 3], [0, 0, 2, 3]])

    def mean_of_roles(left: np.ndarray) -> float:
        k, n, other_k, other_n = left.sum(axis=0)
        return float(k / n + other_k / other_n) / 2

    whole = mean_of_roles(lines)
    left_out = [mean_of_roles(np.delete(lines, match, axis=0)) for match in range(5)]
    row = value(FIVE, "win_rate")
    assert row.value == pytest.approx(whole)
    assert row.se == pytest.approx(sqrt(4 / 5 * sum((each - whole) ** 2 for each in left_out)))
    assert row.low is None  # three matches as civilian are too few


def test_rows_come_by_condition_by_game_and_over_everything(other_game: str) -> None:
    votes = ([vote(0, 1)], [vote(0, 1)], [vote(0, 2)], [vote(0, 2)])
    records = numbered(
        [
            undercover("xyz", answers=votes[0], condition=""),
            undercover("xyz", answers=votes[1], condition="probes=off"),
            undercover("xyz", answers=votes[2], condition="probes=off"),
            undercover("xyz", answers=votes[3], game=other_game),
        ]
    )
    rows = [row for row in measures(records) if (row.agent, row.measure) == ("x", "judgment")]
    assert [(row.game, row.condition, row.k, row.n) for row in rows] == [
        (None, "all", 2, 3),  # the strict profile: the other game does not enter it
        ("othercover", "all", 0, 1),
        ("othercover", "default", 0, 1),
        ("undercover", "all", 2, 3),
        ("undercover", "default", 1, 1),
        ("undercover", "probes=off", 1, 2),
    ]
    extended = value(records, "judgment_extended", game=None)
    assert (extended.k, extended.n) == (2, 4)


def test_a_challenger_schedule_measures_the_challengers_alone() -> None:
    records = [undercover("yxy", counted=[1], answers=[vote(0, 1), vote(1, 0), vote(2, 1)])]
    assert {row.agent for row in measures(records)} == {"x"}
    shown(measures(records), "undercover").are("fault_rate: x 0/1")


KEY = ("game", "condition", "agent", "role", "measure")


def report(records: list[MatchRecord]) -> Report:
    return measures_report(measures(numbered(records)))


@pytest.fixture(scope="module")
def several_games() -> Report:
    """Three games, of which the impostor game has several conditions and rows without an agent."""
    games = ("undercover", "chameleon")
    records = [drawn(name, "aba", seed) for name, seed in product(games, range(6))]
    return report([*records, *played_impostor()])


def test_no_two_csv_rows_have_the_same_key(several_games: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(several_games))))
    keys = set(map(itemgetter(*KEY), rows))
    assert len(keys) == len(rows) > 500


def test_conditions_have_names_in_csv_and_json_and_whole_numbers_no_fraction() -> None:
    default = undercover("xyz", answers=[vote(0, 1)])
    written = report([default, replace(default, condition="probes=off")])
    for rows in (csv.DictReader(io.StringIO(as_csv(written))), json.loads(as_json(written))):
        judged = [row for row in rows if (row["agent"], row["measure"]) == ("x", "judgment")]
        assert [(row["game"] or None, row["condition"], int(row["n"])) for row in judged] == [
            (None, "all", 2),
            ("undercover", "all", 2),
            ("undercover", "default", 1),
            ("undercover", "probes=off", 1),
        ]
    assert [type(judged[1][field]) for field in ("value", "n", "k")] == [int, int, int]
    assert judged[1]["low"] is None  # too few


matches = st.builds(
    played,
    agents=st.tuples(*[st.sampled_from("abc")] * 3),
    special=st.integers(0, 2),
    pair=st.integers(0, 2),
    seed=st.integers(0, 2**63 - 1),
    faulty=st.sampled_from([0.0, 0.1, 0.5]),
    number=st.just(0),
)
tournaments = st.lists(matches, min_size=1, max_size=5).map(numbered)
few = settings(max_examples=50, deadline=None)


def by_key(rows: list[Row]) -> dict[tuple[Any, ...], Row]:
    keyed = {(r.game, r.condition, r.agent, r.role, r.measure): r for r in rows}
    assert len(keyed) == len(rows)
    return keyed


@few
@given(tournaments)
def test_every_row_is_a_share_of_what_was_due_inside_its_interval(
    records: list[MatchRecord],
) -> None:
    for row in measures(records):
        assert row.n > 0
        if row.k is not None:
            assert 0 <= row.k <= row.n
            assert row.value == row.k / row.n
        if row.measure not in {"payoff", "welfare"}:
            assert 0 <= row.value <= 1
        if row.measure == "payoff" and row.low is not None and row.high is not None:
            assert 0 <= row.low < row.high <= 3
        assert (row.low is None) == (row.high is None)
        if row.low is not None:
            assert row.low < row.high  # type: ignore[operator]
        if row.low is not None and row.k is not None:
            assert row.low <= row.value <= row.high  # type: ignore[operator]


@few
@given(tournaments)
def test_new_names_change_nothing_but_the_names(records: list[MatchRecord]) -> None:
    # The new names sort the other way round, so that no order of names can matter.
    new = {"a": "Zoe", "b": "Yan", "c": "Xu"}
    renamed = [replace(r, agents=tuple(map(new.get, r.agents))) for r in records]
    expected = [replace(row, agent=new[row.agent]) for row in measures(records)]
    assert by_key(measures(renamed)) == by_key(expected)


def reseated(record: MatchRecord, new: tuple[int, ...]) -> MatchRecord:
    """The same match with everybody on another chair: who sat at s now sits at new[s]."""

    def moved(by_seat: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(by_seat[new.index(seat)] for seat in range(len(new)))

    def named(seat: int | None) -> int | None:
        return None if seat is None else new[seat]

    def of_belief(belief: dict[str, int | None]) -> dict[str, int | None]:
        return {key: named(seat) for key, seat in belief.items()}

    def of(answer: Answered) -> Answered:
        value: dict[str, Any] = dict(answer.value)
        if "suspect" in value:
            value["suspect"] = named(value["suspect"])
        if "beliefs" in value:
            value["beliefs"] = list(map(of_belief, value["beliefs"]))
        return replace(answer, seat=Seat(new[answer.seat]), value=value)

    outcome = record.outcome
    return replace(
        record,
        agents=moved(record.agents),
        counted=tuple(sorted(Seat(new[seat]) for seat in record.counted)),
        answers=tuple(sorted(map(of, record.answers), key=lambda a: (a.ask, a.seat))),
        outcome=replace(
            outcome,
            payoffs=moved(outcome.payoffs),
            roles=moved(outcome.roles),
            sides=moved(outcome.sides),
            winners=tuple(sorted(Seat(new[seat]) for seat in outcome.winners)),
        ),
    )


@few
@given(tournaments, st.lists(st.sampled_from([*permutations(range(3))]), min_size=5, max_size=5))
def test_it_does_not_matter_who_sits_where(
    records: list[MatchRecord], orders: list[tuple[int, ...]]
) -> None:
    moved = [reseated(record, new) for record, new in zip(records, orders, strict=False)]
    assert by_key(measures(moved)) == by_key(measures(records))


@few
@given(tournaments.flatmap(lambda records: st.tuples(st.just(records), st.permutations(records))))
def test_the_order_of_the_matches_does_not_matter(
    both: tuple[list[MatchRecord], list[MatchRecord]],
) -> None:
    records, shuffled = both
    assert measures(shuffled) == measures(records)


@few
@given(tournaments)
def test_measures_of_all_games_are_those_of_the_only_game(records: list[MatchRecord]) -> None:
    keyed = by_key(measures(records))
    for (game, _condition, agent, role, measure), row in keyed.items():
        if game is None:
            whole = keyed["undercover", ALL_CONDITIONS, agent, role, measure]
            assert replace(whole, game=None) == row
