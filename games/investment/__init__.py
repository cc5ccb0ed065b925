"""Investment: send money to a stranger, hope for a return, and be gossiped about."""

from parlour.games.investment.game import GAME

__all__ = ["GAME"]
