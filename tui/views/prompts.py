"""One call of a model in lines: what it was sent, and what it wrote."""

import json
from collections.abc import Iterator

from rich.text import Text

from parlour.games.common.text import clean
from parlour.tournament.reports.prompts import Exchange
from parlour.tui.text import BOLD, DIM, WARN


def exchange_lines(exchange: Exchange) -> list[Text]:
    """The lines of one exchange, without control characters."""
    return list(_lines(exchange))


def _lines(exchange: Exchange) -> Iterator[Text]:
    call, request = exchange.call, exchange.request
    if exchange.problem is None:
        yield Text("✓ verified: the same fingerprint as the request that was sent", DIM)
    else:
        yield from _written(f"✗ not verified: {exchange.problem}", WARN)
    for role, text in request.messages if request else ():
        yield Text(role, BOLD)
        yield from _written(text)
    if request is not None:
        form = json.dumps(request.response_format(), ensure_ascii=False)
        yield from _written(f"response format: {form}", DIM)
    yield from _written(f"parameters: {call.parameters}", DIM)
    if call.failure is not None:
        yield from _written(f"no answer: {call.failure}, {call.message}", WARN)
        return
    if call.thinking:
        yield Text("thinking", BOLD)
        yield from _written(call.thinking, DIM)
    yield Text(f"answer ({clean(call.finish or 'stop')})", BOLD)
    yield from _written(call.text or "")
    if exchange.fault is not None:
        yield from _written(f"fault: {exchange.fault}", WARN)


def _written(text: str, style: str = "") -> Iterator[Text]:
    """Yields text of others line by line."""
    for line in clean(text, len(text)).splitlines() or [""]:
        yield Text(line, style)
