"""Doors against the real libraries, each in an environment of its own: ``make doors``."""
