"""Scripted players under a mechanism, whatever game it is laid over.

It fines a player that did not cooperate, or votes to shut it out, if it ``fines`` at all. If it
``agrees`` to be bound, it proposes and signs the highest penalty, promises half as much again as
defecting gains, and lets a mediator play.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Any, ClassVar

from parlour.agents.scripted.strategy import Strategy
from parlour.games.engine.events import View
from parlour.games.engine.game import Rounds
from parlour.games.engine.moves import Ask, Seat, player
from parlour.games.engine.registry import find_game
from parlour.games.mechanisms.over import MECHANISMS

OF_MECHANISMS = frozenset(chain.from_iterable(each.asks for each in MECHANISMS))
"""The kinds of ask that mechanisms add."""


class MechanismPlayer(Strategy):
    """Base of players of games that mechanisms are laid over."""

    fines: ClassVar[bool] = False
    agrees: ClassVar[bool] = True

    def under_a_mechanism(self, ask: Ask[Any], view: View) -> object:
        """Its answer to an ask of a mechanism."""
        mechanism = view.told("mechanism")[0].record
        if ask.kind in {"punish", "exclude"}:
            defectors = [seat for seat, helped in _last_round(view).items() if not helped]
            acted = {*present(view, ask.round)}.intersection(present(view, ask.round + 1))
            others = [seat for seat in defectors if seat != view.seat and seat in acted]
            return {"player": player(others[0]) if others and self.fines else None}
        if ask.kind == "draft":
            return {"amount": mechanism["most_penalty"] if self.agrees else 0.0}
        if ask.kind == "offer":
            enough = max(1.5 * rounds_of(view).temptation(view.rules), 0.0)
            return {"amount": min(enough, mechanism["most_offer"]) if self.agrees else 0.0}
        if ask.kind == "delegate":
            return {"delegate": self.agrees}
        drafts = view.told("drafts")[-1].record["drafts"]
        by, penalty = max(drafts, key=lambda draft: (draft[1], -draft[0]))
        return {"player": player(by) if self.agrees and penalty else None}


def rounds_of(view: View) -> Rounds:
    """The rounds of the game that is seen."""
    rounds = find_game(view.game, view.game).hints.rounds
    assert rounds is not None
    return rounds


def _last_round(view: View) -> Mapping[Seat, bool]:
    """True for each player that cooperated in the last round that the seat saw."""
    rounds = rounds_of(view)
    shown = [event for event in view.events if event.by is None and event.kind in rounds.results]
    last = [event.record for event in shown if event.round == shown[-1].round]
    return rounds.cooperated(view.rules, last)


def present(view: View, round: int) -> list[Seat]:
    """The seats that are not shut out of a round."""
    votes = view.told("exclusion")
    out = {e.record["player"] for e in votes if e.round < round <= e.record["until"]}
    return [seat for seat in view.seats if seat not in out]


def was_punished(view: View) -> bool:
    """True once the seat has been fined or shut out."""
    fines = chain.from_iterable(event.record["fines"] for event in view.told("fines"))
    shut_out = (event.record["player"] for event in view.told("exclusion"))
    return view.seat in {*(fined for _, fined in fines), *shut_out}


def at_stake(view: View) -> float:
    """The points that the seat loses by defecting: a contract's penalty, and what was promised."""
    penalties = [event.record["penalty"] or 0.0 for event in view.told("contract")[-1:]]
    offers = chain.from_iterable(event.record["offers"] for event in view.told("offers")[-1:])
    return float(sum(penalties) + sum(amount for by, amount in offers if by != view.seat))
