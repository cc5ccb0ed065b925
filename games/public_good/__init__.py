"""Public good: what is shared grows, but whoever shares least ends up with most."""

from parlour.games.public_good.game import GAME

__all__ = ["GAME"]
