"""Cost sharing: three airlines must agree on who pays how much of an airport."""

from parlour.games.cost_sharing.game import GAME

__all__ = ["GAME"]
