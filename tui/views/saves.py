"""The home screen as drawn: the saves, a preview of one, and the ways to begin."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.registry import games
from parlour.games.engine.transcript import counted
from parlour.tournament.save.summary import GameCount, SaveSummary
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, ShownInterval, common_scale, fit, signed, spread, wrapped
from parlour.tui.models.game_names import FAMILIES
from parlour.tui.models.saves import SaveRow, StandingLine, agent_words
from parlour.tui.text import last_words
from parlour.tui.views.run_header import state_pill, state_text

LEAST_NAME = 18
"""Columns of a file's name, at least."""
BAR, BOARD_BAR = 14, 6
"""Cells of a progress line in the list and in the preview."""
HOUR, DAY = 3600, 86400


def age(changed: float, now: float) -> str:
    """The time since a save changed, in a word or two; a date after a month."""
    seconds = max(0.0, now - changed)
    if seconds < 60:
        return "now"
    if seconds < HOUR:
        return f"{seconds // 60:.0f} min"
    if seconds < DAY:
        return f"{seconds // HOUR:.0f} h"
    if seconds < 2 * DAY:
        return "yesterday"
    if seconds < 30 * DAY:
        return f"{seconds // DAY:.0f} days"
    return datetime.fromtimestamp(changed).strftime("%Y-%m-%d")


def save_lines(
    row: SaveRow, look: Look, width: int, *, cursor: bool, now: float, name_width: int = 0
) -> list[Text]:
    """A save in two lines: name, state, progress and age; games, agents, leader, note, money."""
    look = look.on_cursor() if cursor else look
    palette = look.palette
    edge = Text().append(f"{look.signs.cursor} " if cursor else "  ", f"bold {palette.accent}")
    room = max(0, width - 3)
    if row.summary is None:
        reason = Text(row.problem or "reading …", palette.bad if row.problem else palette.faint)
        sign = state_text("failed", look) if row.problem else Text()
        head = fit(Text(row.file, f"bold {palette.text}"), max(LEAST_NAME, name_width))
        lines = [spread(head.append(" ").append_text(sign), Text(), room), fit(reason, room)]
    else:
        lines = [
            _first_line(row, row.summary, look, room, now, max(LEAST_NAME, name_width)),
            _second_line(row, row.summary, look, room),
        ]
    return [fit(edge.copy().append_text(line), width) for line in lines]


def _first_line(
    row: SaveRow, summary: SaveSummary, look: Look, room: int, now: float, name_width: int
) -> Text:
    palette, count = look.palette, summary.count
    over = count.finished + count.frozen
    right = Text(no_wrap=True)
    if room >= 68:
        share = over / (count.matches or 1)
        running = row.state == "running"
        bar = look.progress(share, BAR) if running else _quiet(share, look, BAR)
        right.append_text(bar).append(" ")
    right.append(f"{over:>5,} of {count.matches:<4,}", palette.text)
    if room >= 48:
        words = "now" if row.state == "running" else age(row.changed, now)
        right.append(f"{words:>10}", palette.faint)
    left = fit(Text(row.file, f"bold {palette.text}"), name_width).append(" ")
    return spread(left.append_text(state_text(row.state, look)), right, room)


def _quiet(share: float, look: Look, width: int) -> Text:
    """A progress line in grey, of a tournament that is not playing."""
    palette = replace(look.palette, accent=look.palette.soft)
    return replace(look, palette=palette).progress(share, width)


def _second_line(row: SaveRow, summary: SaveSummary, look: Look, room: int) -> Text:
    palette = look.palette
    line = suits(row.families, look)
    parts = f"  {counted(len(summary.games), 'game')} · {counted(len(summary.agents), 'agent')}"
    line.append(parts, palette.soft)
    if row.note:
        colour = palette.bad if row.state == "failed" else palette.warn
    if row.leader is not None and row.state != "failed":
        line.append("   leads ", palette.faint).append(one_line(row.leader), palette.soft)
    if row.note:
        line.append(f"   {row.note}", colour)
    money = Text(f"${summary.dollars:,.2f}" if summary.dollars else "", palette.soft)
    return spread(line, money, room)


def suits(families: frozenset[str], look: Look) -> Text:
    """The signs of all families; those that are not played in the colour of grids."""
    line = Text(no_wrap=True)
    for family in FAMILIES:
        played = family in families
        line.append(look.signs.suits[family], look.palette.text if played else look.palette.grid)
    return line


# --- The preview


def preview(row: SaveRow | None, look: Look, width: int, height: int) -> list[Text]:
    """A save on a pane of its own: progress, games, standings, agents, and how it is played."""
    if row is None:
        return []
    if row.summary is None:
        words = Text(row.problem or "reading the save …", look.palette.soft)
        return [fit(line, width) for line in [Text(), *wrapped(words, width)]]
    summary = row.summary
    cast = Cast(list(summary.agents), look.palette)
    lines = [
        Text(),
        *_progress(row, summary, look, width),
        Text(),
        *_games(summary.games, look, width),
        Text(),
        *_standings(row.places, cast, look, width),
        Text(),
        *_agents(summary, cast, look, width),
        Text(),
        *_how(row, summary, look, width),
    ]
    return [fit(line, width) for line in lines]


