"""The command `merge`."""

import json
from pathlib import Path
from typing import Annotated, Optional

import typer

from parlour.cli.console_tables import print_note
from parlour.cli.options import TableOrJson
from parlour.cli.output import find_save
from parlour.games.engine.transcript import counted
from parlour.tournament.save.merge import merge_saves, parse_rename
from parlour.tournament.save.origins import ADAPTIVE

Out = Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.", show_default=False)]
Saves = Annotated[
    list[Path], typer.Argument(metavar="SAVE...", help="The saves to merge.", show_default=False)
]
Renames = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer does not read X | None on every Python
    typer.Option(
        "--rename",
        metavar="OLD=NEW@SAVE",
        help="Give agent OLD of SAVE the name NEW. May be repeated.",
    ),
]


def merge(out: Out, saves: Saves, rename: Renames = None, format: TableOrJson = "table") -> int:
    """Put saves of compatible tournaments together in a new save."""
    renames = [parse_rename(text, saves) for text in rename or ()]
    paths = {save: find_save(save) for save in saves}
    merged = merge_saves(
        out,
        [paths[save] for save in saves],
        [each._replace(save=paths[each.save]) for each in renames],
    )
    if format == "json":
        body = {
            "save": str(out),
            "matches": merged.matches.matches,
            "finished": merged.matches.finished,
            "frozen": merged.matches.frozen,
            "repeated": merged.repeated,
            "agents": merged.agents,
            "adaptive": merged.adaptive,
            "origins": [origin._asdict() for origin in merged.origins],
        }
        print(json.dumps(body, indent=2))
        return 0
    origins = counted(len(merged.origins), "tournament")
    matches = merged.matches
    print_note(
        f"Written: {out}, {matches.finished} of {matches.matches} matches finished,"
        f" {counted(len(merged.agents), 'agent')}, from {counted(len(saves), 'save')} of {origins}"
    )
    if merged.repeated:
        again = counted(merged.repeated, "match")
        print_note(
            f"Note: {again} with the setting, seats and dice of another one, since their runs had"
            " the same seed, or copies of a save got the same agent. Players that always answer"
            " alike then add no evidence: give further runs their own --seed, and add an agent to"
            " one copy alone."
        )
    if merged.adaptive:
        print_note(f"Note: not adaptive, no more is decided. {ADAPTIVE}.")
    return 0
