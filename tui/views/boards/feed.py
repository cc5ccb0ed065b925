"""Feed of public messages, newest first, with the truth of each."""

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.board import Feed, FeedItem
from parlour.tui.look.look import fit, wrapped
from parlour.tui.views.boards.matrix import sign_cell
from parlour.tui.views.boards.parts import centred
from parlour.tui.views.scene import Scene

HINT = "by:1 about:2 tone:praising, or words of the message"
ITEM_LINES = 2


def feed_lines(scene: Scene, feed: Feed, width: int, wanted: str = "") -> list[Text]:
    """A rule, then two lines a message; ``wanted`` filters by speaker, subject, tone or words."""
    hint = scene.look.keys((("/", "filter"),)) if width >= NARROWEST_HINT else Text()
    title = f"{feed.title.lower()}, newest first"
    if wanted:
        title = f"{feed.title.lower()} · only {one_line(wanted)}"
    lines = [scene.look.rule(width, title, hint)]
    items = [item for item in reversed(feed.items) if _fits(scene, item, wanted)]
    if not items:
        words = "no message fits the filter: / changes it" if wanted else "no gossip yet"
        return [*lines, centred(scene, words, width)]
    for item in items:
        lines += _item(scene, item, width, newest=item is items[0])
    return lines


NARROWEST_HINT = 40
"""Columns from which the rule has room for a hint."""


def _item(scene: Scene, item: FeedItem, width: int, *, newest: bool) -> list[Text]:
    look, palette = scene.look, scene.look.palette
    start = Text(f"{item.round:>2} ", palette.faint)
    start.append_text(_letters(scene, item.speaker))
    start.append(look.signs.closed, palette.faint).append_text(_letters(scene, item.about))
    start.append(" ").append_text(sign_cell(scene, item.sign, 3))
    untrue = item.true is False
    start.append(look.signs.failed if untrue else " ", f"bold {palette.bad}")
    words = item.text if item.tone else f"about itself: {item.text}"
    if item.tone and not item.text:
        words = item.tone
    text = scene.words(one_line(words), palette.text if newest else palette.soft, quoted=True)
    indent = start.cell_len
    if indent > width // 2:  # no room beside it
        return [fit(start.append_text(text), width)]
    body = wrapped(text, width, indent)
    if len(body) > ITEM_LINES:
        rest = body[:ITEM_LINES]
        line = rest[-1]
        line.rstrip()
        if line.cell_len >= width:
            line.truncate(width - 1)
        rest[-1] = line.append("…")
        body = rest
    body[0] = start.append_text(body[0][indent:])
    return body


def _letters(scene: Scene, seat: int) -> Text:
    return scene.letters(seat) if seat in range(len(scene.people)) else Text("?")


def _fits(scene: Scene, item: FeedItem, wanted: str) -> bool:
    """True if a message passes a filter such as ``by:3 about:clara tone:criticism stingy``."""
    for part in wanted.casefold().split():
        key, colon, value = part.partition(":")
        if colon and key in {"by", "about"}:
            if not _is_seat(scene, item.speaker if key == "by" else item.about, value):
                return False
        elif colon and key == "tone":
            if not item.tone.startswith(value):
                return False
        elif part not in f"{item.text} {item.tone}".casefold():
            return False
    return True


def _is_seat(scene: Scene, seat: int, value: str) -> bool:
    """True if a seat has this number, these letters, or a name that begins so."""
    if value == str(seat + 1) or seat not in range(len(scene.people)):
        return value == str(seat + 1)
    who = scene.people[seat]
    return value == who.letters.casefold() or who.name.casefold().startswith(value or "\n")
