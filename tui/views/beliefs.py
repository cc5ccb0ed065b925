"""Beliefs as heat maps: a row for each suspected player, a column for each analysis.

``belief_lines`` and ``word_lines`` are for the screen, ``on_paper`` is for files and pipes.
"""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.moves import player
from parlour.tournament.reports.thoughts import Thought
from parlour.tui.look.look import fit, wrapped
from parlour.tui.text import cut
from parlour.tui.views.scene import Scene

SHADES = ((0.5, "·"), (0.9, "░"), (1.1, "▒"), (1.5, "▓"), (float("inf"), "█"))
"""The largest multiple of an even share for a shade on paper, and the shade."""
NOTHING = "This player has no stored thoughts. Models with a deliberation key have them."
NO_BELIEFS = "This player has no stored beliefs."
CELL_WIDTH = 10
"""Columns of a heat cell, one more to the next."""
LEGEND = "Percent: ▒ is an even share, ░ and · less, ▓ and █ more."
NAME_WIDTH = 20
"""The most columns of the screen that a name takes."""


# --- On the screen


def belief_lines(
    scene: Scene, noted: Sequence[Thought], chosen: int, first: int, width: int
) -> list[Text]:
    """A heat map for each player that noted beliefs, then those that the chosen one imagines.

    ``first`` analyses are scrolled out at the left.
    """
    seats = range(len(scene.people))
    lines: list[Text] = []
    for seat in seats:
        moments = moments_of(noted, seat)
        if moments:
            lines += [*_map_lines(scene, moments, seat, first, width, _own_title(scene, moments))]
    moments = moments_of(noted, chosen)
    for seat in seats if moments else ():
        if seat != chosen:
            title = Text.assemble(scene.chip(chosen), " ", scene.name(chosen, speaks=True))
            title.append(" thinks that ", scene.look.palette.soft)
            title.append_text(scene.name(seat)).append(" suspects", scene.look.palette.soft)
            lines += _map_lines(scene, moments, seat, first, width, title)
    if not lines:
        lines = [Text(NO_BELIEFS, f"italic {scene.look.palette.faint}")]
    return [fit(line, width) for line in lines]


def moments_of(noted: Sequence[Thought], seat: int) -> list[Thought]:
    """The thoughts of a seat that hold beliefs, oldest first."""
    return [thought for thought in noted if thought.seat == seat and thought.beliefs is not None]


def first_line(noted: Sequence[Thought], seat: int, players: int) -> int:
    """The line on which the own map of a seat begins, or would begin."""
    return sum(players + 3 for other in range(seat) if moments_of(noted, other))


def _kind(thought: Thought) -> str:
    return one_line(thought.kind).replace("_", " ")


