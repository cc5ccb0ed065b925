"""Accusations and help between agents, counted by hand."""

from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.ratings.counting.ties import Network, Tie, Ties
from parlour.ratings.reports.history_report import network_report, race_report
from parlour.ratings.skill.race import RaceChart
from tests.ratings.records import donation, met, undercover


def vote(voter: int, suspect: int | None, fault: str | None = None) -> Answered:
    return Answered(9, "vote", 1, Seat(voter), {"suspect": suspect}, fault)


def counted(*records: MatchRecord) -> Ties:
    ties = Ties()
    for record in records:
        ties.add(record)
    return ties


def shares(network: Network) -> dict[str, tuple[int, int]]:
    """Times and chances by the letters of both agents."""
    return {"".join(pair): (tie.times, tie.chances) for pair, tie in network.ties.items()}


def test_an_accusation_is_a_vote_of_those_cast_where_both_sat() -> None:
    record = undercover("xyz", answers=[vote(0, 1), vote(1, 0), vote(2, None)])
    other = undercover("xyw", answers=[vote(0, 2), vote(1, 0), vote(2, 0)])
    assert shares(counted(record, other).network("accused")) == {
        **{"xy": (1, 2), "xz": (0, 1), "xw": (1, 1)},
        **{"yx": (2, 2), "yz": (0, 1), "yw": (0, 1)},
        **{"zx": (0, 1), "zy": (0, 1)},
        **{"wx": (1, 1), "wy": (0, 1)},
    }


def test_seats_of_one_agent_vote_apart_and_a_vote_for_itself_or_nobody_accuses_nobody() -> None:
    record = undercover("xyx", answers=[vote(0, 1), vote(1, 0), vote(2, 0)])
    assert shares(counted(record).network("accused")) == {"xy": (1, 2), "yx": (1, 1)}
    record = undercover("xyz", answers=[vote(0, 1, "empty"), vote(1, 99), vote(2, -1)])
    nobody = dict.fromkeys(("yx", "yz", "zx", "zy"), (0, 1))
    assert shares(counted(record).network("accused")) == nobody


def test_help_is_counted_by_meeting_without_fallbacks_and_seats_of_the_rules() -> None:
    steps = [met(0, 1, "cooperate"), met(0, 1, "defect")]
    steps += [met(1, 0, "cooperate"), met(1, 2, "cooperate")]
    record = donation("xy", steps, (3, 3), greedy=1, faults=[("donate", 2)])
    assert shares(counted(record).network("helped")) == {"xy": (1, 1), "yx": (1, 1)}
    assert not counted(record).network("accused").ties


def network(*ties: tuple[str, int, int]) -> Network:
    return Network({(pair[0], pair[1]): Tie(pair[0], pair[1], k, n) for pair, k, n in ties})


def test_the_strongest_ties_the_most_one_sided_pairs_and_what_an_agent_receives() -> None:
    shown = network(("xy", 2, 2), ("yx", 3, 4), ("xz", 1, 4), ("zx", 0, 5), ("zy", 6, 8))
    assert [tie.agent + tie.other for tie in shown.strongest(3)] == ["zy", "yx", "xz"]
    assert [tie.agent + tie.other for tie in shown.strongest(1)] == ["zy"]
    shown = network(("xy", 4, 4), ("yx", 0, 4), ("xz", 3, 4), ("zx", 2, 4), ("wx", 9, 9))
    pairs = [(tie.agent + tie.other, back.share) for tie, back in shown.one_sided(5)]
    assert pairs == [("xy", 0.0), ("xz", 0.5)]
    shown = network(("xy", 1, 4), ("zy", 3, 4), ("yx", 2, 2))
    received = shown.received("y")
    assert (received.times, received.chances) == (4, 8)
    assert shown.received("z") is None


def test_the_reports_have_counts_and_intervals() -> None:
    report = network_report(network(("xy", 1, 4)), "accused")
    (record,) = report.records
    assert (record["times"], record["chances"], record["share"]) == (1, 4, 0.25)
    assert str(report.tables[0].rows[0][2]).startswith("0.250 [0.0")
    chart = RaceChart((3, 4), {"x": (None, 1.5)}, {"x": 2.0}, {"x": 3})
    assert race_report(chart).records == [{"agent": "x", "matches": 4, "above_mean": 1.5}]
