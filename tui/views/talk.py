"""The talk of a match as a conversation: its lines, its cast, and the newest of it in brief."""

from collections.abc import Sequence

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.talk import (
    Action,
    Approvals,
    Aside,
    Ballot,
    Chosen,
    Ending,
    Fact,
    FaultLine,
    Heading,
    Note,
    Proposal,
    Said,
    Secret,
    TalkItem,
)
from parlour.tui.look.look import fit
from parlour.tui.text import typed
from parlour.tui.views.boards.matrix import sign_cell
from parlour.tui.views.scene import Scene
from parlour.tui.views.talk_items import (
    NOBODY,
    TalkPage,
    at_once,
    block_lines,
    blocks,
    cell,
    drawn,
    parts_of,
    trouble_lines,
    waiting_lines,
)

ROOMY_WIDTH, ROOMY_HEIGHT = 56, 38
"""The size from which a blank line stands between two speakers."""
GOSSIP_LINES = 2
"""The lines that the newest gossip has in a tile."""


def talk_lines(scene: Scene, width: int, height: int, *, why: bool = True) -> list[Text]:
    """The conversation of a match, each line exactly ``width`` columns wide.

    There are more lines than ``height`` where the conversation needs them. ``why`` shows private
    reasons.
    """
    page = TalkPage(scene, width, why)
    roomy = width >= ROOMY_WIDTH and height >= ROOMY_HEIGHT
    lines = drawn(scene, lambda items: _joined(page, items, roomy)) or []
    further, trouble = waiting_lines(page), trouble_lines(page)
    if trouble and (lines or further):
        further.append(Text())
    return [*lines, *(fit(line, width) for line in [*further, *trouble])]


def _joined(page: TalkPage, items: Sequence[TalkItem], roomy: bool) -> list[Text]:
    """The lines of all blocks, with blank lines between those that stand apart."""
    lines: list[Text] = []
    blank = fit(Text(), page.width)
    previous: TalkItem | None = None
    for block in blocks(items):
        if previous is not None and apart(previous, block[0], roomy):
            lines.append(blank)
        lines += block_lines(page, block)
        previous = block[0]
    return lines


def apart(previous: TalkItem, item: TalkItem, roomy: bool) -> bool:
    """True if a blank line stands between two blocks."""
    if isinstance(item, Heading | Ballot | Ending):
        return True
    after_speaker = isinstance(previous, Said) and previous.about is None and bool(previous.text)
    return roomy and after_speaker and isinstance(item, Said | Aside | FaultLine)


# --- The cast


def cast_line(scene: Scene, width: int) -> Text:
    """Chip, name and seat of each player, and who has answered, is waited for, or has won.

    What does not fit goes: first the seats, then the names, then the gaps.
    """
    line = Text()
    for parts, gap in ((("name", "seat"), 2), (("name",), 2), (("name",), 1), ((), 2), ((), 0)):
        line = _cast(scene, parts, gap)
        if line.cell_len <= width:
            break
    return fit(line, width)


def cast_lines(scene: Scene, width: int, height: int) -> list[Text]:
    """The cast and a blank line, where a talk has room for them."""
    if scene.focus.table is None or height < 4:
        return []
    return [cast_line(scene, width), Text()]


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


# --- The newest of it


def latest(scene: Scene, width: int) -> Text | None:
    """The newest thing said or done, in exactly ``width`` columns; before the first who is asked.

    None where nobody is asked either.
    """
    line = drawn(scene, lambda items: _newest(scene, items))
    if line is None:
        line = next(iter(waiting_lines(TalkPage(scene, width, why=False))), None)
    return None if line is None else fit(line, width)


def _newest(scene: Scene, items: Sequence[TalkItem]) -> Text | None:
    for index in range(len(items) - 1, -1, -1):
        line = _brief(scene, items, index)
        if line is not None:
            return line
    return None


def _brief(scene: Scene, items: Sequence[TalkItem], index: int) -> Text | None:
    """An item in one line, None for one that is neither said nor done."""
    item, palette = items[index], scene.look.palette
    match item:
        case Said():
            return Text.assemble(*_said(scene, item), no_wrap=True)
        case Action():
            return _round(scene, items, index) if at_once(item) else _action(scene, item)
        case Proposal():
            line = _start(scene, item.seat).append("proposes ", palette.soft)
            return line.append_text(parts_of(scene, item))
        case Ballot():
            return _ballot(scene, item)
        case Approvals():
            words = scene.words(one_line(item.result) or "no two votes agree", palette.soft)
            return Text("votes  ", palette.faint) + words
        case FaultLine():
            words = scene.words(one_line(item.words), palette.bad, quoted=True)
            return _start(scene, item.seat).append_text(words)
        case Ending():
            return scene.words(one_line(item.words), palette.text)
    return None


