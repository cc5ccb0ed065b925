"""Merged tournaments: the agents and the game blocks of several tournaments, each once."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import NamedTuple

from parlour.agents.registry import AgentConfig
from parlour.games.common.errors import BadInput
from parlour.games.engine.game import BUILT_IN
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.plan.schema import Schedule
from parlour.tournament.plan.validation import (
    definition,
    first_difference,
    in_short,
    refuse_odd_name,
)


@dataclass(frozen=True, slots=True)
class MergedPart:
    """A tournament to be merged.

    ``save`` is its save, as error messages name it; ``rank`` is its place on the command line.
    """

    save: str
    tournament: Tournament
    rank: int


class Merged(NamedTuple):
    """A merged tournament, and for each part the number in it of each of the part's game blocks."""

    tournament: Tournament
    entries: list[list[int]]


def merged(parts: Sequence[MergedPart]) -> Merged:
    """Returns the tournament of all parts. BadInput if they do not fit together.

    Name and seed are those of the first part, repetitions are the most of a part. Matches of an
    adaptive tournament are taken as those of a round robin: no more are decided. Of an agent of
    several parts, what may change between runs (``CONNECTION_KEYS``) is that of lowest rank.
    """
    first = parts[0]
    for part in parts:
        if part.tournament.fork is not None:
            problem = "is a fork, which no leaderboard counts"
            raise BadInput(part.save, problem, "leave it out")
        _refuse_unlike(first, part)
    _refuse_other_versions(parts)
    blocks: dict[tuple[str, int], GameEntry] = {}
    numbers: dict[tuple[str, int], int] = {}
    entries: list[list[int]] = []
    for part in parts:
        keys = _block_keys(part.tournament)
        blocks = {**dict(zip(keys, part.tournament.games, strict=True)), **blocks}
        for key in keys:
            numbers.setdefault(key, len(numbers))
        entries.append([numbers[key] for key in keys])
    tournament = replace(
        first.tournament,
        schedule=_fixed_schedule(first.tournament),
        most_matches=None,
        repetitions=max(part.tournament.repetitions for part in parts),
        games=tuple(blocks[key] for key in numbers),
        agents=_agents(parts),
        limits=(),
        budget=None,
    )
    return Merged(tournament, entries)


def _fixed_schedule(tournament: Tournament) -> Schedule:
    """The schedule of a list of matches that is not decided on any more."""
    return "round_robin" if tournament.schedule == "adaptive" else tournament.schedule


def _refuse_unlike(first: MergedPart, part: MergedPart) -> None:
    """BadInput for another schedule, another defender, or other seeds."""
    for key in ("schedule", "defender", "seeding"):
        here, there = getattr(part.tournament, key), getattr(first.tournament, key)
        is_schedule = key == "schedule"
        if is_schedule and _fixed_schedule(part.tournament) == _fixed_schedule(first.tournament):
            continue
        if here != there:
            problem = f"is {in_short(here)}, and {in_short(there)} in {first.save}"
            fix = "rename it with --rename, or leave one out" if key == "defender" else ""
            raise BadInput(f"{part.save}: {key}", problem, fix or "leave one of them out")


def _refuse_other_versions(parts: Sequence[MergedPart]) -> None:
    """BadInput for a game of which two parts have different versions."""
    known: dict[str, tuple[set[int], str]] = {}
    for part in parts:
        versions = defaultdict(set)
        for entry in part.tournament.games:
            versions[entry.game.name].add(entry.played_version)
        for game, here in versions.items():
            there, save = known.setdefault(game, (here, part.save))
            if here != there:
                problem = f"is played by the rules of version {_listed(here)}"
                also = f"{problem}, and by those of version {_listed(there)} in {save}"
                raise BadInput(f"{part.save}: {game}", also, "leave one of them out")


def _listed(versions: set[int]) -> str:
    return " and ".join(map(str, sorted(versions)))


def _block_keys(tournament: Tournament) -> list[tuple[str, int]]:
    """Returns the key of each game block: its content, and how many equal ones come before it."""
    seen: Counter[str] = Counter()
    keys = []
    for entry in tournament.games:
        content = entry.content()
        keys.append((content, seen[content]))
        seen[content] += 1
    return keys


def _agents(parts: Sequence[MergedPart]) -> tuple[AgentConfig, ...]:
    """Returns the agents of all parts, each once. BadInput for two of one name."""
    known: dict[str, tuple[AgentConfig, MergedPart]] = {}
    for part in parts:
        for agent in part.tournament.agents:
            other, its = known.setdefault(agent.name, (agent, part))
            here, there = (definition(each.model_dump(mode="json")) for each in (agent, other))
            if here != there:
                place, own, others = first_difference(here, there)
                problem = f"{place} is {in_short(own)}, and {in_short(others)} in {its.save}"
                fix = f"if it is another agent: --rename {quote(f'{agent.name}=NEW@{part.save}')}"
                raise BadInput(f"{part.save}: agent {agent.name!r}", problem, fix)
            if part.rank < its.rank:
                known[agent.name] = agent, part
    return tuple(agent for agent, _part in known.values())


def renamed(tournament: Tournament, names: Mapping[str, str], place: str) -> Tournament:
    """Returns a tournament with new names of agents, given by their old ones. Raises BadInput."""
    new = [names.get(agent.name, agent.name) for agent in tournament.agents]
    for name in names.values():
        refuse_odd_name(name, f"{place}: agent {name!r}")
        if name == BUILT_IN or not name:
            problem = "is reserved for seats that the rules play" if name else "is no name"
            raise BadInput(f"{place}: agent {name!r}", problem, "choose another name")
        if new.count(name) > 1:
            problem = "would be the name of two agents"
            raise BadInput(f"{place}: agent {name!r}", problem, "choose another name")
    return replace(
        tournament,
        agents=tuple(
            agent.model_copy(update={"name": name})
            for agent, name in zip(tournament.agents, new, strict=True)
        ),
        games=tuple(replace(entry, lineup=_seated(entry, names)) for entry in tournament.games),
        defender=names.get(tournament.defender or "", tournament.defender),
    )


def _seated(entry: GameEntry, names: Mapping[str, str]) -> tuple[str, ...] | None:
    if entry.lineup is None:
        return None
    return tuple(names.get(name, name) for name in entry.lineup)


def renamed_experiment(
    experiment: str, title: str, agents: Sequence[str], names: Mapping[str, str]
) -> str:
    """Returns the name of an experiment with new names of its agents.

    ``title`` is its beginning, which names no agent.
    """
    if not experiment.startswith(title):
        return experiment
    longest_first = sorted(set(agents), key=len, reverse=True)
    words = "|".join(map(re.escape, longest_first))
    pairing = re.sub(
        rf"(?<!\S)(?:{words})(?!\S)",
        lambda match: names.get(match[0], match[0]),
        experiment[len(title) :],
    )
    return title + pairing
