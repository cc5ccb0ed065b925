"""Counts of the investment game: those of every game of encounters, and the shares given."""

from collections.abc import Mapping
from typing import Any

from parlour.games.engine.counting import Counting, Measure
from parlour.games.engine.encounter import Action
from parlour.games.engine.moves import Record
from parlour.games.families.amounts import most_of_half
from parlour.games.families.gossip_counting import MEASURES, EncounterCounts
from parlour.games.families.gossip_games import sustained
from parlour.games.investment.rules import Variant, encounter


def trust_is_sustained(keys: Mapping[str, Any]) -> bool:
    """True if grim trigger sustains investing everything and returning half.

    At a stake of 1 and multiplier m, a responder that returns nothing gains m/2 now. It forgoes
    m/2 - 1 as investor next time, m/2 as responder the time after, and so on. It stays with the
    plan if m/2 is at most (γ(m/2 - 1) + γ²m/2) / (1 - γ²), which is γ ≥ .63 at m = 3. An investor
    has less to gain by leaving the plan wherever this holds.
    """
    discount, half = keys["discount"], keys["multiplier"] / 2
    return sustained(keys, half <= discount * (half - 1) + 2 * discount * discount * half)


def planned(
    action: Action, met: Record, helps: bool, _resources: float, _keys: Mapping[str, Any]
) -> float:
    """The equilibrium player's payment; as the responder it has seen the investment."""
    if action.kind == "invest":
        return float(met["investor_resources"]) if helps else 0.0
    fair = 2 * met["investment"] >= met["investor_resources"]
    return most_of_half(met["received"]) if helps and fair else 0.0


COUNTING = Counting(
    match=EncounterCounts(
        encounter,
        Variant,
        trust_is_sustained,
        planned,
        shares={"invest": "invested", "return": "returned"},
    ),
    measures=(
        *MEASURES,
        Measure("investment_ratio", "invested", "mean", sliced=True, title="Invests"),
        Measure("return_ratio", "returned", "mean", sliced=True, title="Returns"),
    ),
    profile={"rationality": "as_theory"},
)
