"""Matches in play side by side: a tile or two lines each."""

from rich.text import Text

from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, fit, spread
from parlour.tui.models.save_view import Focus, SaveView
from parlour.tui.views.match_words import game_title, phase_of_table, seats
from parlour.tui.views.scene import Scene, scene_of
from parlour.tui.views.talk import talk_lines

TITLE_WIDTH = 20


def scene_of_tile(cast: Cast, look: Look, focus: Focus) -> Scene:
    """A match of the wall, ready to be drawn."""
    waiting = () if focus.table is None else focus.table.waiting
    return scene_of(focus, cast, look, waiting=waiting)


def share_played(watched: SaveView, focus: Focus) -> float:
    """The share of a match's answers that has come."""
    if focus.match.outcome is not None:
        return 1.0
    return min(1.0, focus.shown / max(1, watched.expected[focus.match.entry]))


def two_lines(
    watched: SaveView, cast: Cast, look: Look, focus: Focus, width: int, *, chosen: bool = False
) -> list[Text]:
    """A match in two lines: its people, phase and progress, and the newest line of its talk."""
    palette = look.palette
    game = watched.games[focus.match.game]
    cursor = Text(look.signs.cursor if chosen else " ", palette.accent)
    first = Text(no_wrap=True).append_text(cursor)
    title = fit(Text(game_title(look, game), palette.soft), TITLE_WIDTH if width >= 60 else 2)
    first.append_text(title).append(f" {focus.match.number:>3}  ", f"bold {palette.text}")
    waiting = () if focus.table is None else focus.table.waiting
    hidden = focus.barred
    first.append_text(seats(look, cast, focus.match.agents, waiting, hidden=hidden))
    right = Text(no_wrap=True).append(phase_of_table(watched, focus), palette.soft).append("  ")
    right.append_text(look.progress(share_played(watched, focus), 10 if width >= 60 else 6))
    second = Text(no_wrap=True).append_text(cursor).append("   ")
    newest = newest_line(scene_of_tile(cast, look, focus), max(4, width - 4))
    return [spread(first, right, width), fit(second.append_text(newest), width)]


def newest_line(scene: Scene, width: int) -> Text:
    """The newest line of a talk."""
    if scene.focus.table is None:
        return Text()
    lines = [line for line in talk_lines(scene, width, 2, why=False) if line.plain.strip()]
    return lines[-1] if lines else Text()
