"""Counts of the donation game: those of every game of encounters."""

from collections.abc import Mapping
from typing import Any

from parlour.games.donation.encounter import encounter
from parlour.games.donation.rules import Variant
from parlour.games.engine.counting import Counting
from parlour.games.engine.encounter import Action
from parlour.games.engine.moves import Record
from parlour.games.families.gossip_counting import MEASURES, EncounterCounts
from parlour.games.families.gossip_games import help_is_sustained


def planned(
    _action: Action, _met: Record, helps: bool, resources: float, keys: Mapping[str, Any]
) -> str:
    """The equilibrium player's action: a donor that cannot pay defects."""
    return "cooperate" if helps and resources >= keys["cost"] else "defect"


COUNTING = Counting(
    match=EncounterCounts(encounter, Variant, help_is_sustained, planned),
    measures=MEASURES,
    profile={"cooperation": "cooperated", "rationality": "as_theory"},
)
