"""Additions of one match to each count, worked by hand."""

from dataclasses import replace

from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting.counted import count
from parlour.ratings.counting.counts import CountKey
from parlour.ratings.statistics.clusters import FEWEST_SETTINGS, Clusters
from tests.ratings.records import beliefs, numbered, own_role, undercover, vote


def counted(record: MatchRecord, agent: str, role: str, counter: str) -> tuple[float, float] | None:
    """(k, n) of one counter in one match, None where it has no entry."""
    clusters = count([record]).get(CountKey("undercover", "", agent, role, counter))
    if clusters is None:
        return None
    (only,) = clusters.values()
    return only


def test_credits_are_counted_out_of_three_a_match() -> None:
    # Civilians x, z and the undercover y, at each of the three endings.
    for ending, civilian, special in (("caught", 3, 0), ("escaped", 0, 3), ("tie", 1, 2)):
        record = undercover("xyz", ending=ending)
        assert counted(record, "x", "civilian", "credits") == (civilian, 3)
        assert counted(record, "y", "undercover", "credits") == (special, 3)
        assert counted(record, "x", "undercover", "credits") is None


def test_an_agent_in_both_civilian_seats_is_credited_with_the_match_once() -> None:
    record = undercover("xyx", ending="tie")
    assert counted(record, "x", "civilian", "credits") == (1, 3)
    assert counted(record, "x", "civilian", "payoff") == (1, 1)


def test_welfare_is_the_credits_of_all_seats_together() -> None:
    # caught: 0 + 3 + 3; escaped: 3 + 0 + 0; tie: 2 + 1 + 1.
    for ending, together in (("caught", 6), ("escaped", 3), ("tie", 4)):
        record = undercover("xyx", ending=ending)
        assert counted(record, "x", "civilian", "welfare") == (together, 1)
        assert counted(record, "y", "undercover", "welfare") == (together, 1)


def test_only_the_special_role_deceives_and_a_tie_is_a_success() -> None:
    for ending, success in (("caught", 0), ("escaped", 1), ("tie", 1)):
        record = undercover("xyx", ending=ending)
        assert counted(record, "y", "undercover", "deceived") == (success, 1)
        assert counted(record, "x", "civilian", "deceived") is None


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
        "xyz",
        answers=[
            beliefs(0, 1, 0, 1),
            beliefs(1, None, None, 1),
            beliefs(2, 1, None, 0),
        ],
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
    record = undercover(
        "xyz",
        answers=[
            *(
                beliefs(0, 1, 0, 1, ask=11),
                beliefs(1, 1, 0, 1, ask=11),
                beliefs(2, 1, 0, 1, ask=11),
            ),
            *(
                beliefs(0, 1, 0, 1, ask=15),
                beliefs(1, 1, 0, 1, ask=15),
                beliefs(2, 1, 0, 0, ask=15),
            ),
        ],
    )
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
    assert len(count(four)[key]) == 40
    assert len(count(five)[key]) == 5
    assert set(count(five)[key].values()) == {(24.0, 24.0)}  # eight matches a setting


def test_a_shared_seed_and_a_copied_transcript_are_one_observation() -> None:
    key = CountKey("undercover", "", "x", "civilian", "credits")
    seeds = [replace(each, seed=n // 4) for n, each in enumerate(numbered([undercover()] * 12))]
    assert set(count(seeds)[key].values()) == {(12.0, 12.0)}
    copies = [replace(each, seed=None, transcript=7) for each in seeds]
    assert len(count(copies)[key]) == 1
