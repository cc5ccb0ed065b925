"""The registry of strategies: ours and others', and who is refused before anything starts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.agents.registry import (
    ScriptedConfig,
    bank_of,
    find_strategy,
    make_agent,
    refuse_unable,
    strategies,
)
from parlour.agents.scripted.bayesian import BayesianPlayer
from parlour.agents.scripted.strategy import Strategy
from parlour.games.common.errors import BadInput
from parlour.games.undercover import GAME
from parlour.games.undercover.rules import Pair
from tests.tournaments import called

ROOT = Path(__file__).parent.parent.parent
ELM = Pair(civilian_word="guitar", undercover_word="elm", undercover_seat=0)


def plays(strategy: type[Strategy], game: str) -> bool:
    return strategy.games is None or game in strategy.games


def config(strategy: str, **keys: str) -> ScriptedConfig:
    return ScriptedConfig.model_validate({"name": "Ann", "strategy": strategy, **keys})


WORDS = ["random", "literal", "cautious", "bayesian"]
DILEMMAS = ["cooperate", "greedy", "fearful", "grim", "image_scoring", "tit_for_tat", "equilibrium"]
HELP = [*DILEMMAS, "norm"]
SPLITS = ["fair", "haggler", "yielding", "stubborn"]
CAN = {
    "undercover": WORDS,
    "chameleon": WORDS,
    "donation": ["random", *HELP, "heir"],
    "reciprocity": ["random", *HELP],
    "investment": ["random", *HELP],
    "prisoners_dilemma": ["random", *DILEMMAS],
    "public_good": ["random", *DILEMMAS],
    "cost_sharing": ["random", *SPLITS],
}


def test_each_game_has_strategies_that_can_play_it() -> None:
    assert list(strategies()) == [*WORDS, *HELP, "heir", *SPLITS]
    for game, able in CAN.items():
        assert [name for name, player in strategies().items() if plays(player, game)] == able
    agent = make_agent(config("bayesian"))
    assert agent.name == "Ann"
    (strategy,) = agent.strategies
    assert isinstance(strategy, BayesianPlayer)
    assert strategy.bank is bank_of(config("bayesian"))


def test_of_several_strategies_the_first_that_can_plays_each_game() -> None:
    several = ScriptedConfig.model_validate_json(
        '{"name": "Ann", "strategy": ["greedy", "cooperate", "literal"], "noise": 1.0}'
    )
    agent = make_agent(several)
    assert [type(strategy).__name__ for strategy in agent.strategies] == [
        "GreedyPlayer",
        "Cooperator",
        "LiteralPlayer",
    ]
    assert [getattr(s.keys, "noise", None) for s in agent.strategies] == [1.0, 1.0, None]
    settings = (GAME.make_setting(ELM, GAME.variant()),)
    with pytest.raises(BadInput, match="'literal' has no clues for the word 'elm'"):
        refuse_unable(several, GAME, settings, "t.toml: agents[0]")
    unable = several.model_copy(update={"strategy": ("greedy", "fair")})
    with pytest.raises(BadInput, match="'greedy' and 'fair' cannot play 'undercover'; it plays: "):
        refuse_unable(unable, GAME, settings, "t.toml: agents[0]")


def test_an_unknown_strategy_is_answered_with_the_nearest() -> None:
    with pytest.raises(BadInput) as refused:
        find_strategy("baysian", "t.toml: agents[0].strategy")
    assert str(refused.value) == (
        "t.toml: agents[0].strategy: unknown strategy 'baysian'; did you mean 'bayesian'?"
        " known: bayesian, cautious, cooperate, equilibrium, fair, fearful, greedy, grim, haggler,"
        " heir, image_scoring, literal, norm, random, stubborn, tit_for_tat, yielding"
    )


@pytest.mark.parametrize("strategy", WORDS)
def test_a_word_that_the_bank_lacks_is_named_with_the_strategy(
    strategy: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput) as refused:
        refuse_unable(config(strategy), GAME, (*GAME.shipped(), ELM), "t.toml: agents[0]")
    assert str(refused.value) == (
        f"t.toml: agents[0].clue_bank: {strategy!r} has no clues for the word 'elm' of"
        " 'undercover'; give this agent a clue_bank file that has it, or use words of the"
        " shipped bank"
    )
    path = tmp_path / "clues.json"
    path.write_text(json.dumps({"words": {"elm": ["one", "two", "three", "four", "five", "six"]}}))
    refuse_unable(config(strategy, clue_bank=str(path)), GAME, (*GAME.shipped(), ELM), "agents[0]")


OUTSIDE = '''
"""A strategy of another package, which plays a game of its own only."""
from parlour.agents.scripted.strategy import Strategy


class Coin(Strategy):
    """Says heads."""

    games = frozenset({"coin"})

    def decide(self, ask, view, dice):
        return {"heads": True}
'''
CHECK = """
from dataclasses import replace
from parlour.agents.registry import ScriptedConfig, make_agent, refuse_unable, strategies
from parlour.games.common.errors import BadInput
from parlour.games.undercover import GAME

print(*strategies())
config = ScriptedConfig(name="Ann", strategy="coin")
refuse_unable(config, replace(GAME, name="coin"), GAME.shipped(), "agents[0]")
print(type(make_agent(config).strategies[0]).__name__)
try:
    refuse_unable(config, GAME, GAME.shipped(), "agents[0]")
except BadInput as refused:
    print(refused)
"""


def with_distribution(folder: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs Python where a distribution brings a strategy of that name."""
    (folder / "coin_player.py").write_text(OUTSIDE)
    info = folder / "coin_player-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: coin-player\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[parlour.agents]\n{name} = coin_player:Coin\n")
    return called(
        sys.executable,
        *arguments,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"},
    )


def test_a_strategy_of_another_distribution_plays_the_games_it_names_only(tmp_path: Path) -> None:
    done = with_distribution(tmp_path, "coin", "-c", CHECK)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        " ".join([*WORDS, *HELP, "heir", *SPLITS, "coin"]),
        "Coin",
        "agents[0].strategy: 'coin' cannot play 'undercover'; it plays: coin;"
        " see `parlour list agents`",
    ]


def test_a_strategy_under_a_name_that_is_taken_is_left_out(tmp_path: Path) -> None:
    done = with_distribution(tmp_path, "literal", "-m", "parlour", "list", "agents")
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        "Left out: entry point literal = coin_player:Coin: brings a strategy named 'literal', which"
        " already exists; uninstall one of the two or rename the strategy"
    ) in " ".join(done.stdout.split())
