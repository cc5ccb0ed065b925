"""Reciprocity: two players choose at once to help or not, and both gossip about the other."""

from parlour.games.reciprocity.game import GAME

__all__ = ["GAME"]
