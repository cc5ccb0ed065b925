"""Decisions in the games of indirect reciprocity held against theory.

Cooperation can be sustained under an infinite horizon where actions become known, by public
monitoring or by gossip, and the future is worth enough; the plan is then to help whoever no bad
word is known of, in investment by everything held and half of what arrived. Otherwise theory has
everybody defect.

Source: the gossip paper (ALIGN), propositions 1, 2 and 4.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from parlour.games.engine.moves import Record
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.games.families.encounters import Action, deeds, pair, rewards, told_by
from parlour.games.families.gossip_games import NEGATIVE, sustained
from parlour.games.investment.amounts import most_of_half
from parlour.ratings.counting.gossip import Count


@lru_cache(maxsize=1024)
def variant_keys(game: str, condition: str) -> dict[str, Any]:
    """The variant that a condition stands for: the defaults, and what differs from them."""
    keys = find_game(game, f"condition {condition!r}").variant().model_dump(mode="json")
    for part in filter(None, condition.split(",")):
        key, _, text = part.partition("=")
        usual = keys.get(key)
        if isinstance(usual, bool):
            keys[key] = text == "True"
        else:
            keys[key] = float(text) if isinstance(usual, int | float) else text
    return keys


def sustained_under(game: str, condition: str) -> bool:
    """Whether cooperation can be sustained in this game of help under this condition."""
    return sustained(game, variant_keys(game, condition))


def of_theory(record: MatchRecord) -> Iterator[Count]:
    """Whether each decision is that of the equilibrium player on the same view.

    A decision that stands for a fault is nobody's, and who has nothing to invest or to return is
    not asked.
    """
    keys = variant_keys(record.game, record.condition)
    plan = sustained(record.game, keys)
    faulty = {(a.kind, a.round, a.seat) for a in record.answers if a.fault is not None}
    everybody = range(len(record.agents))
    resources = dict.fromkeys(everybody, keys.get("endowment", 0.0))
    suspicious: dict[int, set[int]] = defaultdict(set)  # who knows a bad word of a seat
    for step, met in enumerate(record.outcome.facts["encounters"], start=1):
        for deed in deeds(met):
            if (
                deed.by in record.counted
                and deed.helped is not None
                and (deed.kind, step, deed.by) not in faulty
            ):
                helps = plan and deed.by not in suspicious[deed.to]
                agrees = deed.done == _planned(deed, met, helps, resources[deed.by], keys)
                yield record.agents[deed.by], "player", "as_theory", agrees, 1
        for seat, reward in zip(pair(met), rewards(met), strict=True):
            resources[seat] += reward
        for deed in deeds(met):
            if deed.helped is False:
                seen = everybody if keys["monitoring"] == "public" else pair(met)
                suspicious[deed.by].update(seen)
            words = told_by(met, deed.to)
            if words.get("tone") in NEGATIVE or words.get("signal") == 0:
                suspicious[deed.by].update(everybody)


def _planned(
    deed: Action, met: Record, helps: bool, resources: float, keys: Mapping[str, Any]
) -> str | float:
    """The action or the amount of the equilibrium player, which helps or does not."""
    if deed.kind == "invest":
        return float(met["investor_resources"]) if helps else 0.0
    if deed.kind == "return":  # it has seen the investment
        fair = 2 * met["investment"] >= met["investor_resources"]
        return most_of_half(met["received"]) if helps and fair else 0.0
    able = deed.kind != "donate" or resources >= keys["cost"]
    return "cooperate" if helps and able else "defect"
