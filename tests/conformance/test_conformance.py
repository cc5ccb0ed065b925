"""Every check of the conformance suite on every game and variant, and the golden histories."""

from collections.abc import Callable

import pytest

from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.registry import games
from parlour.games.testing.conformance import CHECKS, VARIANT_CHECKS
from parlour.games.testing.playthrough import variants
from tests.conformance.golden import on_file, replayed

GAMES = [pytest.param(game, id=name) for name, game in games().items()]
PLAYED = []
for name, game in games().items():
    PLAYED += [
        pytest.param(game, variant, id=f"{name}-{game.condition(variant) or 'defaults'}")
        for variant in variants(game)
    ]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("game", GAMES)
def test_every_game(game: Game, check: Callable[[Game], None]) -> None:
    check(game)


@pytest.mark.parametrize(("game", "variant"), PLAYED)
def test_every_variant(game: Game, variant: Frozen) -> None:
    for check in VARIANT_CHECKS:
        check(game, variant)


@pytest.mark.parametrize("game", GAMES)
def test_every_golden_history_comes_out_the_same_from_its_answers(game: Game) -> None:
    golden = on_file(game)
    assert golden is not None, "write it: python -m tests.conformance.golden"
    assert len(golden) == 2 * len(variants(game))
    for history in golden:
        assert replayed(game, history) == history
