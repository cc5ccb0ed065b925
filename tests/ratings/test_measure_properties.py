"""Properties of the measures of any matches: really played ones, drawn by Hypothesis."""

from dataclasses import replace
from itertools import permutations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.ratings.measures.conditions import ALL_CONDITIONS
from parlour.ratings.measures.measures import Row, measures
from tests.ratings.records import numbered, played

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
