"""The store of ratings: a folder of saves, each with its figures beside it."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from parlour.agents.llm.config import LLMConfig
from parlour.api.results import rating_of
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.common.plain_files import read_plain
from parlour.games.common.text import one_line
from parlour.ratings.reference.scale import shipped_scale
from parlour.ratings.reports.report import Report
from parlour.ratings.reports.standings_report import Entry
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.rating import newcomers
from parlour.tournament.plan.validation import what_is_played
from parlour.tournament.save.directory import all_saves, free_path, named_save
from parlour.tournament.save.growing.retire import retired_matches
from parlour.tournament.save.provenance.remarks import newest_program, servings
from parlour.tournament.save.reader import Save

FIGURES = ".json"
"""The ending of the file with the figures of a save. It may be deleted: the save has them too."""
Figures = Mapping[str, Any]
_ENTRY, _ENTRIES = TypeAdapter(Entry), TypeAdapter(list[Entry])


def save_for(store: Path, wanted: Tournament, *, again: bool) -> Path:
    """The save in a store that goes on with a rating, or a free name for a new one.

    The newest rating of the same newcomer goes on unless it is whole and is wanted ``again``.
    """
    first = named_save(wanted.name, store)
    for path in all_saves(store, f"{first.stem}*{first.suffix}"):
        with Save(path) as save:
            stored, count = save.tournament, save.match_count()
        same = replace(wanted, repetitions=stored.repetitions)
        if what_is_played(stored.to_json()) == what_is_played(same.to_json()):
            return free_path(first) if again and count.done else path
    return free_path(first)


def keep_figures(path: Path) -> list[Entry]:
    """Stores the figures of the save of a rating beside it, and returns them."""
    entries = list(_entries(path, rating_of(path)))
    text = json.dumps([asdict(entry) for entry in entries], indent=1)
    draft = path.with_suffix(f"{FIGURES}.part")
    draft.write_text(f"{text}\n", encoding="utf-8")
    os.replace(draft, path.with_suffix(FIGURES))
    return entries


def read_store(store: Path) -> tuple[list[Entry], list[str]]:
    """All ratings of a store, and a sentence on each save that has none.

    Figures older than their save are computed again. Raises BadSave if there is no such folder.
    """
    if not store.is_dir():
        fix = "make one: parlour rate MODEL --store FOLDER"
        raise BadSave(str(store), "is no folder with ratings", fix)
    made, notes = [], []
    saves = {path.stem: path for path in all_saves(store)}
    for stem in sorted(saves.keys() | {path.stem for path in store.glob(f"*{FIGURES}")}):
        save, figures = saves.get(stem), store / f"{stem}{FIGURES}"
        try:
            if save is None or _is_fresh(figures, save):
                made += _stored(figures)
            else:
                made += keep_figures(save)
        except (BadInput, OSError) as error:
            notes.append(one_line(f"Left out: {error}"))
    return made, notes


def _is_fresh(figures: Path, save: Path) -> bool:
    """True for figures as new as their save and the log with its newest answers."""
    logs = [path for path in (save, save.with_name(f"{save.name}-wal")) if path.exists()]
    newest = max(path.stat().st_mtime_ns for path in logs if path is save or path.stat().st_size)
    return figures.exists() and figures.stat().st_mtime_ns >= newest


def _stored(figures: Path) -> list[Entry]:
    try:
        return _ENTRIES.validate_json(read_plain(figures))
    except ValidationError:
        fix = "delete it, if its save is there: it is then computed again"
        raise BadInput(str(figures), "has no figures of a rating", fix) from None


def one_rating(path: Path, agent: str | None = None) -> tuple[Entry, list[Figures]]:
    """The rating of a newcomer of a save, by default of its only one, with its figures in games.

    One on an older scale is known by the figures beside the save, which has none in games. Raises
    BadInput.
    """
    records: list[Figures] = []
    try:
        report = rating_of(path)
    except BadInput:
        figures = path.with_suffix(FIGURES)
        old = _stored(figures) if figures.is_file() else []
        entries = [each for each in old if each.scale != shipped_scale().version]
        if not entries:
            raise
    else:
        entries, records = list(_entries(path, report)), list(map(dict, report.records))
    chosen = [each for each in entries if agent in (None, each.agent)]
    if len(chosen) != 1:
        names = " and ".join(each.agent for each in entries)
        fix = "a picture is of one newcomer: rate it in a save of its own"
        raise BadInput(str(path), f"is the rating of {names}", fix)
    return chosen[0], [each for each in records if each["agent"] == chosen[0].agent]


def _entries(path: Path, report: Report) -> Iterator[Entry]:
    """Yields the ratings of a save from its report."""
    with Save(path) as save:
        its, program, created = servings(save), newest_program(save), save.created
        count, agents = save.match_count(), {agent.name: agent for agent in save.tournament.agents}
        games = tuple(entry.game.name for entry in save.tournament.games)
        retired = retired_matches(save)
        rated = newcomers(save.tournament)
    scale = shipped_scale().version
    for name in rated:
        block, own = agents[name], [each for each in its if each.agent == name]
        asked = block.model if isinstance(block, LLMConfig) else getattr(block, "strategy", "")
        prompts: dict[str, str] = {}
        for each in own:
            prompts |= {f"{each.game}/{template}": digest for template, digest in each.templates}
        (row,) = [r for r in report.records if (r["agent"], r["game"]) == (name, None)] or [{}]
        body = {
            "save": path.name,
            "agent": name,
            "date": created,
            "program": program,
            "asked": str(asked),
            "served": sorted({each.served for each in own if each.served}),
            "scale": scale,
            "games": games,
            "prompts": prompts,
            "planned": count.matches,
            "finished": count.finished,
            "retired": name in retired,
        }
        yield _ENTRY.validate_python(body | {key: row.get(key) for key in FIGURE_KEYS})


FIGURE_KEYS = (
    *("strength", "strength_se", "strength_low", "strength_high"),
    *("faults", "answers", "provisional"),
)
