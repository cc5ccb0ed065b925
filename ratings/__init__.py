"""Ranks agents and measures what they do, with confidence intervals.

Pure functions of finished matches (`MatchRecord`); nothing here reads a save or a screen.
Begin with `measures/measures.py`: `counting` turns matches into counts, and `measures` makes rates
and means of them with the estimators of `statistics`. `skill` has strengths and TrueSkill ratings,
`reference` a fixed scale of strength, `adaptive` ranks that are decided while matches are played.
`comparison` compares two agents, `sensitivity` and `reliability` say how far to trust a
leaderboard. `inference` has further tests, of which `papers` makes the tables of the papers.
`reports` puts everything into tables. docs/measures.md defines every figure.
"""
