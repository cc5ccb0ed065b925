"""Reciprocity: both choose at once whether to help, and both tell everybody of the other."""

from parlour.games.reciprocity.game import GAME

__all__ = ["GAME"]
