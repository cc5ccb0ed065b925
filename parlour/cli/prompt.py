"""The command `prompt`."""

import json
from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Annotated, Literal, Optional

import typer

from parlour.cli.options import NewestSave
from parlour.cli.output import find_save, safe_print
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat, player
from parlour.tournament.reports.prompts import Exchange, reading
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredAnswer

# typer reads Optional[...] on every Python, and X | None not on all.
# ruff: noqa: UP045


def prompt(
    save: NewestSave = None,
    match: Annotated[int, typer.Argument(metavar="MATCH", help="The match's number.", min=1)] = ...,  # type: ignore[assignment]
    ask: Annotated[
        Optional[int], typer.Argument(metavar="ASK", help="The ask, from 0.", min=0)
    ] = None,
    seat: Annotated[
        Optional[int], typer.Argument(metavar="SEAT", help="Player SEAT, from 1.", min=1)
    ] = None,
    try_: Annotated[
        Optional[int], typer.Option("--try", metavar="N", help="Only try N, from 1.", min=1)
    ] = None,
    format: Annotated[
        Literal["text", "json"], typer.Option("--format", help="The output format.")
    ] = "text",
) -> int:
    """Print exactly what models were sent in a match, and what they wrote."""
    path = find_save(save)
    with Save(path) as opened, reading(opened) as prompts:
        answers, agents = opened.answers_of(match), opened.match(match).agents
        kinds = {answer.ask: answer.kind for answer in answers}
        exchanges = list(prompts.of_match(match, ask))
    if ask is None and format == "text":
        for line in _asks(answers, agents, exchanges):
            safe_print(line)
        return 0
    chosen = [each for each in exchanges if _is_wanted(each, ask, seat, try_)]
    if not chosen:
        fix = f"list them: parlour prompt {quote(str(path))} {match}"
        raise BadInput(str(path), "has no such call", fix)
    if format == "json":
        print(json.dumps([each.as_record() for each in chosen], indent=2))
        return 0
    for each in chosen:
        for line in _lines(each, kinds):
            safe_print(line)
    return 0


def _is_wanted(each: Exchange, ask: int | None, seat: int | None, try_: int | None) -> bool:
    call = each.call
    return (
        ask in {None, call.ask}
        and (seat is None or call.seat == seat - 1)
        and try_ in {None, call.try_}
    )


def _asks(
    answers: Sequence[StoredAnswer], agents: Sequence[str], exchanges: Sequence[Exchange]
) -> Iterator[str]:
    """Yields a line for each ask and player, with the calls of models."""
    kinds = {answer.ask: answer.kind for answer in answers}
    calls_of: dict[tuple[int, Seat], list[Exchange]] = {
        (answer.ask, answer.seat): [] for answer in answers
    }
    for each in exchanges:
        calls_of.setdefault((each.call.ask, each.call.seat), []).append(each)
    for (ask, seat), calls in sorted(calls_of.items()):
        line = f"ask {ask} ({kinds.get(ask, 'not answered')}): {player(seat)} ({agents[seat]})"
        if calls:
            line += f", tries {max(each.call.try_ for each in calls)}, calls {len(calls)}"
        if unverified := sum(each.problem is not None for each in calls):
            line += f", {unverified} not verified"
        yield line


def _lines(each: Exchange, kinds: dict[int, str]) -> Iterator[str]:
    """Yields one exchange as text."""
    call = each.call
    yield (
        f"=== match {call.match}, ask {call.ask} ({kinds.get(call.ask, 'not answered')}),"
        f" {player(call.seat)} ({call.agent}, {call.model}),"
        f" try {call.try_}, call {call.number}, attempt {call.attempt}"
    )
    for part in each.parts():
        yield f"--- {part.title}"
        if part.text:
            yield part.text
