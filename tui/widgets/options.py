"""A choice of a form: options side by side, chosen by arrows or digits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from parlour.games.common.text import one_line
from parlour.tui.look.cast import Identity
from parlour.tui.look.look import Look
from parlour.tui.models.form import FormField, player_number

NEXT_FIELD = Binding("down", "app.focus_next", "Next field", show=False, id="seat.next_entry")
FIELD_BEFORE = Binding(
    "up", "app.focus_previous", "Previous field", show=False, id="seat.entry_before"
)


@dataclass(frozen=True, slots=True)
class Option:
    """An option as drawn: its text, the digit that chooses it, and the number of its player.

    ``who`` is the player as drawn where it has a name of its own, and not its number alone.
    """

    name: str
    digit: int | None = None
    number: int | None = None
    who: Identity | None = None

    def drawn(self, look: Look, *, chosen: bool, short: bool) -> Text:
        """The option with its mark; a ``short`` player is a chip alone, but for oneself."""
        palette, signs = look.palette, look.signs
        ground = f" on {palette.raised}" if chosen else ""
        style = f"bold {palette.text}{ground}" if chosen else palette.soft
        mark = signs.chosen if chosen else signs.other
        line = Text(no_wrap=True).append(
            mark, f"bold {palette.accent}" if chosen else palette.faint
        )
        line.append(" ", "")
        has_chip_of_digit = self.number is not None and self.who is None
        if not has_chip_of_digit and self.digit is not None and self.name != str(self.digit):
            line.append(f"{self.digit} ", f"bold {palette.accent}{ground}")
        if self.who is not None:
            name = "" if short else f" {self.who.name}"
            return line.append_text(look.chip(self.who)).append(name, style)
        if self.number is None:
            return line.append(self.name, style)
        colour = palette.person(self.number - 1)
        line.append_text(look.chip(Identity(str(self.number), self.name, colour)))
        words = self.name.removeprefix(f"Player {self.number}").strip() if short else self.name
        return line.append(f" {words}" if words else "", style)


def options_of(field: FormField, people: Sequence[Identity] = ()) -> list[Option]:
    """The options of a choice as drawn; the players among them as ``people`` if there are any."""
    options = []
    for (name, value), digit in zip(field.options, field.digits(), strict=True):
        number = player_number(value)
        who = people[number - 1] if number is not None and number <= len(people) else None
        options.append(Option(one_line(name), digit, number, who))
    return options


def option_lines(
    options: Sequence[Option], chosen: int | None, look: Look, width: int
) -> list[Text]:
    """Options side by side, as many to a line as fit; players by their chips if that saves lines.

    The chosen option is marked.
    """
    lines = _flowed(options, chosen, look, width, short=False)
    if len(lines) > 1 and any(option.number is not None for option in options):
        return _flowed(options, chosen, look, width, short=True)
    return lines


def _flowed(
    options: Sequence[Option], chosen: int | None, look: Look, width: int, *, short: bool
) -> list[Text]:
    lines = [Text(no_wrap=True)]
    for index, option in enumerate(options):
        text = option.drawn(look, chosen=index == chosen, short=short)
        if lines[-1] and lines[-1].cell_len + 2 + text.cell_len > width:
            lines.append(Text(no_wrap=True))
        lines[-1].append("  " if lines[-1] else "").append_text(text)
    return lines


async def run_now(widget: Widget, event: Key) -> None:
    """Runs the action of a widget's key before the next key is handled.

    Textual would first pass the key up to the app, and letters typed after it would be inserted
    before its action runs.
    """
    active = widget.screen.active_bindings.get(event.key)
    if active is not None and active.node is widget and active.enabled:
        await widget.run_action(active.binding.action)
        event.stop()
        event.prevent_default()


class Options(Widget, can_focus=True):
    """A choice by left and right, or by digits."""

    DEFAULT_CSS = "Options { height: auto; width: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "turn(1)", "Next option", show=False, id="seat.next_option"),
        Binding("left,h", "turn(-1)", "Previous option", show=False, id="seat.option_before"),
        *(
            Binding(str(n), f"take({n})", f"Take option {n}", show=False, id=f"seat.option{n}")
            for n in range(10)
        ),
        NEXT_FIELD,
        FIELD_BEFORE,
    ]
    chosen: reactive[int | None] = reactive(None)

    class Changed(Message):
        """Another option was chosen."""

    def __init__(
        self,
        field: FormField,
        chosen: int | None,
        look: Look,
        id: str,
        people: Sequence[Identity] = (),
    ) -> None:
        super().__init__(id=id)
        self._options, self._look = options_of(field, people), look
        self.set_reactive(Options.chosen, chosen)

    def render(self) -> RenderResult:
        """The options side by side."""
        lines = option_lines(self._options, self.chosen, self._look, self.size.width)
        return Text("\n").join(lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines that the options take."""
        return len(option_lines(self._options, self.chosen, self._look, width))

    def watch_chosen(self) -> None:
        """Posts that another option was chosen."""
        self.post_message(self.Changed())

    async def on_key(self, event: Key) -> None:
        """Chooses before the next key is handled.

        In a burst of keys Enter may have moved the focus on already, so keys of this field are
        accepted after it too.
        """
        if self.screen.focused is self:
            await run_now(self, event)
        elif (action := _CHOOSE.get(event.key)) is not None:
            await self.run_action(action)
            event.stop()
            event.prevent_default()

    def action_turn(self, by: int) -> None:
        """Chooses the next or previous option; the first or last if none is chosen."""
        last = len(self._options) - 1
        if self.chosen is None:
            self.chosen = 0 if by > 0 else last
        else:
            self.chosen = max(0, min(last, self.chosen + by))

    def action_take(self, digit: int) -> None:
        """Chooses the option with that digit, if there is one."""
        digits = [option.digit for option in self._options]
        if digit in digits:
            self.chosen = digits.index(digit)


def _actions_by_key() -> dict[str, str]:
    actions: dict[str, str] = {}
    for binding in Options.BINDINGS:
        if isinstance(binding, Binding):
            actions |= dict.fromkeys(binding.key.split(","), binding.action)
    return actions


_CHOOSE = _actions_by_key()
