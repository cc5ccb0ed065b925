"""The newest of a conversation in one line, or in the few lines of a tile."""

from collections.abc import Sequence

from rich.text import Text

from parlour.games.engine.talk import (
    Action,
    Approvals,
    Aside,
    Ballot,
    Chosen,
    Ending,
    FaultLine,
    Heading,
    Proposal,
    Said,
    TalkItem,
)
from parlour.tui.look.look import fit
from parlour.tui.text import one_line, typed
from parlour.tui.views.boards.matrix import sign_cell
from parlour.tui.views.scene import Scene
from parlour.tui.views.talk import drawn, waiting_lines
from parlour.tui.views.talk_actions import at_once, chosen_lines
from parlour.tui.views.talk_blocks import block_lines, blocks
from parlour.tui.views.talk_items import NOBODY, Page, parts_of

GOSSIP_LINES = 2
"""The lines that the newest gossip has in a tile."""


def latest(scene: Scene, width: int) -> Text | None:
    """The newest thing said or done, in exactly ``width`` columns; None before the first."""
    line = drawn(scene, lambda items: _newest(scene, items))
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
            return _said(scene, item)
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
    return Text(no_wrap=True).append_text(scene.letters(seat)).append("  ")


def _said(scene: Scene, item: Said) -> Text:
    line = _start(scene, item.speaker)
    if item.about is not None:
        line = _about(scene, item, line)
    words = item.text if item.text.strip() else item.label
    return line.append_text(scene.words(one_line(words), scene.look.palette.text, quoted=True))


def _about(scene: Scene, item: Said, line: Text) -> Text:
    """The speaker, the player that is spoken of, and the sign of the words."""
    if item.about is not None:
        line.append("on ", scene.look.palette.faint).append_text(scene.letters(item.about))
    return line.append(" ").append_text(sign_cell(scene, item.sign, 3)).append(" ")


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
            entry = Text().append_text(scene.letters(item.seat)).append(" ")
            words.insert(0, entry.append(one_line(item.short or item.sign), palette.text))
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
        count = f" {targets.count(target)}"
        entries.append(Text().append_text(entry).append(count, f"bold {palette.text}"))
    return Text("ballot  ", palette.faint) + Text("  ").join(entries)


# --- A tile


def tile_lines(scene: Scene, width: int, height: int) -> list[Text]:
    """The last words of a match in at most ``height`` lines, from a speaker on.

    The newest gossip is cut to two lines, since the board of its tile shows what was done. Hidden
    choices stand alone for the same reason.
    """
    page = Page(scene, width, why=False)
    waiting = waiting_lines(page)[:height]
    room = height - len(waiting)
    lines = drawn(scene, lambda items: _tile(page, items, room)) or []
    return [fit(line, width) for line in [*lines, *waiting]]


def _tile(page: Page, items: Sequence[TalkItem], room: int) -> list[Text]:
    newest = next((item for item in reversed(items) if not isinstance(item, Heading)), None)
    if isinstance(newest, Said) and newest.about is not None:
        return _gossip(page, newest)[:room]
    if isinstance(newest, Chosen):
        return chosen_lines(page, [item for item in items if isinstance(item, Chosen)])[:room]
    spoken = [item for item in items if not isinstance(item, Aside)]
    return _newest_blocks(page, spoken, room)


def _gossip(page: Page, item: Said) -> list[Text]:
    scene = page.scene
    lead = Text(no_wrap=True).append_text(scene.chip(item.speaker)).append(" ")
    words = one_line(item.text if item.text.strip() else item.label)
    text = scene.words(words, scene.look.palette.text, quoted=True)
    lines = page.beside(_about(scene, item, lead), text)
    if len(lines) > GOSSIP_LINES:
        cut = lines[GOSSIP_LINES - 1]
        cut.rstrip()
        cut.truncate(page.width - 1)
        lines = [*lines[: GOSSIP_LINES - 1], cut.append(scene.look.signs.pending)]
    return lines


def _newest_blocks(page: Page, items: Sequence[TalkItem], room: int) -> list[Text]:
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
