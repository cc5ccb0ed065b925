"""Scripted players of social dilemmas.

Each has one rule, ``helps``, which decides in all of these games:

- donation: whether the donor pays;
- reciprocity: whether the player cooperates;
- investment: whether the investor sends everything or nothing, and whether the responder returns
  half or nothing;
- prisoner's dilemma: whether the player cooperates, which it does if it would help both others;
- public good: whether it contributes an even part of what it has left, or nothing.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, ClassVar, Literal

from pydantic import Field

from parlour.agents.scripted import mechanisms
from parlour.agents.scripted.strategy import Parameters
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import GENERATION, Encounter, Event, View
from parlour.games.engine.moves import Ask, Record, Seat
from parlour.games.engine.registry import find_game
from parlour.games.families.amounts import most_of_half
from parlour.games.families.gossip_games import NEGATIVE, POSITIVE

Judgement = Literal["good", "bad"]


class DilemmaParameters(Parameters):
    """Keys of the agent block: probability of an inverted action, honest or lying gossip."""

    noise: float = Field(default=0.0, ge=0, le=1)
    gossip: Literal["honest", "lying"] = "honest"


class DilemmaPlayer(mechanisms.MechanismPlayer):
    """Base of dilemma players: ``helps`` decides; gossip praises those who helped it.

    With ``gossip = "lying"`` it reports the opposite of what happened, also about itself. With
    ``noise`` its action is inverted with that probability.
    """

    games: ClassVar[frozenset[str] | None] = frozenset(
        {"donation", "reciprocity", "investment", "prisoners_dilemma", "public_good"}
    )
    parameters: ClassVar[type[Parameters]] = DilemmaParameters

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """Dispatches the ask to the method for its kind."""
        rules = view.rules
        if ask.kind == "donate":
            turn = view.told("turn")[-1].record
            can_pay = turn["donor_resources"] >= rules["cost"]
            helps = self._acts(view, rules, dice, [Seat(turn["recipient"])])
            return {"action": "cooperate" if helps and can_pay else "defect"}
        if ask.kind in {"invest", "return"}:
            return {"amount": self._gives(ask.kind, view, rules, dice)}
        if ask.kind == "choose":
            turns = view.told("turn")
            met = turns[-1].record["players"] if turns else mechanisms.present(view, ask.round)
            partners = [seat for seat in met if seat != view.seat]
            helps = self._acts(view, rules, dice, partners)
            return {"action": "cooperate" if helps else "defect"}
        if ask.kind in mechanisms.OF_MECHANISMS:
            return self.under_a_mechanism(ask, view)
        if ask.kind == "contribute":
            past = view.told("contributions")
            left = past[-1].record["left"][view.seat] if past else rules["endowment"]
            others = [seat for seat in mechanisms.present(view, ask.round) if seat != view.seat]
            helps = self._acts(view, rules, dice, others)
            return {"amount": max(left, 0) // (rules["rounds"] - len(past)) if helps else 0}
        if ask.kind == "hand_on":
            return {"strategy": described(type(self))}
        return self._tells(ask, view, rules)

    def _acts(self, view: View, rules: Mapping[str, Any], dice: Dice, partners: list[Seat]) -> bool:
        """True if it helps all of these partners; inverted with probability ``noise``."""
        helps = all(self.helps(view, rules, partner) for partner in partners)
        inverted = self.keys.noise and dice.chance(self.keys.noise)
        return helps != bool(inverted)

    def _gives(self, kind: str, view: View, rules: Mapping[str, Any], dice: Dice) -> float:
        """The amount it invests (all or nothing) or returns (half or nothing)."""
        met = (view.told("turn") if kind == "invest" else _offers(view))[-1].record
        partner = met["responder" if kind == "invest" else "investor"]
        if not self._acts(view, rules, dice, [partner]):
            return 0.0
        if kind == "invest":
            return float(met["investor_resources"])
        return most_of_half(met["received"])

    def _tells(self, ask: Ask[Any], view: View, rules: Mapping[str, Any]) -> object:
        """Its gossip about a partner, or its report about itself."""
        lying = self.keys.gossip == "lying"
        if ask.kind == "report":
            return _report(view, lying)
        met = encounter_of(view, view.told("encounter")[-1].record)
        (partner,) = (seat for seat in met.pair if seat != view.seat)
        judged = self.judges(view, met, partner)
        if judged is None:  # the partner had nothing to give, so there is nothing to judge
            silent = {"tone": "neutral", "message": "This player had nothing to give."}
            return silent if rules["gossip"] == "tones" else {"signal": 1}
        good = judged != lying
        if rules["gossip"] != "tones":
            return {"signal": 1 if good else 0}
        if good:
            return {"tone": "praising", "message": "This player helped when we met."}
        return {"tone": "criticism", "message": "This player gave nothing when we met."}

    def judges(self, view: View, met: Encounter, by: Seat) -> bool | None:
        """True if it calls good what a player did in its last encounter; None if it did nothing."""
        action = met.action_of(by)
        return None if action is None else action.helped

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """True if it helps this partner."""
        raise TypeError(f"{type(self).__name__} has no rule for helping")


def described(strategy: type[DilemmaPlayer]) -> str:
    """A strategy in words, which an heir can take over."""
    return (strategy.__doc__ or strategy.__name__).partition("\n")[0]


def _is_offer(event: Event) -> bool:
    """True for the event that tells a responder what has arrived."""
    return event.by is None and "received" in event.record and "returned" not in event.record


def _offers(view: View) -> list[Event]:
    return [event for event in view.events if _is_offer(event)]


def encounter_of(view: View, met: Record) -> Encounter:
    """The meeting of two players that an event records."""
    read = find_game(view.game, view.game).hints.encounter
    assert read is not None
    return read(met)


def _report(view: View, lying: bool) -> object:
    """Its own last action, or the opposite: no gift for a gift, a full one for none."""
    own = [event for event in view.events if event.by is not None or event.kind == "mediated"][-1]
    if "action" in own.record:
        helped = (own.record["action"] == "cooperate") != lying
        return {"action": "cooperate" if helped else "defect"}
    given = own.record["amount"]
    if not lying:
        return {"amount": given}
    if given:
        return {"amount": 0.0}
    if own.record.get("ask", own.kind) == "invest":
        return {"amount": view.told("turn")[-1].record["investor_resources"]}
    return {"amount": most_of_half(_offers(view)[-1].record["received"])}


def judgements_of(view: View, seat: Seat) -> Iterator[Judgement]:
    """Yields a judgement for each thing known about a seat's past, oldest first.

    Sources are actions seen, reputation, tones and signals. A neutral tone does not count;
    self-reports are not believed. Where partners are unknown, what one of them did counts for all
    (contagion: Kandori, 1992). Who is shut out does no harm. A contribution is good if it is at
    least half of an even part, an investment or a return if it is at least half of what could be
    given. A responder has seen the investment before it decides.
    """
    rounds, rules = mechanisms.rounds_of(view), view.rules
    unknown = rules.get("partners") == "unknown"
    for event in view.events:
        record = event.record
        if event.by is not None:
            continue
        if event.kind == "encounter" or _is_offer(event):
            met = encounter_of(view, record)
            others = (other for other in met.pair if other != view.seat)
            action = met.action_of(next(others) if unknown else seat)
            if action is not None and action.helped is not None:
                yield "good" if action.helped else "bad"
        elif event.kind == "reputation" and record["player"] == seat:
            yield from ("good" if good else "bad" for good in record["acts"])
        elif event.kind in rounds.results:
            out = seat not in mechanisms.present(view, event.round)
            yield "good" if out or rounds.cooperated(rules, [record])[seat] else "bad"
        elif event.kind == "gossip" and record["about"] == seat and (judgement := heard(record)):
            yield judgement


def heard(message: Record) -> Judgement | None:
    """The judgement of a published message; None for a neutral one."""
    if message.get("tone") in POSITIVE or message.get("signal") == 1:
        return "good"
    if message.get("tone") in NEGATIVE or message.get("signal") == 0:
        return "bad"
    return None


class Cooperator(DilemmaPlayer):
    """Always helps."""

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """Always."""
        return True


class GreedyPlayer(DilemmaPlayer):
    """Never helps, and agrees to nothing."""

    agrees = False

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """Never."""
        return False


class FearfulPlayer(GreedyPlayer):
    """Helps nobody until it is fined or shut out, and from then on everybody.

    Selfish players who meet punishers come to cooperate (Fehr and Gächter, 2000).
    """

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """True once it has been fined or shut out."""
        return mechanisms.was_punished(view)


class GrimTrigger(DilemmaPlayer):
    """Helps a partner until the first bad judgement about it, then never again."""

    fines = True

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """True while there is no bad judgement."""
        return "bad" not in judgements_of(view, partner)


class TitForTat(DilemmaPlayer):
    """Helps unless the latest judgement about the partner is bad."""

    fines = True

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """True unless the latest judgement is bad (Axelrod and Hamilton, 1981)."""
        return [*judgements_of(view, partner)][-1:] != ["bad"]


class ImageScorer(DilemmaPlayer):
    """Helps partners with at least as many good judgements as bad (Nowak and Sigmund, 1998)."""

    fines = True

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """True while the partner's image score is not negative."""
        judgements = list(judgements_of(view, partner))
        return judgements.count("good") >= judgements.count("bad")


