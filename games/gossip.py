"""What the games of indirect reciprocity share: who meets whom, gossip, discounting.

Source: the gossip paper (ALIGN), sections 3.1, 4 and 5, appendices B and C.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field, model_validator

from games.dice import Dice
from games.game import Frozen
from games.moves import Answer, Ask, Fault, Seat, illegal
from games.text import Text

Tone = Literal["praising", "neutral", "mocking", "complaint", "criticism"]
TONES: tuple[Tone, ...] = ("praising", "neutral", "mocking", "complaint", "criticism")
POSITIVE, NEGATIVE = frozenset({"praising"}), frozenset({"mocking", "complaint", "criticism"})
MOST_WORDS = 150
"""Words of a gossip message."""


class GossipVariant(Frozen):
    """The switches that all three games have.

    ``horizon``: finite tells how many encounters there are. ``monitoring``: who sees an action
    besides the pair; with gossip the witness tells. ``gossip``: what it tells in (None without
    gossip monitoring).
    """

    horizon: Literal["infinite", "finite"] = "infinite"
    monitoring: Literal["gossip", "private", "public"] = "gossip"
    gossip: Literal["tones", "binary", "binary_convention"] | None = "tones"
    equilibrium_knowledge: bool = True
    reflection: bool = True
    discount: float = Field(default=0.99, ge=0, le=1)
    discount_by: Literal["appearance", "step"] = "appearance"
    greedy_seats: int = Field(default=0, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _no_gossip_without_monitoring(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and raw.get("monitoring", "gossip") != "gossip":
            if raw.get("gossip") is not None:
                raise ValueError(f"gossip = {raw['gossip']!r} needs monitoring = 'gossip'")
            if raw.get("self_report"):
                raise ValueError("self_report = true needs monitoring = 'gossip'")
            return {**raw, "gossip": None}
        if isinstance(raw, dict) and raw.get("gossip", "tones") is None:
            raise ValueError("gossip is missing though monitoring = 'gossip'")
        return raw


def alternating_pairs(players: Sequence[Seat], dice: Dice) -> tuple[tuple[Seat, Seat], ...]:
    """Every pair once, one a step, as (actor, witness); each player alternates without a break.

    Of an odd number of players one more than half act first, of an even number half.
    """
    while True:  # a walk at random that now and then ends in a corner is begun again
        deck = dice.shuffled(players)
        acts_next = {seat: place < (len(deck) + 1) // 2 for place, seat in enumerate(deck)}
        left = {seat: set(deck) - {seat} for seat in deck}
        pairs: list[tuple[Seat, Seat]] = []
        while True:
            actors = [seat for seat in players if acts_next[seat]]
            witnesses = [seat for seat in players if not acts_next[seat]]
            open_pairs = [(a, b) for a in actors for b in witnesses if b in left[a]]
            if not open_pairs:
                break
            actor, witness = dice.choice(open_pairs)
            pairs.append((actor, witness))
            left[actor].remove(witness)
            left[witness].remove(actor)
            acts_next[actor], acts_next[witness] = False, True
        if not any(left.values()):
            return tuple(pairs)


def discounted(rewards: Sequence[tuple[int, float]], discount: float, by: str) -> float:
    """The discounted sum of one player's rewards, given as (step from 1, reward) in order.

    The exponent is the player's own count of earlier appearances, or with ``by = "step"`` the
    number of earlier steps of the whole game.
    """
    total = 0.0
    for appearance, (step, reward) in enumerate(rewards):
        exponent = appearance if by == "appearance" else step - 1
        factor = 1.0
        for _ in range(exponent):  # repeated products are the same on every platform; ** is not
            factor *= discount
        total += factor * reward
    return total


class ToneGossip(Answer):
    """A public message about the actor, in one of five tones."""

    justification: Text = ""
    tone: Tone
    message: Text


class SignalGossip(Answer):
    """A public signal about the actor; None, which is not posted, only from a fault."""

    justification: Text = ""
    signal: Literal[0, 1] | None


class Report(Answer):
    """What the actor publishes of its own action, true or not; None only from a fault."""

    justification: Text = ""
    action: Literal["cooperate", "defect"] | None


def gossip(protocol: str, witness: Seat, step: int) -> Ask[Any]:
    """Asks the witness for its message, or for its signal."""

    def check_tone(_seat: Seat, answer: ToneGossip) -> Fault | None:
        words = len(answer.message.split())
        if words > MOST_WORDS:
            return illegal(f"the message has {words} words: at most {MOST_WORDS}")
        if not words:
            return illegal("the message is blank: say something about the player you met")
        return None

    def sample_tone(_seat: Seat, dice: Dice) -> ToneGossip:
        return ToneGossip(tone=dice.choice(TONES), message=f"Note number {dice.below(1000)}.")

    if protocol == "tones":
        return Ask(
            "gossip",
            (witness,),
            ToneGossip,
            lambda _seat, _dice: ToneGossip(tone="neutral", message=""),
            sample_tone,
            check_tone,
            step,
        )

    def check_signal(_seat: Seat, answer: SignalGossip) -> Fault | None:
        return illegal("no signal is given: 0 or 1") if answer.signal is None else None

    return Ask(
        "gossip",
        (witness,),
        SignalGossip,
        lambda _seat, _dice: SignalGossip(signal=None),
        lambda _seat, dice: SignalGossip(signal=dice.choice((0, 1))),
        check_signal,
        step,
    )


def self_report(actor: Seat, step: int) -> Ask[Report]:
    """Asks the actor what it publishes of its own action."""

    def check(_seat: Seat, answer: Report) -> Fault | None:
        return illegal("no action is reported") if answer.action is None else None

    return Ask(
        "report",
        (actor,),
        Report,
        lambda _seat, _dice: Report(action=None),
        lambda _seat, dice: Report(action=dice.choice(("cooperate", "defect"))),
        check,
        step,
    )
