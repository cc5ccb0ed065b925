"""Reports of what grows with each match: the race and the networks."""

from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable, listed, taken
from parlour.ratings.counting.ties import Kind, Network, Tie
from parlour.ratings.reports.report import Record, Report
from parlour.ratings.skill.race import RaceChart

RACE_NOTES = (
    "TrueSkill's μ less the mean of the field, after so many matches in the order in which they"
    " were over. σ: its uncertainty now.",
)
NETWORK_NOTES = {
    "accused": "Votes of the row's first agent for the other, of its votes where both sat.",
    "helped": "Help of the row's first agent for the other, of their meetings.",
}
RACE = {
    "Agent": forms.TEXT,
    "Above the mean": forms.decimals(2),
    "σ": forms.decimals(2),
    "Matches": forms.COUNT,
}
TIES: list[Column[Tie]] = [
    Column("Agent", lambda tie: tie.agent),
    Column("Other", lambda tie: tie.other),
    Column("Share", lambda tie: (tie.share, *tie.interval[1:]), forms.interval()),
    Column("k/n", lambda tie: f"{tie.times}/{tie.chances}", forms.COUNT),
]
OF_TIE = ("agent", "other", "times", "chances", "share")


def race_report(chart: RaceChart) -> Report:
    """Returns the report of a race: its records are the points of the courses."""
    records: list[Record] = []
    for agent, course in chart.above.items():
        for point, above in zip(chart.points, course, strict=True):
            if above is not None:
                records.append({"agent": agent, "matches": point, "above_mean": above})
    last = [
        (agent, course[-1], chart.sigma[agent], chart.matches[agent])
        for agent, course in chart.above.items()
    ]
    last.sort(key=lambda each: -(each[1] or 0.0))
    return Report(
        fields=("agent", "matches", "above_mean"),
        records=records,
        body={"points": chart.points, "above_mean": dict(chart.above), "sigma": dict(chart.sigma)},
        tables=[listed(RACE, last)],
        notes=RACE_NOTES,
    )


def network_report(network: Network, kind: Kind) -> Report:
    """Returns the report of a network; its records are its ties."""
    ties = list(network.ties.values())
    records = [_record(tie) for tie in ties]
    return Report(
        fields=(*OF_TIE, "low", "high"),
        records=records,
        body={"kind": kind, "ties": records},
        tables=[ColumnTable(TIES, ties)],
        notes=[NETWORK_NOTES[kind]],
    )


def _record(tie: Tie) -> Record:
    _, low, high = tie.interval
    return taken(tie, OF_TIE) | {"low": low, "high": high}
