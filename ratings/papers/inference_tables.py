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
    the values of some columns. ``once_each``: only the first seat of each value of these columns.
    """

    title: str = ""
    where: Mapping[str, Any] = Field(default_factory=dict)
    each: tuple[str, ...] = ()
    once_each: tuple[str, ...] = ()
    outcome: str = "won"


class Logit(Estimated):
    """A logit: one line a term, for each column in ``clusters``; "" for independent seats."""

    kind: Literal["logit"]
    terms: tuple[Term, ...]
    clusters: tuple[str, ...] = ("experiment",)


class Independence(Estimated):
    """A chi-square test of whether two columns are independent."""

    kind: Literal["independence"]
    one: str
    other: str


class Uniformity(Estimated):
    """A chi-square test of whether the levels of a column are equally frequent."""

    kind: Literal["uniformity"]
    column: str
    levels: tuple[str | int, ...]


class Policy(Estimated):
    """The effect of a policy that assigns the levels of ``arm`` alone, against the random mix.

    ``block`` is what is resampled, and what labels are shuffled in (see ``Differences``).
    """

    kind: Literal["policy"]
    column: str
    arm: tuple[str | int, ...]
    block: str = "dice"
    strata: tuple[str, ...] = ()


class Differences(Estimated):
    """Differences of rates of each level from ``base``, with permutation p values.

    Labels are shuffled within a ``block``, "" for all at once; where it is "dice" and matches share
    seeds, those of a seed have one label, and are shuffled together. Intervals resample
    ``clusters``.
    """

    kind: Literal["differences"]
    column: str
    base: str | int
    block: str = "dice"
    clusters: str = "experiment"


class Resampled(Estimated):
    """A rate with the interval of a bootstrap of ``clusters``; or odds ratios, with a ``base``."""

    kind: Literal["bootstrap"]
    column: str = ""
    base: str | int | None = None
    clusters: str = "experiment"


class EffectSize(Estimated):
    """Cohen's d of the outcome: seats where ``column`` is true less the others."""

    kind: Literal["cohens_d"]
    column: str


class Trimmed(Estimated):
    """The mean of the rates of ``clusters``, without this share of them at either end."""

    kind: Literal["trimmed_mean"]
    share: float
    clusters: str = "experiment"


class Correlated(Estimated):
    """The correlation of two measures over the agents."""

    kind: Literal["correlation"]
    one: str
    other: str
    method: Literal["pearson", "spearman"] = "pearson"


Estimand = Annotated[
    Logit
    | Independence
    | Uniformity
    | Policy
    | Differences
    | Resampled
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
