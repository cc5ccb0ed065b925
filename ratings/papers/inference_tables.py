"""Tables of tests and regressions, as data: which columns of the seats each estimate is made of."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from parlour.games.engine.game import Frozen
from parlour.ratings.statistics.corrections import Correction


class Term(Frozen):
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
    terms: tuple[Term, ...]
    clusters: tuple[str, ...] = ("group",)


class Association(Estimated):
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
    | Association
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
