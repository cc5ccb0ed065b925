"""Measures of agents as tidy rows: rates, means and composites, each with an interval.

Begin with `measures.py`. `profile.py` lists the measures that combine several rates,
`formulas.py` has their formulas. Uses `counting` and `statistics`.
"""
