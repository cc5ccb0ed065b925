"""Section of the seven capabilities: a heat table."""

from itertools import chain

from parlour.ratings.measures.formulas import CAPABILITIES
from parlour.ratings.reports.leaderboard import column_titles
from parlour.site.boards import heat_class
from parlour.site.figures import (
    Entry,
    Figure,
    Section,
    by_agent,
    of_measure,
)
from parlour.site.forests import capability_cells
from parlour.site.source import SiteSource


def capabilities(source: SiteSource) -> Section:
    """The values of all agents with their intervals."""
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
    words = [source.board.definitions]
    return Section("capabilities", "Seven capabilities", "Capabilities", words, [heat])
