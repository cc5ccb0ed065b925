"""Reports: leaderboard, head to head, agent page, measures and comparison.

Begin with `report.py`, the type that all of them share; `writers.py` writes it as Markdown, CSV,
LaTeX or JSON. A measure of every game becomes a column of the leaderboard in `COLUMNS` of
`leaderboard.py`, a measure of one game by its `title`. Uses all other rooms of `ratings`.
"""
