"""The impostor game: four players, one of whom holds another word."""

from games.impostor.game import GAME

__all__ = ["GAME"]
