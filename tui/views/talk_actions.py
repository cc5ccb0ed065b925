"""Lines of a conversation: actions, choices, faults, the end, and those waited for."""

from collections.abc import Sequence

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.board import GridCell
from parlour.games.engine.moves import Outcome
from parlour.games.engine.talk import Action, Chosen, Ending, FaultLine
from parlour.tui.look.look import fit, spread, wrapped
from parlour.tui.text import typed
from parlour.tui.views.boards.grid import cell_text
from parlour.tui.views.boards.matrix import sign_cell
from parlour.tui.views.scene import Scene
from parlour.tui.views.talk_items import Page, with_quotes

BAR_WIDTH = 12
AMOUNT = r"\d[\d.,]*(?= of \d)"
"""The amount in "sends 5 of 5"."""
SIGNS = frozenset("+-·")
"""Signs of help; any other sign of an action is a letter of its game."""


def at_once(action: Action) -> bool:
    """True for an action of a round in which all decide: its cells and numbers form columns."""
    return action.target is None and bool(action.short or action.sign not in {"", *SIGNS})


def cell(scene: Scene, action: Action) -> Text:
    """The sign of an action in its colour, three columns wide."""
    if action.sign in SIGNS:
        return sign_cell(scene, action.sign, 3)
    return cell_text(scene, GridCell(one_line(action.sign), good=action.good), 3)


def action_lines(page: Page, items: Sequence[Action]) -> list[Text]:
    """A line for each action with what comes of it, then the private reasons."""
    lines: list[Text] = []
    for item in items:
        lines += _action(page, item)
    for item in items:
        lines += page.reason(page.scene.letters(item.seat).append(" "), item.reason)
    return lines


def _action(page: Page, item: Action) -> list[Text]:
    scene, palette = page.scene, page.scene.look.palette
    lead = page.head(item.seat, pad=at_once(item)).append("  ")
    if item.sign:
        lead.append_text(cell(scene, item)).append(" " if item.sign in SIGNS else "  ")
    body = Text().append_text(scene.words(typed(item.words), palette.soft, quoted=True))
    if item.share is not None:
        body.highlight_regex(AMOUNT, f"bold {palette.text}")
    if item.target is not None:
        body.append(" ").append_text(scene.name(item.target))
    result = _result(page, item)
    left = page.width - lead.cell_len - body.cell_len - result.cell_len - 3
    if left >= 4 and item.share is not None:
        bar = scene.look.bar(item.share, min(BAR_WIDTH, left), scene.people[item.seat].colour)
        bar.stylize_before(f"on {palette.raised}")
        if result.plain:
            body.append("  ").append_text(bar)
        else:
            result = bar
    if lead.cell_len + body.cell_len + bool(result.plain) + result.cell_len <= page.width:
        return [spread(lead.append_text(body), result, page.width)]
    lines = page.beside(lead, body)
    if result.plain:
        lines.append(fit(result, page.width, align="right"))
    return lines


def _result(page: Page, item: Action) -> Text:
    palette = page.scene.look.palette
    words = typed(item.result).replace("▸", page.scene.look.signs.closed)
    if words[:1] in {"+", "-"} and words[1:].replace(".", "").isdigit():
        return Text(words, f"bold {palette.text}")
    return Text(words, palette.soft)


def chosen_lines(page: Page, items: Sequence[Chosen]) -> list[Text]:
    """A line for each player whose choice is still hidden."""
    lines = []
    for item in items:
        line = page.head(item.seat).append("  ")
        lines.append(line.append(one_line(item.words), page.scene.look.palette.soft))
    return lines


def fault_lines(page: Page, items: Sequence[FaultLine]) -> list[Text]:
    """A line for each fault with what took the answer's place."""
    look = page.scene.look
    lines: list[Text] = []
    for item in items:
        lead = page.head(item.seat).append(f"  {look.signs.failed} ", f"bold {look.palette.bad}")
        words = page.scene.words(one_line(item.words), look.palette.bad, quoted=True)
        lines += page.beside(lead, words)
    return lines


# --- The end


def ending_lines(page: Page, items: Sequence[Ending]) -> list[Text]:
    """A banner: the end in a sentence, what came to light, and what each seat got."""
    lines: list[Text] = []
    for item in items:
        lines += _banner(page, item)
    return lines


def _banner(page: Page, item: Ending) -> list[Text]:
    scene, palette = page.scene, page.scene.look.palette
    room = page.width - 3
    lines = [Text()]
    lines += wrapped(scene.words(one_line(item.words), f"bold {palette.text}"), room)
    for detail in item.details:
        words = with_quotes(scene.words(typed(detail), palette.soft), palette.text)
        lines += wrapped(words, room)
    outcome = scene.outcome
    if outcome is not None:
        lines += _payoffs(scene, outcome, room)
    edge = Text(f"{scene.look.signs.edge} ", palette.accent)
    drawn = []
    for line in [*lines, Text()]:
        banner = fit(edge.copy().append_text(Text().append_text(line)), page.width)
        banner.stylize_before(f"on {palette.raised}")
        drawn.append(banner)
    return drawn


def _payoffs(scene: Scene, outcome: Outcome, room: int) -> list[Text]:
    """Credits or points by seat, winners first, as many to a line as fit."""
    table, look = scene.focus.table, scene.look
    roles = table.game.scoring.roles if table is not None else {}
    points = all(roles.get(role) is None for role in outcome.roles)
    most = max(outcome.payoffs, default=0)
    level = len(set(outcome.payoffs)) < 2
    lines = [Text("points  " if points else "credits  ", look.palette.soft)]
    start = lines[0].cell_len
    order = sorted(
        range(len(outcome.payoffs)),
        key=lambda seat: (seat not in outcome.winners, -outcome.payoffs[seat]),
    )
    for seat in order:
        entry = Text().append_text(scene.letters(seat)).append(" ")
        if seat in outcome.winners:
            entry.append(f"{look.signs.won} ", look.palette.warn)
        elif not outcome.winners and outcome.payoffs[seat] == most and not level:
            entry.append(f"{look.signs.most} ", look.palette.soft)
        entry.append(f"{round(outcome.payoffs[seat], 2):g}", f"bold {look.palette.text}")
        gap = 0 if lines[-1].cell_len == start else 3
        if lines[-1].cell_len + gap + entry.cell_len > room and gap:
            lines.append(Text(" " * start))
            gap = 0
        lines[-1] = Text().append_text(lines[-1]).append(" " * gap).append_text(entry)
    return lines


# --- Those who are waited for, and what went wrong


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
