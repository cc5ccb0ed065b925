"""Additions of one match to each count, worked by hand."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from parlour.games.engine.dice import Dice
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Covariates, MatchRecord
from parlour.games.engine.registry import games
from parlour.ratings.counting import blocks, book, counts
from parlour.ratings.counting import counted as counting
from parlour.ratings.counting.counted import count
from parlour.ratings.counting.counts import CountKey, Counts, of_match
from parlour.ratings.statistics.clusters import FEWEST_SETTINGS, Clusters, ClusterType
from tests.ratings.definitions import definitions, unnamed_changes, written
from tests.ratings.impostors import AWARE, BLIND
from tests.ratings.records import beliefs, drawn, drawn_out, numbered, own_role, undercover, vote


def counted(record: MatchRecord, agent: str, role: str, counter: str) -> tuple[float, float] | None:
    """(k, n) of one counter in one match, None where it has no entry."""
    clusters = count([record]).get(CountKey("undercover", "", agent, role, counter))
    if clusters is None:
        return None
    (only,) = clusters.values()
    return only


def test_credits_welfare_and_deception_of_each_ending() -> None:
    # Civilians x (in both seats, credited once) and the undercover y; welfare is the credits of
    # all seats together: 0 + 3 + 3, 3 + 0 + 0, 2 + 1 + 1. A tie is a success.
    for ending, civilian, special, together, success in (
        ("caught", 3, 0, 6, 0),
        ("escaped", 0, 3, 3, 1),
        ("tie", 1, 2, 4, 1),
    ):
        record = undercover("xyx", ending=ending)
        assert counted(record, "x", "civilian", "credits") == (civilian, 3)
        assert counted(record, "x", "civilian", "payoff") == (civilian, 1)
        assert counted(record, "y", "undercover", "credits") == (special, 3)
        assert counted(record, "x", "civilian", "welfare") == (together, 1)
        assert counted(record, "y", "undercover", "welfare") == (together, 1)
        assert counted(record, "y", "undercover", "deceived") == (success, 1)
        assert counted(record, "x", "civilian", "deceived") is None
        assert counted(record, "x", "undercover", "credits") is None


def test_each_civilian_vote_is_judged_and_an_abstention_is_due_and_wrong() -> None:
    # Player 2 (seat 1) is the undercover; its own vote is no judgment.
    record = undercover("xyx", answers=[vote(0, 1), vote(1, 0), vote(2, None)])
    assert counted(record, "x", "civilian", "judgment") == (1, 2)
    assert counted(record, "y", "undercover", "judgment") is None


def test_unsure_and_a_faulted_probe_are_due_and_wrong_for_self_awareness() -> None:
    record = undercover(
        "xyx",
        answers=[
            own_role(0, "ordinary"),  # right
            own_role(1, "special"),  # right: it is the undercover
            own_role(2, "unsure"),
            own_role(0, "special", ask=15),
            own_role(1, "ordinary", ask=15),
            own_role(2, None, ask=15),
        ],
    )
    assert counted(record, "x", "civilian", "own_role") == (1, 4)
    assert counted(record, "y", "undercover", "own_role") == (1, 2)


def test_deductions_hold_the_own_view_against_the_truth_and_the_rest_against_each_other() -> None:
    # Seat 1 is the undercover. Columns: whom seats 0, 1 and 2 suspect, in the eyes of each seat.
    record = undercover(
        "xyz", answers=[beliefs(0, 1, 0, 1), beliefs(1, None, None, 1), beliefs(2, 1, None, 0)]
    )
    # x (seat 0): itself 1, right; says 0 of seat 1, which suspects nobody yet: wrong;
    #             says 1 of seat 2, which suspects 0: wrong. One point for each of the two lines.
    assert counted(record, "x", "civilian", "reasoning") == (1, 2)
    # y (seat 1): suspects nobody, though it is the special one: wrong; says nobody of seat 0,
    #             which suspects 1: wrong; says 1 of seat 2, which suspects 0: wrong.
    assert counted(record, "y", "undercover", "reasoning") == (0, 2)
    # z (seat 2): suspects 0: wrong; says 1 of seat 0: right; says nobody of seat 1: right, for
    #             "nobody yet" meets "nobody yet".
    assert counted(record, "z", "civilian", "reasoning") == (1, 2)


def test_a_view_is_held_against_what_that_player_answered_at_the_same_moment() -> None:
    # Seat 0 says both times that seat 2 suspects 1; seat 2 does so the first time only.
    first = [beliefs(seat, 1, 0, 1, ask=11) for seat in range(3)]
    second = [*(beliefs(seat, 1, 0, 1, ask=15) for seat in (0, 1)), beliefs(2, 1, 0, 0, ask=15)]
    record = undercover("xyz", answers=[*first, *second])
    # First moment: own view right; seat 1 (0 = 0) and seat 2 (1 = 1) right.
    # Second moment: own view right; seat 1 right, but seat 2 (1 against 0) wrong.
    assert counted(record, "x", "civilian", "reasoning") == (3, 4)


def test_a_faulted_probe_is_due_and_wrong_but_makes_others_views_of_it_not_due() -> None:
    record = undercover("xyz", answers=[beliefs(0, 1, 0, 1), beliefs(1), beliefs(2, 1, 0, 1)])
    # x: itself right, seat 2 right; what seat 1 believed is unknown: 2 of 2.
    assert counted(record, "x", "civilian", "reasoning") == (2, 2)
    # y: itself and both others, all wrong.
    assert counted(record, "y", "undercover", "reasoning") == (0, 2)
    # When both others fault, y's own view alone is due.
    record = undercover("xyz", answers=[beliefs(0), beliefs(1, 0, 1, 0), beliefs(2)])
    assert counted(record, "y", "undercover", "reasoning") == (1, 1)
    assert counted(record, "x", "civilian", "reasoning") == (0, 2)


def test_every_answer_of_a_counted_seat_can_be_a_fault() -> None:
    record = undercover(
        "xyx", answers=[own_role(0, None), beliefs(1), own_role(2, "unsure"), vote(0, None)]
    )
    assert counted(record, "x", "civilian", "faults") == (2, 3)
    assert counted(record, "y", "undercover", "faults") == (1, 1)


def test_only_counted_seats_are_counted_but_the_others_are_still_what_is_guessed_at() -> None:
    # x challenges the defender y; seat 1, the undercover, is the one counted.
    record = undercover(
        "yxy",
        counted=[1],
        answers=[
            *(vote(0, 1), vote(1, 0), vote(2, 1)),
            *(own_role(0, "ordinary"), own_role(1, "special"), own_role(2, "ordinary")),
            *(beliefs(0, 1, 1, 1), beliefs(1, 1, 1, 0), beliefs(2, 1, 1, 1)),
        ],
    )
    assert {key.agent for key in count([record])} == {"x"}
    # Itself: 1, right. Seat 0 suspects 1: right. Seat 2 suspects 1, not 0: wrong.
    assert counted(record, "x", "undercover", "reasoning") == (1, 2)
    assert counted(record, "x", "undercover", "own_role") == (1, 1)
    assert counted(record, "x", "undercover", "faults") == (0, 3)


def test_settings_are_the_clusters_from_five_on_and_observations_below() -> None:
    assert FEWEST_SETTINGS == 5
    four = numbered(undercover(setting=f"s{i % 4}") for i in range(40))
    five = numbered(undercover(setting=f"s{i % 5}") for i in range(40))
    assert Clusters.of(four).units == {"undercover": "observation"}
    assert Clusters.of(five).units == {"undercover": "setting"}
    key = CountKey("undercover", "", "x", "civilian", "credits")
    assert [each.times for each in count(four)[key]] == [40]
    # What others did sets no match of x apart.
    others = [replace(each, agents=("x", f"y{each.number}", "x")) for each in four]
    assert [each.times for each in count(others)[key]] == [40]
    assert sum(each.times for each in count(five)[key]) == 5
    assert set(count(five)[key].values()) == {(24.0, 24.0)}  # eight matches a setting


def test_a_shared_seed_and_a_copied_transcript_are_one_observation() -> None:
    key = CountKey("undercover", "", "x", "civilian", "credits")
    seeds = [replace(each, seed=n // 4) for n, each in enumerate(numbered([undercover()] * 12))]
    assert set(count(seeds)[key].values()) == {(12.0, 12.0)}
    copies = [replace(each, seed=None, transcript=7) for each in seeds]
    assert len(count(copies)[key]) == 1


def test_changed_counts_have_a_new_version() -> None:
    now = definitions()
    assert not unnamed_changes(now), (
        f"the counts of {', '.join(unnamed_changes(now))} have changed, but saves have stored"
        " counts of the same version. If the change is meant, raise COUNTS in"
        " ratings/counting/blocks.py (or the game's version, if its rules have changed, too) and"
        " run `python -m tests.ratings.definitions`"
    )
    assert now == written(), "a version was raised: run `python -m tests.ratings.definitions`"


def test_a_changed_definition_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = counts.basic_counts

    def doubled(record: MatchRecord) -> object:
        for agent, role, counter, k, n in real(record):
            yield agent, role, counter, 2 * k if counter == "judgment" else k, n

    monkeypatch.setattr(counts, "basic_counts", doubled)
    changed = definitions()
    assert {"undercover", "chameleon", "impostor"} <= {*unnamed_changes(changed)}
    assert "donation" not in unnamed_changes(changed)
    monkeypatch.setattr(blocks, "COUNTS", blocks.COUNTS + 1)
    assert not unnamed_changes(definitions())


SHAPED = [name for name, game in games().items() if game.counting.shape is not None]
NAMES = ("x", "y", "impostor", "majority", "easy", "team_aware", "impostor is Player 1", "team")
"""Agents with the names of roles, slices and modes."""


def one_by_one(records: Sequence[MatchRecord], details: bool) -> Counts:
    """The counts of each match by itself, without those of consecutive matches."""
    clusters = Clusters.of(records)
    sums: Counts = {}
    for record in records:
        cluster = ClusterType(record.game, clusters.name(record))
        for agent, role, counter, k, n in of_match(record, details=details):
            key = CountKey(record.game, record.condition, agent, role, counter)
            of_key = sums.setdefault(key, {})
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
    counted = drawn_out(count(records, details=details))
    assert counted == drawn_out(one_by_one(records, details))


def test_a_seat_that_the_rules_play_is_no_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "of_sequences", lambda records: ())
    counted = tuple(map(Seat, (0, 1, 3)))
    records = numbered(
        replace(drawn(SHAPED[0], ("x", "y", third, "y"), seed % 5), counted=counted)
        for seed, third in enumerate((BUILT_IN, "x", "z", BUILT_IN, "z") * 6)
    )
    assert drawn_out(count(records)) == drawn_out(one_by_one(records, details=True))


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
        ClusterType("impostor", "impostor s"): (expected, 30.0)
    }
