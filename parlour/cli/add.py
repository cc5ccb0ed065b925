"""The command `add`."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from parlour.cli.growing import Run, add_to, addition_from
from parlour.cli.options import NewestSave, TableOrJson
from parlour.cli.output import find_save
from parlour.games.common.errors import BadInput

# typer reads Optional[...] on every Python, and X | None not on all.
# ruff: noqa: UP045

Against = Annotated[
    Optional[list[str]],
    typer.Option(
        "--against", metavar="NAME", help="Only against this agent and the others so named."
    ),
]


def add(
    save: NewestSave = None,
    agents: Annotated[
        Optional[Path], typer.Argument(metavar="AGENT.toml", help="A file with [[agents]] blocks.")
    ] = None,
    against: Against = None,
    run: Run = False,
    format: TableOrJson = "table",
) -> int:
    """Add agents to a tournament, also while it is played."""
    if agents is None:  # SAVE was left out
        save, agents = None, save
    if agents is None:
        raise BadInput("add", "names no file of agents", "parlour add [SAVE] AGENT.toml")
    addition = addition_from("add", save, agents, "agents")
    if against:
        addition = addition.model_copy(update={"against": against})
    return add_to(find_save(save), addition, format, run=run)
