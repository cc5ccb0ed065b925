"""Tables and figures of a paper, numbered as there: which matches and measures each one has."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field

from parlour.games.engine.game import Frozen
from parlour.ratings.papers.inference_tables import InferenceTable

FOLDER = Path(__file__).parent
Show = Literal["mean", "percent", "share", "count"]
"""Forms of a cell: mean ± standard error, percent or share with its interval, or a count."""
Kind = Literal["table", "bars", "stacked", "radar", "box"]
"""A table, or a figure: grouped bars, shares in one bar, polygons, or values of single matches."""


class Part(Frozen):
    """A choice of matches and of one measure in them; a row or a column adds to that of the table.

    ``keys`` are variant keys of the matches. ``minus`` is a measure that is taken off.
    """

    title: str = ""
    game: str | None = None
    keys: Mapping[str, Any] = Field(default_factory=dict)
    agent: str = ""
    role: str | None = None
    measure: str = ""
    minus: str = ""
    show: Show = "share"

    def with_part(self, other: "Part") -> Self:
        """The choice with what the other one sets in addition."""
        added = {name: getattr(other, name) for name in other.model_fields_set}
        return self.model_copy(update={**added, "keys": {**self.keys, **other.keys}})


class Exhibit(Part):
    """A table or figure. Its rows are all agents, groups of agents, or those that are given.

    ``other_keys``: the matches have the defaults of keys that no part names, or any value.
    """

    number: str
    kind: Kind = "table"
    rows: Literal["agents", "groups"] | tuple[Part, ...] = "agents"
    columns: tuple[Part, ...]
    other_keys: Literal["default", "any"] = "default"
    note: str = ""

    @property
    def name(self) -> str:
        """The name as in the paper: ``table 3`` or ``figure 5``."""
        return f"{'table' if self.kind == 'table' else 'figure'} {self.number}"


class LeftOut(Frozen):
    """A table or figure that the program does not make, and why."""

    name: str
    reason: str


class Gains(Frozen):
    """The figure of the gains of agents that analyse the game, with tests.

    ``abilities`` is the table behind it, ``prompts`` the figure of two forms of analysis.
    """

    number: str
    title: str
    abilities: Exhibit
    prompts: Exhibit

    @property
    def name(self) -> str:
        """The name as in the paper."""
        return f"figure {self.number}"


class Paper(Frozen):
    """All that a paper shows.

    ``grouped_by`` is the key of ``meta`` by which it groups agents. ``similarity`` is the figure
    of the words of a game, by tier.
    """

    title: str
    grouped_by: str = ""
    gains: Gains | None = None
    similarity: Exhibit | None = None
    exhibits: tuple[Exhibit, ...]
    inferences: tuple[InferenceTable, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def paper_names() -> list[str]:
    """The names of the papers."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def read_paper(name: str) -> Paper:
    """The paper of that name."""
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    columns = content.pop("columns", {})
    of_gains = content.get("gains", {})
    nested = [of_gains[name] for name in ("abilities", "prompts") if name in of_gains]
    for exhibit in [*content["exhibits"], *nested]:
        if isinstance(exhibit["columns"], str):  # a set of columns that several share
            exhibit["columns"] = columns[exhibit["columns"]]
    return Paper.model_validate(content, strict=False)
