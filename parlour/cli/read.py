"""Commands that read a save: status, leaderboard, head-to-head, measures, replay, check."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Literal

from parlour.cli.console_tables import print_leaderboard, print_matrix
from parlour.cli.safe_print import print
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.common.text import clean
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.registry import find_game
from parlour.games.engine.transcript import counted
from parlour.ratings.measures.measures import Row
from parlour.ratings.measures.measures import measures as all_measures
from parlour.ratings.reports import matrix as matrices
from parlour.ratings.reports.formats import csv_table
from parlour.ratings.reports.leaderboard import By
from parlour.ratings.reports.report import as_csv, as_json, as_latex, as_markdown
from parlour.tournament.control.client import ControlFailed, ask_runner
from parlour.tournament.control.launch import last_words
from parlour.tournament.control.status import stopped_because
from parlour.tournament.plan.toml_source import is_sqlite_file
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.reports.thoughts import Thought, thoughts
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.lock import holder
from parlour.tournament.save.queries import experiment_counts
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import (
    Diverged,
    first_difference,
    raise_if_damaged,
    rebuild,
    transcript_lines,
)


def status(path: Path | None, format: Literal["table", "json"]) -> int:
    """How far a tournament is, and whether a process is at it."""
    chosen_path = chosen(path)
    with Save(chosen_path) as save:
        progress, name, created = save.progress(), save.name, save.created
        spent, control = save.spent(), save.control()
        experiments, experiments_finished = experiment_counts(save)
    body = {
        "save": str(chosen_path),
        "name": name,
        "created": created,
        "state": "finished" if progress.done else "unfinished",
        "pid": None,
        **asdict(progress),
        "experiments": experiments,
        "experiments_finished": experiments_finished,
        **asdict(spent),
        "budget": control.budget,
        "agent_budgets": control.agent_budgets,
    }
    running = holder(chosen_path)
    if running is not None:
        body |= {"state": "running", "pid": running.get("pid")}
        with suppress(ControlFailed, BadSave):  # it may end at this very moment
            running_status = ask_runner(chosen_path, {"do": "status"})
            body |= running_status.model_dump(mode="json", exclude={"stepped", "refused"})
    elif not progress.done:
        body["stopped_because"] = stopped_because(chosen_path, progress)
        body["failed"] = last_words(chosen_path)
    if format == "json":
        print(json.dumps(body, indent=2))
    else:
        width = max(map(len, body))
        for key, value in body.items():
            print(f"{key:{width}} {_plain(value)}")
    return 0


def _plain(value: object) -> str:
    """A value of the status for people."""
    if value is None:
        return "–"
    if isinstance(value, list):
        return clean("; ".join(map(str, value))) or "–"
    if isinstance(value, dict) and all(isinstance(why, str) for why in value.values()):
        return clean("; ".join(f"match {n}: {why}" for n, why in value.items())) or "–"
    if isinstance(value, dict) and all(isinstance(cap, float) for cap in value.values()):
        return clean("; ".join(f"{name}: {cap:g}" for name, cap in value.items()))
    if isinstance(value, dict) and all(isinstance(person, dict) for person in value.values()):
        return clean("; ".join(_person(name, person) for name, person in value.items()))
    if isinstance(value, dict):  # who is waited for
        shown = [
            f"match {number}: {', '.join(player(seat) for seat in seats)}"
            for number, seats in list(value.items())[:5]
        ]
        return "; ".join(shown) + (f" and {len(value) - 5} more" if len(value) > 5 else "") or "–"
    return clean(str(value))


def _person(name: str, now: dict[str, Any]) -> str:
    """Whether somebody sits at a person's seat, and how much that person is asked."""
    sits = "somebody sits there" if now["taken"] else "nobody sits there"
    return f"{name}: {counted(len(now['asks']), 'seat')} asked, {sits}"


