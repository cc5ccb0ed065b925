"""Scripted players of the games of indirect reciprocity: whom they help, and what they tell."""

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from pydantic import Field

from agents.scripted.strategy import Parameters, Strategy
from games.dice import Dice
from games.gossip import NEGATIVE, POSITIVE
from games.moves import Ask, Seat
from games.table import View

Word = Literal["good", "bad"]


class GossipParameters(Parameters):
    """Keys of the agent block: how often an action slips into its opposite; what it tells."""

    noise: float = Field(default=0.0, ge=0, le=1)
    gossip: Literal["honest", "lying"] = "honest"


class GossipPlayer(Strategy):
    """Helps by a rule of its own; praises whoever helped it, criticises whoever did not.

    With ``gossip = "lying"`` it tells the opposite of what happened, also of itself. With
    ``noise`` its action is turned round with that probability.
    """

    games: ClassVar[frozenset[str] | None] = frozenset({"donation"})
    parameters: ClassVar[type[Parameters]] = GossipParameters

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """Hands the ask to the rule for its kind."""
        rules = view.told("rules")[0].record
        if ask.kind == "donate":
            turn = view.told("turn")[-1].record
            helps = self.helps(view, rules, Seat(turn["recipient"]))
            if self.keys.noise and dice.chance(self.keys.noise):
                helps = not helps
            can_pay = turn["donor_resources"] >= rules["cost"]
            return {"action": "cooperate" if helps and can_pay else "defect"}
        lying = self.keys.gossip == "lying"
        if ask.kind == "report":
            own = [event for event in view.events if event.kind == "donate"][-1]
            helped = (own.record["action"] == "cooperate") != lying
            return {"action": "cooperate" if helped else "defect"}
        met = view.told("encounter")[-1].record
        good = (met["action"] == "cooperate") != lying
        if rules["gossip"] != "tones":
            return {"signal": 1 if good else 0}
        if good:
            return {"tone": "praising", "message": "This player helped when we met."}
        return {"tone": "criticism", "message": "This player gave nothing when we met."}

    def helps(self, view: View, rules: Any, partner: Seat) -> bool:
        """Whether it helps this recipient."""
        raise TypeError(f"{type(self).__name__} has no rule for helping")


def words_about(view: View, seat: Seat) -> Iterator[Word]:
    """What this view holds about a seat's past as donor: seen actions, tones, signals.

    A neutral tone says nothing; a self-report is not believed.
    """
    for event in view.events:
        record = event.record
        if event.by is not None:
            continue
        if event.kind == "encounter" and record["donor"] == seat:
            yield "good" if record["action"] == "cooperate" else "bad"
        elif event.kind == "gossip" and record["about"] == seat:
            if record.get("tone") in POSITIVE or record.get("signal") == 1:
                yield "good"
            elif record.get("tone") in NEGATIVE or record.get("signal") == 0:
                yield "bad"


class Cooperator(GossipPlayer):
    """Helps everybody, always."""

    def helps(self, view: View, rules: Any, partner: Seat) -> bool:
        """Always."""
        return True


class GreedyPlayer(GossipPlayer):
    """Helps nobody, ever."""

    def helps(self, view: View, rules: Any, partner: Seat) -> bool:
        """Never."""
        return False


class GrimTrigger(GossipPlayer):
    """Helps until it has heard or seen one bad word about the other, then never again."""

    def helps(self, view: View, rules: Any, partner: Seat) -> bool:
        """While no bad word is known."""
        return "bad" not in words_about(view, partner)


class ImageScorer(GossipPlayer):
    """Helps whoever has at least as many good words as bad ones (Nowak and Sigmund, 1998)."""

    def helps(self, view: View, rules: Any, partner: Seat) -> bool:
        """While the other's image score is not negative."""
        words = list(words_about(view, partner))
        return words.count("good") >= words.count("bad")


class EquilibriumPlayer(GrimTrigger):
    """Plays what theory says: grim trigger where it sustains cooperation, else defection.

    Cooperation can be sustained under an infinite horizon where actions become known, by public
    monitoring or by gossip, and the discount is at least cost / benefit. Gossip paper,
    propositions 1, 2 and 4.
    """

    def helps(self, view: View, rules: Any, partner: Seat) -> bool:
        """As a grim trigger where cooperation can be sustained."""
        known = rules["monitoring"] in {"public", "gossip"}
        patient = rules["discount"] * rules["benefit"] >= rules["cost"]
        sustained = rules["horizon"] == "infinite" and known and patient
        return sustained and super().helps(view, rules, partner)
