"""The prompts screen: what a model was sent for one call of a match, and what it wrote."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from parlour.games.common.text import clean, one_line
from parlour.tournament.reports.prompts import Exchange, ExchangePart, reading
from parlour.tournament.save.reader import Save
from parlour.tui.clipboard import copy
from parlour.tui.look.cast import Cast, ShownIdentity
from parlour.tui.look.look import Look, fit, wrapped
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.views.header import header_lines, scrubber
from parlour.tui.views.match_words import game_title
from parlour.tui.views.states import centred
from parlour.tui.widgets.drawn import DrawnLines
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.talk_pane import TalkPane

WORD = "Prompts"
NONE = "No model was called in this match. Esc goes back."
PAPER = 100
"""Columns of a call in a file."""


def prompts_header(
    look: Look, game: str, match: int, at: int, count: int, width: int
) -> list[Text]:
    """The match, the place of the call among all, and a line with a sign for each call."""
    palette = look.palette
    left = Text(one_line(game), f"bold {palette.text}")
    left.append(f" · match {match}", palette.soft)
    right = Text(f"call {at + 1} of {count}" if count else "no calls", palette.text)
    line = scrubber(look, range(count), at, width) if count else None
    return header_lines(look, WORD, left, right, width, line)


def call_title(look: Look, each: Exchange | None, people: Sequence[ShownIdentity]) -> Text:
    """The seat that was asked, and which of its calls it is; ``people`` are those of the seats."""
    if each is None:
        return look.title("", "Calls")
    title = Text(no_wrap=True)
    if each.call.seat in range(len(people)):
        title.append_text(look.person(people[each.call.seat], speaks=True))
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


def _lines(part: ExchangePart, look: Look, width: int) -> Iterator[Text]:
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


class PromptsScreen(ParlourScreen):
    """One call after another: messages, response format, parameters, answer and fault."""

    TITLE = "Prompts"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,n", "go(1)", "Next call", id="prompts.next"),
        Binding("left,h,p", "go(-1)", "Previous call", id="prompts.previous"),
        Binding("e", "export", "Export", id="prompts.export"),
        Binding("escape,b", "back", "Back", id="prompts.back"),
    ]

    def __init__(
        self, path: Path, number: int, ask: int | None = None, faulty: bool = False
    ) -> None:
        """Starts at the last call up to ``ask``, or at the last ``faulty`` one.

        Raises BadSave if the match cannot be read.
        """
        super().__init__()
        self._path, self._number = path, number
        with Save(path) as save, reading(save) as prompts:
            self._match = save.match(number)
            self._game = save.tournament.games[self._match.entry].game
            self._agents = [agent.name for agent in save.tournament.agents]
            self._exchanges: list[Exchange] = list(prompts.of_match(number))
        before = [
            at for at, each in enumerate(self._exchanges) if ask is None or each.call.ask <= ask
        ]
        faults = [at for at in before if self._exchanges[at].fault is not None]
        self._lacks_fault = faulty and not faults
        self._at = ((faults if faulty else before) or before or [0])[-1]

    def compose(self) -> ComposeResult:
        """Yields the header and the call in one pane."""
        yield DrawnLines(id="header", height=2)
        yield TalkPane(self._lines, id="prompt", follows=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Shows the call."""
        self.query_one("#prompt").focus()
        self.paint(reset=True)
        if self._lacks_fault:
            self.say("No answer of a model was faulty up to here.")

    @property
    def _shown(self) -> Exchange | None:
        """The call that is shown, None in a match without any."""
        return self._exchanges[self._at] if self._exchanges else None

    def paint(self, *, reset: bool = False) -> None:
        """Shows the call."""
        look, of = self.look, (self._number, self._at, len(self._exchanges))
        header = prompts_header(look, game_title(look, self._game), *of, self.size.width)
        self.query_one("#header", DrawnLines).show(header)
        pane = self.query_one("#prompt", TalkPane)
        people = Cast(self._agents, look.palette).seats(self._match.agents)
        pane.set_title(call_title(look, self._shown, people))
        pane.show(reset=reset)

    def _lines(self, width: int, height: int) -> list[Text]:
        if self._shown is None:
            return centred(self.look, [NONE], width, height)
        return exchange_lines(self._shown, self.look, width)

    def action_go(self, by: int) -> None:
        """Goes to the next or previous call."""
        at = self._at + by
        if not 0 <= at < len(self._exchanges):
            edge = "This is the last call." if by > 0 else "This is the first call."
            self.say(edge if self._exchanges else "No model was called in this match.")
            return
        self._at = at
        self.paint(reset=True)

    def action_export(self) -> None:
        """Writes the call into a file beside the save."""
        if self._shown is None:
            self.say(NONE)
            return
        lines = exchange_lines(self._shown, self.look, PAPER)
        name = f"{self._path.stem}-match-{self._number}-call-{self._at + 1}.txt"
        text = "".join(f"{line.plain.rstrip()}\n" for line in lines)
        self.write(self._path.with_name(name), text)

    def on_talk_pane_copied(self, message: TalkPane.Copied) -> None:
        """Copies a line of the call."""
        self.say(copy(self.app, message.text, self._path))
