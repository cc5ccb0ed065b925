"""Public good: contributions are multiplied and shared, and the smallest giver ends first."""

from parlour.games.public_good.game import GAME

__all__ = ["GAME"]
