"""Counts of the indirect reciprocity game: those of every game of encounters."""

from collections.abc import Mapping
from typing import Any

from parlour.games.engine.counting import Counting
from parlour.games.engine.encounter import Action
from parlour.games.engine.moves import Record
from parlour.games.families.gossip_counting import MEASURES, EncounterCounts
from parlour.games.families.gossip_games import help_is_sustained
from parlour.games.reciprocity.encounter import encounter
from parlour.games.reciprocity.rules import Variant


def planned(
    _action: Action, _met: Record, helps: bool, _resources: float, _keys: Mapping[str, Any]
) -> str:
    """The equilibrium player's action."""
    return "cooperate" if helps else "defect"


COUNTING = Counting(
    match=EncounterCounts(encounter, Variant, help_is_sustained, planned),
    measures=MEASURES,
    profile={"cooperation": "cooperated", "rationality": "as_theory"},
)
