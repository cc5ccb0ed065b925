"""Estimators, independent of games: clusters, intervals and probit regression.

Begin with `intervals.py`: Wilson and t intervals with errors by a jackknife over clusters.
`clusters.py` says which matches are correlated, `simultaneous.py` which estimates differ.
Imports no other room of `ratings`.
"""
