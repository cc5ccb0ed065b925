"""Chameleon: two players know the word, the third knows only its topic."""

from parlour.games.chameleon.game import GAME

__all__ = ["GAME"]
