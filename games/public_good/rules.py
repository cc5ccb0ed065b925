"""The public good game, the rules.

Three players start with the same number of points. In each of five rounds all decide at once how
many points go into the common pool, and are then shown all contributions. They may promise more
than they have left, which counts as promised, unless ``overspending`` is refused. At the end the
pool is multiplied and shared equally, once. The final score is what a player kept plus its share.
The highest score wins, and several players with the highest score all win.

Source: the MAGIC paper, section 3.1 and appendices A.1 and A.6.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from parlour.games.common.text import ENGLISH, Text
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Event
from parlour.games.engine.game import Frozen, Rewards
from parlour.games.engine.moves import (
    Answer,
    Ask,
    Fault,
    Outcome,
    Record,
    Rules,
    Seat,
    Tell,
    Whole,
    ask,
    illegal,
)
from parlour.games.engine.wordings import PLAIN, Language, Told


class Multiplier(Frozen):
    """One entry of a settings file: the factor by which the pool is multiplied."""

    multiplier: float = Field(gt=0, le=100)


class Variant(Told):
    """Keys that a tournament may change."""

    rounds: int = Field(default=5, ge=1, le=50)
    endowment: int = Field(default=100, ge=1, le=10_000)
    overspending: Literal["allowed", "refused"] = "allowed"
    wording: Literal["plain", "again", "paraphrase", "paraphrase_2", "neutral", "renamed"] = PLAIN
    language: Language = ENGLISH


class Setting(Multiplier, Variant):
    """Record and variant together: what a match is played with."""


class Contribution(Answer):
    """The points that a player gives in this round, and its private reasoning."""

    reasoning: Text = ""
    amount: Whole


def gives_enough(amount: int, keys: Mapping[str, Any]) -> bool:
    """True if a contribution is at least half of an even part of the endowment."""
    return bool(2 * amount * keys["rounds"] >= keys["endowment"])


MOST_PROMISED = 1_000_000
"""Points that one contribution may promise where more than is left may be promised."""


def contribute(left: dict[Seat, int], round: int, refused: bool = False) -> Ask[Contribution]:
    """Asks all players at once for a whole number of points.

    ``refused``: more than a player has left is not allowed.
    """

    def most(seat: Seat) -> int:
        return max(left[seat], 0) if refused else MOST_PROMISED

    def bounds(seat: Seat) -> Mapping[str, Record]:
        return {"amount": {"minimum": 0, "maximum": most(seat)}}

    def check(seat: Seat, answer: Contribution) -> Fault | None:
        if refused and not 0 <= answer.amount <= left[seat]:
            return illegal(f"give a whole number from 0 to the {left[seat]} points you have left")
        if not 0 <= answer.amount <= MOST_PROMISED:
            return illegal(f"give a whole number from 0 to {MOST_PROMISED:,}")
        return None

    def half(seat: Seat, _dice: Dice) -> Contribution:
        return Contribution(amount=max(left[seat], 0) // 2)

    def draw(seat: Seat, dice: Dice) -> Contribution:
        return Contribution(amount=dice.below(max(left[seat], 0) + 1))

    return Ask("contribute", tuple(left), Contribution, half, draw, check, round, bounds=bounds)


def earned(multiplier: float, amounts: Mapping[Seat, int]) -> dict[Seat, float]:
    """The share of each in the pool that these players fill in a round, less what it gives."""
    share = sum(amounts.values()) * multiplier / len(amounts)
    return {seat: share - amount for seat, amount in amounts.items()}


def rewards(setting: Setting) -> Rewards:
    """The share of each round's pool less one's own contribution; the endowment is left over."""

    def of(event: Event) -> dict[Seat, float]:
        if event.kind != "contributions":
            return {}
        amounts = enumerate(event.record["amounts"])
        return earned(setting.multiplier, {Seat(seat): amount for seat, amount in amounts})

    return of


def rules(setting: Setting, seats: Sequence[Seat], dice: Dice) -> Rules:
    """Round by round: all give at once, all are shown; then the pool grows and is shared."""
    left = dict.fromkeys(seats, setting.endowment)
    refused = setting.overspending == "refused"
    keys = setting.model_dump(mode="json", exclude={"overspending"} if refused else None)
    yield Tell("rules", {"players": len(left), **keys})
    for round in range(1, setting.rounds + 1):
        # A copy: the ask must not change when the points do.
        answers = yield from ask(contribute(dict(left), round, refused))
        for seat in left:
            left[seat] -= answers[seat].amount
        shown = {"amounts": [answers[seat].amount for seat in left], "left": list(left.values())}
        yield Tell("contributions", shown, round=round)
    pool = sum(setting.endowment - points for points in left.values())
    share = pool * setting.multiplier / len(left)
    # All get the same share, so the highest score is the highest rest: compared in whole numbers.
    most = max(left.values())
    return Outcome(
        ending="played",
        payoffs=tuple(points + share for points in left.values()),
        roles=("contributor",) * len(left),
        sides=tuple(f"seat {seat}" for seat in left),
        winners=tuple(seat for seat in left if left[seat] == most),
        facts={
            "setting": f"multiplier {setting.multiplier:g}",
            "contributed": [setting.endowment - points for points in left.values()],
            "share": share,
        },
    )
