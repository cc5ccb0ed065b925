"""Counts of the impostor game, on ballots and matches small enough to work by hand."""

from dataclasses import replace
from itertools import product
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from parlour.games.engine.record import Covariates, MatchRecord
from parlour.games.impostor.counting import ALL, balance, fair_draw, tied
from parlour.ratings.counting.counts import positions
from parlour.ratings.measures.measures import measures
from parlour.ratings.statistics.intervals import wilson
from parlour.tournament.save.reader import Save
from tests.ratings.impostors import AWARE, BLIND, impostor, played_impostor, season
from tests.ratings.records import find, measured, numbered, shown
from tests.tournaments import finished, scripted

LEGAL = list(product((None, 1, 2, 3), (None, 0, 2, 3), (None, 0, 1, 3), (None, 0, 1, 2)))
"""Every ballot of four seats in which nobody names itself."""


# --- wins, declarations, coalitions


def test_wins_and_detections_by_hand() -> None:
    # y is the impostor in seat 0, x holds the other three.
    rows = measured(
        impostor("yxxx", (1, 0, 0, 1), "convicted"),
        impostor("yxxx", (1, 0, 3, 1), "escaped"),
        impostor("yxxx", (1, 0, None, 0), "convicted"),
        impostor("xyyy", (1, 2, 3, 1), "tie"),
    )
    shown(rows, "impostor").are("""
        impostor_win: x 1/1, y 1/3
        # Three seats won or lost together: one match.
        majority_win: x 2/3, y 0/1
        # Right votes of the majority: 2, 1 and 2 of three each; an abstention is due.
        detection_accuracy: x 5/9, y 0/3
        """)


def test_wins_detections_and_declarations_by_tier_by_hand() -> None:
    easy, expert = (
        replace(impostor("yxxx", (1, 0, 0, 1), "convicted"), covariates=Covariates("easy")),
        replace(
            impostor("xyyy", (1, 2, 0, 1), "false_declaration", declared=[1]),
            covariates=Covariates("expert"),
        ),
    )
    rows = measures(numbered([easy, easy, expert, impostor("yxxx", (1, 2, 3, 1), "escaped")]))
    # The last match has no tier: it counts in the whole alone.
    shown(rows, "impostor").are("""
        impostor_win: y 1/3, y (easy) 0/2, * (easy) 0/2, x (expert) 0/1, y (expert) none
        majority_win: x (easy) 2/2
        detection_accuracy: x (easy) 4/6, y (expert) 1/3
        self_declaration: y (easy) 0/2
        majority_self_declaration: y (expert) 1/3
        """)


def test_the_same_by_mode_and_by_seat_of_the_impostor_by_hand() -> None:
    cross, team = Covariates(mode="cross_play"), Covariates(mode="team_blind")
    rows = measured(
        replace(impostor("yxxx", (1, 0, 0, 1), "convicted"), covariates=cross),
        replace(impostor("xyxx", (1, 2, 1, 0), "escaped", seat=1), covariates=cross),
        replace(impostor("yyxx", (1, 2, 0, 1), "tie", seat=1), covariates=team),
        impostor("xxxy", (3, 3, 1, 2), "impostor_guessed", declared=[0, 3], seat=3),
    )
    of = shown(rows, "impostor").of
    for measure, agent, of_slices in (
        ("impostor_win", "y", [(1, 2), (1, 1), (0, 1), (2, 2), None, (1, 1)]),
        ("impostor_win", ALL, [(1, 2), (1, 1), (0, 1), (2, 2), None, (1, 1)]),
        ("majority_win", "x", [(1, 2), (0, 1), (1, 1), (0, 2), None, (0, 1)]),
        ("detection_accuracy", "x", [(4, 6), (1, 2), (2, 3), (3, 5), None, (2, 3)]),
        ("self_declaration", "y", [(0, 2), (0, 1), (0, 1), (0, 2), None, (1, 1)]),
        ("majority_self_declaration", "x", [(0, 6), (0, 2), (0, 3), (0, 5), None, (1, 3)]),
    ):
        seats = [f"impostor is Player {number}" for number in range(1, 5)]
        for part, expected in zip(("cross_play", "team_blind", *seats), of_slices, strict=True):
            assert of(measure, agent, part) == expected, (measure, agent, part)
    # Four matches are too few for any interval.
    own = [row for row in rows if str(row.role).startswith("impostor is")]
    assert len(own) > 30
    assert all(row.low is None is row.high for row in own)


