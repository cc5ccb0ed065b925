"""Scripted players of social dilemmas: whom they help, and what they tell.

One rule plays all of these games: in the donation game it says whether the donor helps, in
reciprocity whether the player cooperates, in the investment game whether the investor sends all
that it holds (or nothing) and whether the responder returns half (or nothing), in the prisoner's
dilemma whether the player cooperates (it does if it would help both others), in the
public good game whether it gives its even part of what it has left, or nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from parlour.agents.scripted.strategy import Parameters, Strategy
from parlour.games.engine.dice import Dice
from parlour.games.engine.encounter import Encounter
from parlour.games.engine.moves import Ask, Record, Seat
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Event, View
from parlour.games.families.amounts import most_of_half
from parlour.games.families.gossip_games import NEGATIVE, POSITIVE

Word = Literal["good", "bad"]


class DilemmaParameters(Parameters):
    """Keys of the agent block: how often an action slips into its opposite; what it tells."""

    noise: float = Field(default=0.0, ge=0, le=1)
    gossip: Literal["honest", "lying"] = "honest"


class DilemmaPlayer(Strategy):
    """Helps by a rule of its own; praises whoever helped it, criticises whoever did not.

    With ``gossip = "lying"`` it tells the opposite of what happened, also of itself. With
    ``noise`` its action is turned round with that probability.
    """

    games: ClassVar[frozenset[str] | None] = frozenset(
        {"donation", "reciprocity", "investment", "prisoners_dilemma", "public_good"}
    )
    parameters: ClassVar[type[Parameters]] = DilemmaParameters

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """Hands the ask to the rule for its kind."""
        rules = view.told("rules")[0].record
        if ask.kind == "donate":
            turn = view.told("turn")[-1].record
            can_pay = turn["donor_resources"] >= rules["cost"]
            helps = self._acts(view, rules, dice, [Seat(turn["recipient"])])
            return {"action": "cooperate" if helps and can_pay else "defect"}
        if ask.kind in {"invest", "return"}:
            return {"amount": self._gives(ask.kind, view, rules, dice)}
        others = [seat for seat in view.seats if seat != view.seat]
        if ask.kind == "choose":
            turns = view.told("turn")
            met = turns[-1].record["players"] if turns else view.seats
            partners = [seat for seat in met if seat != view.seat]
            helps = self._acts(view, rules, dice, partners)
            return {"action": "cooperate" if helps else "defect"}
        if ask.kind == "contribute":
            past = view.told("contributions")
            left = past[-1].record["left"][view.seat] if past else rules["endowment"]
            helps = self._acts(view, rules, dice, others)
            return {"amount": left // (rules["rounds"] - len(past)) if helps else 0}
        return self._tells(ask, view, rules)

    def _acts(self, view: View, rules: Mapping[str, Any], dice: Dice, partners: list[Seat]) -> bool:
        """Whether it helps all of these, its hand slipping now and then."""
        helps = all(self.helps(view, rules, partner) for partner in partners)
        slips = self.keys.noise and dice.chance(self.keys.noise)
        return helps != bool(slips)

    def _gives(self, kind: str, view: View, rules: Mapping[str, Any], dice: Dice) -> float:
        """What it invests or returns: everything it holds, half of what arrived, or nothing."""
        met = (view.told("turn") if kind == "invest" else _offers(view))[-1].record
        partner = met["responder" if kind == "invest" else "investor"]
        if not self._acts(view, rules, dice, [partner]):
            return 0.0
        return (
            float(met["investor_resources"]) if kind == "invest" else most_of_half(met["received"])
        )

    def _tells(self, ask: Ask[Any], view: View, rules: Mapping[str, Any]) -> object:
        """What it publishes of itself, or of whoever it met."""
        lying = self.keys.gossip == "lying"
        if ask.kind == "report":
            return _report(view, lying)
        met = _encounter(view, view.told("encounter")[-1].record)
        (partner,) = (seat for seat in met.pair if seat != view.seat)
        action = met.action_of(partner)
        helped = None if action is None else action.helped
        # It had nothing to give, and there is no telling how it would have acted.
        if helped is None:
            silent = {"tone": "neutral", "message": "This player had nothing to give."}
            return silent if rules["gossip"] == "tones" else {"signal": 1}
        good = helped != lying
        if rules["gossip"] != "tones":
            return {"signal": 1 if good else 0}
        if good:
            return {"tone": "praising", "message": "This player helped when we met."}
        return {"tone": "criticism", "message": "This player gave nothing when we met."}

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """Whether it helps this player."""
        raise TypeError(f"{type(self).__name__} has no rule for helping")


def _is_offer(event: Event) -> bool:
    """True for what a responder is told before it decides: something has arrived."""
    return event.by is None and "received" in event.record and "returned" not in event.record


def _offers(view: View) -> list[Event]:
    return [event for event in view.events if _is_offer(event)]


def _encounter(view: View, met: Record) -> Encounter:
    """A meeting of two players as its game reads it."""
    read = find_game(view.game, view.game).hints.encounter
    assert read is not None
    return read(met)


def _report(view: View, lying: bool) -> object:
    """What it did itself, or the opposite: of a gift that it gave none, of none that it gave."""
    own = [event for event in view.events if event.by is not None][-1]
    if "action" in own.record:
        helped = (own.record["action"] == "cooperate") != lying
        return {"action": "cooperate" if helped else "defect"}
    given = own.record["amount"]
    if not lying:
        return {"amount": given}
    if given:
        return {"amount": 0.0}
    if own.kind == "invest":
        return {"amount": view.told("turn")[-1].record["investor_resources"]}
    return {"amount": most_of_half(_offers(view)[-1].record["received"])}


def words_about(view: View, seat: Seat) -> Iterator[Word]:
    """What this view holds about a seat's past, oldest first: actions seen, tones, signals.

    A neutral tone says nothing; a self-report is not believed. A contribution is good if it is
    at least half of an even part, an investment or a return if it is at least half of what could
    be given. A responder has seen the investment before it decides.
    """
    for event in view.events:
        record = event.record
        if event.by is not None:
            continue
        if event.kind == "encounter" or _is_offer(event):
            action = _encounter(view, record).action_of(seat)
            if action is not None and action.helped is not None:
                yield "good" if action.helped else "bad"
        elif event.kind == "choices":
            yield "good" if record["actions"][seat] == "cooperate" else "bad"
        elif event.kind == "contributions":
            rules = view.told("rules")[0].record
            enough = 2 * record["amounts"][seat] * rules["rounds"] >= rules["endowment"]
            yield "good" if enough else "bad"
        elif event.kind == "gossip" and record["about"] == seat:
            if record.get("tone") in POSITIVE or record.get("signal") == 1:
                yield "good"
            elif record.get("tone") in NEGATIVE or record.get("signal") == 0:
                yield "bad"


class Cooperator(DilemmaPlayer):
    """Helps everybody, always."""

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """Always."""
        return True


class GreedyPlayer(DilemmaPlayer):
    """Helps nobody, ever."""

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """Never."""
        return False


class GrimTrigger(DilemmaPlayer):
    """Helps until it has heard or seen one bad word about the other, then never again."""

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """While no bad word is known."""
        return "bad" not in words_about(view, partner)


class TitForTat(DilemmaPlayer):
    """Helps at first, and then whoever did good the last time that it saw or heard of them."""

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """Unless the last word about the other is bad (Axelrod and Hamilton, 1981)."""
        return [*words_about(view, partner)][-1:] != ["bad"]


class ImageScorer(DilemmaPlayer):
    """Helps whoever has at least as many good words as bad ones (Nowak and Sigmund, 1998)."""

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """While the other's image score is not negative."""
        words = list(words_about(view, partner))
        return words.count("good") >= words.count("bad")


class EquilibriumPlayer(GrimTrigger):
    """Plays what theory says: grim trigger where it sustains cooperation, else what dominates.

    Donation and reciprocity: cooperation can be sustained under an infinite horizon where actions
    become known, by public monitoring or by gossip, and the discount is at least cost / benefit
    (gossip paper, propositions 1, 2 and 4). Investment: likewise, where a responder loses more
    later than it keeps by returning nothing. The dilemma and the public good end after a known
    number of rounds, so that each round is played as the last one: it defects where that pays
    whatever the others do, and gives only where a point given comes back whole (multiplier at
    least the players).
    """

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """As theory has it for the game at hand."""
        hints = find_game(view.game, view.game).hints
        if hints.sustains_cooperation is None or not hints.sustains_cooperation(rules):
            return False
        # Without encounters there is no later partner whom a bad word could reach.
        return hints.encounter is None or super().helps(view, rules, partner)
