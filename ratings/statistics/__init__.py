"""Estimators, independent of games: clusters, intervals and probit regression.

Begin with `intervals.py`: the Wilson interval for clustered counts, and the cluster bootstrap.
`clusters.py` says which matches are resampled together. Imports no other room of `ratings`.
"""
