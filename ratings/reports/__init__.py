"""Reports: leaderboard, head to head, agent page, measures and comparison.

Begin with `report.py`, the tables and reports that all of them are, column by column; `cells.py`
has the forms of their cells, one for each quantity, and `writers.py` writes Markdown, CSV, LaTeX
and JSON. A measure of every game becomes a column of the leaderboard in `COLUMNS` of
`leaderboard.py`, a measure of one game by its `title`. Uses all other rooms of `ratings`.
"""