def test_the_same_by_speaking_position_of_the_impostor() -> None:
    clues = ["it hums", None, "a bow", "strings"]
    match = impostor("yxxx", (1, 0, 0, 1), "convicted", clues=clues)
    said, votes = match.answers[:4], match.answers[4:]
    # The impostor speaks third, or first; its clue may be a fallback. Without clues: no position.
    third = replace(match, answers=(said[3], said[1], said[0], said[2], *votes))
    faulty = replace(said[0], fault="illegal")
    first = replace(match, answers=(faulty, *said[1:], *votes), outcome=escaped().outcome)
    of = shown(measured(third, third, first, escaped()), "impostor").of
    positions = [f"impostor speaks in position {number}" for number in range(1, 5)]
    for measure, agent, of_positions in (
        ("impostor_win", "y", [(1, 1), None, (0, 2), None]),
        ("majority_win", "x", [(0, 1), None, (2, 2), None]),
        ("detection_accuracy", "x", [(2, 3), None, (4, 6), None]),
    ):
        assert [of(measure, agent, part) for part in positions] == of_positions


def escaped() -> MatchRecord:
    """A match that its impostor, y in seat 0, wins without a clue."""
    return impostor("yxxx", (1, 2, 3, 1), "escaped")


def test_a_coalition_converts_if_it_names_the_impostor() -> None:
    votes = {
        (1, 0, 0, 0): True,  # all three
        (1, 0, 0, 1): True,
        (1, 3, 3, 1): False,  # seats 1 and 2 name seat 3
        (1, 0, 3, 1): None,  # nobody agrees: seat 0, which votes for seat 1, is the impostor
        (1, None, 0, None): None,
    }
    for ballot, converts in votes.items():
        rows = measures([impostor("yxxx", ballot, "escaped")])
        expected = None if converts is None else (int(converts), 1)
        assert shown(rows, "impostor").of("coalition_efficiency") == expected, ballot
        shown(rows, "impostor").are("coalition_efficiency: y none")


def test_vote_coordination_is_over_pairs_of_the_majority() -> None:
    # Seats 1 and 2 agree, 1 and 3 and 2 and 3 do not.
    rows = measures([impostor("yxxx", (1, 0, 0, 1), "convicted")])
    shown(rows, "impostor").are("vote_coordination: x 1/3")
    # x holds seat 1 only: its two pairs, one of which agrees. z: both pairs of each of its seats.
    rows = measures([impostor("yxzz", (1, 0, 0, 1), "convicted")])
    shown(rows, "impostor").are("vote_coordination: x 1/2, z 1/3")
    # Two abstentions do not agree.
    rows = measures([impostor("yxxx", (1, None, None, 0), "escaped")])
    shown(rows, "impostor").are("vote_coordination: x 0/3")


def test_declarations_and_guesses_are_those_of_the_impostor() -> None:
    rows = measured(
        impostor("xyyy", (1, 0, 0, 0), "impostor_guessed", declared=[0]),
        impostor("xyyy", (1, 0, 0, 0), "impostor_misguessed", declared=[0]),
        impostor("xyyy", (1, 0, 0, 0), "false_declaration", declared=[2]),
        impostor("xyyy", (1, 0, 0, 0), "convicted"),
    )
    shown(rows, "impostor").are("""
        self_declaration: x 2/4
        guess_success: x 1/2
        self_declaration: y none
        guess_success: y none
        """)


