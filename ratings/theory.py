"""Decisions in the games of indirect reciprocity held against theory.

Cooperation can be sustained under an infinite horizon where actions become known, by public
monitoring or by gossip, and the discount is at least cost / benefit; the plan is then to help
whoever no bad word is known of. Otherwise theory has everybody defect.

Source: the gossip paper (ALIGN), propositions 1, 2 and 4.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from games.gossip import NEGATIVE
from games.record import MatchRecord
from games.registry import find_game
from ratings.gossip import Count


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


def sustained(game: str, condition: str) -> bool:
    """Whether grim trigger sustains cooperation in this game of help under this condition."""
    keys = variant_keys(game, condition)
    known = keys["monitoring"] in {"public", "gossip"}
    patient = keys["discount"] * keys["benefit"] >= keys["cost"]
    return bool(keys["horizon"] == "infinite" and known and patient)


def of_theory(record: MatchRecord) -> Iterator[Count]:
    """Whether each decision in donation is that of the equilibrium player on the same view.

    A decision that stands for a fault is nobody's.
    """
    if record.game != "donation":
        return
    keys = variant_keys(record.game, record.condition)
    helps = sustained(record.game, record.condition)
    faulty = {a.round for a in record.answers if a.kind == "donate" and a.fault is not None}
    everybody = range(len(record.agents))
    resources = dict.fromkeys(everybody, keys["endowment"])
    suspicious: dict[int, set[int]] = defaultdict(set)  # who knows a bad word of a seat
    for step, met in enumerate(record.outcome.facts["encounters"], start=1):
        donor, recipient = met["donor"], met["recipient"]
        helped = met["action"] == "cooperate"
        if donor in record.counted and step not in faulty:
            able = resources[donor] >= keys["cost"]
            plan = helps and able and donor not in suspicious[recipient]
            yield record.agents[donor], "player", "as_theory", helped == plan, 1
        resources[donor] += met["donor_reward"]
        resources[recipient] += met["recipient_reward"]
        if not helped:
            seen = everybody if keys["monitoring"] == "public" else (donor, recipient)
            suspicious[donor].update(seen)
        if met.get("tone") in NEGATIVE or met.get("signal") == 0:
            suspicious[donor].update(everybody)
