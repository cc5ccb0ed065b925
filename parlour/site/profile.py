"""Section of the seven capabilities: a heat table, and a radar for each agent."""

from itertools import chain
from statistics import fmean

from parlour.ratings.measures.formulas import CAPABILITIES
from parlour.ratings.reports.leaderboard import column_titles
from parlour.site.boards import heat_class
from parlour.site.charts import RADAR, radar
from parlour.site.figures import (
    Chart,
    Entry,
    Figure,
    Section,
    Table,
    by_agent,
    number,
    of_measure,
)
from parlour.site.forests import capability_cells
from parlour.site.source import Source


def capabilities(source: Source) -> Section:
    """The values with intervals, and the radars over the mean of all agents."""
    known = capability_cells(source)
    names = [*CAPABILITIES, "radar_area"]
    named = set(chain.from_iterable(known.values()))
    measured = [name for name in names if name in named]
    if not measured:
        words = ["The capabilities are those of the MAGIC paper; none of its games was played."]
        return Section("capabilities", "Seven capabilities", "Capabilities", words, [])
    titles = column_titles()

    def entry(agent: str, name: str) -> Entry:
        cell = known[agent].get(name)
        share = cell is not None and name in CAPABILITIES
        return of_measure(cell, style=heat_class(cell.value) if cell and share else "")

    heads: dict[str, Entry] = {name: titles[name] for name in measured}
    table = by_agent(source.cast, list(known), heads, entry)
    heat = Figure(
        "heat",
        "Capabilities",
        "Each from 0 to 1, the more the darker. Below each value: its 95 % interval, and k/n or n.",
        table,
    )
    figures = [heat]
    shown = [name for name in measured if name in CAPABILITIES]
    if len(shown) >= 3:
        figures.append(_radars(source, shown, table))
    return Section(
        "capabilities", "Seven capabilities", "Capabilities", [source.board.definitions], figures
    )


def _radars(source: Source, shown: list[str], table: Table) -> Figure:
    known = capability_cells(source)
    titles = column_titles()
    mean: list[float | None] = []
    for name in shown:
        values = [cells[name].value for cells in known.values() if name in cells]
        mean.append(fmean(values) if values else None)
    pictures = []
    for agent, cells in known.items():
        values_of = [cells[name].value if name in cells else None for name in shown]
        if not any(value is not None for value in values_of):
            continue
        who = source.cast[agent]
        words = ", ".join(
            f"{titles[name]} {number(value)}"
            for name, value in zip(shown, values_of, strict=True)
            if value is not None
        )
        drawn = radar([titles[name] for name in shown], values_of, mean, who.colour)
        pictures.append(Chart(who.name, f"{words}.", *RADAR, drawn, name=agent))
    note = (
        "Filled: the agent. Dashed: the mean of all agents. The rings are ¼, ½, ¾ and 1; a spoke"
        " without a dot was not measured."
    )
    return Figure("radars", "Profiles", note, table, pictures)
