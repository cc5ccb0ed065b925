"""The file of the reference pool, made by playing its tournament.

``parlour rate`` places newcomers on the scale of ``ratings/reference/data/pool.json``. After a
change of the pool, of the rules of a game in it, of its scripted players or of the
strength model, raise ``VERSION`` and play the pool again (some minutes)::

    python -m tests.ratings.reference
"""

import json
import sys
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from parlour.agents.registry import ScriptedConfig, find_strategy
from parlour.games.engine.game import Game
from parlour.ratings.counting.blocks import COUNTS
from parlour.ratings.reference.scale import FILE
from parlour.ratings.skill.paired_outcomes import GameOutcomes, paired_outcomes
from parlour.tournament.plan import rating
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import schedule
from tests.ratings.pool_file import fingerprint, fitted, points_of, written
from tests.ratings.rated import played

VERSION = 2
ANCHOR = "random"
REPETITIONS = 40


def pool(repetitions: int = REPETITIONS) -> Tournament:
    """The tournament of the pool, or as much of it as its first repetitions."""
    return replace(rating.pool(), repetitions=repetitions)


def definition(tournament: Tournament) -> str:
    """The fingerprint of what the pool plays: agents, games with their versions, settings, seed."""
    return blake2b(tournament.to_json().encode(), digest_size=8).hexdigest()


def outcomes(tournament: Tournament) -> dict[str, GameOutcomes]:
    """The paired outcomes of a tournament that is played now."""
    return paired_outcomes(played(tournament, schedule(tournament)))


def body() -> dict[str, Any]:
    """The content of the file."""
    tournament = pool()
    first, whole = outcomes(pool(1)), outcomes(tournament)
    # Every agent plays equally often, and two play a match.
    matches = sum(game.matches[ANCHOR] for game in whole.values())
    return {
        "version": VERSION,
        "anchor": ANCHOR,
        "seed": tournament.seed,
        "repetitions": tournament.repetitions,
        "matches": matches * len(_names()) // 2,
        "counts": COUNTS,
        "definition": definition(tournament),
        "agents": _names(),
        "games": {
            entry.game.name: _game(entry.game, whole[entry.game.name], first[entry.game.name])
            for entry in tournament.games
        },
    }


def _names() -> list[str]:
    return [agent.name for agent in pool().agents]


def _game(game: Game, whole: GameOutcomes, first: GameOutcomes) -> dict[str, Any]:
    points = points_of(whole)
    return {
        "version": game.version,
        "matches": whole.matches[ANCHOR] * len(_names()) // 2,
        "players": {agent.name: label(agent, game) for agent in pool().agents},
        "roles": whole.roles,
        "positions": whole.positions,
        "parameters": fitted(game.name, whole),
        "first_repetition": fingerprint(points_of(first)),
        "outcomes": written(points),
    }


def label(agent: object, game: Game) -> str:
    """The strategy of an agent of the pool in a game, such as "greedy 80 %"."""
    assert isinstance(agent, ScriptedConfig)
    plays = {name: find_strategy(name, agent.name).games for name in agent.strategies}
    (name, *_) = (name for name, games in plays.items() if games is None or game.name in games)
    return f"{name} {1 - agent.tremble:.0%}".replace("%", " %") if agent.tremble else name


def text(content: dict[str, Any]) -> str:
    """The content with one parameter or outcome a line, so that a difference can be read."""
    games = []
    for name, game in content["games"].items():
        parts = [
            f"   {json.dumps(key)}: {_lines(value) if key in LISTS else json.dumps(value)}"
            for key, value in game.items()
        ]
        games.append(f"  {json.dumps(name)}: {{\n" + ",\n".join(parts) + "\n  }")
    heads = [
        f" {json.dumps(key)}: {json.dumps(value)}"
        for key, value in content.items()
        if key != "games"
    ]
    return "{\n" + ",\n".join([*heads, ' "games": {\n' + ",\n".join(games) + "\n }"]) + "\n}\n"


LISTS = ("parameters", "outcomes")


def _lines(items: list[Any]) -> str:
    return "[\n" + ",\n".join(f"    {json.dumps(item)}" for item in items) + "\n   ]"


def on_file() -> dict[str, Any]:
    """The content of the file as it is."""
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


def main() -> None:
    """Plays the pool and writes its file, under a new version if its definition has changed."""
    if (
        FILE.exists()
        and on_file()["version"] == VERSION
        and on_file()["definition"] != definition(pool())
    ):
        sys.exit(f"The pool has changed: first raise VERSION, which is {VERSION}, in {__file__}")
    FILE.write_text(text(body()), encoding="utf-8")


if __name__ == "__main__":
    main()
