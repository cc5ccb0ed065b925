"""The thoughts screen: beliefs and notes of the players of a match, which no player ever sees."""

from itertools import chain
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from parlour.games.common.text import one_line
from parlour.tournament.reports.thoughts import Thought, thoughts
from parlour.tui.models.save_view import LocalState, view_of_match
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.text import out_of_sight
from parlour.tui.views import beliefs
from parlour.tui.views.header import header_line
from parlour.tui.views.match_words import suit
from parlour.tui.views.scene import Scene, scene_of
from parlour.tui.widgets.drawn import DrawnLines, DrawnPane
from parlour.tui.widgets.footer import KeyFooter

POLL_SECONDS = 0.5
"""Seconds between two checks for new thoughts."""
NOTE = "for onlookers only: no player sees this"


class ThoughtsScreen(ParlourScreen):
    """The beliefs of all players as heat maps, and the thoughts of one in words."""

    TITLE = "Thoughts"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "turn(1)", "Next player", id="thoughts.next"),
        Binding("p", "turn(-1)", "Previous player", id="thoughts.previous"),
        Binding("right,l", "shift(1)", "Later analyses", show=False, id="thoughts.later"),
        Binding("left,h", "shift(-1)", "Earlier analyses", show=False, id="thoughts.earlier"),
        Binding("e", "export", "Export", id="thoughts.export"),
        Binding("escape,b", "back", "Back", id="thoughts.back"),
    ]

    def __init__(self, path: Path, number: int, local: LocalState | None = None) -> None:
        """Raises BadSave if the match cannot be read."""
        super().__init__()
        self._watched, self._focus = view_of_match(path, number, local)
        self._thoughts: list[Thought] = []
        self._read()
        # Starts with a player that noted beliefs, else with one that noted anything.
        noted = sorted(self._thoughts, key=lambda thought: thought.beliefs is None)
        self._seat = noted[0].seat if noted else 0
        self._first = 0

    def compose(self) -> ComposeResult:
        """Yields the heat maps, and the words below or beside them."""
        yield DrawnLines(id="header", height=2)
        with Container(id="body"):
            yield DrawnPane(self._draw_beliefs, id="beliefs")
            yield DrawnPane(self._draw_words, id="words")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Shows the thoughts so far, then new ones as they arrive."""
        self.query_one("#beliefs").focus()
        self.paint(reset=True)
        self.set_interval(POLL_SECONDS, self._poll)

    def on_unmount(self) -> None:
        """Closes the save."""
        self._watched.close()

    def _poll(self) -> None:
        if self._watched.poll():
            self._read()
            self.paint()
        elif self._watched.trouble:
            words = one_line(self._watched.trouble)
            trouble = Text(words, f"bold {self.look.palette.bad}")
            self.query_one("#header", DrawnLines).show([trouble, Text()])

    def _read(self) -> None:
        self._thoughts = thoughts(self._focus.answers, len(self._focus.match.agents))

    def _scene(self) -> Scene:
        return scene_of(self._focus, self._watched.cast(self.look.palette), self.look)

    def paint(self, *, reset: bool = False) -> None:
        """Shows the thoughts that have been read."""
        scene = self._scene()
        self.query_one("#header", DrawnLines).show(_header(scene, self.size.width))
        pane, words = self.query_one("#beliefs", DrawnPane), self.query_one("#words", DrawnPane)
        pane.set_title(scene.look.title("1", "Beliefs", "per cent, after each analysis"))
        sides = {"←": self._first, "→": self._later()}
        pane.set_hint(Text(out_of_sight("more analyses", sides)))
        pane.show(reset=reset)
        title = scene.look.title("2", "").append_text(scene.chip(self._seat)).append(" ")
        title.append_text(scene.name(self._seat, speaks=True))
        words.set_title(title.append(" thinks", f"bold {scene.look.palette.text}"))
        words.show(reset=reset)

    def _draw_beliefs(self, width: int, _height: int) -> list[Text]:
        return beliefs.belief_lines(self._scene(), self._thoughts, self._seat, self._first, width)

    def _draw_words(self, width: int, _height: int) -> list[Text]:
        return beliefs.word_lines(self._scene(), self._thoughts, self._seat, width)

    def _later(self) -> int:
        """The number of analyses that are out of sight at the right, of the player with most."""
        seats = range(len(self._focus.match.agents))
        most = max((len(beliefs.moments_of(self._thoughts, seat)) for seat in seats), default=0)
        width = self.query_one("#beliefs", DrawnPane).scrollable_content_region.width
        return max(0, most - self._first - beliefs.in_sight(self._scene(), width))

    def action_turn(self, by: int) -> None:
        """Goes to the next or previous player of the match."""
        players = len(self._focus.match.agents)
        self._seat = (self._seat + by) % players
        self.paint(reset=True)
        line = beliefs.first_line(self._thoughts, self._seat, players)
        self.query_one("#beliefs").scroll_to(y=line, animate=False)

    def action_shift(self, by: int) -> None:
        """Scrolls the heat maps to later or earlier analyses."""
        if self._first if by < 0 else self._later():
            self._first += by
            self.paint()
        else:
            self.say("There are no earlier analyses." if by < 0 else "There are no later analyses.")

    def action_export(self) -> None:
        """Writes the thoughts of all players into a file beside the save."""
        agents, save = self._focus.match.agents, self._watched.path
        target = save.with_name(f"{save.stem}-match-{self._focus.match.number}-thoughts.txt")
        parts = [beliefs.on_paper(self._thoughts, agents, seat) for seat in range(len(agents))]
        self.write(target, "".join(f"{line}\n" for line in chain.from_iterable(parts)))


def _header(scene: Scene, width: int) -> list[Text]:
    """The game, the match and its players, by name where there is room, and a rule below."""
    look, palette, match = scene.look, scene.look.palette, scene.focus.match
    table = scene.focus.table
    left = Text()
    if table is not None:
        left.append(f"{suit(look, table.game)} ", palette.soft)
        left.append(one_line(table.game.texts.title), f"bold {palette.text}")
        left.append(" · ", palette.soft)
    left.append(f"match {match.number}   ", palette.soft)
    winners = table.outcome.winners if table is not None and table.outcome is not None else ()
    for names in (True, False):
        cast = Text()
        for seat in range(len(scene.people)):
            cast.append("  ").append_text(scene.chip(seat))
            cast.append_text(Text(" ").append_text(scene.name(seat)) if names else Text())
            cast.append(f" {look.signs.won}" if seat in winners else "", palette.warn)
        if left.cell_len + cast.cell_len + len(" Thoughts │ ") <= width:
            break
    line = left.append_text(cast)
    note = Text(NOTE, f"italic {palette.faint}")
    return [
        header_line(look, "Thoughts", line, note, width, whole=True),
        Text(look.signs.rule * width, palette.rule),
    ]