def in_sight(scene: Scene, width: int) -> int:
    """The number of analyses that fit side by side, at least one."""
    return max(1, (width - _first_width(scene, width)) // (CELL_WIDTH + 1))


def _first_width(scene: Scene, width: int) -> int:
    """The columns of letters and name before the cells."""
    letters = scene.chip_width - 2
    return 2 + letters + 1 + min(scene.name_width, max(6, width // 4)) + 2


def _own_title(scene: Scene, moments: Sequence[Thought]) -> Text:
    """A player's chip and name, and whom it suspects now."""
    palette, seat = scene.look.palette, moments[0].seat
    title = Text.assemble(scene.chip(seat), " ", scene.name(seat, speaks=True))
    title.append(" suspects", palette.soft)
    target = moments[-1].target
    if target is not None:
        title.append("  now at ", palette.faint).append_text(scene.letters(target))
    return title


def _map_lines(
    scene: Scene, moments: Sequence[Thought], viewer: int, first: int, width: int, title: Text
) -> Iterator[Text]:
    """Yields the map of one viewer: its title, the analyses, a row a player, and a blank line."""
    palette, names = scene.look.palette, _first_width(scene, width)
    fitting = in_sight(scene, width)
    shown = moments[first : first + fitting]
    yield scene.look.rule(width, title)
    heads = Text(" " * names)
    for thought in shown:
        words = cut(f"{_kind(thought)} {thought.round}", CELL_WIDTH)
        heads.append_text(fit(Text(words, palette.faint), CELL_WIDTH, align="center")).append(" ")
    yield heads
    for about in range(len(scene.people)):
        line = Text("  ").append_text(scene.letters(about)).append(" ")
        line = fit(line.append_text(scene.name(about)), names - 1).append(" ")
        for thought in shown:
            assert thought.beliefs is not None
            if about == viewer:
                line.append("·".center(CELL_WIDTH), palette.faint)
            else:
                line.append_text(scene.look.heat(thought.beliefs[viewer][about], CELL_WIDTH))
            line.append(" ")
        yield line
    yield Text("")


def word_lines(scene: Scene, noted: Sequence[Thought], seat: int, width: int) -> list[Text]:
    """The analyses of a seat in words, oldest first."""
    palette, signs = scene.look.palette, scene.look.signs
    lines: list[Text] = []
    for thought in noted:
        if thought.seat != seat:
            continue
        head = Text(f"before its {_kind(thought)} of round {thought.round}")
        head.stylize(f"bold {palette.soft}")
        if thought.target is not None:
            head.append(f"  {signs.closed} ", palette.faint)
            head.append_text(scene.name(thought.target, speaks=True))
        if thought.fault is not None:
            head.append(f"  {signs.failed} {one_line(thought.fault)}", palette.bad)
        lines += [Text("")] * bool(lines) + wrapped(head, width)
        for text in thought.words:
            words = scene.words(one_line(text), palette.text, quoted=True)
            for line in wrapped(words, width, 2):
                mark = Text(f"{signs.private} ", palette.faint)
                lines.append(mark.append_text(line[2:]))
    if not lines:
        lines = wrapped(Text(NOTHING, f"italic {palette.faint}"), width)
    return [fit(line, width) for line in lines]


# --- On paper


def on_paper(noted: Sequence[Thought], agents: Sequence[str], seat: int) -> Iterator[str]:
    """Yields one player's thoughts in lines of text, with a heading."""
    yield f"Thoughts of {player(seat)} ({one_line(agents[seat])})"
    own = [each for each in noted if each.seat == seat]
    if not own:
        yield NOTHING
    elif any(each.beliefs for each in own):
        yield from heat(own, agents, seat)
    yield from words(own, seat)


def shade(value: float, players: int) -> str:
    """The shade of a probability, compared with an even share among the players."""
    return next(sign for most, sign in SHADES if value * players <= most)


def heat(noted: Sequence[Thought], agents: Sequence[str], seat: int) -> Iterator[str]:
    """Yields the maps of a seat: its own beliefs, then those it imagines for each other player.

    A row for each player, a column for each analysis, oldest first. The last row of its own map
    has the target of each analysis.
    """
    moments = moments_of(noted, seat)
    if not moments:
        yield NO_BELIEFS
        return
    heads = ["", *(f"{cut(thought.kind, NAME_WIDTH)} {thought.round}" for thought in moments)]
    targets = ["-" if each.target is None else f"P{each.target + 1}" for each in moments]
    for viewer in [seat, *(other for other in range(len(agents)) if other != seat)]:
        own = viewer == seat
        yield f"{player(seat)} {'' if own else f'thinks that {player(viewer)} '}suspects"
        rows = [heads]
        for about, agent in enumerate(agents):
            values = [each.beliefs[viewer][about] for each in moments if each.beliefs]
            cells = [f"{shade(value, len(agents))}{100 * value:>3.0f}" for value in values]
            rows.append([f"{player(about)} {cut(agent, NAME_WIDTH)}", *cells])
        yield from _aligned([*rows, ["target", *targets]] if own else rows)
        if own:
            yield LEGEND
        yield ""


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yields rows of cells in columns: the first one aligned left, all others right."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        line = first + " " * (widths[0] - cell_len(first))
        for cell, width in zip(others, widths[1:], strict=True):
            line += "  " + " " * (width - cell_len(cell)) + cell
        yield line.rstrip()


def words(noted: Sequence[Thought], seat: int) -> Iterator[str]:
    """Yields the analyses of a seat in words, oldest first."""
    for thought in noted:
        if thought.seat != seat:
            continue
        target = "" if thought.target is None else f"  → {player(thought.target)}"
        fault = "" if thought.fault is None else f"  [{one_line(thought.fault)}]"
        yield f"Before its {one_line(thought.kind)} in round {thought.round}{target}{fault}"
        for text in thought.words:
            yield f"   {one_line(text)}"
