"""Donation: help a stranger at a small cost, and be told of by whoever you met."""

from parlour.games.donation.game import GAME

__all__ = ["GAME"]
