"""Skill of agents: strength, which ranks, and TrueSkill ratings.

Begin with `strength.py`, the probit model; `paired_outcomes.py` makes its data from matches.
`trueskill_ladders.py` rates match by match. Uses `statistics`.
"""
