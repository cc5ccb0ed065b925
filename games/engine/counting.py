"""Declarations of a game's counts, and of the measures computed from them."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Covariates, MatchRecord

Count = tuple[str, str, str, float, float]
"""Agent, slice, counter, k, n.

The slice stands in the role column of the tidy rows: a role, a partner, a setting. The agent is
"" where something is counted of all matches, whoever played.
"""
Ballot = tuple[Seat | None, ...]
"""The seat that each seat named; None is an abstention."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of one counter: k of n as a rate, k / n as a mean per match, or shares of parts.

    An "amount" is a mean of values that are never negative, nor above ``most``.

    ``sliced``: it is also given for each slice. ``total`` False gives it for slices alone.
    ``parts`` are the slices of a whole, given even where one never occurs. ``paired`` False keeps
    it out of comparisons of two agents: it belongs to no agent, or to more than one match.
    ``title`` gives it a column of the leaderboard. ``unbounded`` counts the matches whose value has
    no bound: with any of them a mean has no interval.
    """

    name: str
    counter: str
    kind: Literal["rate", "mean", "amount", "parts"] = "rate"
    sliced: bool = False
    total: bool = True
    parts: tuple[str, ...] = ()
    paired: bool = True
    title: str = ""
    unbounded: str = ""
    most: float = inf


@dataclass(frozen=True, slots=True)
class RateFormula:
    """A measure computed from the rates of several counters.

    ``formula`` takes an array of rates for each counter, one rate a set of clusters. The measure is
    missing where a counter has counted nothing or the formula divides by 0. Its n is that of the
    last counter.
    """

    name: str
    counters: tuple[str, ...]
    formula: Callable[..., Any]


def nothing(_counted: Any) -> tuple[()]:
    """The counts of a game that declares none."""
    return ()


@dataclass(frozen=True, slots=True)
class Counting:
    """Counts of a game, besides results and faults.

    ``match`` counts one match. ``details`` counts what no leaderboard shows, and
    ``sequences`` what takes consecutive matches (all finished ones of this game, in order); each
    of its counts comes with the match that it belongs to. It reads outcomes without their facts,
    and of answers the ``followed`` kinds. ``ballot`` reads a match's votes, for the
    networks of a ballot. ``measures`` and ``formulas`` are made of these counts. ``covariates``
    are those of a match, from its record in the settings file and its setting. ``texts`` counts
    what is read from words that agents wrote; no leaderboard shows it.

    ``sliced`` are counters of ``details`` that are also counted as ``<counter>_by_slice`` in each
    of the match's ``slices``.

    ``shape`` gives all that ``match``, ``details`` and ``ballot`` (and deductions) read of a match
    besides the names of its agents, its counted seats and its outcome without facts: matches of
    equal shape are counted once. None where matches hardly recur.

    ``deductions``: the votes, own roles and beliefs are those of ``families/word_games.py`` and
    are compared with the roles (Judgment, Self-awareness, Reasoning).
    ``strict_profile``: the game is one of the five of the MAGIC paper, whose profile is over
    these alone. ``profile`` names the counter that stands for a capability in the extended
    profile: "cooperation", "coordination", "rationality", "self_awareness".
    """

    match: Callable[[MatchRecord], Iterable[Count]] = nothing
    details: Callable[[MatchRecord], Iterable[Count]] = nothing
    sequences: Callable[[Sequence[MatchRecord]], Iterable[tuple[MatchRecord, Count]]] = nothing
    followed: Collection[str] = ()
    texts: Callable[[MatchRecord], Iterable[Count]] = nothing
    ballot: Callable[[MatchRecord], Ballot] | None = None
    slices: Callable[[MatchRecord], Sequence[str]] = nothing
    sliced: Collection[str] = ()
    shape: Callable[[MatchRecord], Hashable] | None = None
    covariates: Callable[[Any, Any], Covariates] = lambda _record, _setting: Covariates()
    measures: tuple[Measure, ...] = ()
    formulas: tuple[RateFormula, ...] = ()
    deductions: bool = False
    strict_profile: bool = False
    profile: Mapping[str, str] = field(default_factory=dict)
