"""Rules for the end of an adaptive tournament, and the places that it decides."""

import re
from dataclasses import dataclass
from typing import Literal

from parlour.games.common.errors import BadInput

LEVEL = 0.95
"""Probability with which the interval of an agent's score holds at all times."""
ERROR = 0.05
"""Probability that any decided order of two agents is ever false, in a whole tournament."""
_FORM = re.compile(r"(?P<kind>rank|interval|budget)\s*(?:(?P<ranks>\d+)|<\s*(?P<width>0?\.\d+|1))?")


@dataclass(frozen=True, slots=True)
class Until:
    """When an adaptive tournament ends: the first ranks are decided, or all intervals are narrow.

    ``ranks`` None stands for all. "budget" ends at a budget or at the most matches only.
    """

    kind: Literal["rank", "interval", "budget"] = "rank"
    ranks: int | None = None
    width: float = 0.0

    def ranks_of(self, agents: int) -> int:
        """The number of ranks to be decided, of so many agents."""
        return min(self.ranks or agents, agents) if self.kind == "rank" else agents


@dataclass(frozen=True, slots=True)
class DecidedPlace:
    """The knowledge of one agent: the ranks that it may have, from 1, and its score.

    ``low`` and ``high`` are the ends of a confidence sequence: they hold whenever they are looked
    at. ``score`` is None before the agent's first round; ``rounds`` counts the rounds in which it
    met everybody.
    """

    agent: str
    rank: int
    last_rank: int
    score: float | None
    low: float
    high: float
    rounds: int


def until_of(text: str | None, place: str = "--until") -> Until:
    """Returns the rule that a text gives; None is all ranks. BadInput for another text."""
    if text is None:
        return Until()
    form = _FORM.fullmatch(text.strip())
    fix = 'write rank, "rank 3" (from 1), "interval < 0.1" (at most 1) or budget'
    if form is None:
        raise BadInput(place, f"{text!r} is no rule for the end", fix)
    kind, ranks, width = form["kind"], form["ranks"], form["width"]
    fits = {
        "rank": width is None and ranks != "0",
        "interval": width is not None and float(width) > 0,
        "budget": width is None and ranks is None,
    }
    if not fits[kind]:
        raise BadInput(place, f"{text!r} is no rule for the end", fix)
    if kind == "interval":
        return Until("interval", None, float(width))
    return Until("budget") if kind == "budget" else Until("rank", int(ranks) if ranks else None)
