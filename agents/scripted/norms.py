"""Scripted players of social norms: standing in place of single actions.

A norm judges an action by who did it to whom: each player is in good or in bad standing, all
begin in good, and every known action gives its actor a new standing. The player then helps by its
own standing and its partner's.

Source: Ohtsuki and Iwasa, J. Theor. Biol. 231 (2004) and 239 (2006), the leading eight; Nowak and
Sigmund, Nature 393 (1998), image scoring; Takahashi and Mashima, J. Theor. Biol. 243 (2006),
shunning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import field_validator

from parlour.agents.scripted.dilemmas import DilemmaParameters, DilemmaPlayer, encounter_of, heard
from parlour.agents.scripted.strategy import Parameters
from parlour.games.engine.events import Encounter, Event, View
from parlour.games.engine.moves import Seat


@dataclass(frozen=True, slots=True)
class Norm:
    """A social norm; each string has a letter for each pair of standings.

    The pairs are good to good, good to bad, bad to good, bad to bad: of who acts and of its
    partner. ``helped`` and ``refused`` are the actor's new standing, "g" or "b", after it helped
    or not; ``acts`` is what it should do, "c" or "d".
    """

    helped: str
    refused: str
    acts: str


NORMS: Mapping[str, Norm] = {
    "leading_1": Norm("gggg", "bgbb", "cdcc"),
    "consistent_standing": Norm("gbgg", "bgbb", "cdcc"),
    "simple_standing": Norm("gggg", "bgbg", "cdcd"),
    "leading_4": Norm("gggb", "bgbg", "cdcd"),
    "leading_5": Norm("gbgg", "bgbg", "cdcd"),
    "stern_judging": Norm("gbgb", "bgbg", "cdcd"),
    "staying": Norm("gggb", "bgbb", "cdcd"),
    "judging": Norm("gbgb", "bgbb", "cdcd"),
    "image_scoring": Norm("gggg", "bbbb", "cdcd"),
    "shunning": Norm("gbgb", "bbbb", "cdcd"),
}
"""The leading eight in their order, then two norms that are not among them."""


class NormParameters(DilemmaParameters):
    """Keys of the agent block: the name of the norm, beside those of all dilemma players."""

    norm: str = "stern_judging"

    @field_validator("norm")
    @classmethod
    def _known(cls, norm: str) -> str:
        if norm not in NORMS:
            raise ValueError(f"{norm!r} is no norm: {', '.join(NORMS)}")
        return norm


class NormPlayer(DilemmaPlayer):
    """Helps as a social norm says; its gossip is the standing that an action gives.

    What it hears replaces a standing: praise and 1 are good, blame and 0 bad.
    """

    games: ClassVar[frozenset[str] | None] = frozenset({"donation", "reciprocity", "investment"})
    parameters: ClassVar[type[Parameters]] = NormParameters

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """The action of the norm for its own standing and the partner's."""
        standing = self._standings(view, view.events)
        return self._norm.acts[_pair(standing, view.seat, partner)] == "c"

    def judges(self, view: View, met: Encounter, by: Seat) -> bool | None:
        """True if the norm calls good what a player did in the last encounter."""
        last = view.told("encounter")[-1]
        before = self._standings(view, view.events[: view.events.index(last)])
        return self._after(before, met).get(by)

    @property
    def _norm(self) -> Norm:
        return NORMS[self.keys.norm]

    def _standings(self, view: View, events: Sequence[Event]) -> dict[Seat, bool]:
        """True for each seat that is in good standing after these events."""
        standing = dict.fromkeys(view.seats, True)
        for event in events:
            if event.by is not None:
                continue
            if event.kind == "encounter":
                standing |= self._after(standing, encounter_of(view, event.record))
            elif event.kind == "gossip" and (judgement := heard(event.record)):
                standing[event.record["about"]] = judgement == "good"
        return standing

    def _after(self, before: Mapping[Seat, bool], met: Encounter) -> dict[Seat, bool]:
        """The new standing of each who acted in an encounter, from the standings before it."""
        after = {}
        for action in met.actions:
            if action.helped is not None:
                row = self._norm.helped if action.helped else self._norm.refused
                after[action.by] = row[_pair(before, action.by, action.to)] == "g"
        return after


def _pair(standing: Mapping[Seat, bool], actor: Seat, partner: Seat) -> int:
    """The place of a pair of standings in a norm's strings."""
    # A stranger is in good standing.
    return 2 * (not standing.get(actor, True)) + (not standing.get(partner, True))
