"""Sensitivity of a leaderboard: what its order hangs on, and how well its model fits.

Begin with `sensitivity.py`, which makes all checks. Each has a module: matches to drop, cycles,
held-out fit, ties, faults of opponents, clones. `fits.py` fits the strength model without draws.
"""