def test_the_defender_of_a_challenger_schedule_is_not_measured() -> None:
    rows = measures([impostor("yxxx", (1, 0, 0, 1), "convicted", counted=(0,))])
    assert {row.agent for row in rows} == {"y", ALL}
    shown(rows, "impostor").are("impostor_win: y 0/1, * 0/1")


def test_69_percent_of_10080_is_known_to_within_nine_tenths_of_a_point() -> None:
    share = wilson(round(0.69 * 10_080), 10_080)
    assert 1.96 * share.se == pytest.approx(0.009, abs=0.00005)
    assert share.se == pytest.approx(sqrt(0.69 * 0.31 / 10_080), rel=1e-4)


# --- conditions: balance and tie policies


def test_balance_is_one_where_both_sides_win_equally_often() -> None:
    wins = np.array([0.0, 0.25, 0.489, 0.5, 1.0])
    assert balance(wins) == pytest.approx([0, 0.5, 0.978, 1, 0])
    # A fair draw catches a tied impostor once in so many.
    chances = [fair_draw(top, (0,)) for top in ((0, 2), (0, 1, 2), (1, 2))]
    assert chances == pytest.approx([1 / 2, 2 / 3, 1])


def test_a_condition_is_measured_over_all_matches_whoever_played() -> None:
    rows = measured(
        impostor("yxxx", (1, 0, 0, 1), "convicted", condition=BLIND),  # 2 : 2
        impostor("xyyy", (1, 2, 3, 2), "escaped"),
        impostor("xyyy", (1, 0, 0, 0), "convicted"),
        impostor("xyyy", (1, 0, 3, 0), "convicted"),
    )
    shown(rows, "impostor").are("""
        impostor_win: * 1/4
        balance: * 1/2 in 4  # 1 - |2 × 1/4 - 1|
        tie_rate: * 1/4
        """)
    blind = find(rows, "balance", ALL, game="impostor", condition=BLIND)
    assert (blind.value, blind.n) == (0, 1)
    shown(rows, "impostor").are("balance: x none")


@pytest.mark.parametrize(
    ("ballot", "ending", "top", "candidate", "side"),
    [
        # Two of the majority named the impostor: decided, though the top is shared.
        ((1, 0, 0, 1), "convicted", (0, 1), 0, 0),
        # One vote each for seats 0, 1, 2, 3: the impostor is drawn once in four.
        ((1, 2, 3, 0), "tie", (0, 1, 2, 3), 3 / 4, 1 / 2),
        # Two votes each for seats 1 and 2; the impostor, seat 0, is not among them.
        ((1, 2, 1, 2), "tie", (1, 2), 1, 1 / 2),
        # Abstentions: one vote for the impostor, one for seat 1.
        ((1, None, 0, None), "tie", (0, 1), 1 / 2, 1 / 2),
        # No tie: untouched.
        ((1, 2, 1, 1), "escaped", (), 1, 1),
        ((None, 0, None, None), "sole_suspect", (), 0, 0),
        ((None, None, None, None), "escaped", (), 1, 1),
        # A declaration decides before the ballot.
        ((1, 2, 3, 0), "impostor_guessed", (0, 1, 2, 3), 1, 1),
        ((1, 2, 3, 0), "false_declaration", (0, 1, 2, 3), 0, 0),
    ],
)
def test_other_tie_policies_touch_only_ties_that_nothing_else_decided(
    ballot: tuple[int | None, ...], ending: str, top: tuple[int, ...], candidate: float, side: float
) -> None:
    assert tied(ballot) == top
    of = shown(measured(impostor("xyyy", ballot, ending)), "impostor").of
    assert of("tie_rate", ALL) == (int(bool(top)), 1)
    assert of("impostor_win_sym_candidate", ALL) == (pytest.approx(candidate), 1)
    assert of("impostor_win_sym_side", ALL) == (side, 1)


# --- networks


