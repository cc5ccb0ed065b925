"""Table of scripted tournaments under each mechanism, for the page of mechanisms.

``python -m tests.docs.mechanisms`` prints it.
"""

from collections.abc import Iterator
from statistics import fmean

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
"""Who sits at the table; the last strategy has all seats that are left."""
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
    for name, keys in PLAYED.items():
        game = games()[name]
        layered = str(game.variant.model_fields["mechanism"].annotation)
        for crew in CREWS:
            cells = [
                measured(game, each, crew, **keys) if f"'{each}'" in layered else "–"
                for each in (NONE, *(mechanism.name for mechanism in MECHANISMS))
            ]
            yield [f"`{name}`", " and ".join(f"`{each}`" for each in crew), *cells]


if __name__ == "__main__":
    for row in rows():
        print(f"| {' | '.join(row)} |")
