"""Ranks agents and measures what they do, with confidence intervals.

Pure functions of finished matches (`MatchRecord`); nothing here reads a save or a screen.
Begin with `reports/leaderboard.py`, which puts everything together. `counting` turns matches into
counts, `statistics` holds the estimators, `skill` the ratings, `measures` the measures,
`comparison` the comparison of two agents. docs/measures.md defines every figure.
"""