@pytest.mark.parametrize("ballot", LEGAL)
def test_brokerage_is_reach_is_half_of_centrality_on_every_ballot(
    ballot: tuple[int | None, ...],
) -> None:
    voters = [seat for seat in range(4) if ballot[seat] is not None]
    for seat, place in enumerate(positions(ballot)):
        assert ("reach" in place) == (seat in voters)
        if seat in voters:
            alike = sum(ballot[other] == ballot[seat] for other in voters) - 1
            reach = alike / (len(voters) - 1) if len(voters) > 1 else 0
            assert place["reach"] == pytest.approx(reach)
            assert place["brokerage"] == pytest.approx(reach)
            assert place["centrality"] == pytest.approx(2 * reach)


def test_the_co_vote_graph_by_hand() -> None:
    # Seats 1, 2 and 3 name seat 0: each shares its target with two of three others.
    reached = [position["reach"] for position in positions((1, 0, 0, 0))]
    assert reached == pytest.approx([0, 2 / 3, 2 / 3, 2 / 3])
    # Seat 3 abstained: three voters, of whom 1 and 2 agree.
    by_seat = positions((1, 0, 0, None))
    assert [position.get("reach") for position in by_seat] == [0, 1 / 2, 1 / 2, None]
    assert [position.get("centrality") for position in by_seat] == [0, 1, 1, None]
    # A single voter is central to nobody; without voters there is no network.
    assert positions((None, 0, None, None))[1]["centrality"] == 0
    assert positions((None, None, None, None)) == ({}, {}, {}, {})


def test_the_vote_graph_by_hand() -> None:
    # 3 → 2 → 1 → 0, and seat 0 abstained: a path. Three others can name a seat. Seat 1 lies
    # between 2 and 0, 3 and 0; seat 2 between 3 and 1, 3 and 0; of 3 × 2 pairs.
    # With damping .85 and what seat 0 holds spread over all four, each seat has
    # b = .15/4 + .85 r0/4, then r3 = b, r2 = b + .85 r3, r1 = b + .85 r2, r0 = b + .85 r1.
    shares = [1 + 0.85 + 0.85**2 + 0.85**3, 1 + 0.85 + 0.85**2, 1 + 0.85, 1]
    path = {
        "vote_in_degree": [1 / 3, 1 / 3, 1 / 3, 0],
        "vote_betweenness": [0, 1 / 3, 1 / 3, 0],
        "vote_pagerank": [share / sum(shares) for share in shares],
    }
    # A circle has no first; each seat is between three ordered pairs of the others, of six.
    figures = {"vote_in_degree": 1 / 3, "vote_betweenness": 1 / 2, "vote_pagerank": 1 / 4}
    circle = {name: [figure] * 4 for name, figure in figures.items()}
    for ballot, expected in (((None, 0, 1, 2), path), ((1, 2, 3, 0), circle)):
        for name, by_seat in expected.items():
            figures_of = [position[name] for position in positions(ballot)]
            assert figures_of == pytest.approx(by_seat), name


def test_network_measures_are_means_over_an_agents_seats() -> None:
    rows = measures([impostor("yxxz", (1, 0, 0, None), "convicted")])
    shown(rows, "impostor").are("""
        reach: x 1/2 in 2
        brokerage: x 1/2 in 2
        centrality: x 1 in 2
        reach: z none  # it did not vote
        # Votes received: seat 0 two of three, seat 1 one; seats 2 and 3 none.
        vote_in_degree: y 2/3 in 1, x 1/6 in 2, z 0 in 1, y (impostor) 2/3 in 1
        """)


# --- descriptions


def test_descriptions_are_measured_in_words_and_faults_have_none() -> None:
    clues = ["It has keys.", "Loud", None, "You play it with both hands"]
    rows = measures([impostor("yxxx", (1, 0, 0, 0), "convicted", clues=clues)])
    shown(rows, "impostor").are("description_length: x 3.5 in 2, y 3 in 1")