class EquilibriumPlayer(GrimTrigger):
    """Plays an equilibrium: grim trigger where that sustains cooperation, else the dominant action.

    Donation and reciprocity: cooperation can be sustained under an infinite horizon if actions
    become known, by public monitoring or by gossip, and the discount factor is at least
    cost / benefit (gossip paper, propositions 1, 2 and 4). Investment: likewise, if a responder
    loses more later than it keeps by returning nothing. The prisoner's dilemma and the public good
    game end after a known number of rounds, so every round is played as the last: it defects where
    that dominates, and contributes only if a point returns in full (multiplier >= players). Where a
    contract or promises cost more than defecting gains, it helps. Reputation makes actions known.
    It never fines or shuts out: a fine costs it, and neither changes what comes.
    """

    fines = False

    def helps(self, view: View, rules: Mapping[str, Any], partner: Seat) -> bool:
        """The decision of the equilibrium for this game."""
        if mechanisms.at_stake(view) > mechanisms.rounds_of(view).temptation(rules):
            return True
        if view.told("reputation"):
            rules = {**rules, "monitoring": "public"}
        hints = find_game(view.game, view.game).hints
        if hints.sustains_cooperation is None or not hints.sustains_cooperation(rules):
            return False
        # Without encounters, no later partner can hear of a defection.
        return hints.encounter is None or super().helps(view, rules, partner)


class Heir(DilemmaPlayer):
    """Plays one of the strategies that the generation before handed on.

    Each is taken over by as many seats as any other. In the first generation, and where it reads
    none that it knows, it helps always, never, or as tit for tat, by its seat.
    """

    games: ClassVar[frozenset[str] | None] = frozenset({"donation"})

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """The answer of the strategy that it has taken over."""
        handed = [event.record["strategies"] for event in view.told(GENERATION)]
        known = [_INHERITED[words] for words in chain(*handed) if words in _INHERITED]
        pool = known or list(_INHERITED.values())
        return pool[view.seat % len(pool)](self.bank, self.keys).decide(ask, view, dice)


_INHERITED = {described(each): each for each in (Cooperator, GreedyPlayer, TitForTat)}
