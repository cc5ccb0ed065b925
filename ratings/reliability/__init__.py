"""Reliability: variance components, halves, correlations of capabilities, and power.

Begin with `reliability.py`; `components.py` estimates variance components, `power.py` says what a
plan can detect, and `wordings.py` audits wordings. Uses `comparison`, `measures` and `inference`.
"""
