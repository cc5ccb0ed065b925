"""Bounds of the run options. They stand alone, since `parlour --help` shows them and must be quick.

The command line, the Python interface, the runner's requests and the save accept the same numbers.
"""

MOST_AT_ONCE = 10_000
"""The largest concurrency."""
MOST_WORKERS = 256
"""The most worker processes."""
LEAST_PACE = 0.01
"""The smallest pace, in asks per second."""
LEAST_BUDGET = 0.0
"""The smallest budget, in US dollars."""
MOST_PAYOFF = 1e100
"""The largest payoff of a seat, far above any game's: the square of a larger one is no number."""
MOST_MATCHES = 2**40
"""Numbers and places of matches beyond it are those of a damaged save."""
