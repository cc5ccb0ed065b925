"""The prisoner's dilemma for three: loyal or not, five times over."""

from parlour.games.prisoners_dilemma.game import GAME

__all__ = ["GAME"]
