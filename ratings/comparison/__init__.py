"""Comparison of two agents: paired differences with intervals and p values.

Begin with `comparison.py`; `pairing.py` defines a pair, `gain.py` compares radar areas. Uses
`counting`, `measures` and `statistics`.
"""
