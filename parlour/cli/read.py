"""Commands that read a save: status, leaderboard, head-to-head, measures, replay, check."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from parlour.cli.console_tables import print_leaderboard, print_matrix
from parlour.cli.safe_print import print
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.common.text import clean
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.registry import find_game
from parlour.games.families.transcript import counted
from parlour.ratings.measures.measures import measures as all_measures
from parlour.ratings.reports import matrix as matrices
from parlour.ratings.reports.leaderboard import By
from parlour.ratings.reports.leaderboard_report import leaderboard_report
from parlour.ratings.reports.measures_report import measures_report
from parlour.ratings.reports.report import Report
from parlour.ratings.reports.writers import WRITERS
from parlour.tournament.control.client import ControlFailed, ask_runner
from parlour.tournament.control.launch import last_words
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.reports.thoughts import Thought, thoughts
from parlour.tournament.save.database import is_database
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import Diverged, first_difference, rebuild, told, trusting

_EXPERIMENTS = """
SELECT count(*), coalesce(sum(over), 0) FROM (
    SELECT min(outcome IS NOT NULL OR frozen IS NOT NULL) AS over FROM matches GROUP BY experiment)
"""
"""How many experiments there are, and of how many every match is over."""


def status(path: Path | None, format: Literal["table", "json"]) -> int:
    """How far a tournament is, and whether a process is at it."""
    chosen_path = chosen(path)
    with Save(chosen_path) as save:
        progress, name, created = save.progress(), save.name, save.created
        spent, control = save.spent(), save.control()
        ((experiments, experiments_finished),) = save.select(_EXPERIMENTS)
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
            body |= ask_runner(chosen_path, {"do": "status"})
    elif not progress.done:
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
    write_report(leaderboard_report(board, by), format, out)
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
    write_report(matrices.matrix_report(found), format, out)
    return 0


def write_report(report: Report, format: str, out: Path | None) -> None:
    """Prints a report, or writes it to a file; a table for people is Markdown there."""
    write(WRITERS.get(format, WRITERS["md"])(report), out)


def write(text: str, out: Path | None) -> None:
    """Prints a text, or writes it to a file; BadInput if it cannot be written, or is a save."""
    if out is None:
        sys.stdout.write(text)
        return
    fix = "choose another place with --out"
    if out.is_file() and is_database(out):
        raise BadInput(str(out), "is a save and would be lost", fix)
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(str(out), f"cannot be written ({error.strerror})", fix) from None
    print(f"Written: {out}")


def measures(
    path: Path, game: str | None, format: Literal["json", "csv"], without_faults: bool
) -> int:
    """Prints every measure as tidy rows."""
    if game is not None:
        find_game(game, "--game")
    with Save(path) as save, trusting(save):
        records = save.records()
        if without_faults:
            records = [record for record in records if not record.faulty]
        rows = all_measures(records)
    if game is not None:
        rows = [row for row in rows if row.game == game]
    write_report(measures_report(rows), format, None)
    return 0


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
        found = save.matches("number = ?", number)
        if not found:
            fix = f"the save has matches 1 to {save.progress().matches}"
            raise BadInput(str(path), f"there is no match {number}", fix)
        match = found[0]
        answers = list(save.answers("match = ?", number))
        try:
            table = rebuild(save.tournament, match, answers)
        except Diverged as difference:
            raise BadInput(str(path), str(difference), "see `parlour check`") from None
    if seat is not None and seat > len(table.seats):
        fix = f"the match has players 1 to {len(table.seats)}"
        raise BadInput("--as", f"there is no Player {seat}", fix)
    for line in told(match, table, None if seat is None else Seat(seat - 1)):
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
