"""One call of a model in lines: what it was sent, and what it wrote."""

from collections.abc import Iterator

from rich.text import Text

from parlour.games.common.text import clean
from parlour.tournament.reports.prompts import Exchange, Part
from parlour.tui.text import BOLD, DIM, WARN

STYLES = {"check": DIM, "problem": WARN, "message": BOLD, "detail": DIM}


def exchange_lines(exchange: Exchange) -> list[Text]:
    """The lines of one exchange, without control characters."""
    lines: list[Text] = []
    for part in exchange.parts():
        lines += _lines(part)
    return lines


def _lines(part: Part) -> Iterator[Text]:
    signs = {"check": "✓ ", "problem": "✗ "}
    for line in _cleaned(signs.get(part.kind, "") + part.title):
        yield Text(line, STYLES[part.kind])
    if part.kind == "message":
        for line in _cleaned(part.text):
            yield Text(line)


def _cleaned(text: str) -> list[str]:
    return clean(text, len(text)).splitlines() or [""]
