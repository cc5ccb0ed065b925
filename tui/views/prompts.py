"""One call of a model in lines: what it was sent, and what it wrote."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from parlour.games.common.text import clean, one_line
from parlour.tournament.reports.prompts import Exchange, Part
from parlour.tui.look.cast import Identity
from parlour.tui.look.look import Look, fit, wrapped
from parlour.tui.views.header import header_lines, scrubber

WORD = "Prompts"
NONE = "No model was called in this match. Esc goes back."


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of a match, and the one that is shown; ``people`` are those of the seats."""

    game: str
    match: int
    people: Sequence[Identity]
    exchanges: Sequence[Exchange]
    at: int = 0

    @property
    def shown(self) -> Exchange | None:
        """The call that is shown, None in a match without any."""
        return self.exchanges[self.at] if self.exchanges else None


def prompts_header(calls: Calls, look: Look, width: int) -> list[Text]:
    """The match, the place of the call among all, and a line with a sign for each call."""
    palette, count = look.palette, len(calls.exchanges)
    left = Text(one_line(calls.game), f"bold {palette.text}")
    left.append(f" · match {calls.match}", palette.soft)
    right = Text(f"call {calls.at + 1} of {count}" if count else "no calls", palette.text)
    line = scrubber(look, range(count), calls.at, width) if count else None
    return header_lines(look, WORD, left, right, width, line)


def call_title(calls: Calls, look: Look) -> Text:
    """The seat that was asked, and which of its calls it is."""
    each = calls.shown
    if each is None:
        return look.title("", "Calls")
    title = Text(no_wrap=True)
    if each.call.seat in range(len(calls.people)):
        who = calls.people[each.call.seat]
        title.append_text(look.chip(who)).append(" ").append_text(look.name(who, speaks=True))
    else:
        title.append(one_line(each.call.agent), f"bold {look.palette.text}")
    words = f" · ask {each.call.ask}, try {each.call.try_}, call {each.call.number}"
    return title.append(words, look.palette.soft)


def exchange_lines(exchange: Exchange, look: Look, width: int) -> list[Text]:
    """The parts of an exchange, each below its title, without control characters."""
    lines: list[Text] = []
    for part in exchange.parts():
        lines += _lines(part, look, width)
    return [fit(line, width) for line in lines]


def _lines(part: Part, look: Look, width: int) -> Iterator[Text]:
    palette, signs = look.palette, look.signs
    if part.kind == "check":
        yield from _wrapped(f"{signs.done} {part.title}", palette.good, width, 2)
    elif part.kind == "problem":
        yield from _wrapped(f"{signs.failed} {part.title}", f"bold {palette.bad}", width, 2)
    elif part.kind == "detail":
        title, _, text = part.title.partition(": ")
        yield Text()
        yield _rule(title, look, width)
        yield from _wrapped(text, palette.soft, width)
    else:
        yield Text()
        yield _rule(part.title, look, width)
        yield from _wrapped(part.text, palette.text, width)


def _rule(title: str, look: Look, width: int) -> Text:
    words = Text(one_line(title), f"bold {look.palette.accent}")
    return look.rule(width, fit(words, max(1, min(words.cell_len, width - 5))))


def _wrapped(text: str, style: str, width: int, hanging: int = 0) -> Iterator[Text]:
    """Yields a text wrapped line by line; lines below the first of each hang by so many columns."""
    for part in clean(text, len(text)).splitlines() or [""]:
        room = max(1, width - hanging)
        for number, line in enumerate(wrapped(Text(part, style), room)):
            yield line if number == 0 else Text(" " * hanging).append_text(line)
