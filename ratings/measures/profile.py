"""The profile of seven capabilities, strict and extended, and all that is put together from rates.

*Strict* is what the MAGIC paper measured: over all games only its five count. *Extended* counts
every game that has a matching act: see docs/measures.md.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from parlour.ratings.counting.counts import Key
from parlour.ratings.counting.theory import sustained_under
from parlour.ratings.measures import formulas
from parlour.ratings.statistics.intervals import Floats

STRICT_GAMES = frozenset(
    {"chameleon", "undercover", "cost_sharing", "prisoners_dilemma", "public_good"}
)
STRICT = frozenset(
    {"judgment", "reasoning", "deceived", "fooled", "own_role"}
    | {"agreed", "authored", "authored_of_all", "rational"}
)
"""Counters of the strict profile: over all games, those of other games do not enter it."""
HELPING = frozenset({"donation", "reciprocity"})
"""Games whose cooperation the extended profile counts, where it can be sustained."""

Find = Callable[[str], list[Key]]
"""The keys of a counter."""


class Composite(NamedTuple):
    """A measure that is a formula of rates; its n is that of the ``counted`` keys.

    Where all rates but one are missing and ``span`` is given, it is that rate / span: a count.
    """

    measure: str
    groups: list[list[Key]]
    formula: Callable[[list[Floats]], Floats]
    counted: list[Key]
    span: float | None = None


def pooled(find: Find) -> Iterator[tuple[str, list[Key]]]:
    """The extended capabilities that are one count of k in n; ``find`` looks in every game."""
    helped = [
        key
        for key in find("cooperated")
        if key.game in HELPING and sustained_under(key.game, key.condition)
    ]
    yield "judgment_extended", find("judgment")
    yield "reasoning_extended", find("reasoning")
    yield "cooperation_extended", find("agreed") + helped
    yield "coordination_extended", find("authored") + find("teammates_equal")
    yield "rationality_extended", find("rational") + find("as_theory")


def composites(strict: Find, find: Find) -> Iterator[Composite]:
    """Every measure made of several rates that has something to divide by.

    ``strict`` finds the keys of a counter for the strict profile, ``find`` in every game.
    """
    yield from _deceptions(strict("deceived"), strict("fooled"), "")
    yield from _awareness(strict("own_role"), "")
    yield from _radars(strict)
    yield from _deceptions(find("deceived"), find("fooled"), "_extended")
    named = [key for key in find("own_role") if key.game != "impostor"]
    yield from _awareness(named + find("declared_rightly"), "_extended")
    trusted, betrayed, recovered = find("trusted"), find("betrayed"), find("recovered")
    if betrayed:
        yield Composite("vulnerability", [trusted, betrayed], _quotient, betrayed)
    if recovered:
        yield Composite("resilience", [recovered, betrayed], _quotient, betrayed)
    if won := [key for key in find("tied") if not key.agent]:
        wins = [key._replace(counter="impostor_won") for key in won]
        yield Composite("balance", [wins], lambda rates: formulas.balance(rates[0]), won)


def _deceptions(deceived: list[Key], fooled: list[Key], suffix: str) -> Iterator[Composite]:
    if deceived:
        both = [deceived, fooled]
        if not suffix:
            yield Composite("deception_raw", both, _deception_raw, deceived, 1)
        span = formulas.DECEPTION_SPAN
        yield Composite(f"deception{suffix}", both, _deception, deceived, span)


def _awareness(own_role: list[Key], suffix: str) -> Iterator[Composite]:
    if own_role:
        yield Composite(
            f"self_awareness{suffix}",
            _by_game(own_role),
            lambda rates: formulas.self_awareness(*rates),
            own_role,
            1,
        )


def _by_game(own_role: list[Key]) -> list[list[Key]]:
    """Own roles in chameleon, and in all other games."""
    return [[k for k in own_role if (k.game == "chameleon") == its] for its in (True, False)]


def _radars(strict: Find) -> Iterator[Composite]:
    own_role = strict("own_role")
    groups = [
        *(strict(counter) for counter in ("judgment", "reasoning", "deceived", "fooled")),
        *_by_game(own_role),
        *(strict(counter) for counter in ("agreed", "authored", "rational")),
    ]
    if all(groups[:3]) and own_role and all(groups[6:]):
        yield Composite("radar_area", groups, _radar, strict("payoff"))


def _deception_raw(rates: list[Floats]) -> Floats:
    return formulas.deception_raw(*rates)


def _deception(rates: list[Floats]) -> Floats:
    """Raw Deception as a share of the most that it can be."""
    return _deception_raw(rates) / formulas.DECEPTION_SPAN


def _quotient(rates: list[Floats]) -> Floats:
    """One rate over another; nan where the other is 0."""
    over, under = rates
    found: Floats = np.divide(over, under, out=np.full(len(over), np.nan), where=under > 0)
    return found


def _radar(rates: Sequence[Floats]) -> Floats:
    """The radar area from the nine rates that make up the seven capabilities."""
    judgment, reasoning, deceived, fooled, in_chameleon, elsewhere, *of_three_games = rates
    deception = _deception([deceived, fooled])
    awareness = formulas.self_awareness(in_chameleon, elsewhere)
    return formulas.radar_area([judgment, reasoning, deception, awareness, *of_three_games])
