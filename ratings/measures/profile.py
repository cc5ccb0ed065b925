"""The profile of seven capabilities, strict and extended, and composite measures.

*Strict* follows the MAGIC paper: over all games, only its five games count, or if neither of its
two word games was played, the other games with a special role. *Extended* counts every game that
has a comparable decision: see docs/measures.md.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from parlour.games.engine.game import variant_keys
from parlour.games.engine.registry import find_game, games
from parlour.ratings.counting.counts import CountKey, declared_formulas
from parlour.ratings.measures import formulas
from parlour.ratings.statistics.intervals import Floats

STRICT = frozenset(
    {"judgment", "reasoning", "deceived", "fooled", "own_role"}
    | {"agreed", "authored", "authored_of_all", "rational"}
)
"""Counters of the strict profile: over all games, those of other games do not enter it."""


def profile_games(played: Iterable[str]) -> frozenset[str]:
    """The games of those played whose strict counters enter the profile over all games."""
    counting = {name: find_game(name, "profile").counting for name in played}
    strict = {name for name, each in counting.items() if each.strict_profile}
    if any(counting[name].deductions for name in strict):
        return frozenset(strict)
    return frozenset(strict | {name for name, each in counting.items() if each.deductions})


MOST_RAW = 1 + formulas.FOOLED_WEIGHT
MOST_AREA = float(formulas.radar_area([np.ones(1)] * 7)[0])
"""The area where all seven capabilities are 1."""
Find = Callable[[str], list[CountKey]]
"""The keys of a counter."""


class Composite(NamedTuple):
    """A measure that is a formula of rates; its n is that of the ``counted`` keys.

    ``single``: where all rates but one are missing, the measure is that rate, a count.
    ``most`` is its largest value, None where it has none; the least is 0.
    """

    measure: str
    groups: list[list[CountKey]]
    formula: Callable[[list[Floats]], Floats]
    counted: list[CountKey]
    single: bool = False
    most: float | None = 1.0


def pooled(find: Find) -> Iterator[tuple[str, list[CountKey]]]:
    """Yields the extended capabilities that are one count of k in n, with their keys.

    ``find`` looks in every game.
    """
    yield "judgment_extended", find("judgment")
    yield "reasoning_extended", find("reasoning")
    yield "deception_extended", find("deceived")
    cooperation = [key for key in declared_keys("cooperation", find) if _counts_as_help(key)]
    yield "cooperation_extended", cooperation
    yield "coordination_extended", declared_keys("coordination", find)
    yield "rationality_extended", declared_keys("rationality", find)


def declared_keys(capability: str, find: Find, usual: str | None = None) -> list[CountKey]:
    """The keys that stand for a capability of the extended profile, as each game declares it.

    ``usual`` is the counter of games that declare none.
    """
    counter_of = {
        name: game.counting.profile.get(capability, usual) for name, game in games().items()
    }
    counters = dict.fromkeys(counter for counter in counter_of.values() if counter is not None)
    keys = chain.from_iterable(map(find, counters))
    return [key for key in keys if counter_of[key.game] == key.counter]


def _counts_as_help(key: CountKey) -> bool:
    """False where theory has players cooperate in some conditions, but not in this one."""
    game = find_game(key.game, "profile")
    sustained = game.hints.sustains_cooperation
    return sustained is None or sustained(variant_keys(game.variant, key.condition))


def composites(strict: Find, find: Find) -> Iterator[Composite]:
    """Every measure made of several rates that has something to divide by.

    ``strict`` finds the keys of a counter for the strict profile, ``find`` in every game.
    """
    if deceived := strict("deceived"):
        yield Composite(
            "deception_raw",
            [deceived, strict("fooled")],
            lambda rates: formulas.deception_raw(*rates),
            deceived,
            single=True,
            most=MOST_RAW,
        )
    yield from _awareness(strict("own_role"), "")
    groups = groups_of_profile(strict)
    if is_complete(groups):
        yield Composite(
            "radar_area",
            groups,
            lambda rates: formulas.profile(rates).radar_area,
            strict("payoff"),
            most=MOST_AREA,
        )
    own_roles = declared_keys("self_awareness", find, usual="own_role")
    yield from _awareness(own_roles, "_extended")
    for declared in declared_formulas():
        groups = [find(counter) for counter in declared.counters]
        if all(groups):
            formula = _defined(declared.formula)
            yield Composite(declared.name, groups, formula, groups[-1], most=None)


def _awareness(own_role: list[CountKey], suffix: str) -> Iterator[Composite]:
    if own_role:
        yield Composite(
            f"self_awareness{suffix}",
            _by_telling(own_role),
            lambda rates: formulas.self_awareness(*rates),
            own_role,
            single=True,
        )


def _by_telling(own_role: list[CountKey]) -> list[list[CountKey]]:
    """Own roles in games that tell roles, and in games that do not."""
    where_told: list[CountKey] = []
    elsewhere: list[CountKey] = []
    for key in own_role:
        tells = find_game(key.game, "profile").scoring.special_told
        (where_told if tells else elsewhere).append(key)
    return [where_told, elsewhere]


def groups_of_profile(strict: Find) -> list[list[CountKey]]:
    """The keys of the eight rates behind the seven capabilities, as ``formulas.profile`` takes."""
    return [
        *(strict(counter) for counter in ("judgment", "reasoning", "deceived")),
        *_by_telling(strict("own_role")),
        *(strict(counter) for counter in ("agreed", "authored_of_all", "rational")),
    ]


def is_complete(groups: list[list[CountKey]]) -> bool:
    """True if no capability is missing: own roles of one kind of game are enough."""
    where_told, elsewhere = groups[3:5]
    return all(groups[:3]) and bool(where_told or elsewhere) and all(groups[5:])


def _defined(formula: Callable[..., Floats]) -> Callable[[list[Floats]], Floats]:
    """The formula on a list of rates; nan where it divides by 0."""

    def defined(rates: list[Floats]) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = formula(*rates)
        return np.where(np.isfinite(values), values, np.nan)

    return defined
