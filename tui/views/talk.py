"""The talk of a match as a conversation: its lines, its cast, and the newest of it in brief."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from rich.text import Text

from parlour.games.engine.events import Event
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.talk import (
    Action,
    Aside,
    Ballot,
    Ending,
    FaultLine,
    Heading,
    Note,
    Said,
    Secret,
    TalkItem,
)
from parlour.games.engine.transcript import sentence, transcript
from parlour.tui.look.look import fit, wrapped
from parlour.tui.text import one_line
from parlour.tui.views.scene import Scene
from parlour.tui.views.talk_blocks import block_lines, blocks
from parlour.tui.views.talk_items import Page

ROOMY_WIDTH, ROOMY_HEIGHT = 56, 38
"""The size from which a blank line stands between two speakers."""
T = TypeVar("T")


def talk_lines(scene: Scene, width: int, height: int, *, why: bool = True) -> list[Text]:
    """The conversation of a match, each line exactly ``width`` columns wide.

    There are more lines than ``height`` where the conversation needs them. ``why`` shows private
    reasons.
    """
    page = Page(scene, width, why)
    roomy = width >= ROOMY_WIDTH and height >= ROOMY_HEIGHT
    lines = drawn(scene, lambda items: _joined(page, items, roomy)) or []
    further, trouble = waiting_lines(page), trouble_lines(page)
    if trouble and (lines or further):
        further.append(Text())
    return [*lines, *(fit(line, width) for line in [*further, *trouble])]


def drawn(scene: Scene, draw: Callable[[Sequence[TalkItem]], T]) -> T | None:
    """A drawing of the conversation as its viewer sees it; None if the match has no table.

    Where the game has no talk, or one that cannot be drawn, the sentences of the events stand in:
    a game's code is not trusted to fit every match.
    """
    table = scene.focus.table
    if table is None:
        return None
    events = table.so_far if scene.viewer is None else scene.events
    try:
        items = table.game.talk(table.seats, events, scene.outcome)
        if items:
            return draw(items)
    except Exception:  # a game of another package can raise anything
        pass
    return draw(tuple(_sentences(scene, events)))


def _joined(page: Page, items: Sequence[TalkItem], roomy: bool) -> list[Text]:
    """The lines of all blocks, with blank lines between those that stand apart."""
    lines: list[Text] = []
    blank = fit(Text(), page.width)
    previous: TalkItem | None = None
    for block in blocks(items):
        if previous is not None and _apart(previous, block[0], roomy):
            lines.append(blank)
        lines += block_lines(page, block)
        previous = block[0]
    return lines


def _sentences(scene: Scene, events: Sequence[Event]) -> Iterator[TalkItem]:
    """Yields the events in the words of a transcript, and the ending."""
    table, round = scene.focus.table, 0
    assert table is not None
    for event in transcript(table.game, events):
        if event.round != round:
            round = event.round
            yield Heading(f"round {round}")
        speaker = event.record.get("speaker") if event.by is None else event.by
        who, _, words = sentence(table.game, event).partition(": ")
        if type(speaker) is int and speaker in range(len(scene.people)):
            words = words.removeprefix(f"{player(speaker)} ")
            kind = FaultLine if event.fault is not None else Action
            yield kind(Seat(speaker), words)
        elif event.to:
            yield Secret(words, event.to)
        else:
            yield Note(words or who)
    if scene.outcome is not None:
        ending = scene.outcome.ending
        yield Ending(table.game.texts.endings.get(ending, ending))


def _apart(previous: TalkItem, item: TalkItem, roomy: bool) -> bool:
    """True if a blank line stands between two blocks."""
    if isinstance(item, Heading | Ballot | Ending):
        return True
    after_speaker = isinstance(previous, Said) and previous.about is None and bool(previous.text)
    return roomy and after_speaker and isinstance(item, Said | Aside | FaultLine)


def waiting_lines(page: Page) -> list[Text]:
    """A line for each player that is waited for, with what it does meanwhile."""
    scene, lines = page.scene, []
    table = scene.focus.table
    if table is None or table.pending is None:
        return []
    doing = one_line(table.game.texts.pending.get(table.pending.kind, "is asked"))
    style = f"italic {scene.look.palette.faint}"
    for seat in sorted(scene.waiting):
        if seat in range(len(scene.people)):
            line = page.head(seat, pending=True).append("  ")
            lines.append(line.append(f"{doing} {scene.look.signs.pending}", style))
    return lines


def trouble_lines(page: Page) -> list[Text]:
    """The reason why a match cannot go on, or is not shown."""
    focus, look = page.scene.focus, page.scene.look
    if focus.match.frozen:
        words = f"frozen, cannot continue: {one_line(focus.match.frozen)}"
    elif focus.trouble:
        words = one_line(focus.trouble)
    else:
        return []
    if focus.barred:
        return wrapped(Text(words, look.palette.soft), page.width)
    lead = Text(f"{look.signs.failed} ", f"bold {look.palette.bad}")
    return page.beside(lead, Text(words, f"bold {look.palette.bad}"))


# --- The cast


def cast_line(scene: Scene, width: int) -> Text:
    """Chip, name and seat of each player, and who has answered, is waited for, or has won.

    What does not fit goes: first the seats, then the names, then the gaps.
    """
    line = Text()
    for parts, gap in ((("name", "seat"), 2), (("name",), 2), ((), 2), ((), 0)):
        line = _cast(scene, parts, gap)
        if line.cell_len <= width:
            break
    return fit(line, width)


def _cast(scene: Scene, parts: Sequence[str], gap: int) -> Text:
    line = Text(no_wrap=True)
    for seat, who in enumerate(scene.people):
        line.append(" " * gap if seat else "").append_text(scene.chip(seat))
        if "name" in parts:
            line.append(" ").append_text(scene.name(seat))
            if "seat" in parts and str(seat + 1) not in who.letters:
                line.append(f" P{seat + 1}", scene.look.palette.faint)
            line.append(" ")
        sign, style = _state(scene, seat)
        line.append(sign, style)
    return line


def _state(scene: Scene, seat: int) -> tuple[str, str]:
    """The sign of a seat's state and its style."""
    signs, palette = scene.look.signs, scene.look.palette
    table = scene.focus.table
    if scene.outcome is not None and seat in scene.outcome.winners:
        return signs.won, palette.warn
    if seat in scene.waiting:
        return signs.pending, f"bold {palette.warn}"
    answered = table is not None and table.pending is not None and seat in table.answered
    if answered and not scene.is_seat:
        return signs.done, palette.good
    return " ", ""
