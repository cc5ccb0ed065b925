"""Conformance suite, run on every game, and the golden histories."""
