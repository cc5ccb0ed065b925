"""Investment: trust a stranger with what you hold, hope for a return, and be told of."""

from parlour.games.investment.game import GAME

__all__ = ["GAME"]
