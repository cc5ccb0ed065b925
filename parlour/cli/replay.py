"""The command `replay`."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.metadata import version
from itertools import zip_longest
from operator import itemgetter
from pathlib import Path
from shlex import quote
from typing import Any, Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as TextTable
from rich.text import Text

from parlour.cli.console_tables import console, print_note
from parlour.cli.options import was_given
from parlour.cli.output import find_save, refuse_target, safe_print
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.transcript import lines_of
from parlour.tournament.reports.prompts import Exchange, reading
from parlour.tournament.reports.thoughts import thoughts as thoughts_of
from parlour.tournament.save.growing.fork import origin_of, parted, replayed
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import (
    Diverged,
    not_replayable,
    reason_of_fault,
    rebuild,
    transcript_lines,
)
from parlour.tournament.save.rows import StoredAnswer, StoredMatch


def _file(words: str) -> Any:
    return typer.Option(metavar="FILE", help=f"Write {words}.", dir_okay=False)


def replay(
    context: typer.Context,
    save: Path | None = None,
    *,
    match: int,
    seat: str | None = None,
    thoughts: bool = False,
    prompts: bool = False,
    ask: int | None = None,
    try_: int | None = None,
    format: Literal["text", "json"] = "text",
    html: Path | None = None,
    svg: Path | None = None,
    cast: Path | None = None,
    force: bool = False,
) -> int:
    """Print what happened in a match, or exactly what models were sent and wrote in it."""
    path = find_save(save)
    if (html, svg, cast) != (None, None, None):
        for file in filter(None, (html, svg, cast)):
            refuse_target(file, force)
        _write(path, match, html, svg, cast)
        return 0
    with Save(path) as opened:
        stored = opened.match(match)
        answers = opened.answers_of(match)
        viewer = None if seat is None else _seat_named(seat, stored.agents)
        if prompts:
            if thoughts:
                raise BadInput("--thoughts", "cannot be combined with --prompts", "leave one out")
            return print_prompts(opened, stored, answers, ask, viewer, try_, format)
        for option in ("ask", "try_", "format"):
            if was_given(context, option):
                raise BadInput(f"--{option.rstrip('_')}", "is for --prompts", "add --prompts")
        try:
            table = rebuild(opened.tournament, stored, answers)
        except Diverged as difference:
            raise not_replayable(path, difference) from None
    shown = table.seats if viewer is None else (viewer,)
    for line in transcript_lines(stored, table, viewer, answers):
        safe_print(line)
    if thoughts:
        from parlour.tui.views.beliefs import on_paper

        noted = thoughts_of(answers, len(table.seats))
        for each in shown:
            for line in ("", *on_paper(noted, stored.agents, each)):
                safe_print(line)
    return 0


def _write(path: Path, match: int, html: Path | None, svg: Path | None, cast: Path | None) -> None:
    """Writes a match as the files that are wanted."""
    from parlour.site.told import replay_page, replay_picture

    for file, content in (
        (html, partial(replay_page, path, match, version("parlour"))),
        (svg, partial(replay_picture, path, match)),
        (cast, partial(_recording, path, match)),
    ):
        if file is not None:
            made = content()
            try:
                file.write_bytes(made)
            except OSError as error:
                fix = "name another file"
                raise BadInput(str(file), f"cannot be written ({error.strerror})", fix) from None
            safe_print(f"Written: {file} ({len(made) / 1e3:,.0f} kB)")


def _recording(path: Path, match: int) -> bytes:
    from parlour.tui.models.save_view import view_of_match
    from parlour.tui.views.recording import recording

    watched, focus = view_of_match(path, match)
    try:
        return recording(watched, focus).encode()
    finally:
        watched.close()


def _seat_named(name: str, agents: Sequence[str]) -> Seat:
    """The seat of a player's number, or of an agent in one seat. BadInput for any other name."""
    if name.isdecimal() and 1 <= int(name) <= len(agents):
        return Seat(int(name) - 1)
    seats = [seat for seat, agent in enumerate(agents) if agent == name]
    if len(seats) == 1:
        return Seat(seats[0])
    players = ", ".join(f"{seat} ({agent})" for seat, agent in enumerate(agents, 1))
    problem = f"{name} has {len(seats)} seats" if seats else f"there is no player {name}"
    raise BadInput("--as", problem, f"the match has players {players}")


