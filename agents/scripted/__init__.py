"""Scripted players: they play every game for real, from their view alone."""
