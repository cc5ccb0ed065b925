"""The prisoner's dilemma for three players: cooperate or defect, five times."""

from parlour.games.prisoners_dilemma.game import GAME

__all__ = ["GAME"]
