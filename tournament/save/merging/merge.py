"""Merges saves of compatible tournaments into one new save."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from parlour.games.common.errors import BadInput, BadSave
from parlour.games.common.suggestions import suggestion
from parlour.tournament.plan.loader import stored_tournament
from parlour.tournament.plan.merging import MergedPart, merged, renamed
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.toml_source import is_sqlite_file
from parlour.tournament.save.database import connect, fold_log
from parlour.tournament.save.directory import free_path
from parlour.tournament.save.lock import locked
from parlour.tournament.save.merging.copies import Copies, SaveContribution
from parlour.tournament.save.merging.taking import fill, joined, opened
from parlour.tournament.save.new_file import new_file
from parlour.tournament.save.provenance.origins import (
    Origin,
    all_origins,
    repeated_matches,
    saves_of,
    was_adaptive,
)
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import MatchCount, RunOptions

ELSEWHERE = "choose another name for the merged save"


class Rename(NamedTuple):
    """A new name for an agent of one save."""

    old: str
    new: str
    save: Path


class MergedSave(NamedTuple):
    """A merged save: its matches, the origins of them, and its agents.

    ``repeated`` is the number of matches that are drawn as another one is, see
    ``repeated_matches``. ``origins`` are the saves whose plans have the matches. ``adaptive`` is
    true if outcomes decided on some of the matches.
    """

    matches: MatchCount
    repeated: int
    origins: list[Origin]
    agents: list[str]
    adaptive: bool


def parse_rename(text: str, paths: Sequence[Path]) -> Rename:
    """Returns the rename of OLD=NEW@SAVE. BadInput for another form, or for another save."""
    names, at, save = text.rpartition("@")
    old, equals, new = names.partition("=")
    place = f"--rename {text}"
    if not (at and equals and old and new):
        raise BadInput(place, "is not a rename", "write OLD=NEW@SAVE, such as Ada=Ada-2@b.db")
    if Path(save) not in paths:
        raise BadInput(place, f"{save!r} is not merged", suggestion(save, map(str, paths)))
    return Rename(old, new, Path(save))


def append_saves(out: Path, paths: Sequence[Path], renames: Sequence[Rename] = ()) -> MergedSave:
    """Merges saves with the file itself, which is replaced at the end or stays as it is.

    Raises as ``merge_saves`` does, and BadSave while the file is played.
    """
    with locked(out):
        draft = free_path(out.with_stem(f"{out.stem}-merging"))
        together = merge_saves(draft, [out, *paths], renames)
        with closing(connect(out, True)) as connection:
            fold_log(connection)
        log = out.with_name(f"{out.name}-wal")
        if log.exists() and log.stat().st_size:  # SQLite would read it as part of the new file
            draft.unlink()
            raise BadSave(str(out), "is read by another program", "close that one")
        os.replace(draft, out)
    return together


def merge_saves(out: Path, paths: Sequence[Path], renames: Sequence[Rename] = ()) -> MergedSave:
    """Merges saves into a new file, which appears complete or not at all.

    The saves stay as they are, and may be played meanwhile. Raises BadInput if their tournaments
    do not fit together, or if they have played the same match differently; BadSave if one cannot
    be read, or if the file exists or cannot be written.
    """
    if out.exists():  # before the work; the name is looked at again at its end
        fix = ELSEWHERE
        if out.is_file() and is_sqlite_file(out):
            fix += ", which comes first: parlour merge NEW.db SAVE..."
        raise BadSave(str(out), "already exists", fix)
    with ExitStack() as stack:
        draft = stack.enter_context(new_file(out, ELSEWHERE, ELSEWHERE))
        saves = [stack.enter_context(opened(path)) for path in paths]
        by_age = sorted(range(len(saves)), key=lambda index: _age(saves[index]))
        names = [_names_of(path, save, renames) for path, save in zip(paths, saves, strict=True)]
        parts = [_part(saves[index], names[index], index) for index in by_age]
        tournament, entries = merged(parts)
        # Read back: new names and several files together must make a valid tournament.
        tournament = stored_tournament(tournament.to_json(), str(out))
        contributions = [
            SaveContribution(saves[index], of_part, names[index])
            for index, of_part in zip(by_age, entries, strict=True)
        ]
        adaptive = any(map(was_adaptive, saves))
        stage: dict[str, object] = {
            "saves": len(paths),
            "joined": _earliest(list(map(joined, contributions)), tournament),
            "adaptive": adaptive,
        }

        def options(copies: Copies) -> RunOptions:
            return _options(saves[0].control(), contributions, copies)

        fill(draft, tournament, contributions, options, ("merged", stage))
        with Save(draft) as made:
            agents = [agent.name for agent in tournament.agents]
            plans = saves_of(all_origins(made))
            counts = made.match_count(), repeated_matches(made)
            return MergedSave(*counts, plans, agents, adaptive)


def _age(save: Save) -> tuple[tuple[str, str], int, str]:
    """Sort key: the save with the oldest matches first, and of those of one origin the largest."""
    return all_origins(save)[0].age, -save.match_count().matches, save.tournament_json


def _names_of(path: Path, save: Save, renames: Sequence[Rename]) -> dict[str, str]:
    """The new names of agents of a save by their old ones. BadInput for an unknown agent."""
    known = [agent.name for agent in save.tournament.agents]
    names: dict[str, str] = {}
    for rename in renames:
        if rename.save != path:
            continue
        if names.get(rename.old, rename.new) != rename.new:
            problem = f"{path} has two new names for {rename.old!r}"
            raise BadInput("--rename", problem, "give one")
        if rename.old not in known:
            problem = f"{path} has no agent {rename.old!r}"
            raise BadInput("--rename", problem, suggestion(rename.old, known))
        names[rename.old] = rename.new
    return names


def _part(save: Save, names: Mapping[str, str], rank: int) -> MergedPart:
    tournament = save.tournament
    place = str(save.path)
    return MergedPart(place, renamed(tournament, names, place) if names else tournament, rank)


def _earliest(moments: Sequence[Mapping[str, str]], tournament: Tournament) -> dict[str, str]:
    """The earliest time at which each agent joined."""
    joined: dict[str, str] = {}
    for agent in tournament.agents:
        every = [of_save[agent.name] for of_save in moments if agent.name in of_save]
        if every:
            joined[agent.name] = min(every)
    return joined


def _options(
    first: RunOptions, contributions: Sequence[SaveContribution], copies: Copies
) -> RunOptions:
    """The run options of a merged save: those of the save that was named first, and its budgets.

    A budget is the sum over saves that share no match, the largest ones, and there is none if one
    of them has none: what one was allowed to spend is counted once. An agent that none of them has
    has the budget of the largest save that has it.
    """

    def size(index: int) -> tuple[int, float]:
        save = contributions[index].save
        return save.match_count().matches, save.control().budget or 0.0

    overlaps = copies.overlaps()
    largest_first = sorted(range(len(contributions)), key=size, reverse=True)
    summed: list[int] = []
    for index in largest_first:
        if not any((min(index, other), max(index, other)) in overlaps for other in summed):
            summed.append(index)
    counted = [contributions[index] for index in summed]
    controls = [each.save.control() for each in counted]
    budgets = [control.budget for control in controls]
    by_agent: dict[str, list[float | None]] = {}
    for each, control in zip(counted, controls, strict=True):
        for name in each.save.tournament.callers:
            its = by_agent.setdefault(each.names.get(name, name), [])
            its.append(control.agent_budgets.get(name))
    for each in (contributions[index] for index in largest_first if index not in summed):
        dollars_of = each.save.control().agent_budgets
        for name in each.save.tournament.callers:
            by_agent.setdefault(each.names.get(name, name), [dollars_of.get(name)])
    sums = {name: _sum(its) for name, its in by_agent.items()}
    agent_budgets = {name: dollars for name, dollars in sums.items() if dollars is not None}
    limits = [*first.limits]
    for each in contributions:
        limits += each.save.control().limits
    by_endpoint = {limit.endpoint: limit for limit in reversed(limits)}  # the first one wins
    return replace(
        first, limits=tuple(by_endpoint.values()), budget=_sum(budgets), agent_budgets=agent_budgets
    )


def _sum(budgets: Sequence[float | None]) -> float | None:
    """The sum of budgets, None if one is None: no limit."""
    dollars = [budget for budget in budgets if budget is not None]
    return sum(dollars) if len(dollars) == len(budgets) else None
