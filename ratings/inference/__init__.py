"""Inference: regressions, associations, randomisation, effect sizes, and covariates of clues.

Begin with `estimate.py`, the type of every figure: a value with its interval, or the reason in
words why there is none. Functions take plain columns, so that any table can be made of them.
Regressions need the package statsmodels, which is imported late.
"""
