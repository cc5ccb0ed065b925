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
    from parlour.agents.base import Reply
    from parlour.api.by_hand import HandTable, table
    from parlour.api.matches import Match
    from parlour.api.playing import NotFinished, load, open, run, run_async
    from parlour.api.results import Results
    from parlour.api.saves import add, merge, split
    from parlour.games.common.errors import BadInput, BadSave, ParlourError

_HOMES = {
    **{"Reply": "agents.base", "Match": "api.matches", "Results": "api.results"},
    **dict.fromkeys(("HandTable", "table"), "api.by_hand"),
    **dict.fromkeys(("NotFinished", "load", "open", "run", "run_async"), "api.playing"),
    **dict.fromkeys(("add", "merge", "split"), "api.saves"),
    **dict.fromkeys(("BadInput", "BadSave", "ParlourError"), "games.common.errors"),
}
"""The module of each public name."""

__all__ = [
    "BadInput",
    "BadSave",
    "HandTable",
    "Match",
    "NotFinished",
    "ParlourError",
    "Reply",
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
    value = getattr(import_module(f"parlour.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
