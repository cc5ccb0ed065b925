"""The tables and figures of the papers, as data (one TOML file a paper), filled from matches.

Begin with `paper.py`, the form of the data. `filling.py` fills tables of measures, `inferring.py`
those of tests and regressions, over the rows of `seats.py`.
"""
