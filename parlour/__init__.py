"""Parlour: tournaments of social games between language models, scripted players and people.

The front door for scripts and notebooks; docs/python.md shows it::

    tournament = parlour.load("first.toml")
    save = parlour.run(tournament, "first.db")
    save.leaderboard(by="role")

Players are numbered from 1, as they are called in the games: "Player 1" is the first seat.
Everything is imported on first use, so that ``import parlour`` and the command line start quickly.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parlour.api.by_hand import HandTable, table
    from parlour.api.matches import Match
    from parlour.api.playing import NotFinished, load, open, run, run_async
    from parlour.api.results import Results
    from parlour.api.saves import add, merge, split
    from parlour.games.common.errors import BadInput, BadSave, ParlourError

_HOMES = {
    "add": "parlour.api.saves",
    "load": "parlour.api.playing",
    "run": "parlour.api.playing",
    "run_async": "parlour.api.playing",
    "open": "parlour.api.playing",
    "merge": "parlour.api.saves",
    "split": "parlour.api.saves",
    "NotFinished": "parlour.api.playing",
    "table": "parlour.api.by_hand",
    "Match": "parlour.api.matches",
    "HandTable": "parlour.api.by_hand",
    "Results": "parlour.api.results",
    "ParlourError": "parlour.games.common.errors",
    "BadInput": "parlour.games.common.errors",
    "BadSave": "parlour.games.common.errors",
}
"""The module of each public name."""

__all__ = [
    "BadInput",
    "BadSave",
    "HandTable",
    "Match",
    "NotFinished",
    "ParlourError",
    "Results",
    "add",
    "load",
    "merge",
    "open",
    "run",
    "run_async",
    "split",
    "table",
]


def __getattr__(name: str) -> Any:
    """Imports a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'parlour' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