def _progress(row: SaveRow, summary: SaveSummary, look: Look, width: int) -> list[Text]:
    palette, count = look.palette, summary.count
    over = count.finished + count.frozen
    name = Text().append(f"{one_line(summary.name)}  ", f"bold {palette.text}")
    of = f" of {count.matches:,} {'match' if count.matches == 1 else 'matches'}"
    numbers = Text.assemble((f"{over:,}", f"bold {palette.text}"), (of, palette.soft))
    return [
        spread(name.append_text(state_pill(row.state, look)), numbers, width),
        look.progress(over / (count.matches or 1), width),
    ]


def _games(played: Sequence[GameCount], look: Look, width: int) -> list[Text]:
    """The games in two columns, from top to bottom; in one where two are too narrow."""
    columns = 2 if width >= 56 else 1
    height = -(-len(played) // columns)
    digits = max((len(f"{count.matches:,}") for count in played), default=1)
    lines = []
    for index in range(height):
        line = Text(no_wrap=True)
        for column in range(columns):
            place, part = index + column * height, Text()
            cell = width // columns - (column < columns - 1)
            if place < len(played):
                part = _game(played[place], look, cell - 2 * (columns > 1), digits)
            line.append_text(fit(part, cell)).append(" " if column < columns - 1 else "")
        lines.append(line)
    return lines


def _game(count: GameCount, look: Look, width: int, digits: int) -> Text:
    palette, game = look.palette, games().get(count.game)
    suit = look.signs.suits.get(game.texts.family, " ") if game else " "
    title = game.texts.title if game else one_line(count.game)
    right = _quiet(count.over / (count.matches or 1), look, BOARD_BAR)
    numbers = f"{count.over:>{digits + 2},}/{count.matches:<{digits},}"
    right.append(numbers, palette.faint)
    title = last_words(one_line(title), max(1, width - right.cell_len - 3))
    return spread(Text.assemble((f"{suit} ", palette.soft), (title, palette.text)), right, width)


def _standings(places: Sequence[StandingLine], cast: Cast, look: Look, width: int) -> list[Text]:
    palette = look.palette
    lines = [look.rule(width, "standings")]
    rated = [place for place in places if place.strength is not None]
    if not rated:
        reason = "nobody is ranked yet" if not places else "nobody met another agent"
        return [*lines, Text(reason, f"italic {palette.faint}")]
    scale = common_scale([_interval(place) for place in rated])
    names = min(14, max(Text(cast[place.agent].name).cell_len for place in rated))
    chips = max(len(cast[place.agent].letters) + 2 for place in rated)
    room = max(5, width - 5 - chips - 1 - names - 1 - 8)
    head = fit(Text("rank", palette.faint), 5 + chips + 1 + names + 1)
    head.append_text(look.axis(room, scale)).append("strength".rjust(8), palette.faint)
    lines.append(head)
    for place in rated:
        who, interval = cast[place.agent], _interval(place)
        line = Text.assemble(
            *(fit(Text(_rank(place), palette.soft), 5), look.chip(who, width=chips), " "),
            *(fit(look.name(who, speaks=True), names), " "),
            look.forest(interval, room, scale, who.colour),
            (f"  {signed(interval.value)}", f"bold {palette.text}"),
        )
        lines.append(line)
    return lines


def _interval(place: StandingLine) -> ShownInterval:
    strength = place.strength or {}
    return ShownInterval.of(strength.get("value") or 0.0, strength.get("low"), strength.get("high"))


def _rank(place: StandingLine) -> str:
    """The rank, or the range of ranks that the data cannot tell apart."""
    strength = place.strength or {}
    first, last = (int(strength.get(key) or 0) for key in ("rank", "last_rank"))
    return str(first) if first >= last else f"{first}–{last}"


def _agents(summary: SaveSummary, cast: Cast, look: Look, width: int) -> list[Text]:
    palette = look.palette
    shown = list(summary.agents.items())
    names = min(14, max((Text(cast[agent].name).cell_len for agent, _ in shown), default=0))
    chips = max((len(cast[agent].letters) + 2 for agent, _ in shown), default=3)
    lines = [look.rule(width, "agents")]
    for agent, block in shown:
        chip, name = look.chip(cast[agent], width=chips), fit(look.name(cast[agent]), names)
        words = (f"   {agent_words(block)}", palette.soft)
        lines.append(Text.assemble(chip, " ", name, words))
    return lines


def _how(row: SaveRow, summary: SaveSummary, look: Look, width: int) -> list[Text]:
    palette = look.palette
    schedule = summary.schedule.replace("_", " ")
    if summary.defender is not None:
        schedule = f"challengers of {one_line(summary.defender)}"
    line = Text.assemble(
        ("seed ", palette.faint), (str(summary.seed), palette.soft),
        ("   schedule ", palette.faint), (schedule, palette.soft),
    )  # fmt: skip
    if summary.repetitions > 1:
        line.append(f" × {summary.repetitions}", palette.soft)
    if summary.dollars or summary.budget is not None:
        of = "" if summary.budget is None else f" of ${summary.budget:,.2f}"
        line.append(f"   ${summary.dollars:,.2f}{of}", palette.soft)
    note = Text(row.note, palette.bad if row.state == "failed" else palette.warn)
    changed = datetime.fromtimestamp(row.changed).strftime("%Y-%m-%d %H:%M")
    more = [Text(), *wrapped(note, width)] if row.note else []
    return [line, Text(f"last changed {changed}", palette.faint), *more]


# --- Start something

STARTS = (
    ("n", "a tournament of your own: games, agents, schedule, budget"),
    ("d", "watch the demo: four scripted players, nine games, two minutes"),
    ("p", "a preset: published experiments and smaller ones, ready to run"),
    ("o", "a tournament file"),
)


def start_lines(keys_file: str, look: Look, width: int) -> list[Text]:
    """The ways to start a tournament, with their keys."""
    palette = look.palette
    lines = [Text()]
    for key, words in STARTS:
        chip = Text(f" {key} ", f"bold {palette.accent} on {palette.raised}")
        lines.append(Text("  ").append_text(chip).append(f"  {words}", palette.soft))
    hint = Text("  Scripted players need no key. Keys of models: ", palette.faint)
    lines += [Text(), hint.append(one_line(keys_file), palette.soft)]
    return [fit(line, width) for line in lines]


# --- The first visit

WORDMARK = (
    "█▀▀▄ ▄▀▀▄ █▀▀▄ █   ▄▀▀▄ █  █ █▀▀▄",
    "█▄▄▀ █▄▄█ █▄▄▀ █   █  █ █  █ █▄▄▀",
    "█    █  █ █ ▀▄ █▄▄ ▀▄▄▀ ▀▄▄▀ █ ▀▄",
)
PLAIN_WORDMARK = ("", "P A R L O U R", "")
SENTENCE = "Agents sit down at social games and play. You watch, steer and compare."
CARDS = (
    ("d", "Watch the demo", "four scripted players, all nine games, two minutes, free"),
    ("n", "New tournament", "tick games, pick agents, see what it costs, play"),
    ("p", "Presets", "the published experiments, ready to run"),
)
CARD_WIDTH = 66


def first_visit(look: Look, chosen: int, width: int, height: int) -> tuple[list[Text], int]:
    """The lines, centred, and the line on which the first card begins; ``chosen`` is a card."""
    palette = look.palette
    mark = WORDMARK if look.signs.braille else PLAIN_WORDMARK
    lines = [Text(row, palette.accent) for row in mark]
    names = Text("   ").join([_suit(family, look) for family in FAMILIES])
    lines += [Text(), names, Text(), Text(SENTENCE, palette.soft), Text()]
    if height >= 24:
        lines.append(Text())
    first = len(lines)
    for index, card in enumerate(CARDS):
        lines += [*_card(card, look, min(CARD_WIDTH, width), index == chosen), Text()]
    end = Text.assemble(
        ("Nothing is in ", palette.faint), ("saves/", palette.soft), (" yet.  ", palette.faint),
        ("?", f"bold {palette.accent}"), (" lists the keys of any screen, ", palette.faint),
        ("q", f"bold {palette.accent}"), (" leaves.", palette.faint),
    )  # fmt: skip
    lines.append(end)
    above = max(0, height - len(lines)) // 2
    centred = [fit(line, width, align="center") for line in [Text()] * above + lines]
    return centred, above + first


def _suit(family: str, look: Look) -> Text:
    sign = Text(f"{look.signs.suits[family]} ", look.palette.text)
    return sign.append(family, look.palette.soft)


def _card(card: tuple[str, str, str], look: Look, width: int, chosen: bool) -> list[Text]:
    key, title, words = card
    palette = look.palette
    edge = look.signs.edge if chosen else " "
    on_key = f"{palette.on_chip} on {palette.accent}" if chosen else palette.accent
    first = Text.assemble(
        (f"{edge}  ", palette.accent), (f" {key} ", f"bold {on_key}"),
        ("  ", ""), (title, f"bold {palette.text}"),
    )  # fmt: skip
    second = Text.assemble((f"{edge}       ", palette.accent), (words, palette.soft))
    lines = [fit(first, width), fit(second, width)]
    for line in lines:
        line.stylize_before(f"on {palette.raised if chosen else palette.panel}")
    return lines
