"""The board pane of a match: its pictures, one below the other, in the room there is."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.board import (
    Bars,
    Board,
    Comparisons,
    Feed,
    Grid,
    HelpMatrix,
    Lines,
    Payoffs,
    Ring,
    Shares,
    StackedBars,
    StackedColumns,
)
from parlour.games.engine.transcript import sentence
from parlour.tournament.reports.thoughts import Thought, thoughts
from parlour.tui.look.look import fit
from parlour.tui.views.boards.bars import (
    LOWEST,
    TALLEST,
    bars_lines,
    columns_chart,
    comparison_lines,
    latest_shares,
    lines_chart,
    shares_lines,
    small_bars,
    stacked_lines,
    thought_lines,
)
from parlour.tui.views.boards.feed import feed_lines
from parlour.tui.views.boards.grid import NOTHING, grid_lines, payoff_lines, small_grid
from parlour.tui.views.boards.matrix import matrix_lines
from parlour.tui.views.boards.parts import centred, head
from parlour.tui.views.boards.ring import ring_lines
from parlour.tui.views.scene import Scene

LOWEST_RING, LOWEST_HELP = 13, 22
"""Lines of the smallest ring, and lines that must be left for a ring that only adds to a matrix."""
MOST_IN_HELP = 7
"""Seats of the largest table that gets the additional ring."""
FEED_ROOM = 7
"""Lines kept for the feed beside other pictures."""
TALL = Ring | Lines | StackedColumns
"""The kinds that are as high as there is room."""


def boards(scene: Scene) -> tuple[Board, ...]:
    """The pictures of a match as its viewer sees it; none for a game without a board.

    A board that cannot be made counts as none: a game's code is not trusted to fit every match.
    """
    table = scene.focus.table
    if table is None:
        return ()
    events = table.so_far if scene.viewer is None else scene.events
    try:
        pictures = table.game.board(table.seats, events, scene.outcome)
    except Exception:  # a game of another package can raise anything
        return ()
    return tuple(map(_of_one_seat, pictures)) if scene.is_seat else pictures


def _of_one_seat(picture: Board) -> Board:
    """A picture without counts of votes: a seat knows its own vote alone."""
    if not isinstance(picture, Ring) or not picture.counted or not picture.arrows:
        return picture
    title = f"{picture.title}, the own {picture.counted} alone"
    return replace(picture, title=title, counted="", marked=())


def board_title(scene: Scene) -> str:
    """The title of the pane: that of the first picture."""
    pictures = boards(scene)
    return one_line(pictures[0].title) if pictures else "Moves"


def board_lines(scene: Scene, width: int, height: int, *, wanted: str = "") -> list[Text]:
    """All pictures of a match, each line exactly ``width`` columns wide.

    There are more lines than ``height`` where the pictures need them. ``wanted`` filters the
    feed.
    """
    if scene.focus.table is None:
        words = one_line(scene.focus.trouble) or NOTHING
        return [fit(Text(words, scene.look.palette.soft), width)]
    noted = _noted(scene)
    pictures = _with_suspicions(boards(scene), latest_shares(scene, noted))
    if not pictures:
        return [fit(line, width) for line in _moves(scene, width)]
    try:
        lines = _laid_out(scene, pictures, width, height, wanted)
    except Exception:  # numbers of another package's game can be anything
        lines = _moves(scene, width)
    spoken = [thought for thought in noted if thought.words]
    left = height - len(lines) - 1
    if spoken and left >= 2:
        lines += [Text(""), *thought_lines(scene, spoken[-1], width)[:left]]
    return [fit(line, width) for line in lines]


def _noted(scene: Scene) -> list[Thought]:
    """The thoughts so far that the viewer may read."""
    if not scene.thinkers:
        return []
    noted = thoughts(scene.focus.answers[: scene.focus.shown], len(scene.people))
    return [thought for thought in noted if thought.seat in scene.thinkers]


def small_board(scene: Scene, width: int, height: int) -> list[Text]:
    """The state of a match for a tile: matrix, actions or who gave; none where it does not fit."""
    for picture in boards(scene):
        lines: list[Text] = []
        if isinstance(picture, HelpMatrix):
            lines = matrix_lines(scene, picture, width, small=True)
        elif isinstance(picture, Grid) and picture.rows:
            lines = small_grid(scene, picture, width)
        elif isinstance(picture, Bars):
            lines = small_bars(scene, picture, width)
        if lines:
            return [fit(line, width) for line in lines] if len(lines) <= height else []
    return []


def _with_suspicions(pictures: Sequence[Board], latest: Shares | None) -> list[Board]:
    """The pictures with the shares of analyses in place of those that seats were asked for."""
    if latest is None:
        return list(pictures)
    others = [picture for picture in pictures if not isinstance(picture, Shares)]
    return [*others[:1], latest, *others[1:]]


def _laid_out(
    scene: Scene, pictures: Sequence[Board], width: int, height: int, wanted: str
) -> list[Text]:
    """The pictures in their order, a blank line between two; tall ones get what is left."""
    drawn = [
        [] if isinstance(picture, TALL) else _picture(scene, picture, width, height, wanted)
        for picture in pictures
    ]
    lines: list[Text] = []
    for index, picture in enumerate(pictures):
        if isinstance(picture, TALL):
            below = sum(isinstance(each, Lines) for each in pictures[index + 1 :])
            left = height - _needed(pictures, drawn) - below * (LOWEST + 1)
            drawn[index] = _tall(scene, picture, width, height, left)
        if drawn[index]:
            lines += [Text("")] * bool(lines) + drawn[index]
    return lines


def _needed(pictures: Sequence[Board], drawn: Sequence[Sequence[Text]]) -> int:
    """The lines that the drawn pictures take, each with a blank one; a feed as few as it can."""
    needed = 0
    for picture, lines in zip(pictures, drawn, strict=True):
        most = FEED_ROOM if isinstance(picture, Feed) else len(lines)
        needed += min(len(lines), most) + 1 if lines else 0
    return needed


def _tall(scene: Scene, picture: TALL, width: int, height: int, left: int) -> list[Text]:
    if isinstance(picture, Lines):
        return lines_chart(scene, picture, width, max(LOWEST, min(TALLEST, left)))
    if isinstance(picture, StackedColumns):
        return columns_chart(scene, picture, width, max(LOWEST, min(TALLEST, left)))
    wish = max(LOWEST_RING, width * 36 // 100)
    if not picture.again:
        # Where the rest does not fit below it anyway, the ring takes the whole pane.
        room = left if left >= LOWEST_RING else height
        return ring_lines(scene, picture, width, min(wish, room) if left >= wish else room)
    return _help_ring(scene, picture, width, left, wish)


def _help_ring(scene: Scene, ring: Ring, width: int, left: int, wish: int) -> list[Text]:
    """A ring that shows a matrix again, where there is ample room."""
    signs, palette = scene.look.signs, scene.look.palette
    crowded = len(scene.people) > MOST_IN_HELP or left < LOWEST_HELP - FEED_ROOM - 1
    if crowded or not signs.braille:
        return []
    title = Text.assemble((signs.line, palette.helped), (" helped  ", palette.soft))
    title.append("╍", palette.refused).append(" refused", palette.soft)
    height = max(LOWEST_RING, min(wish, left - 1))
    return [scene.look.rule(width, title), *ring_lines(scene, ring, width, height)]


FITTED: dict[type, Callable[..., list[Text]]] = {
    Shares: shares_lines,
    Grid: grid_lines,
    Payoffs: payoff_lines,
    Bars: bars_lines,
    Comparisons: comparison_lines,
    HelpMatrix: matrix_lines,
}
"""The function that draws each kind whose height follows from its width."""


def _picture(scene: Scene, picture: Board, width: int, height: int, wanted: str) -> list[Text]:
    """A picture whose height follows from what it shows."""
    if isinstance(picture, StackedBars):
        return stacked_lines(scene, picture, width, height - len(scene.people) - 2)
    if isinstance(picture, Feed):
        return feed_lines(scene, picture, width, wanted)
    draw = FITTED.get(type(picture))
    return [] if draw is None else draw(scene, picture, width)


def _moves(scene: Scene, width: int) -> list[Text]:
    """The actions of each seat by round, without private probes: for a game without a board."""
    table = scene.focus.table
    if table is None or not any(event.by is not None for event in scene.events):
        return [centred(scene, NOTHING, width)]
    lines = []
    for seat in range(len(scene.people)):
        lines.append(head(scene, seat, width))
        for event in scene.events:
            if event.by == seat and event.kind not in table.game.probes:
                words = one_line(sentence(table.game, event).partition(": ")[2])
                style = scene.look.palette.bad if event.fault else scene.look.palette.soft
                line = Text(f"{event.round:>4} ", scene.look.palette.faint)
                lines.append(line.append_text(scene.words(words, style)))
    return lines
