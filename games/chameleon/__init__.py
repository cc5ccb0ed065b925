"""Chameleon: one player does not know the word, and all but it know which."""

from parlour.games.chameleon.game import GAME

__all__ = ["GAME"]
