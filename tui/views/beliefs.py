"""Beliefs as heat maps: a row for each suspected player, a column for each analysis."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from parlour.games.engine.moves import player
from parlour.tournament.reports.thoughts import Thought, thoughts
from parlour.tui.models.save_view import Focus
from parlour.tui.text import BOLD, DIM, WARN, cut, one_line
from parlour.tui.views.columns import Columns

SHADES = (
    (0.5, "·", "dim"),
    (0.9, "░", "cyan"),
    (1.1, "▒", ""),
    (1.5, "▓", "bold yellow"),
    (float("inf"), "█", "bold reverse yellow"),
)
"""The largest multiple of an even share for a shade, the shade, and its style. The styles differ in
brightness too, for terminals without colours."""
NOTHING = "This player has no stored thoughts. Models with a deliberation key have them."
LEGEND = "Percent: ▒ is an even share, ░ and · less, ▓ and █ more."
NAME_WIDTH = 20
"""The most columns of the screen that a name takes."""


def shade(value: float, players: int) -> str:
    """The shade of a probability, compared with an even share among the players."""
    return next(sign for most, sign, _style in SHADES if value * players <= most)


def maps(noted: Sequence[Thought], agents: Sequence[str], seat: int) -> list[Columns]:
    """The heat maps of one seat: its own beliefs, then those it imagines for each other player.

    A row for each player, a column for each analysis, oldest first. The last row of its own map
    has the target of each analysis.
    """
    with_beliefs = [thought for thought in noted if thought.seat == seat and thought.beliefs]
    viewers = [seat, *(viewer for viewer in range(len(agents)) if viewer != seat)]
    return [_map(with_beliefs, agents, viewer, viewer == seat) for viewer in viewers]


def _map(moments: Sequence[Thought], agents: Sequence[str], viewer: int, own: bool) -> Columns:
    rows = []
    for about, agent in enumerate(agents):
        values = [thought.beliefs[viewer][about] for thought in moments if thought.beliefs]
        cells = [f"{shade(value, len(agents))}{100 * value:>3.0f}" for value in values]
        rows.append([f"{player(about)} {cut(agent, NAME_WIDTH)}", *cells])
    if own:
        targets = ["-" if t.target is None else f"P{t.target + 1}" for t in moments]
        rows.append(["target", *targets])
    titles = ["", *(f"{cut(thought.kind, NAME_WIDTH)} {thought.round}" for thought in moments)]
    return Columns(titles, rows)


def heat(
    noted: Sequence[Thought], agents: Sequence[str], seat: int, first: int, width: int
) -> Iterator[Text]:
    """Yields the lines of a seat's maps, scrolled by ``first`` columns to a width."""
    if not any(thought.seat == seat and thought.beliefs for thought in noted):
        yield Text("This player has no stored beliefs.", DIM)
        return
    others = [viewer for viewer in range(len(agents)) if viewer != seat]
    titles = ["suspects", *(f"thinks that {player(viewer)} suspects" for viewer in others)]
    for title, columns in zip(titles, maps(noted, agents, seat), strict=True):
        yield Text(f"{player(seat)} {title}", BOLD)
        yield Text(columns.line(columns.titles, first, width), DIM, no_wrap=True)
        for row in columns.rows:
            yield _coloured(columns.line(row, first, width))
        if title == "suspects":
            yield Text(LEGEND, DIM)
        yield Text("")


def _coloured(line: str) -> Text:
    text = Text(line, no_wrap=True)
    for _most, sign, style in SHADES:
        text.highlight_regex(rf"{sign} +\d+", style)
    return text


def words(noted: Sequence[Thought], seat: int) -> Iterator[Text]:
    """Yields the analyses of a seat in words, oldest first."""
    for thought in noted:
        if thought.seat != seat:
            continue
        head = Text(f"Before its {one_line(thought.kind)} in round {thought.round}", BOLD)
        if thought.target is not None:
            head.append(f"  → {player(thought.target)}", "bold yellow")
        if thought.fault is not None:
            head.append(f"  [{one_line(thought.fault)}]", WARN)
        yield head
        for text in thought.words:
            yield Text(f"   {one_line(text)}")


def suspicions(focus: Focus) -> list[str]:
    """The latest beliefs of a seat in one line, empty if it stored none."""
    players = len(focus.match.agents)
    lines = [""] * players
    for thought in thoughts(focus.answers[: focus.shown], players):
        if thought.beliefs is not None:
            row = enumerate(thought.beliefs[thought.seat], start=1)
            cells = [f"P{p} {shade(value, players)}{100 * value:.0f}" for p, value in row]
            lines[thought.seat] = "suspects " + "  ".join(cells)
    return lines
