"""Undercover: two share a word, one holds a cousin of it, and nobody knows who is who."""

from parlour.games.undercover.game import GAME

__all__ = ["GAME"]
