"""Tables and figures of a paper, numbered as there: which matches and measures each one has."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from parlour.games.engine.game import Frozen
from parlour.ratings.statistics.corrections import Correction


class Regressor(Frozen):
    """A term of a regression: a number, or a factor if it has a ``base`` or is ``fixed``.

    The levels of a factor are compared with its base. A fixed effect is adjusted for and not
    shown; its base is its first level. ``step``: the odds ratio is that of so many units.
    """

    column: str
    title: str = ""
    base: str | int | None = None
    fixed: bool = False
    scale: Literal["as is", "log10"] = "as is"
    step: float = 1


class Estimated(Frozen):
    """Keys of every estimate.

    It is of the seats that have the values of ``where``; with ``each``, one of those that share
    the values of some columns.
    """

    title: str = ""
    where: Mapping[str, Any] = Field(default_factory=dict)
    each: tuple[str, ...] = ()
    outcome: str = "won"


class Logit(Estimated):
    """A logit: one line a term, for each column in ``clusters``; "" for independent seats."""

    kind: Literal["logit"]
    terms: tuple[Regressor, ...]
    clusters: tuple[str, ...] = ("group",)


class Associated(Estimated):
    """Cramér's V of a column and the outcome, with an F test of equal rates by clusters."""

    kind: Literal["association"]
    column: str
    clusters: str = "cluster"


class Balance(Estimated):
    """A check of an assignment against a column that was there before; each draw counts once."""

    kind: Literal["balance"]
    column: str
    other: str


class Uniformity(Estimated):
    """A check of an assignment against equal counts of its levels; each draw counts once."""

    kind: Literal["uniformity"]
    column: str
    levels: tuple[str | int, ...]


class Policy(Estimated):
    """The effect of a policy that assigns the levels of ``arm`` alone, against the random mix."""

    kind: Literal["policy"]
    column: str
    arm: tuple[str | int, ...]
    clusters: str = "cluster"
    strata: tuple[str, ...] = ()


class Differences(Estimated):
    """Differences of each level from ``base`` in the same block, with permutation p values.

    The mean of a ``unit`` counts once for each level; labels of units are shuffled in their block.
    """

    kind: Literal["differences"]
    column: str
    base: str | int
    unit: str = "draw"
    block: tuple[str, ...] = ("stratum",)
    clusters: str = "cluster"


class Rate(Estimated):
    """A rate with the interval that measures have."""

    kind: Literal["rate"]
    clusters: str = "cluster"


class EffectSize(Estimated):
    """Cohen's d of the outcome: seats where ``column`` is true less the others."""

    kind: Literal["cohens_d"]
    column: str
    clusters: str = "cluster"


class Trimmed(Estimated):
    """The mean of the rates of ``clusters``, without this share of them at either end."""

    kind: Literal["trimmed_mean"]
    share: float
    clusters: str = "experiment"


class Correlated(Estimated):
    """The correlation of two measures over the agents.

    With ``halves`` one is of half of the clusters of matches, and the other of the other half.
    """

    kind: Literal["correlation"]
    one: str
    other: str
    method: Literal["pearson", "spearman"] = "pearson"
    halves: bool = False


Estimand = Annotated[
    Logit
    | Associated
    | Balance
    | Uniformity
    | Policy
    | Differences
    | Rate
    | EffectSize
    | Trimmed
    | Correlated,
    Field(discriminator="kind"),
]


class InferenceTable(Frozen):
    """A table of estimates of one game, over the seats that have the values of ``where``.

    ``correction``: p values are also shown as corrected over the table. ``e_values``: odds ratios
    have E-values.
    """

    name: str
    title: str
    game: str
    where: Mapping[str, Any] = Field(default_factory=dict)
    estimates: tuple[Estimand, ...]
    correction: Correction | None = None
    e_values: bool = False
    note: str = ""
    kind: Literal["table"] = "table"


FOLDER = Path(__file__).parent
Show = Literal["mean", "percent", "share", "count"]
"""Forms of a cell: mean ± standard error, percent or share with its interval, or a count."""
Kind = Literal["table", "bars", "stacked", "radar", "box"]
"""A table, or a figure: grouped bars, shares in one bar, polygons, or values of single matches."""


class CellChoice(Frozen):
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

    def with_part(self, other: "CellChoice") -> Self:
        """The choice with what the other one sets in addition."""
        added = {name: getattr(other, name) for name in other.model_fields_set}
        return self.model_copy(update={**added, "keys": {**self.keys, **other.keys}})


class Exhibit(CellChoice):
    """A table or figure. Its rows are all agents, groups of agents, or those that are given.

    ``other_keys``: the matches have the defaults of keys that no part names, or any value.
    """

    number: str
    kind: Kind = "table"
    rows: Literal["agents", "groups"] | tuple[CellChoice, ...] = "agents"
    columns: tuple[CellChoice, ...]
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
