"""Comparing two agents of a save."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from parlour.cli.console_tables import console, print_table
from parlour.cli.read import write_report
from parlour.cli.safe_print import print
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.ratings.comparison.comparison import Correction, compare
from parlour.ratings.comparison.pairing import PAIRED
from parlour.ratings.reports.comparison_report import comparison_report
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import trusting

Format = Literal["table", "json", "csv", "md"]


def compare_agents(
    path: Path,
    one: str,
    other: str,
    measures: Sequence[str],
    correction: Correction,
    format: Format,
    out: Path | None,
) -> int:
    """How two agents differ in what both did; BadInput if there is nothing of the kind."""
    unknown = [measure for measure in measures if measure not in PAIRED]
    if unknown:
        fix = suggestion(unknown[0], PAIRED)
        raise BadInput("--measure", f"{unknown[0]!r} cannot be compared", fix)
    with Save(path) as save, trusting(save):
        names = [agent.name for agent in save.tournament.agents]
        for name in (one, other):
            if name not in names:
                fix = f"the save has {', '.join(names)}"
                raise BadInput(str(path), f"there is no agent {name!r}", fix)
        if one == other:
            raise BadInput(str(path), f"{one!r} is one agent", "name two to compare")
        found = compare(save.records(), one, other, [*dict.fromkeys(measures)], correction)
    if not found.differences:
        problem = f"{one!r} and {other!r} have nothing that was measured in the same place"
        fix = "only counted seats of finished matches are: see `parlour plan` and docs/measures.md"
        raise BadInput(str(path), problem, fix)
    if format == "table" and out is None:
        report = comparison_report(found)
        print(report.caption)
        for table, right in zip(report.tables, ([1, 2, 3, 4], [2, 3, 4, 5]), strict=False):
            print_table(table.titles, table.rows, right)
        for note in report.notes:
            console().print(note, markup=False)
        return 0
    write_report(comparison_report(found), format, out)
    return 0
