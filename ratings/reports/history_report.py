"""Reports of what grows with each match: the race and the networks."""

from dataclasses import dataclass

from parlour.ratings.counting.ties import Kind, Network, Tie
from parlour.ratings.reports import cells
from parlour.ratings.reports.report import Column, Record, Report, table
from parlour.ratings.skill.race import RaceChart

RACE_NOTES = (
    "TrueSkill's μ less the mean of the field, after so many matches in the order in which they"
    " were over. σ: its uncertainty now.",
)
NETWORK_NOTES = {
    "accused": "Votes of the row's first agent for the other, of its votes where both sat.",
    "helped": "Help of the row's first agent for the other, of their meetings.",
}


@dataclass(frozen=True, slots=True)
class _Last:
    """The end of an agent's course."""

    agent: str
    above: float | None
    sigma: float
    matches: int


def race_report(chart: RaceChart) -> Report:
    """Returns the report of a race: its records are the points of the courses."""
    records: list[Record] = []
    for agent, course in chart.above.items():
        for point, above in zip(chart.points, course, strict=True):
            if above is not None:
                records.append({"agent": agent, "matches": point, "above_mean": above})
    last = [
        _Last(agent, course[-1], chart.sigma[agent], chart.matches[agent])
        for agent, course in chart.above.items()
    ]
    last.sort(key=lambda each: -(each.above or 0.0))
    columns: list[Column[_Last]] = [
        Column("Agent", lambda each: each.agent),
        Column("Above the mean", lambda each: cells.number(each.above, 2)),
        Column("σ", lambda each: cells.number(each.sigma, 2)),
        Column("Matches", lambda each: str(each.matches)),
    ]
    return Report(
        fields=("agent", "matches", "above_mean"),
        records=records,
        body={"points": chart.points, "above_mean": dict(chart.above), "sigma": dict(chart.sigma)},
        tables=[table(columns, last)],
        notes=RACE_NOTES,
    )


def network_report(network: Network, kind: Kind) -> Report:
    """Returns the report of a network; its records are its ties."""
    ties = list(network.ties.values())
    columns: list[Column[Tie]] = [
        Column("Agent", lambda tie: tie.agent),
        Column("Other", lambda tie: tie.other),
        Column("Share", lambda tie: cells.with_interval(tie.share, *tie.interval[1:])),
        Column("k/n", lambda tie: f"{tie.times}/{tie.chances}"),
    ]
    records = [_record(tie) for tie in ties]
    return Report(
        fields=("agent", "other", "times", "chances", "share", "low", "high"),
        records=records,
        body={"kind": kind, "ties": records},
        tables=[table(columns, ties)],
        notes=[NETWORK_NOTES[kind]],
    )


def _record(tie: Tie) -> Record:
    _, low, high = tie.interval
    return {
        "agent": tie.agent,
        "other": tie.other,
        "times": tie.times,
        "chances": tie.chances,
        "share": tie.share,
        "low": low,
        "high": high,
    }
