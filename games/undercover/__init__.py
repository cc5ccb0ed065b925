"""Undercover: two players share a word, one holds a similar one, and nobody is told its role."""

from parlour.games.undercover.game import GAME

__all__ = ["GAME"]