def leaderboard(
    path: Path | None, by: By, format: str, out: Path | None, without_faults: bool
) -> int:
    """The leaderboard, on the screen or into a file."""
    with Save(chosen(path)) as save:
        board = current_leaderboard(save, without_faults=without_faults)
    if format == "table" and out is None:
        print_leaderboard(board, by)
        return 0
    forms = {"json": as_json, "csv": as_csv, "md": as_markdown, "latex": as_latex}
    text = forms.get(format, as_markdown)(board, by)
    write(text, out)
    return 0


def head_to_head(path: Path | None, game: str | None, format: str, out: Path | None) -> int:
    """Who won how much against whom, on the screen or into a file."""
    if game is not None:
        find_game(game, "--game")
    with Save(chosen(path)) as save:
        found = matrices.matrix(current_leaderboard(save), game)
    if format == "table" and out is None:
        print_matrix(found)
        return 0
    write(matrices.FORMS.get(format, matrices.as_markdown)(found), out)
    return 0


def write(text: str, out: Path | None) -> None:
    """Prints a text, or writes it to a file; BadInput if it cannot be written, or is a save."""
    if out is None:
        sys.stdout.write(text)
        return
    fix = "choose another place with --out"
    if out.is_file() and is_sqlite_file(out):
        raise BadInput(str(out), "is a save and would be lost", fix)
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(str(out), f"cannot be written ({error.strerror})", fix) from None
    print(f"Written: {out}")


def measures(
    path: Path, game: str | None, format: Literal["json", "csv"], without_faults: bool
) -> int:
    """Every measure as tidy rows; whole numbers stay whole."""
    if game is not None:
        find_game(game, "--game")
    with Save(path) as save, raise_if_damaged(save):
        records = save.records()
        if without_faults:
            records = [record for record in records if not record.faulty]
        rows = all_measures(records)
    if game is not None:
        rows = [row for row in rows if row.game == game]
    tidy = [{key: _whole(value) for key, value in asdict(row).items()} for row in rows]
    if format == "json":
        print(json.dumps(tidy, indent=1, allow_nan=False))
        return 0
    titles = [field.name for field in fields(Row)]
    sys.stdout.write(csv_table(titles, (row.values() for row in tidy)))
    return 0


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def check(path: Path) -> int:
    """Replays every match and compares; 1 and the first difference if there is any."""
    with Save(path) as save:
        difference = first_difference(save)
        progress = save.progress()
    if difference is not None:
        print(f"parlour: {path}: {difference}", file=sys.stderr)
        return 1
    counts = f"{counted(progress.matches, 'match')}, {counted(progress.answers, 'answer')}"
    print(f"{path}: {counts}: all as stored")
    return 0


def replay(path: Path, number: int, seat: int | None, thoughtful: bool = False) -> int:
    """What happened in one match, everything or what one player saw; at wish what they thought."""
    with Save(path) as save:
        match = save.match(number)
        answers = save.answers_of(number)
        try:
            table = rebuild(save.tournament, match, answers)
        except Diverged as difference:
            raise BadInput(str(path), str(difference), "see `parlour check`") from None
    if seat is not None and seat > len(table.seats):
        fix = f"the match has players 1 to {len(table.seats)}"
        raise BadInput("--as", f"there is no Player {seat}", fix)
    for line in transcript_lines(match, table, None if seat is None else Seat(seat - 1)):
        print(line)
    if thoughtful:
        noted = thoughts(answers, len(table.seats))
        for which in table.seats if seat is None else (Seat(seat - 1),):
            for line in _thoughts(noted, match.agents, which):
                print(line)
    return 0


def _thoughts(noted: list[Thought], agents: Sequence[str], seat: Seat) -> Iterator[str]:
    """What one player of a match thought, as on the screen of thoughts."""
    from parlour.tui.views import beliefs

    yield ""
    yield f"Thoughts of {player(seat)} ({agents[seat]})"
    own = [each for each in noted if each.seat == seat]
    if not own:
        yield beliefs.NOTHING
    elif any(each.beliefs for each in own):
        yield from (line.plain.rstrip() for line in beliefs.heat(own, agents, seat, 0, sys.maxsize))
    yield from (line.plain for line in beliefs.words(own, seat))
