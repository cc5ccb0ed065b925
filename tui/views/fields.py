"""Fields of a form as lines: ticks, choices, numbers, texts and buttons, with their labels."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.tui.look.cast import ShownIdentity
from parlour.tui.look.look import Look, fit, flowed, wrapped
from parlour.tui.models.form import (
    Cursor,
    Field,
    Filling,
    FormRow,
    FormRows,
    line_starts,
    player_number,
)

LABEL, ENTRY = 18, 11
"""Columns of a label and of a number."""
ROOM_FOR_HINT = 28
"""Columns of a text from which its hint is beside it."""
OPTIONAL, WIDEST_LABEL = "(optional)", 27


@dataclass(frozen=True, slots=True)
class FieldLook:
    """The look of fields: their width, the cursor (None in a pane without the keys), labels.

    ``digits``: a key chooses each option, which then shows its digit. ``people`` are the players
    as they are drawn; without them each is its number.
    """

    look: Look
    width: int
    at: Cursor | None = None
    label: int = LABEL
    digits: bool = False
    people: Sequence[ShownIdentity] = ()

    def is_at(self, field: Field) -> bool:
        """True for the field that has the keys."""
        return self.at is not None and self.at.path == field.path

    def on(self, field: Field) -> Look:
        """The look on the ground of a field: under the cursor it is another one."""
        return self.look.on_cursor() if self.is_at(field) else self.look

    def sign(self, field: Field) -> Text:
        """The sign at the left of the field that has the keys."""
        sign = self.look.signs.cursor if self.is_at(field) else " "
        return Text().append(sign, f"bold {self.look.palette.accent}")

    def start(self, field: Field) -> Text:
        """The beginning of a line: the sign of the keys, and the box of a tick."""
        line, look = self.sign(field), self.on(field)
        if field.kind == "tick":
            line.append("[", look.palette.faint)
            line.append(look.signs.done if field.content else " ", f"bold {look.palette.accent}")
            line.append("]", look.palette.faint)
        return line

    def heading(self, title: Text | str, right: str = "") -> FormRow:
        """A rule with the title of a section."""
        return FormRow(self.look.rule(self.width, title, Text(right, self.look.palette.faint)))

    def blank(self) -> FormRow:
        """An empty line."""
        return FormRow(fit(Text(), self.width))

    def note(self, words: str, indent: int) -> FormRows:
        """A few words of the program that belong to no field."""
        text = Text(words, self.look.palette.faint)
        return [FormRow(fit(line, self.width)) for line in wrapped(text, self.width, indent)]

    def rows(self, field: Field) -> FormRows:
        """A field with its label."""
        palette = self.on(field).palette
        if field.kind == "tick":
            line = self.start(field).append(f" {one_line(field.label)}", palette.text)
            return [FormRow(fit(line, self.width), field.path)]
        style = f"bold {palette.text}" if self.is_at(field) else palette.soft
        label = [
            Text(style=style).append_text(line)
            for line in wrapped(label_of(field, self.look), self.label)
        ]
        room = max(1, self.width - self.label - 2)
        entry = self._typed(field, room) if field.is_typed else self._options(field, room)
        return self._beside(field, label, self.label, entry)

    def button(self, field: Field, words: Text) -> FormRows:
        """A button with words beside it."""
        palette, here = self.look.palette, self.is_at(field)
        style = f"bold {palette.text} on {palette.cursor}" if here else f"on {palette.raised}"
        left = Text.assemble((f" [ {field.label} ] ", style))
        room = max(1, self.width - left.cell_len - 4)
        right = [FormRow(line) for line in wrapped(words, room)]
        return self._beside(field, [left], left.cell_len + 2, right)

    def _beside(
        self, field: Field, left: Sequence[Text], columns: int, right: FormRows
    ) -> FormRows:
        """Lines of a field: what stands at the left in so many columns, and what at the right."""
        rows: FormRows = []
        for one, row in zip_longest(left, right):
            line = self.start(field).append(" ").append_text(fit(one or Text(), columns))
            line.append_text(row.line if row else Text())
            start, more = (row.start, row.column) if row else (None, 0)
            rows.append(FormRow(fit(line, self.width), field.path, start, columns + 2 + more))
        return rows

    def _options(self, field: Field, room: int) -> FormRows:
        chosen = field.content if isinstance(field.content, int) else None
        options = options_of(field, self.people, self.digits)
        return [FormRow(line) for line in option_lines(options, chosen, self.on(field), room)]

    def _typed(self, field: Field, room: int) -> FormRows:
        """The text on a ground of its own with the caret, as many lines as it needs."""
        palette, text = self.on(field).palette, str(field.content or "")
        text = "".join(sign if sign.isprintable() else " " for sign in text)
        hint = f"  {field.hint}" if field.hint else ""
        columns = room - len(hint) if room >= ROOM_FOR_HINT else room
        if field.kind == "number":
            columns = max(ENTRY, min(columns, len(text) + 3))
        columns = max(3, min(room, columns))
        starts = line_starts(text, columns - 1)
        caret = None
        if self.is_at(field) and self.at is not None:
            caret = len(text) if self.at.caret is None else self.at.caret
        rows: FormRows = []
        for start, end in zip(starts, [*starts[1:], len(text) + 1], strict=True):
            line = Text(" ").append(f"{text[start:end]} ", palette.text)
            if caret is not None and start <= caret < end:
                line.stylize("reverse", caret - start + 1, caret - start + 2)
            if not text:
                line.append(field.unset, palette.faint)
            box = fit(line, columns)
            box.stylize_before(f"on {palette.raised if caret is not None else palette.panel}")
            if hint and not rows and columns + len(hint) <= room:
                box.append(hint, palette.faint)
            rows.append(FormRow(box, None, start, 1))
        return rows


def answer_rows(filling: Filling, look: FieldLook, above: Sequence[Text]) -> FormRows:
    """A form that is filled in: lines above it, its fields with sums, a refusal, its button."""
    rows: FormRows = [FormRow(line) for line in above]
    fields = filling.fields()
    labels = [label_of(field, look.look).cell_len for field in filling.form.fields]
    look = replace(look, label=min(WIDEST_LABEL, max(labels, default=0)) + 1)
    refused, words = filling.refusal
    complaint = Text(f"{look.look.signs.failed} {one_line(words)}", f"bold {look.look.palette.bad}")
    indent = look.label + 2
    for field in fields:
        if field.kind == "button":
            rows += look.button(field, Text() if refused is not None or not words else complaint)
            continue
        rows += look.rows(field)
        if words and field.path == refused:
            below = wrapped(complaint, look.width, indent)
            rows += [FormRow(fit(line, look.width), field.path) for line in below]
        for one in filling.form.sums:
            last = filling.form.last_of(one)
            if last is not None and last.path == field.path:
                total = sum_line(filling.total(one), one.total, look.look)
                rows.append(FormRow(fit(Text(" " * indent).append_text(total), look.width)))
    return rows


def sum_line(total: float | None, wanted: int, look: Look) -> Text:
    """A running sum in words, with what is missing or too much."""
    palette, signs = look.palette, look.signs
    if total is None:
        return Text(f"{signs.failed} not all of them are numbers", palette.bad)
    left = wanted - total
    if left == 0:
        return Text(f"{signs.done} together {wanted}", palette.good)
    rest = f"{left:g} to go" if left > 0 else f"{-left:g} too much"
    line = Text(f"together {total:g} of {wanted}, ", palette.soft)
    return line.append(rest, palette.warn if left > 0 else palette.bad)


def label_of(field: Field, look: Look) -> Text:
    """The label of a field, with a mark where it may stay empty."""
    label = Text(one_line(field.label))
    return label.append(f" {OPTIONAL}", look.palette.faint) if field.optional else label


@dataclass(frozen=True, slots=True)
class Option:
    """An option as drawn: its text, the digit that chooses it, and the number of its player.

    ``who`` is the player as drawn where it has a name of its own, and not its number alone.
    """

    name: str
    digit: int | None = None
    number: int | None = None
    who: ShownIdentity | None = None

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
        line.append_text(look.chip(ShownIdentity(str(self.number), self.name, colour)))
        words = self.name.removeprefix(f"Player {self.number}").strip() if short else self.name
        return line.append(f" {words}" if words else "", style)


def options_of(
    field: Field, people: Sequence[ShownIdentity] = (), digits: bool = True
) -> list[Option]:
    """The options of a choice as drawn; the players among them as ``people`` if there are any."""
    options = []
    for (name, value), digit in zip(field.options, field.digits(), strict=True):
        number = player_number(value) if digits else None
        who = people[number - 1] if number is not None and number <= len(people) else None
        options.append(Option(one_line(name), digit if digits else None, number, who))
    return options


def option_lines(
    options: Sequence[Option], chosen: int | None, look: Look, width: int
) -> list[Text]:
    """Options side by side, as many to a line as fit; players by their chips if that saves lines.

    The chosen option is marked.
    """
    lines: list[Text] = []
    for short in (False, True):
        numbered = enumerate(options)
        drawn = (each.drawn(look, chosen=at == chosen, short=short) for at, each in numbered)
        lines = flowed(drawn, width, 2)
        if len(lines) == 1 or all(option.number is None for option in options):
            break
    return lines
