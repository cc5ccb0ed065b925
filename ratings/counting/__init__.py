"""Counting: k of n for each match, agent, role and counter.

Begin with `counts.py`. What a single game adds, its folder counts (`games/<game>/counting.py`).
`book.py` keeps the counts of many matches, `counted.py` adds up any of them.
Uses `statistics`, for the clusters of matches.
"""
