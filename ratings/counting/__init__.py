"""Counting: k of n for each match, agent, role and counter.

Begin with `counts.py`. What a single game adds, its folder counts (`games/<game>/counting.py`).
`counters.py` lists the measures of one counter, `networks.py` has those of a ballot's graphs.
Uses `statistics`, for the clusters of matches.
"""
