"""Beliefs as a heat map: the players that may be suspected by the moments of one who suspects."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from parlour.games.engine.moves import player
from parlour.tournament.reports.thoughts import Thought, thoughts
from parlour.tui.models.save_view import Focus
from parlour.tui.views.match import BOLD, DIM, WARN, cut, one_line
from parlour.tui.widgets.columns import Columns

SHADES = (
    (0.5, "·", "dim"),
    (0.9, "░", "cyan"),
    (1.1, "▒", ""),
    (1.5, "▓", "bold yellow"),
    (float("inf"), "█", "bold reverse yellow"),
)
"""Up to which multiple of an even share a shade goes, the shade, and its style. The styles are
bright, since without colours only their brightness is left."""
NOTHING = "It has noted no thought. Models do with deliberation in their block."
LEGEND = "Percent; an even share is ▒, less than it ░ and ·, more than it ▓ and █."
WIDEST = 20
"""Columns of the screen that a name may take."""


def shade(value: float, players: int) -> str:
    """How much more or less than any player at random somebody is suspected."""
    return next(sign for most, sign, _style in SHADES if value * players <= most)


def maps(found: Sequence[Thought], agents: Sequence[str], seat: int) -> list[Columns]:
    """The heat maps of one seat: its own beliefs, then what it imagines of each other viewer.

    A row for each player, a column for each analysis of the seat, oldest first. Below its own
    stands the target.
    """
    with_beliefs = [each for each in found if each.seat == seat and each.beliefs]
    viewers = [seat, *(viewer for viewer in range(len(agents)) if viewer != seat)]
    return [_map(with_beliefs, agents, viewer, viewer == seat) for viewer in viewers]


def _map(moments: Sequence[Thought], agents: Sequence[str], viewer: int, own: bool) -> Columns:
    rows = []
    for about, agent in enumerate(agents):
        values = [each.beliefs[viewer][about] for each in moments if each.beliefs]
        cells = [f"{shade(value, len(agents))}{100 * value:>3.0f}" for value in values]
        rows.append([f"{player(about)} {cut(agent, WIDEST)}", *cells])
    if own:
        targets = ["-" if each.target is None else f"P{each.target + 1}" for each in moments]
        rows.append(["target", *targets])
    titles = ["", *(f"{cut(each.kind, WIDEST)} {each.round}" for each in moments)]
    return Columns(titles, rows)


def heat(
    thought: Sequence[Thought], agents: Sequence[str], seat: int, first: int, width: int
) -> Iterator[Text]:
    """The maps of a seat as lines, their columns from ``first`` on."""
    if not any(each.seat == seat and each.beliefs for each in thought):
        yield Text("No beliefs: what this player thinks is words alone, if anything.", DIM)
        return
    found = maps(thought, agents, seat)
    others = [viewer for viewer in range(len(agents)) if viewer != seat]
    whom = ["suspects", *(f"thinks that {player(viewer)} suspects" for viewer in others)]
    for title, columns in zip(whom, found, strict=True):
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


def words(found: Sequence[Thought], seat: int) -> Iterator[Text]:
    """What a seat thought in words, oldest first."""
    for each in found:
        if each.seat != seat:
            continue
        head = Text(f"Before its {one_line(each.kind)} of round {each.round}", BOLD)
        if each.target is not None:
            head.append(f"  → {player(each.target)}", "bold yellow")
        if each.fault is not None:
            head.append(f"  [{one_line(each.fault)}]", WARN)
        yield head
        for text in each.words:
            yield Text(f"   {one_line(text)}")


def suspicions(focus: Focus) -> list[str]:
    """Whom each seat suspects now, in one line; empty for one that noted no beliefs."""
    players = len(focus.match.agents)
    lines = [""] * players
    for each in thoughts(focus.answers[: focus.shown], players):
        if each.beliefs is not None:
            row = enumerate(each.beliefs[each.seat], start=1)
            cells = [f"P{p} {shade(value, players)}{100 * value:.0f}" for p, value in row]
            lines[each.seat] = "suspects " + "  ".join(cells)
    return lines
