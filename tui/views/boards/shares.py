"""Shares of each seat for each seat as heat cells, and the latest thought of a match."""

from collections.abc import Sequence

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.board import Shares
from parlour.games.engine.moves import Seat
from parlour.tournament.reports.thoughts import Thought
from parlour.tui.look.look import fit, wrapped
from parlour.tui.views.boards.parts import head, head_width
from parlour.tui.views.scene import Scene

SUSPICIONS = "who suspects whom"
"""The title of the shares that analyses give."""


def shares_lines(scene: Scene, shares: Shares, width: int) -> list[Text]:
    """A rule with the title, the letters of the seats, and a row of cells a seat."""
    seats = range(len(scene.people))
    title = shares.title if shares.named else f"{shares.title}, %"
    first = head_width(scene, width)
    cell = max(2, min(15, (width - first) // max(1, len(seats))))
    names = Text(" " * first).append_text(
        Text().join(fit(scene.letters(seat), cell, align="center") for seat in seats)
    )
    lines = [scene.look.rule(width, title), names]
    for seat, row in zip(seats, shares.rows, strict=False):
        line = head(scene, seat, width)
        for about, share in enumerate(row):
            line.append_text(_cell(scene, shares, None if about == seat else share, cell))
        lines.append(line)
    return lines


def _cell(scene: Scene, shares: Shares, share: float | None, width: int) -> Text:
    look = scene.look
    if share is None or (shares.named and not share):
        return Text("·".center(width), look.palette.faint)
    if shares.named:
        return Text(look.signs.closed.center(width), f"bold {look.palette.accent}")
    number = f"{100 * share:.0f}"
    return look.heat(share, width, number if len(number) <= width else "99")


def latest_shares(scene: Scene, noted: Sequence[Thought]) -> Shares | None:
    """The suspicions of each seat by its latest analysis; None if nobody made one."""
    beliefs = {
        thought.seat: tuple(thought.beliefs[thought.seat])
        for thought in noted
        if thought.beliefs is not None
    }
    if not beliefs:
        return None
    seats = range(len(scene.people))
    rows = [beliefs.get(Seat(seat), (None,) * len(seats)) for seat in seats]
    return Shares(SUSPICIONS, tuple(rows))


def thought_lines(scene: Scene, thought: Thought, width: int) -> list[Text]:
    """A rule, then a player's thought in its words."""
    palette = scene.look.palette
    words = scene.words(one_line(thought.words[0]), f"italic {palette.soft}", quoted=True)
    indent = scene.chip_width + 1
    body = wrapped(words, width, indent)
    if thought.seat < len(scene.people):
        chip = scene.chip(thought.seat)
        body[0] = Text(no_wrap=True).append_text(chip).append_text(body[0][scene.chip_width :])
    more = scene.look.keys((("t", "all"),))
    return [scene.look.rule(width, "latest thought", more), *body]
