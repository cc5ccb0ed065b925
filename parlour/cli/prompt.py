"""The command `prompt`."""

import json
from collections.abc import Iterator
from shlex import quote
from typing import Annotated, Literal, Optional

import typer

from parlour.cli.options import NewestSave
from parlour.cli.output import find_save, safe_print
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat, player
from parlour.tournament.reports.prompts import Exchange, reading
from parlour.tournament.save.reader import Save

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
        kinds = {answer.ask: answer.kind for answer in opened.answers_of(match)}
        exchanges = list(prompts.of_match(match, ask))
    if not exchanges and ask is None:
        raise BadInput(str(path), f"match {match} has no call of a model", "name another match")
    if ask is None and format == "text":
        for line in _asks(exchanges, kinds):
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


def _asks(exchanges: list[Exchange], kinds: dict[int, str]) -> Iterator[str]:
    """Yields a line for each ask and player that a model answered."""
    counts: dict[tuple[int, Seat, str], list[Exchange]] = {}
    for each in exchanges:
        counts.setdefault((each.call.ask, each.call.seat, each.call.agent), []).append(each)
    for (ask, seat, agent), calls in counts.items():
        tries = max(each.call.try_ for each in calls)
        unverified = sum(each.problem is not None for each in calls)
        note = f", {unverified} not verified" if unverified else ""
        kind = kinds.get(ask, "not answered")
        counted = f"tries {tries}, calls {len(calls)}{note}"
        yield f"ask {ask} ({kind}): {player(seat)} ({agent}), {counted}"


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
