"""Ratings: tournaments in which a newcomer plays the reference pool, and the pool not itself."""

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from os.path import isdir, isfile, normpath
from pathlib import Path
from typing import Any, Literal

from parlour.agents.registry import find_strategy, strategies
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.ratings.reference.scale import shipped_scale
from parlour.tournament.plan.expansion import FILE_KEYS, expanded, expanded_content
from parlour.tournament.plan.loader import read_tournament, tournament_of
from parlour.tournament.plan.model import Source, Tournament
from parlour.tournament.plan.schedule import PlannedMatch, schedule

POOL = Path(__file__).parent / "reference" / "pool.toml"
"""The tournament of the pool."""
Effort = Literal["small", "usual", "large"]
REPETITIONS: dict[Effort, int] = {"small": 1, "usual": 4, "large": 16}
"""Repetitions of an effort: each has half the interval of the one before."""
SEED = 3
"""Seed of ratings: another one than that of the pool, and the same for all newcomers."""
SCRIPTED = "scripted:"
"""The beginning of a newcomer's name that is a strategy."""


@cache
def pool() -> Tournament:
    """The tournament of the reference pool, one repetition of it."""
    return replace(read_tournament(POOL), source=None)


def pool_names() -> tuple[str, ...]:
    """The names of the agents of the pool."""
    return shipped_scale().agents


def rating(
    name: str, games: Collection[str] = (), repetitions: int = 1, settings: Sequence[str] = ()
) -> Tournament:
    """Returns the tournament in which a newcomer plays the pool, by default in all its games.

    ``name`` is a strategy (``scripted:greedy``, by default in the games that it can play), a file
    with one agent (``mine.toml``), or a model as litellm names it (``openai/gpt-4o-mini``).
    ``settings`` are those of the command line: ``key=value`` of the agent. Raises BadInput.
    """
    file, source, block = None, None, {}
    settings = [f"agents.0.{setting}" for setting in settings]
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise BadInput(name, "there is no such file", "name one with an [[agents]] block")
        file = expanded(path, settings)
        source = Source(path, path.parent.resolve(), included=tuple(file.files))
    elif name.endswith(".db"):
        raise BadInput(name, "there is no such save", "name a model, a file of one agent or a save")
    elif name.startswith(SCRIPTED):
        strategy = name.removeprefix(SCRIPTED)
        games = games or _playable(strategy, name)
        block = {"name": name[:60], "strategy": strategy}
    else:
        if name in strategies():
            raise BadInput(name, "is not the name of a model", f"did you mean {SCRIPTED}{name}?")
        is_folder = isdir(name) and "/" not in normpath(name)
        if is_folder or isfile(name):
            fix = f"name a model, a file of one agent, or {SCRIPTED}STRATEGY"
            raise BadInput(name, "is a folder" if is_folder else "is no save", fix)
        block = model_block(name)
    if file is None:
        file = expanded_content({"agents": [block]}, name, settings)
    head, block = _one_agent(file.content, name)
    content = tomllib.loads(POOL.read_text(encoding="utf-8"))
    whole = {
        **content,  # its seeding, too: the interval of a rating rests on it
        **head,
        "name": f"rate {block.get('name', '')}"[:100],
        "seed": SEED,
        "repetitions": repetitions,
        "games": list(_games(content["games"], games)),
        # Growth appends: the pool is there first, and newcomers come after it.
        "agents": [*content["agents"], block],
    }
    try:
        return replace(
            tournament_of(whole, source.path.parent if source else Path(), name), source=source
        )
    except BadInput as refusal:
        place = refusal.place.replace(f"agents[{len(content['agents'])}]", "agents[0]")
        raise file.refused(BadInput(place, refusal.problem, refusal.fix)) from None


def model_block(name: str) -> dict[str, Any]:
    """The block of a model: ``local``, ``local:FILE.gguf``, or one as litellm names it."""
    if name.partition(":")[0] == "local":
        from parlour.agents.llm.local_server import local_block

        return local_block(name)
    return {"name": name[:60], "kind": "llm", "model": name}


def _playable(strategy: str, place: str) -> list[str]:
    """Returns the games of the pool that a strategy can play. BadInput if there are none."""
    playable = find_strategy(strategy, place).games
    known = [entry.game.name for entry in pool().games]
    both = [name for name in known if playable is None or name in playable]
    if not both:
        fix = f"the pool plays: {', '.join(known)}"
        raise BadInput(place, f"plays only {', '.join(sorted(playable or ()))}", fix)
    return both


def _one_agent(raw: Mapping[str, Any], place: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the head of a file and its only agent. BadInput for any other number of agents."""
    for key in raw:
        if key not in FILE_KEYS:
            fix = f"a file of one agent has {', '.join(sorted(FILE_KEYS))}"
            raise BadInput(f"{place}: {key}", "has no place beside one agent", fix)
    agents = raw.get("agents")
    if not isinstance(agents, list) or len(agents) != 1 or not isinstance(agents[0], dict):
        raise BadInput(f"{place}: agents", "is not one agent", "write one [[agents]] block")
    return {key: raw[key] for key in raw if key != "agents"}, agents[0]


def _games(blocks: list[dict[str, Any]], wanted: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yields the blocks of the games that are wanted, all if none is named. BadInput."""
    names = [block["name"] for block in blocks]
    for game in wanted:
        if game not in names:
            raise BadInput("--game", f"the pool does not play {game!r}", suggestion(game, names))
    for block in blocks:
        if not wanted or block["name"] in wanted:
            settings = (
                {"settings": str(POOL.parent / block["settings"])} if "settings" in block else {}
            )
            yield {**block, **settings}


def newcomers(tournament: Tournament) -> tuple[str, ...]:
    """The newcomers of a rating; none if a tournament is no rating on the scale of today.

    In a rating all agents of the pool take part, on the settings of the pool.
    """
    known = {agent.name: agent for agent in tournament.agents}
    if not known.keys() >= set(pool_names()):
        return ()  # most tournaments: the pool need not be read
    stored = [entry.stored() for entry in pool().games]
    if any(entry.stored() not in stored for entry in tournament.games):
        return ()
    if any(known.pop(agent.name, None) != agent for agent in pool().agents):
        return ()
    return tuple(known)


def rating_matches(tournament: Tournament) -> Iterator[PlannedMatch]:
    """Yields the matches of a rating: those between a newcomer and an agent of the pool."""
    new, known = set(newcomers(tournament)), set(pool_names())
    for match in schedule(tournament):
        if new.intersection(match.agents) and known.intersection(match.agents):
            yield match