def _start(scene: Scene, seat: int) -> Text:
    return Text(no_wrap=True).append_text(scene.chip(seat)).append(" ")


def _said(scene: Scene, item: Said) -> tuple[Text, Text]:
    """The speaker, with the player that is spoken of and the sign of the words; and the words."""
    lead = _start(scene, item.speaker)
    if item.about is not None:
        lead.append("on ", scene.look.palette.faint).append_text(scene.letters(item.about))
        lead.append(" ").append_text(sign_cell(scene, item.sign, 3)).append(" ")
    words = item.text if item.text.strip() else item.label
    return lead, scene.words(one_line(words), scene.look.palette.text, quoted=True)


def _action(scene: Scene, item: Action) -> Text:
    palette = scene.look.palette
    line = _start(scene, item.seat)
    line.append_text(scene.words(one_line(item.words), palette.soft, quoted=True))
    if item.target is not None:
        line.append(" ").append_text(scene.name(item.target))
    return line.append(f"  {typed(item.result)}" if item.result else "", palette.soft)


def _round(scene: Scene, items: Sequence[TalkItem], index: int) -> Text:
    """The actions of a whole round, and its name."""
    palette = scene.look.palette
    words: list[Text] = []
    while index >= 0:
        item = items[index]
        if isinstance(item, Action):
            entry = Text().append_text(scene.letters(item.seat))
            if item.short:
                entry.append(f" {one_line(item.short)}", palette.text)
            else:
                entry.append_text(cell(scene, item))
            words.insert(0, entry)
        elif isinstance(item, Heading):
            words.append(scene.words(one_line(item.words), palette.faint))
            break
        index -= 1
    return Text("  ").join(words)


def _ballot(scene: Scene, item: Ballot) -> Text:
    palette = scene.look.palette
    targets = [vote.target for vote in item.votes]
    entries = []
    for target in sorted(dict.fromkeys(targets), key=lambda each: -targets.count(each)):
        entry = Text(NOBODY, palette.faint) if target is None else scene.letters(target)
        entries.append(Text.assemble(entry, (f" {targets.count(target)}", f"bold {palette.text}")))
    return Text("ballot  ", palette.faint) + Text("  ").join(entries)


# --- A tile


def tile_lines(scene: Scene, width: int, height: int) -> list[Text]:
    """The last words of a match in at most ``height`` lines, from a speaker on.

    The newest gossip is cut to two lines, since the board of its tile shows what was done. Hidden
    choices stand alone for the same reason.
    """
    page = TalkPage(scene, width, why=False)
    waiting = waiting_lines(page)[:height]
    room = height - len(waiting)
    lines = drawn(scene, lambda items: _tile(page, items, room)) or []
    return [fit(line, width) for line in [*lines, *waiting]]


def _tile(page: TalkPage, items: Sequence[TalkItem], room: int) -> list[Text]:
    newest = next((item for item in reversed(items) if not isinstance(item, Heading)), None)
    if isinstance(newest, Said) and newest.about is not None:
        return _gossip(page, newest)[:room]
    if isinstance(newest, Chosen):
        chosen = tuple(item for item in items if isinstance(item, Chosen))
        return block_lines(page, chosen)[:room]
    spoken = [item for item in items if not isinstance(item, Aside | Fact | Note | Secret)]
    return _newest_blocks(page, spoken, room)


def _gossip(page: TalkPage, item: Said) -> list[Text]:
    lines = page.beside(*_said(page.scene, item))
    if len(lines) > GOSSIP_LINES:
        cut = lines[GOSSIP_LINES - 1]
        cut.rstrip()
        cut.truncate(page.width - 1)
        lines = [*lines[: GOSSIP_LINES - 1], cut.append(page.scene.look.signs.pending)]
    return lines


def _newest_blocks(page: TalkPage, items: Sequence[TalkItem], room: int) -> list[Text]:
    """The last blocks that fit, with a blank line before a round or a ballot."""
    lines: list[Text] = []
    for block in reversed(blocks(items)):
        drawn_block = block_lines(page, block)
        if len(drawn_block) > room - len(lines):
            if not lines:
                lines = drawn_block[:room]
            break
        lines = [*drawn_block, *lines]
        if isinstance(block[0], Heading | Ballot) and len(lines) < room:
            lines = [Text(), *lines]
    while lines and not lines[0].plain.strip():
        lines.pop(0)
    return lines
