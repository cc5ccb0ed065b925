"""Additions: agents, games and repetitions that a stored tournament gets, read and checked."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from parlour.agents.llm.config import LLMConfig
from parlour.agents.registry import AgentConfig, refuse_unable
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.common.suggestions import suggestion
from parlour.tournament.plan.expansion import expanded
from parlour.tournament.plan.growth import Stage
from parlour.tournament.plan.loader import (
    MAX_MATCHES,
    agents_of,
    entries_of,
    refuse_without_opponents,
    source_of,
    with_parameters,
)
from parlour.tournament.plan.model import OTHER_RELEASE, GameEntry, Tournament, stored_agent
from parlour.tournament.plan.schedule import match_count, refuse_unpaired_game
from parlour.tournament.plan.schema import AgentsFile, GamesFile
from parlour.tournament.plan.toml_source import is_sqlite_file
from parlour.tournament.plan.validation import checked, definition, difference, refuse_alike

BLOCKS = "[[agents]] or [[games]] blocks"
"""The blocks of a file that is added to a save."""


class Addition(BaseModel, strict=True, frozen=True, extra="forbid"):
    """An addition as it was asked for: new agents, new games, or more repetitions or matches.

    ``agents`` and ``games`` are the content of a file, {} for none, with the ``folder`` that its
    paths are relative to; ``file`` is None for content that is no file's, ``included`` are the
    other files that it was read from. ``against`` are the anchors of the new agents, None for all
    agents. ``matches`` is the most that an adaptive tournament plays, None for as many as before.
    """

    agents: dict[str, Any] = {}
    games: dict[str, Any] = {}
    folder: str = ""
    file: str | None = None
    included: list[str] = []
    against: list[str] | None = None
    repetitions: int | None = None
    matches: int | None = None

    @property
    def place(self) -> str:
        """The name of the file in errors, or of what there is instead of one."""
        if self.file is None and self.repetitions is not None and not self.games:
            return "repetitions"
        return self.file or ("agents" if self.agents else "games")


@dataclass(frozen=True, slots=True)
class Grown:
    """A tournament with an addition.

    ``stage`` is its size by then. ``added`` is the tournament with nothing but the new agents and
    games, to ask for the user's consent to them.
    """

    tournament: Tournament
    stage: Stage
    added: Tournament


def addition_of_file(path: Path) -> Addition:
    """Reads a file of agents or of games. BadInput if it is another file, or empty."""
    if not path.is_file():
        problem = "is a folder" if path.is_dir() else "there is no such file"
        raise BadInput(str(path), problem, f"name a file with {BLOCKS}")
    if is_sqlite_file(path):
        fix = f"name a file with {BLOCKS}; to put saves together, see `parlour merge --help`"
        raise BadInput(str(path), "is a save", fix)
    file = expanded(path)
    if not file.content:
        raise BadInput(str(path), "is empty", f"give {BLOCKS}")
    content = json.loads(json.dumps(file.content, default=str))
    return addition_of(content, path.parent, str(path), list(map(str, file.files)))


def addition_of(
    content: Mapping[str, Any], folder: Path, file: str | None = None, included: Sequence[str] = ()
) -> Addition:
    """Returns the addition of agents or of games. BadInput for both: that is a whole tournament."""
    if "agents" in content and "games" in content:
        fix = "put the new agents, or the new games, in a file of their own"
        raise BadInput(file or "source", "is a whole tournament", fix)
    blocks: dict[str, Any] = {"games" if "games" in content else "agents": dict(content)}
    return Addition(**blocks, folder=str(folder.resolve()), file=file, included=list(included))


def part_of_file(path: Path) -> Tournament | None:
    """Returns the agents or the settings files of a file for ``parlour add``.

    None for the file of a whole tournament. The user agrees to it as to a tournament; it is good
    for nothing else. Raises BadInput.
    """
    file = expanded(path)
    raw = file.content
    if ("agents" in raw) == ("games" in raw):
        return None
    content = {key: raw[key] for key in raw if key not in {"limits", "budget"}}
    folder = path.parent.resolve()
    agents: tuple[AgentConfig, ...] = ()
    try:
        if "agents" in raw:
            shared: AgentsFile = checked(AgentsFile, content, str(path))
            blocks = [with_parameters(block, shared) for block in shared.agents]
            agents = agents_of(blocks, folder, str(path))
        else:
            checked(GamesFile, content, str(path))
    except BadInput as refusal:
        raise file.refused(refusal) from None
    source = source_of(path, folder, raw.get("games", ()), file.files)
    return Tournament(path.stem, 0, "round_robin", None, 1, (), agents, source=source)


def grown_by(stored: Tournament, addition: Addition) -> Grown:
    """Returns a stored tournament with an addition.

    Raises BadInput naming place, value and fix; with the line if the content is a file's.
    """
    _refuse_fixed(stored)
    _refuse_unused(stored, addition)
    try:
        return _grown_by(stored, addition)
    except BadInput as refusal:
        if addition.file is None or not Path(addition.file).is_file():
            raise
        raise expanded(Path(addition.file)).refused(refusal) from None


def _grown_by(stored: Tournament, addition: Addition) -> Grown:
    agents = tuple(_new_agents(stored, addition)) if addition.agents else ()
    games = tuple(_new_games(stored, addition)) if addition.games else ()
    repetitions = stored.repetitions if addition.repetitions is None else addition.repetitions
    if repetitions < stored.repetitions:
        problem = f"{repetitions} is fewer than the tournament has"
        raise BadInput("repetitions", problem, f"give more than {stored.repetitions}")
    tournament = replace(
        stored,
        agents=(*stored.agents, *agents),
        games=(*stored.games, *games),
        repetitions=repetitions,
        most_matches=_most_matches(stored, addition.matches),
    )
    refuse_without_opponents(tournament, addition.place)
    if (matches := match_count(tournament)) > MAX_MATCHES:
        fix = f"a tournament has at most {MAX_MATCHES}"
        raise BadInput(addition.place, f"makes {matches} matches", fix)
    stage = Stage(
        len(tournament.agents),
        len(tournament.games),
        repetitions,
        _anchors(stored, addition.against),
        matches=tournament.most_matches,
    )
    source = None
    if addition.file is not None:
        file, blocks = Path(addition.file), addition.games.get("games", ())
        source = source_of(file, Path(addition.folder), blocks, map(Path, addition.included))
    added = replace(stored, agents=agents, games=games, source=source)
    return Grown(tournament, stage, added)


def _refuse_fixed(stored: Tournament) -> None:
    """BadSave for a tournament to which nothing can be added."""
    save = str(stored.source.path) if stored.source else stored.name
    if stored.fork is not None:
        raise BadSave(save, "is a fork of one match", "add to the save that it comes from")
    if versions := stored.other_versions():
        raise BadSave(save, versions, OTHER_RELEASE)


def _refuse_unused(stored: Tournament, addition: Addition) -> None:
    """BadInput for what the schedule of the tournament does not use."""
    if stored.schedule != "adaptive":
        if addition.matches is not None:
            problem = f"is not used by the schedule {stored.schedule!r}"
            raise BadInput("matches", problem, "give --repetitions N")
        return
    if addition.repetitions is not None:
        fix = "raise the most that are played: --matches N"
        raise BadInput("repetitions", "is not used by the adaptive schedule", fix)
    if addition.against is not None:
        fix = "leave it out: a score is the mean against all others"
        raise BadInput("against", "is not used by the adaptive schedule", fix)


def shared_parameters(tournament: Tournament) -> dict[str, Any]:
    """The request parameters that all models of a tournament have; new models have them too."""
    every = [dict(agent.parameters) for agent in tournament.agents if isinstance(agent, LLMConfig)]
    shared = every[0] if every else {}
    for parameters in every:
        shared = {key: shared[key] for key in shared if parameters.get(key) == shared[key]}
    return shared


def _new_agents(stored: Tournament, addition: Addition) -> Iterator[AgentConfig]:
    """Yields the agents that the tournament has not. BadInput for another one of a known name."""
    place = addition.place
    file: AgentsFile = checked(AgentsFile, addition.agents, place)
    shared = shared_parameters(stored)
    file = file.model_copy(update={"parameters": {**shared, **file.parameters}})
    blocks = [with_parameters(block, file) for block in file.agents]
    known = {agent.name: agent for agent in stored.agents}
    by_looks: dict[str, str] = {}
    for name in known:
        refuse_alike(name, place, by_looks)
    for number, agent in enumerate(agents_of(blocks, Path(addition.folder), place)):
        where = f"{place}: agents[{number}]"
        if agent.name in known:
            its, here = (definition(stored_agent(each)) for each in (known[agent.name], agent))
            if its != here:
                problem = f"{agent.name!r} is taken: {difference(its, here)}"
                raise BadInput(f"{where}.name", problem, "give it another name")
            continue
        refuse_alike(agent.name, f"{where}.name", by_looks)
        for entry in stored.games:
            if entry.lineup is None:
                refuse_unable(agent, entry.game, entry.settings(), where)
        yield agent


def _new_games(stored: Tournament, addition: Addition) -> Iterator[GameEntry]:
    """Yields the entries of new games."""
    place = addition.place
    file: GamesFile = checked(GamesFile, addition.games, place)
    known = [entry.stored() for entry in stored.games]
    for number, block in enumerate(file.games):
        where = f"{place}: games[{number}]"
        for entry in entries_of(block, Path(addition.folder), where, stored.agents):
            for agent in stored.agents:
                if entry.lineup is None or agent.name in entry.lineup:
                    _refuse_unplayed(agent, entry, where)
            if entry.stored() in known:
                fix = "play it more often with --repetitions, or give it other settings"
                raise BadInput(where, "the tournament has this block already", fix)
            if stored.schedule == "adaptive":
                refuse_unpaired_game(entry, where)
            yield entry


def _refuse_unplayed(agent: AgentConfig, entry: GameEntry, where: str) -> None:
    """BadInput for a new game that a known agent cannot play."""
    try:
        refuse_unable(agent, entry.game, entry.settings(), where)
    except BadInput as refusal:
        lacks_clues = refusal.place.endswith(".clue_bank")
        fix = "use words of its clue bank" if lacks_clues else refusal.fix
        raise BadInput(f"{where}.name", f"agent {agent.name!r}: {refusal.problem}", fix) from None


def _most_matches(stored: Tournament, wanted: int | None) -> int | None:
    most = stored.most_matches
    if wanted is None or most is None:
        return most
    if wanted < most:
        problem = f"{wanted} are fewer than the tournament has"
        raise BadInput("matches", problem, f"give more than {most}")
    if wanted > MAX_MATCHES:
        raise BadInput("matches", f"{wanted} are too many", f"give at most {MAX_MATCHES}")
    return wanted


def _anchors(stored: Tournament, against: list[str] | None) -> tuple[str, ...] | None:
    """The anchors of new agents. BadInput for a name that no agent has."""
    if against is None:
        return None
    if stored.defender is not None:
        problem = "a challenger meets nobody but the defender"
        raise BadInput("against", problem, "leave it out")
    names = [agent.name for agent in stored.agents]
    for name in against:
        if name not in names:
            raise BadInput("against", f"unknown agent {name!r}", suggestion(name, names))
    return tuple(dict.fromkeys(against))
