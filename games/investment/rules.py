"""The repeated investment game, a game of trust with a new partner each time: the rules.

Every pair of players meets exactly once, one pair a step. One of the two is the investor and
sends some of what it holds; that arrives multiplied at the other, the responder, which returns
some of it. Each player is investor and responder in turn. No two meet again, so whoever trusts
or repays can be rewarded by others only, and only if they hear of it: under gossip monitoring
each tells everybody about the other.

Source: the gossip paper (ALIGN), appendices C.3 and E.3.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema, field_validator

from parlour.games.common.text import ENGLISH, Text
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Encounter, PairAction
from parlour.games.engine.moves import Answer, Ask, Fault, Record, Rules, Seat, Tell, ask, illegal
from parlour.games.engine.wordings import PLAIN, Language, Wording
from parlour.games.families import gossip_games as gossip
from parlour.games.families.amounts import Amount, hundredths, most_of_half, times, units


class Variant(gossip.GossipVariant):
    """Keys that a tournament may change."""

    multiplier: float = Field(default=3.0, gt=0, le=10)
    endowment: float = Field(default=5.0, gt=0, le=1_000_000)
    wording: Wording = PLAIN
    language: Language = ENGLISH

    @field_validator("endowment")
    @classmethod
    def _of_two_places(cls, endowment: float) -> float:
        if round(endowment, 2) != endowment:
            raise ValueError(f"endowment = {endowment} has more than two decimal places")
        return endowment


class Setting(gossip.NoRecord, Variant):
    """Record and variant together: what a match is played with."""


class Payment(Answer):
    """The amount that the investor sends or the responder returns, and its private reason."""

    justification: Text = ""
    amount: Amount


REPORT_SCHEMA = {"type": "number", "minimum": 0, "maximum": 1_000_000}
"""The JSON schema of a reported amount, which need not be true."""


class AmountReport(Answer):
    """A player's public report of its own payment, true or not; None only from a fault."""

    justification: Text = ""
    amount: Annotated[Amount | None, WithJsonSchema(REPORT_SCHEMA)]