@pytest.mark.parametrize(
    ("one", "other", "converged", "mirrored"),
    [
        ("Black keys, white keys", "WHITE keys!", 2 / 3, None),
        # Content: {strings} and {strings, bow}. Function words: it has, and it has a.
        ("It has strings", "it has a strings bow", 1 / 2, 2 / sqrt(2 * 3)),
        # It twice and with once, against it once: 2 / √5.
        ("it strums it with pluck", "it booms", 0, 2 / sqrt(5)),
        ("strum", "the boom", 0, 0),
        ("it is", "it is", None, 1),
        ("It’s loud", "it's loud", 1, 1),
        ("12 34", "!?", None, None),
    ],
)
def test_how_alike_team_mates_speak(
    one: str, other: str, converged: float | None, mirrored: float | None
) -> None:
    clues = [one, other, "gong", None]
    match = impostor("xxyy", (2, 2, 0, 0), "tie", clues=clues, condition=AWARE)
    rows = measures([match])
    for measure, expected in (("vocabulary_convergence", converged), ("style_mirroring", mirrored)):
        wanted = None if expected is None else (pytest.approx(expected), 1)
        assert shown(rows, "impostor").of(measure) == wanted
        assert shown(rows, "impostor").of(measure, "y") is None  # a fault is no description


# --- teams


def test_what_a_team_does_together_by_hand() -> None:
    # Impostor in seat 0, on the team of x.
    rows = measures([impostor("xxyy", (2, 2, 0, None), "escaped", condition=BLIND)])
    shown(rows, "impostor").are("""
        implicit_coordination: x 1/1
        strategy_alignment: x 1/1
        collaboration_success: x 1/1  # its impostor escaped
        implicit_coordination: y 0/1
        strategy_alignment: y 0/1  # one voted, one abstained
        collaboration_success: y 0/1
        """)
    # The majority wins: with y, both of whom are of it; not with x, whose seat 0 lost.
    rows = measures([impostor("xxyy", (2, 2, 0, 0), "convicted", declared=[1], condition=BLIND)])
    shown(rows, "impostor").are("""
        collaboration_success: x 0/1, y 1/1
        strategy_alignment: x 0/1  # one declared, one voted
        """)


def test_coordination_is_implicit_where_team_mates_are_hidden() -> None:
    for condition in (AWARE, "assignment=team_semi_aware"):
        rows = measures([impostor("xxyy", (2, 2, 0, 0), "tie", condition=condition)])
        shown(rows, "impostor").are("implicit_coordination: x none; coordination_extended: x 1/1")


def test_without_teams_nothing_is_said_of_them() -> None:
    clues = ["a gong"] * 4
    rows = measures([impostor("xxxx", (1, 0, 0, 0), "convicted", clues=clues)])
    named = {"vocabulary_convergence", "style_mirroring", "trust_formation", "strategy_alignment"}
    assert named.isdisjoint(row.measure for row in rows)


@pytest.mark.parametrize(
    ("spares", "expected"),
    [
        (
            "ttbbtbtt",
            """
            # Spared in matches 1, 2, 5, 7 and 8 of eight.
            trust_formation: x 5/8, y none
            # After matches 1, 2, 5 and 7: spared, betrayed, betrayed, spared.
            betrayal_rate: x 2/4
            # Match 3 is followed by b, t, b: made good. Match 6 has only two after it: not known.
            trust_recovery: x 1/1
            vulnerability: x 1.25 in 4; resilience: x 2 in 4
            """,
        ),
        # Three more betrayals are no recovery.
        ("tbbbbt", "betrayal_rate: x 1/1; trust_recovery: x 0/1; resilience: x 0 in 1"),
        # An abstention neither breaks nor fixes trust.
        ("t-b-t-t-t", "trust_formation: x 4/5; betrayal_rate: x 1/3; trust_recovery: x 1/1"),
        (
            "tttt",
            "betrayal_rate: x 0/3; trust_recovery: x none; vulnerability: x none;"
            "resilience: x none",
        ),
    ],
)
def test_trust_betrayal_and_recovery_over_consecutive_matches(spares: str, expected: str) -> None:
    shown(measures(numbered(season(spares))), "impostor").are(expected)


