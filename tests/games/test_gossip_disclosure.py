"""Disclosure of length, holdings and discounting by the prompts of the gossip games."""

import re
from collections.abc import Iterator

import pytest

from parlour.games.engine.game import Game
from parlour.games.engine.prompts import render
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import play, saying

GAMES = [games()[name] for name in ("donation", "reciprocity", "investment")]
by_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
PLAYERS = 5
STEPS = 10


def texts(game: Game, **keys: object) -> Iterator[tuple[str, str, str]]:
    """Kind, system text and question of every prompt of a match of five."""
    variant = game.variant.model_validate({"agents_per_match": PLAYERS, **keys})
    shown: list[tuple[str, str, str]] = []

    def watch(at: Table) -> None:
        assert at.pending is not None
        for seat in at.waiting:
            prompt = render(game, at.view(seat), at.pending.kind)
            shown.append((at.pending.kind, prompt.system, prompt.question))

    table = Table(game, game.make_setting(game.shipped()[0], variant), PLAYERS, seed=3)
    play(table, saying("a note"), watch)
    return iter(shown)


@by_game
@pytest.mark.parametrize("monitoring", ["gossip", "private", "public"])
def test_nothing_tells_the_length_of_an_infinite_game(game: Game, monitoring: str) -> None:
    for kind, system, question in texts(game, horizon="infinite", monitoring=monitoring):
        whole = f"{system} {question}"
        assert "the expected horizon is infinite" in system, kind
        assert "You never meet the same player again" in system
        for leak in ("only once", "players in a repeated", f"{STEPS} rounds", "every pair"):
            assert leak not in whole, (kind, leak)
        assert not re.search(rf"\b{PLAYERS} players\b", whole), kind


@by_game
def test_a_finite_game_tells_its_length_and_its_players(game: Game) -> None:
    for _, system, _ in texts(game, horizon="finite"):
        assert f"exactly {STEPS} rounds" in system
        assert f"one of {PLAYERS} players" in system
        assert "Every two players meet only once" in system


@by_game
def test_full_disclosure_tells_the_players_of_an_infinite_game(game: Game) -> None:
    for _, system, _ in texts(game, disclosure="full"):
        assert f"one of {PLAYERS} players" in system
        assert f"{STEPS} rounds" not in system


@by_game
@pytest.mark.parametrize(
    ("by", "unit"), [("appearance", "one of your encounters later"), ("step", "one round later")]
)
def test_discounting_is_told_as_it_is_used(game: Game, by: str, unit: str) -> None:
    for _, system, _ in texts(game, discount_by=by):
        assert unit in system


def test_a_recipient_knows_both_holdings_before_it_gossips() -> None:
    donation = games()["donation"]
    for disclosure, is_disclosed in (("paper", True), ("full", False)):
        written = [
            question
            for kind, _, question in texts(donation, disclosure=disclosure)
            if kind == "gossip"
        ]
        assert len(written) == STEPS
        for question in written:
            assert bool(re.search(r"held \d+ units and you held \d+\.", question)) == is_disclosed


@by_game
def test_the_scripted_play_of_a_match_does_not_depend_on_disclosure(game: Game) -> None:
    outcomes = []
    for disclosure in ("paper", "full"):
        variant = game.variant.model_validate({"agents_per_match": 5, "disclosure": disclosure})
        table = Table(game, game.make_setting(game.shipped()[0], variant), PLAYERS, seed=3)
        outcomes.append(play(table, saying("a note")).table.outcome)
    assert outcomes[0] == outcomes[1]
