"""Donation: help a stranger at a small cost, and be gossiped about."""

from parlour.games.donation.game import GAME

__all__ = ["GAME"]