def test_experiments_are_followed_each_for_itself_in_the_order_of_their_matches() -> None:
    one, two = season("tb", "one"), season("tt", "two")
    # Matches 1 to 4: one, two, one, two.
    records = numbered([one[0], two[0], one[1], two[1]])
    for order in (records, records[::-1]):
        rows = measures(order)
        shown(rows, "impostor").are("betrayal_rate: x 1/2")


def test_a_member_is_followed_when_its_team_moves_to_the_other_seats() -> None:
    # First member of x: seat 0, then seat 2, where its team mate is seat 3.
    first = impostor("xxyy", (2, None, None, None), "escaped", seat=3, condition=AWARE)
    then = impostor("yyxx", (None, None, 3, None), "escaped", seat=3, condition=AWARE)
    rows = measures(numbered([first, then]))
    shown(rows, "impostor").are("trust_formation: x 1/2; betrayal_rate: x 1/1")


# --- the extended profile, and really played matches


def test_the_impostor_game_alone_enters_the_profile_by_what_a_special_role_shows() -> None:
    # x holds seats 0 (the impostor) and 1, declares itself with both, and wins.
    match = impostor("xxyy", (2, 2, 0, 3), "impostor_guessed", declared=[0, 1], condition=BLIND)
    rows = measures([match])
    for measure in ("self_awareness", "coordination"):
        assert shown(rows).of(measure) is None
    for measure in ("judgment", "deception"):
        assert shown(rows).of(measure) == shown(rows).of(f"{measure}_extended")
    shown(rows).are("""
        judgment_extended: x 0/1, y 1/2
        deception_extended: x 1/1
        # Right as the impostor, wrong as one of the majority; y, silent twice, is right twice.
        self_awareness_extended: x 1/2, y 2/2
        coordination_extended: x 1/1, y 0/1
        """)
    # A faulted vote declares nothing rightly.
    rows = measures([impostor("yxxx", (1, 0, None, 0), "convicted")])
    shown(rows).are("self_awareness_extended: x 2/3")


def test_what_holds_for_any_matches() -> None:
    rows, backwards = measures(played_impostor()), measures(played_impostor()[::-1])
    assert [(row.agent, row.measure, row.k, row.n) for row in rows] == [
        (row.agent, row.measure, row.k, row.n) for row in backwards
    ]
    # Sums of fractions may differ in their last digit.
    assert [row.value for row in rows] == pytest.approx([row.value for row in backwards])
    unbounded = {"vulnerability", "resilience", "description_length", "centrality", "welfare"}
    for row in rows:
        assert row.measure in unbounded or 0 <= row.value <= 1, row
        assert row.k is None or row.value == row.k / row.n
    for agent in "xy":
        reach, brokerage, centrality = (
            find(rows, measure, agent, game="impostor").value
            for measure in ("reach", "brokerage", "centrality")
        )
        assert (brokerage, centrality) == pytest.approx((reach, 2 * reach))


PLAYED = """
name = "teams"
seed = 1
[[games]]
name = "impostor"
assignment = "team_blind"
probes = "off"
matches = 8
""" + scripted(Ada="random", Rob="random", Lin="random")
"""Three experiments, one a pair of agents, of eight matches each."""


def test_a_save_hands_on_experiment_and_covariates_of_each_match(tmp_path: Path) -> None:
    with Save(finished(tmp_path, PLAYED)) as save:
        records = save.records()
        planned = {match.number: match.experiment for match in save.matches()}
    assert {record.covariates.mode for record in records} == {"team_blind"}
    assert {record.covariates.tier for record in records} == {"easy", "medium", "hard", "expert"}
    experiments = [record.experiment for record in records]
    assert experiments == [planned[record.number] for record in records]
    assert [experiments.count(name) for name in sorted(set(experiments))] == [8, 8, 8]
    # Two seats in each of two experiments of eight matches, and no random player ever faults.
    row = find(measures(records), "trust_formation", "Ada", game="impostor")
    assert row.n == 2 * 2 * 8