def print_fork(path: Path) -> None:
    """Prints a fork beside the match that it comes from, from where the two part."""
    with Save(path) as forked:
        origin = forked.tournament.fork
        assert origin is not None
        own = list(lines_of(replayed(forked, 1), forked.match(1).agents))
    with Save(origin_of(path, origin)) as save:
        names = save.match(origin.match).agents
        first = list(lines_of(replayed(save, origin.match), names))
    # Seating lines differ where the seat was handed on; play begins after them.
    seats = len(names)
    shared, before, after = parted(first[seats:], own[seats:])
    for line in [*own[:seats], *shared]:
        safe_print(line)
    if not before and not after:
        safe_print(f"The fork went like match {origin.match} of {origin.save}.")
        return
    columns = TextTable(expand=True, pad_edge=False, box=SIMPLE_HEAD)
    columns.add_column(Text(f"match {origin.match} of {origin.save}"), ratio=1)
    columns.add_column(Text("the fork"), ratio=1)
    for left, right in zip_longest(before, after, fillvalue=""):
        columns.add_row(Text(left), Text(right))
    console().print(columns)


def print_prompts(
    save: Save,
    match: StoredMatch,
    answers: Sequence[StoredAnswer],
    ask: int | None,
    seat: Seat | None,
    try_: int | None,
    format: str,
) -> int:
    """Prints the asks of a match, or exact prompts and answers. Returns the exit code."""
    with reading(save) as prompts:
        exchanges = list(prompts.of_match(match.number, ask))
    if ask is None and format == "text":
        for line in _asks(answers, match.agents, exchanges):
            safe_print(line)
        _note_no_model(exchanges)
        return 0
    chosen = [
        each
        for each in exchanges
        if seat in {None, each.call.seat} and try_ in {None, each.call.try_}
    ]
    called = {(each.call.seat, each.call.try_) for each in chosen}
    others = [
        answer
        for answer in answers
        if answer.ask == ask and seat in {None, answer.seat} and try_ in {None, answer.tries}
    ]
    kinds = {answer.ask: answer.kind for answer in answers}
    shown = [(each.call.seat, _lines(each, kinds)) for each in chosen]
    uncalled = [each for each in others if (each.seat, each.tries) not in called]
    shown += [(each.seat, _last_try(each, match.agents)) for each in uncalled]
    if not (chosen if format == "json" else shown):
        fix = f"list them: parlour replay {quote(str(save.path))} {match.number} --prompts"
        raise BadInput(str(save.path), "has no such call", fix)
    if format == "json":
        print(json.dumps([each.as_record() for each in chosen], indent=2))
        return 0
    for _seat, lines in sorted(shown, key=itemgetter(0)):
        for line in lines:
            safe_print(line)
    _note_no_model(exchanges)
    return 0


def _note_no_model(exchanges: Sequence[Exchange]) -> None:
    if not exchanges:
        print_note("No model was asked, so there are no prompts.")


def _last_try(answer: StoredAnswer, agents: Sequence[str]) -> Iterator[str]:
    """Yields the last try of an answer without a call; the fallback stands for a faulty one."""
    yield (
        f"=== match {answer.match}, ask {answer.ask} ({answer.kind}),"
        f" {player(answer.seat)} ({agents[answer.seat]}), try {answer.tries}"
    )
    if answer.fault is not None:
        yield f"--- fault: {answer.fault}: {reason_of_fault(answer)}"
    yield "--- answer" if answer.fault is None else "--- used in its place"
    yield answer.value


def _asks(
    answers: Sequence[StoredAnswer], agents: Sequence[str], exchanges: Sequence[Exchange]
) -> Iterator[str]:
    """Yields a line for each ask and player, with the calls of models."""
    kinds = {answer.ask: answer.kind for answer in answers}
    given = {(answer.ask, answer.seat): answer for answer in answers}
    calls_of: dict[tuple[int, Seat], list[Exchange]] = {place: [] for place in given}
    for each in exchanges:
        calls_of.setdefault((each.call.ask, each.call.seat), []).append(each)
    for (ask, seat), calls in sorted(calls_of.items()):
        answer = given.get((ask, seat))
        line = f"ask {ask} ({kinds.get(ask, 'not answered')}): {player(seat)} ({agents[seat]})"
        if calls:
            most = max(answer.tries if answer else 0, *(each.call.try_ for each in calls))
            line += f", tries {most}, calls {len(calls)}"
        if answer is not None and answer.fault is not None:
            line += f", fault: {answer.fault}"
        if unverified := sum(each.problem is not None for each in calls):
            line += f", {unverified} not verified"
        yield line


def _lines(each: Exchange, kinds: dict[int, str]) -> Iterator[str]:
    """Yields one exchange as text."""
    call = each.call
    yield (
        f"=== match {call.match}, ask {call.ask} ({kinds.get(call.ask, 'not answered')}),"
        f" {player(call.seat)} ({', '.join(filter(None, (call.agent, call.model)))}),"
        f" try {call.try_}, call {call.number}, attempt {call.attempt}"
    )
    for part in each.parts():
        yield f"--- {part.title}"
        if part.text:
            yield part.text
