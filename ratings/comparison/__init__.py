"""Comparison of two agents: paired differences with intervals and p values.

Begin with `comparison.py`; `pairing.py` defines the sides and the pairs. Uses
`counting`, `measures` and `statistics`.
"""
