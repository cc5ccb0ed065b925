"""Table of scripted tournaments under each mechanism, for the page of mechanisms.

``python -m tests.docs.mechanisms`` prints it.
"""

from collections.abc import Iterator
from itertools import product
from math import sqrt
from statistics import fmean, stdev
from typing import get_args

from parlour.games.engine.game import Game
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.mechanisms.exclusion import shut_out
from parlour.games.mechanisms.over import MECHANISMS, NONE
from parlour.ratings.statistics.intervals import quantile
from tests.games.test_mechanisms import scripted, table, told

PLAYED = {
    "prisoners_dilemma": {},
    "public_good": {},
    "donation": {"monitoring": "private"},
    "reciprocity": {"monitoring": "private"},
    "investment": {"monitoring": "private"},
}
CREWS = (("equilibrium",), ("tit_for_tat", "fearful"), ("tit_for_tat", "tit_for_tat", "fearful"))
"""The strategies at the table; the last one has all seats that are left."""
MATCHES = 7


def cooperation(match: Table) -> float:
    """The share of actions that cooperate, of those who were not shut out."""
    rounds = match.game.hints.rounds
    assert rounds is not None
    (rules,) = told(match, "rules")
    helped: list[bool] = []
    out = shut_out(match.events)
    for event in match.events:
        if event.kind in rounds.results:
            acts = rounds.cooperated(rules, [event.record])
            helped += [helps for seat, helps in acts.items() if seat not in out[event.round]]
    return fmean(helped)


def measured(game: Game, mechanism: str, crew: tuple[str, ...], **keys: object) -> str:
    """The share of actions that cooperate, half its 95 % interval by t, and the welfare.

    All are means over the matches.
    """
    shares, welfare = [], []
    for seed in range(MATCHES):
        opened = table(game, seed % len(game.shipped()), seed, mechanism=mechanism, **keys)
        match = scripted(opened, *crew)
        shares.append(cooperation(match))
        welfare.append(sum(match.outcome.payoffs))
    half = quantile(MATCHES - 1) * stdev(shares) / sqrt(MATCHES)
    spread = f" ±{half:.2f}" if half >= 0.005 else ""
    return f"{fmean(shares):.2f}{spread} ({fmean(welfare) + 0.0:.1f})"


def rows() -> Iterator[list[str]]:
    """Yields a row for each game and crew: the game as it is, then each mechanism."""
    names = [NONE, *(mechanism.name for mechanism in MECHANISMS)]
    for (name, keys), crew in product(PLAYED.items(), CREWS):
        game = games()[name]
        known = get_args(game.variant.model_fields["mechanism"].annotation)
        cells = [measured(game, each, crew, **keys) if each in known else "–" for each in names]
        yield [f"`{name}`", " and ".join(map("`{}`".format, crew)), *cells]


if __name__ == "__main__":
    for row in rows():
        print(f"| {' | '.join(row)} |")
