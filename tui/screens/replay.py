"""The replay screen: one match forwards and backwards, an ask or a round at a time."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size

from parlour.games.common.text import one_line
from parlour.tui.models.save_view import LocalState, view_of_match
from parlour.tui.screens.match_base import ReadingScreen
from parlour.tui.views.boards.boards import board_title
from parlour.tui.views.header import header_lines, scrubber
from parlour.tui.views.live_places import is_too_small
from parlour.tui.views.match_words import game_title
from parlour.tui.widgets.drawn import DrawnLines, DrawnPane
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.placed import Placed
from parlour.tui.widgets.talk_pane import TalkPane

BESIDE = 110
"""Columns from which the board is beside the talk; below, one of them is in sight."""
BOARD_WIDTH, NARROW_BOARD_WIDTH = 68, 44
SIDE_WIDTH = 34


class ReplayScreen(ReadingScreen):
    """A match in its state before any of its asks, or at its end."""

    TITLE = "Replay"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,n", "go(1)", "Next ask", id="replay.forward"),
        Binding("left,h,p", "go(-1)", "Previous ask", id="replay.back"),
        Binding(
            "right_square_bracket", "round(1)", "Next round", show=False, id="replay.next_round"
        ),
        Binding("left_square_bracket", "round(-1)", "Round before", show=False, id="replay.round"),
        # Priority over Home and End of the focused pane, which keeps G.
        Binding("home,0", "edge(0)", "First ask", show=False, priority=True, id="replay.start"),
        Binding("end", "edge(1)", "Last ask", show=False, priority=True, id="replay.end"),
        Binding("1", "pane('talk')", "Go to the talk", show=False, id="replay.talk"),
        Binding("2", "pane('board')", "Go to the board", show=False, id="replay.board"),
        # As on the live screen, but this footer has room for it.
        Binding("w", "why", "Reasons of votes, on or off", id="match.why"),
        Binding("e", "export", "Export", id="replay.export"),
        Binding("escape,b", "back", "Back", id="replay.close"),
    ]

    def __init__(self, path: Path, number: int, local: LocalState | None = None) -> None:
        """Raises BadSave if the match cannot be read."""
        super().__init__()
        self.watched, self._focus = view_of_match(path, number, local)
        self._steps = self._focus.turn_starts()
        self._at = len(self._steps) - 1
        self._wide_pane = "talk"

    def compose(self) -> ComposeResult:
        """Yields the header with the scrubber, talk and board."""
        yield DrawnLines(id="header")
        yield Placed(
            TalkPane(self.draw_talk, head=self.draw_cast, id="talk"),
            DrawnPane(self.draw_board, id="board"),
            DrawnPane(self.draw_too_small, id="small"),
            places=self._places,
            id="body",
        )
        yield KeyFooter()

    def on_mount(self) -> None:
        """Starts at the end of the match."""
        self.query_one("#talk").focus()
        self.paint_match()

    def on_unmount(self) -> None:
        """Closes the save."""
        self.watched.close()

    def _places(self, size: Size) -> Mapping[str, Region]:
        width, height = size
        if is_too_small(self.app.size):
            return {"small": Region(0, 0, width, height)}
        if width >= BESIDE:
            right = BOARD_WIDTH if width >= 140 else NARROW_BOARD_WIDTH
        elif self._wide_pane == "board":
            return {"board": Region(0, 0, width, height)}
        else:
            right = SIDE_WIDTH
        left = width - right
        return {"talk": Region(0, 0, left, height), "board": Region(left, 0, right, height)}

    # --- Painting

    def paint(self) -> None:
        """Shows the match before the current ask."""
        self.paint_match()

    def paint_match(self, *, reset: bool = True) -> None:
        """Shows the match before the current ask, its talk from the end if it is ``reset``."""
        self._focus.show(self.watched.save, self._steps[self._at])
        focus, look = self._focus, self.look
        game = self.watched.games[focus.match.game]
        left = Text(game_title(look, game), f"bold {look.palette.text}")
        left.append(f" · match {focus.match.number}", look.palette.soft)
        right = Text(f"ask {self._at} of {len(self._steps) - 1}", look.palette.text)
        right.append(f"   answer {focus.shown} of {len(focus.answers)}", look.palette.soft)
        width = self.size.width
        line = scrubber(look, self._steps, self._at, width)
        self.query_one("#header", DrawnLines).show(
            header_lines(look, "Replay", left, right, width, line)
        )
        talk = self.query_one("#talk", TalkPane)
        talk.set_hint(Text(self.phase(), look.palette.soft))
        talk.show(reset=reset)
        self.query_one("#board", DrawnPane).show()
        scene = self.scene()
        assert scene is not None, "a replay has a match"
        self.set_title("talk", look.title("1", "Talk", self.seen_by()))
        self.set_title("board", look.title("2", one_line(board_title(scene))))

    def on_descendant_focus(self) -> None:
        """Marks the pane that has the keys."""
        self.paint_match()

    # --- Keys

    def action_go(self, by: int) -> None:
        """Goes one ask forwards or backwards."""
        self._go_to(max(0, min(len(self._steps) - 1, self._at + by)))

    def action_round(self, by: int) -> None:
        """Goes to the begin of the next or of this round; from there to that of the one before."""
        starts = self._round_starts()
        last = len(self._steps) - 1
        later = [start for start in starts if start > self._at]
        earlier = [start for start in starts if start < self._at]
        if by > 0:
            self._go_to(later[0] if later else last)
        else:
            self._go_to(earlier[-1] if earlier else 0)

    def _round_starts(self) -> list[int]:
        """The steps before the first ask of each round."""
        starts: list[int] = []
        before: int | None = None
        for step, answers in enumerate(self._steps[:-1]):
            round = self._focus.answers[answers].round
            if round != before:
                starts.append(step)
            before = round
        return starts

    def action_edge(self, end: int) -> None:
        """Goes to the first ask, or behind the last."""
        self._go_to(len(self._steps) - 1 if end else 0)

    def _go_to(self, step: int) -> None:
        """Goes to a step; says if one is there already."""
        if step == self._at:
            self.say("This is the start." if step == 0 else "This is the newest ask.")
            return
        self._at = step
        self.paint_match()

    def action_pane(self, name: str) -> None:
        """Goes to a pane; on a narrow terminal the board gets all of it."""
        self._wide_pane = name
        self.query_one("#body", Placed).arrange_again()
        self.set_focus(self.query_one(f"#{name}"))

    def action_export(self) -> None:
        """Writes the transcript up to the current ask."""
        at_end = self._at == len(self._steps) - 1
        self.write_transcript("" if at_end else f"-ask-{self._at}")