def pay(kind: str, payer: Seat, at_most: int, step: int) -> Ask[Payment]:
    """Asks for a payment of at most so many hundredths."""

    def check(_seat: Seat, answer: Payment) -> Fault | None:
        if answer.amount > units(at_most):
            return illegal(f"{answer.amount:.15g} is too much: at most {units(at_most):.15g}")
        return None

    def bounds(_seat: Seat) -> Mapping[str, Record]:
        return {"amount": {"maximum": units(at_most)}}

    def sample(_seat: Seat, dice: Dice) -> Payment:
        return Payment(amount=units(at_most * dice.below(101) // 100))

    return Ask(
        kind,
        (payer,),
        Payment,
        lambda *_: Payment(amount=units(at_most // 2)),
        sample,
        check,
        step,
        bounds=bounds,
    )


def report_payment(payers: tuple[Seat, ...], step: int) -> Ask[AmountReport]:
    """Asks the players to report their own payments."""

    def check(_seat: Seat, answer: AmountReport) -> Fault | None:
        return illegal("no amount is reported") if answer.amount is None else None

    def sample(_seat: Seat, dice: Dice) -> AmountReport:
        return AmountReport(amount=units(dice.below(1501)))

    return Ask(
        "report", payers, AmountReport, lambda *_: AmountReport(amount=None), sample, check, step
    )


def _paid(
    question: Ask[Payment], at_most: int
) -> Generator[Ask[Payment], dict[Seat, Payment], dict[Seat, int]]:
    """The payment of the asked seat, in hundredths."""
    answers = yield from ask(question)
    return {seat: min(hundredths(each.amount), at_most) for seat, each in answers.items()}


def rules(setting: Setting, seats: Sequence[Seat], dice: Dice) -> Rules:
    """Encounter by encounter: one invests, the other returns, and both may tell everybody.

    A player with nothing to give is not asked.
    """
    greedy = gossip.greedy_of(setting, seats)
    plan = gossip.alternating_pairs(seats, dice, setting.meetings)
    yield Tell("rules", gossip.told_to_all(setting, len(seats), len(plan)))
    resources = dict.fromkeys(seats, hundredths(setting.endowment))
    rewards: dict[Seat, list[tuple[int, float]]] = {seat: [] for seat in seats}
    encounters: list[dict[str, Any]] = []

    for step, (investor, responder) in enumerate(plan, start=1):
        pair = (investor, responder)
        met: dict[str, Any] = {
            "investor": investor,
            "responder": responder,
            "investor_resources": units(resources[investor]),
            "responder_resources": units(resources[responder]),
        }
        yield Tell("turn", met, to=(investor,), round=step)
        paid = dict.fromkeys(pair, 0)
        payers: list[Seat] = []
        at_most = resources[investor]
        if at_most and investor not in greedy:
            payers.append(investor)
            paid |= yield from _paid(pay("invest", investor, at_most, step), at_most)
        received = times(paid[investor], setting.multiplier)
        met = {**met, "investment": units(paid[investor]), "received": units(received)}
        if received and responder not in greedy:
            payers.append(responder)
            yield Tell("investment", met, to=(responder,), round=step)
            paid |= yield from _paid(pay("return", responder, received, step), received)
        earned = (paid[responder] - paid[investor], received - paid[responder])
        for seat, reward in zip(pair, earned, strict=True):
            resources[seat] += reward
            rewards[seat].append((step, units(reward)))
        reports = yield from gossip.self_reports(setting, report_payment(tuple(payers), step))
        happened = {**met, "returned": units(paid[responder]), "rewards": list(map(units, earned))}
        seen_by = None if setting.monitoring == "public" else pair
        yield Tell("encounter", happened, to=seen_by, round=step)
        about = {
            seat: partner
            for seat, partner in ((investor, responder), (responder, investor))
            if seat not in greedy
        }
        messages = yield from gossip.published(setting, reports, about, step, dice)
        encounters.append({**happened, **gossip.talked(pair, reports, messages)})
    return gossip.played(setting, seats, rewards, encounters)


def given(question: Ask[Payment], seat: Seat, cooperates: bool, _rules: Record) -> Payment:
    """The payment of a seat that cooperates: all as the investor, half as the responder."""
    most: float = question.bounds(seat)["amount"]["maximum"]
    amount = most if question.kind == "invest" else most_of_half(most)
    return Payment(amount=amount if cooperates else 0.0)


def pair(turn: Record) -> tuple[Seat, Seat]:
    """The two players that meet, from the event that opens their encounter."""
    return turn["investor"], turn["responder"]


def encounter(met: Record) -> Encounter:
    """Reads what everybody or the pair was told, or what the outcome's facts hold.

    Before the responder decides there is the investor's payment alone, and no reward.
    """
    investor, responder = met["investor"], met["responder"]
    resources = met["investor_resources"]
    payments = [_payment(investor, responder, "invest", met["investment"], resources)]
    if "returned" in met:
        returned, received = met["returned"], met["received"]
        payments.append(_payment(responder, investor, "return", returned, received))
    first, second = met.get("rewards", (0.0, 0.0))
    reports = met.get("reports", (None, None))
    messages = met.get("told", ({}, {}))
    return Encounter(
        (investor, responder),
        tuple(payments),
        (first, second),
        reports={investor: reports[0], responder: reports[1]},
        messages={investor: messages[0], responder: messages[1]},
    )


def _payment(by: Seat, to: Seat, kind: str, amount: float, at_most: float) -> PairAction:
    if not at_most:
        return PairAction(by, to, kind, amount, None)
    # Doubling an amount is exact, so exactly half is never taken for less.
    return PairAction(by, to, kind, amount, 2 * amount >= at_most, amount / at_most)
