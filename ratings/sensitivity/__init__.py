"""Sensitivity of a leaderboard: what its order hangs on, and how well its model fits.

Begin with `sensitivity.py`, which makes all checks: cycles and faults of opponents by itself, ties
and clones by `refits.py`, matches to drop by `drop.py`, the fit on unseen matches by `held_out.py`.
"""
