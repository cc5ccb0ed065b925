"""Parlour's games as environments: the core that every door to a framework of training shares.

Read first `environment.py`: the table, asked and answered step by step, with agents of Parlour at
the other seats. `written.py` has what a seat observes, as text and as data.
"""

from parlour.env.environment import Environment, Step

__all__ = ["Environment", "Step"]
