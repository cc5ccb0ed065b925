"""The indirect reciprocity game, a prisoner's dilemma with a new partner each time: the rules.

Every pair of players meets once, one pair a step. Both choose at once to cooperate or to defect:
whoever cooperates pays a small cost, and the other then gains a larger benefit. No two meet again,
so help can be repaid by others only, and only if they hear of it: under gossip monitoring each
tells everybody about the other. With ``meetings`` above 1 pairs meet again and can repay each
other (direct reciprocity).

Source: the gossip paper (ALIGN), section 5, appendix C.2.
"""

from collections.abc import Sequence
from itertools import chain, combinations
from typing import Any, Literal

from parlour.games.common.text import ENGLISH, Text
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Encounter, PairAction
from parlour.games.engine.moves import Answer, Ask, Record, Rules, Seat, Tell, ask
from parlour.games.engine.wordings import PLAIN, LabelledWording, Language
from parlour.games.families import gossip_games as gossip


class Variant(gossip.HelpVariant):
    """Keys that a tournament may change."""

    wording: LabelledWording = PLAIN
    language: Language = ENGLISH


class Setting(gossip.NoRecord, Variant):
    """Record and variant together: what a match is played with."""


class Decision(Answer):
    """The action of one of a pair, and its private reason."""

    justification: Text = ""
    action: Literal["cooperate", "defect"]


def choose(pair: tuple[Seat, ...], step: int) -> Ask[Decision]:
    """Asks both at once."""

    def draw(_seat: Seat, dice: Dice) -> Decision:
        return Decision(action="cooperate" if dice.chance(0.5) else "defect")

    return Ask("choose", pair, Decision, draw, draw, round=step)


def rules(setting: Setting, seats: Sequence[Seat], dice: Dice) -> Rules:
    """Encounter by encounter: both decide, both see it, and both may tell everybody."""
    greedy = gossip.greedy_of(setting, seats)
    pairs = list(combinations(seats, 2))
    plan = list(chain.from_iterable(dice.shuffled(pairs) for _ in range(setting.meetings)))
    yield Tell("rules", gossip.told_to_all(setting, len(seats), len(plan)))
    rewards: dict[Seat, list[tuple[int, float]]] = {seat: [] for seat in seats}
    encounters: list[dict[str, Any]] = []

    for step, pair in enumerate(plan, start=1):
        yield Tell("turn", {"players": list(pair)}, to=pair, round=step)
        actors = tuple(seat for seat in pair if seat not in greedy)
        actions = dict.fromkeys(pair, "defect")
        if actors:
            answers = yield from ask(choose(actors, step))
            for seat, answer in answers.items():
                actions[seat] = gossip.carried_out(setting, answer.action, dice)
        paid = {seat: setting.cost if did == "cooperate" else 0.0 for seat, did in actions.items()}
        one, other = pair
        gained = {
            seat: setting.benefit if actions[partner] == "cooperate" else 0.0
            for seat, partner in ((one, other), (other, one))
        }
        earned = [gained[seat] - paid[seat] for seat in pair]
        for seat, reward in zip(pair, earned, strict=True):
            rewards[seat].append((step, reward))
        reports = yield from gossip.self_reports(setting, gossip.self_report(actors, step))
        happened = {"players": list(pair), "actions": list(actions.values()), "rewards": earned}
        seen_by = None if setting.monitoring == "public" else pair
        yield Tell("encounter", happened, to=seen_by, round=step)
        about = {seat: other if seat == one else one for seat in actors}
        messages = yield from gossip.published(setting, reports, about, step, dice)
        encounters.append({**happened, **gossip.talked(pair, reports, messages)})
    return gossip.played(setting, seats, rewards, encounters)


def pair(turn: Record) -> tuple[Seat, Seat]:
    """The two players that meet, from the event that opens their encounter."""
    one, other = turn["players"]
    return one, other


def encounter(met: Record) -> Encounter:
    """Reads what everybody or the pair was told, or what the outcome's facts hold."""
    one, other = met["players"]
    first, second = met["actions"]
    one_reward, other_reward = met["rewards"]
    reports = met.get("reports", (None, None))
    messages = met.get("told", ({}, {}))
    return Encounter(
        (one, other),
        (
            PairAction(one, other, "choose", first, first == "cooperate"),
            PairAction(other, one, "choose", second, second == "cooperate"),
        ),
        (one_reward, other_reward),
        reports={one: reports[0], other: reports[1]},
        messages={one: messages[0], other: messages[1]},
    )
