"""Reports: leaderboard, head to head, agent page, measures and comparison.

Begin with `report.py`, the type that all of them share. Their tables are those of
`games/common/tables.py`, declared column by column; `cells.py` has the forms of measures, strengths
and ranks, and `writers.py` writes Markdown, CSV, LaTeX and JSON. A measure of every game becomes a
column of the leaderboard in `COLUMNS` of `leaderboard.py`, a measure of one game by its `title`.
Uses all other rooms of `ratings`.
"""
