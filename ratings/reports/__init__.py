"""Reports: leaderboard, head to head, agent page, measures and comparison.

Begin with `report.py`, the type that all of them share; `writers.py` writes it as Markdown, CSV,
LaTeX or JSON. A column of the leaderboard is declared in `leaderboard_report.py`. Uses all other
rooms of `ratings`.
"""
