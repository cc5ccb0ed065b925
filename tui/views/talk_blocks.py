"""Blocks of a conversation: its items, those that are drawn together, and their lines."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from rich.text import Text

from parlour.games.engine.events import Event
from parlour.games.engine.moves import Seat, player
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
from parlour.games.engine.transcript import sentence, transcript
from parlour.tui.look.look import fit
from parlour.tui.views.scene import Scene
from parlour.tui.views.talk_actions import action_lines, chosen_lines, ending_lines, fault_lines
from parlour.tui.views.talk_items import (
    Page,
    approval_lines,
    aside_lines,
    ballot_lines,
    fact_lines,
    heading_lines,
    note_lines,
    proposal_lines,
    said_lines,
    secret_lines,
)

DRAWN: dict[type, Callable[[Page, Sequence[Any]], list[Text]]] = {
    Heading: heading_lines,
    Note: note_lines,
    Fact: fact_lines,
    Secret: secret_lines,
    Said: said_lines,
    Aside: aside_lines,
    Ballot: ballot_lines,
    Approvals: approval_lines,
    Action: action_lines,
    Proposal: proposal_lines,
    Chosen: chosen_lines,
    FaultLine: fault_lines,
    Ending: ending_lines,
}
Block = tuple[TalkItem, ...]
"""Neighbours of one kind; each speaker stands alone."""
T = TypeVar("T")
MOST_LINES = 20_000
"""Lines that are kept, about 20 MB."""


def blocks(items: Sequence[TalkItem]) -> list[Block]:
    """The items in blocks."""
    grouped: list[list[TalkItem]] = []
    for item in items:
        alone = isinstance(item, Said)
        if grouped and not alone and type(grouped[-1][0]) is type(item):
            grouped[-1].append(item)
        else:
            grouped.append([item])
    return [tuple(group) for group in grouped]


class DrawnBlocks:
    """Lines of blocks by the page they are on: a conversation grows, but changes at its end alone.

    All are dropped once there are too many.
    """

    def __init__(self) -> None:
        self._pages: dict[object, dict[Block, list[Text]]] = {}
        self._count = 0

    def lines(self, page: Page, block: Block) -> list[Text]:
        """The lines of a block, each exactly as wide as the page; not to be changed."""
        if isinstance(block[0], Ending):  # needs the outcome, which is no part of the key
            return _lines(page, block)
        of_page = self._pages.setdefault(page.key, {})
        try:
            known = of_page.get(block)
        except TypeError:  # an item of another package with a list in it
            return _lines(page, block)
        if known is None:
            if self._count > MOST_LINES:
                self._pages, self._count = {}, 0
                of_page = self._pages.setdefault(page.key, {})
            known = of_page[block] = _lines(page, block)
            self._count += len(known)
        return known


def _lines(page: Page, block: Block) -> list[Text]:
    return [fit(line, page.width) for line in DRAWN[type(block[0])](page, block)]


_drawn = DrawnBlocks()
block_lines = _drawn.lines
"""The lines of a block, drawn once for each look and width."""


# --- The items of a match


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
