"""The prompts of `parlour replay`: what models were sent, to the byte, and what they wrote."""

import json
from collections.abc import Iterator, Sequence
from shlex import quote

from parlour.cli.output import safe_print
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat, player
from parlour.tournament.reports.prompts import Exchange, reading
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredAnswer, StoredMatch


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
        return 0
    chosen = [
        each
        for each in exchanges
        if seat in {None, each.call.seat} and try_ in {None, each.call.try_}
    ]
    if not chosen:
        fix = f"list them: parlour replay {quote(str(save.path))} {match.number} --prompts"
        raise BadInput(str(save.path), "has no such call", fix)
    if format == "json":
        print(json.dumps([each.as_record() for each in chosen], indent=2))
        return 0
    kinds = {answer.ask: answer.kind for answer in answers}
    for each in chosen:
        for line in _lines(each, kinds):
            safe_print(line)
    return 0


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
