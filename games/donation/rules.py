"""The repeated donation game, the rules.

Every pair of players meets exactly once, one pair a step. One of the two is the donor: it may
pay a small cost, and the recipient then gains a larger benefit. Each player is donor and
recipient in turn. No two meet again, so whoever helps can be repaid by others only, and only if
they hear of it: under gossip monitoring the recipient tells everybody about the donor.

Source: the gossip paper (ALIGN), sections 3.1 and 5, appendix C.1.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from parlour.games.common.text import ENGLISH, Text
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Encounter, PairAction
from parlour.games.engine.moves import Answer, Ask, Fault, Record, Rules, Seat, Tell, ask, illegal
from parlour.games.engine.wordings import PLAIN, LabelledWording, Language
from parlour.games.families import gossip_games as gossip


class Variant(gossip.HelpVariant):
    """Keys that a tournament may change.

    ``generations``: how often the game is played, each time on the strategies of the better half.
    """

    when_changed: ClassVar = frozenset({"generations"})
    generations: int = Field(default=1, ge=1, le=20)
    agents_per_match: int = Field(default=9, ge=2, le=12)
    endowment: float = Field(default=10.0, ge=0)
    wording: LabelledWording = PLAIN
    language: Language = ENGLISH


class Setting(gossip.NoRecord, Variant):
    """Record and variant together: what a match is played with."""


class Donation(Answer):
    """The donor's action, and its private reason."""

    justification: Text = ""
    action: Literal["cooperate", "defect"]


def donate(donor: Seat, can_pay: bool, step: int) -> Ask[Donation]:
    """Asks the donor; one that cannot pay can only defect."""

    def check(_seat: Seat, answer: Donation) -> Fault | None:
        if answer.action == "cooperate" and not can_pay:
            return illegal("you cannot pay for it: you can only defect")
        return None

    def draw(_seat: Seat, dice: Dice) -> Donation:
        return Donation(action="cooperate" if can_pay and dice.chance(0.5) else "defect")

    def bounds(_seat: Seat) -> Mapping[str, Record]:
        return {} if can_pay else {"action": {"enum": ["defect"]}}

    return Ask("donate", (donor,), Donation, draw, draw, check, step, bounds=bounds)


def rules(setting: Setting, seats: Sequence[Seat], dice: Dice) -> Rules:
    """Encounter by encounter: the donor decides, the recipient sees it, and may tell everybody."""
    greedy = gossip.greedy_of(setting, seats)
    plan = gossip.alternating_pairs(seats, dice, setting.meetings)
    yield Tell("rules", gossip.told_to_all(setting, len(seats), len(plan)))
    resources = dict.fromkeys(seats, setting.endowment)
    rewards: dict[Seat, list[tuple[int, float]]] = {seat: [] for seat in seats}
    encounters: list[dict[str, Any]] = []

    for step, (donor, recipient) in enumerate(plan, start=1):
        holdings = {
            "donor_resources": resources[donor],
            "recipient_resources": resources[recipient],
        }
        meeting = {"donor": donor, "recipient": recipient}
        yield Tell("turn", {**meeting, **holdings}, to=(donor,), round=step)
        action = "defect"
        if donor not in greedy:
            can_pay = resources[donor] >= setting.cost
            action = (yield from ask(donate(donor, can_pay, step)))[donor].action
            action = gossip.carried_out(setting, action, dice) if can_pay else action
        paid, gained = (setting.cost, setting.benefit) if action == "cooperate" else (0.0, 0.0)
        for seat, reward in ((donor, 0.0 - paid), (recipient, gained)):
            resources[seat] += reward
            rewards[seat].append((step, reward))
        actors = tuple(seat for seat in (donor,) if seat not in greedy)
        reports = yield from gossip.self_reports(setting, gossip.self_report(actors, step))
        seen_by = None if setting.monitoring == "public" else (donor, recipient)
        happened = {
            **meeting,
            "action": action,
            "donor_reward": 0.0 - paid,
            "recipient_reward": gained,
        }
        yield Tell("encounter", happened, to=seen_by, round=step)
        about = {recipient: donor} if recipient not in greedy else {}
        if about and setting.monitoring == "gossip" and setting.disclosure == "paper":
            yield Tell("holdings", holdings, to=(recipient,), round=step)
        messages = yield from gossip.published(setting, reports, about, step, dice)
        report = reports[donor]["action"] if donor in reports else None
        encounters.append({**happened, "report": report, **messages.get(recipient, {})})
    return gossip.played(setting, seats, rewards, encounters)


def pair(turn: Record) -> tuple[Seat, Seat]:
    """The two players that meet, from the event that opens their encounter."""
    return turn["donor"], turn["recipient"]


def encounter(met: Record) -> Encounter:
    """Reads what everybody or the pair was told, or what the outcome's facts hold."""
    donor, recipient = met["donor"], met["recipient"]
    return Encounter(
        (donor, recipient),
        (PairAction(donor, recipient, "donate", met["action"], met["action"] == "cooperate"),),
        (met["donor_reward"], met["recipient_reward"]),
        reports={donor: met.get("report")},
        messages={recipient: met},
    )
