"""Table of scripted tournaments with known and with unknown partners, for the page of norms.

``python -m tests.docs.strangers`` prints it.
"""

from collections.abc import Iterator
from itertools import chain
from statistics import fmean

from parlour.games.engine.registry import games
from tests.games.test_mechanisms import payoffs, scripted, table, told

MATCHES = 10
KEYS = {"monitoring": "private", "meetings": 5, "agents_per_match": 6, "greedy_seats": 1}


def measured(strategy: str, partners: str) -> tuple[float, float, float]:
    """The share of help among five who play the strategy, their mean payoff, and the greedy one's.

    All are means over the matches.
    """
    help_of_match, own, greedy = [], [], []
    for seed in range(MATCHES):
        match = scripted(
            table(games()["reciprocity"], 0, seed, partners=partners, **KEYS), strategy
        )
        met = [each for each in told(match, "encounter") if max(each["players"]) < 5]
        helped = chain.from_iterable(each["actions"] for each in met)
        help_of_match.append(fmean(action == "cooperate" for action in helped))
        own.append(fmean(payoffs(match)[:5]))
        greedy.append(payoffs(match)[5])
    return fmean(help_of_match), fmean(own), fmean(greedy)


def rows() -> Iterator[list[str]]:
    """Yields a row for each strategy: help, and the payoffs, with known and unknown partners."""
    for strategy in ("cooperate", "tit_for_tat", "grim", "image_scoring", "equilibrium"):
        cells = chain.from_iterable(measured(strategy, each) for each in ("known", "unknown"))
        yield [f"`{strategy}`", *(f"{cell + 0.0:.2f}" for cell in cells)]


if __name__ == "__main__":
    for row in rows():
        print(f"| {' | '.join(row)} |")
