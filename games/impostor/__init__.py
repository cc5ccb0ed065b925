"""The impostor game: four players, one of whom holds another word."""

from parlour.games.impostor.game import GAME

__all__ = ["GAME"]
