"""Counts told once for matches of one shape, against those of each match by itself."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from parlour.games.engine.dice import Dice
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Covariates, MatchRecord
from parlour.games.engine.registry import games
from parlour.ratings.counting import book
from parlour.ratings.counting import counted as counting
from parlour.ratings.counting.counted import count
from parlour.ratings.counting.counts import CountKey, Counts, of_match
from parlour.ratings.statistics.clusters import Clusters
from tests.ratings.impostors import AWARE, BLIND
from tests.ratings.records import drawn, numbered

SHAPED = [name for name, game in games().items() if game.counting.shape is not None]
NAMES = ("x", "y", "impostor", "majority", "easy", "team_aware", "impostor is Player 1", "team")
"""Agents with the names of roles, slices and modes."""


def one_by_one(records: Sequence[MatchRecord], details: bool) -> Counts:
    """The counts of each match by itself, without those of consecutive matches."""
    clusters = Clusters.of(records)
    sums: Counts = {}
    for record in records:
        cluster = clusters.name(record)
        for agent, role, counter, k, n in of_match(record, details=details):
            of_key = sums.setdefault(
                CountKey(record.game, record.condition, agent, role, counter), {}
            )
            sum_k, sum_n = of_key.get(cluster, (0.0, 0.0))
            of_key[cluster] = (sum_k + k, sum_n + n)
    return sums


def varied(seed: int) -> MatchRecord:
    """A match of four seats of any agents, condition, covariates and counted seats."""
    dice = Dice("shapes", seed)
    agents = [dice.choice(NAMES[: 2 + dice.below(7)]) for _ in range(4)]
    condition = dice.choice(("", BLIND, AWARE, "difficulty=hard"))
    record = drawn(dice.choice(SHAPED), agents, dice.below(60), faulty=0.15)
    counted = tuple(Seat(seat) for seat in range(4) if dice.chance(0.8))
    tier, mode = dice.choice((None, "easy", "hard")), dice.choice((None, "cross_play"))
    return replace(
        record,
        condition=condition,
        counted=counted,
        setting=f"setting {dice.below(30)}",
        covariates=Covariates(tier, mode),
    )


@pytest.mark.parametrize("details", [True, False])
def test_shapes_give_the_counts_of_each_match_by_itself(
    details: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "of_sequences", lambda records: ())
    records = numbered(varied(seed) for seed in range(400))
    assert count(records, details=details) == one_by_one(records, details)


def test_a_seat_that_the_rules_play_is_no_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "of_sequences", lambda records: ())
    counted = tuple(map(Seat, (0, 1, 3)))
    records = numbered(
        replace(drawn(SHAPED[0], ("x", "y", third, "y"), seed % 5), counted=counted)
        for seed, third in enumerate((BUILT_IN, "x", "z", BUILT_IN, "z") * 6)
    )
    assert count(records) == one_by_one(records, details=True)


def test_matches_of_one_shape_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    analysed = []
    real = book.basic_counts

    def told_of(record: MatchRecord) -> object:
        analysed.append(record)
        return real(record)

    monkeypatch.setattr(book, "basic_counts", told_of)
    match = drawn("impostor", "xyyy", 1)
    others = ("xyyy", "yxxx", "vwww")
    count(numbered(replace(match, agents=tuple(agents)) for agents in others))
    assert len(analysed) == 1
    count(numbered([match, replace(match, agents=("x", "x", "y", "y"))]))
    assert len(analysed) == 3


def test_sums_are_made_in_the_order_of_the_matches() -> None:
    # Sums of tenths depend on their order in the last digit.
    matches = [drawn("impostor", "xyyy", 1)] * 30
    scaled = [
        replace(match, setting="s", outcome=replace(match.outcome, payoffs=(0.1 * n,) * 4))
        for n, match in enumerate(matches)
    ]
    records = numbered(scaled)
    expected = 0.0
    for n in range(30):
        expected += 0.1 * n
    forward = count(records, Clusters({"impostor": "setting"}))
    roles = records[0].outcome.roles
    assert forward[CountKey("impostor", records[0].condition, "x", roles[0], "payoff")] == {
        "impostor s": (expected, 30.0)
    }
