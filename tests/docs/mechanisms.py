"""Table of scripted tournaments under each mechanism, for the page of mechanisms.

``python -m tests.docs.mechanisms`` prints it.
"""

from collections.abc import Iterator
from itertools import product
from statistics import fmean
from typing import get_args

from parlour.games.engine.game import Game
from parlour.games.engine.registry import games
from parlour.games.mechanisms.over import MECHANISMS, NONE
from tests.games.test_mechanisms import scripted, table, told

PLAYED = {
    "prisoners_dilemma": {},
    "public_good": {},
    "donation": {"monitoring": "private"},
    "reciprocity": {"monitoring": "private"},
    "investment": {"monitoring": "private"},
}
CREWS = (("equilibrium",), ("tit_for_tat", "fearful"))
"""The strategies at the table; the last one has all seats that are left."""
MATCHES = 7


def measured(game: Game, mechanism: str, crew: tuple[str, ...], **keys: object) -> str:
    """The share of actions that cooperate and the welfare, means over the matches."""
    rounds = game.hints.rounds
    assert rounds is not None
    helped, welfare = [], []
    for seed in range(MATCHES):
        opened = table(game, seed % len(game.shipped()), seed, mechanism=mechanism, **keys)
        match = scripted(opened, *crew)
        (rules,) = told(match, "rules")
        for record in told(match, rounds.result):
            helped += rounds.cooperated(rules, record).values()
        assert match.outcome is not None
        welfare.append(sum(match.outcome.payoffs))
    return f"{fmean(helped):.2f} ({fmean(welfare) + 0.0:.1f})"


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
