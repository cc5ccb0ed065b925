"""The home screen: lists the saves with a preview, and starts new tournaments."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Click
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import get_current_worker

from parlour.agents.llm.keys import keys_file
from parlour.games.common.errors import ParlourError
from parlour.tournament.control.client import ask_runner_soon
from parlour.tournament.control.requests import GetStatus
from parlour.tournament.save.directory import FOLDER
from parlour.tui.models.saves import Catalogue, SaveRow
from parlour.tui.screens.messages import ADD, LEADERBOARD, NEW, OpenSave, Show
from parlour.tui.screens.starting import DEMO_NAME, StartingScreen
from parlour.tui.text import shown_path
from parlour.tui.views.header import header_lines
from parlour.tui.views.saves import first_visit, preview, save_lines, start_lines
from parlour.tui.widgets.dialogs import TextInput
from parlour.tui.widgets.drawn import Drawing, DrawnPane
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.panes import ListPane

CARD_ACTIONS = ("demo", "new", "preset")
CARD_LINES = 3
"""Lines of a card, with the blank one below it."""


RELOAD_SECONDS = 3.0
"""Seconds between two looks at the folders."""
PAINT_SECONDS = 0.25
"""Seconds between two paints while many saves are read."""
NEED_SAVES = frozenset({"leaderboard", "find", "add"})
START_WIDTH = 60
"""Columns from which a long name of a file is shown in full."""


class SavesList(ListPane):
    """The list of saves."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "open", "Open", id="home.open")]


class FirstVisit(Widget, can_focus=True):
    """The cards of a first visit. Arrows choose one, Enter or a click takes it."""

    DEFAULT_CSS = "FirstVisit { height: 1fr; }"
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Card above", show=False, id="cards.up"),
        Binding("down,j", "move(1)", "Card below", show=False, id="cards.down"),
        Binding("enter,space", "take", "Take the card", show=False, id="cards.take"),
        Binding("d", "screen.demo", "Demo", id="home.demo"),
        Binding("n", "screen.new", "New tournament", id="home.new"),
        Binding("p", "screen.preset", "Presets", id="home.preset"),
        Binding("t", "app.next_theme", "Theme", id="home.theme"),
    ]
    chosen = reactive(0)

    def __init__(self, draw: Callable[..., tuple[Sequence[Text], int]], *, id: str) -> None:
        """``draw`` returns lines, and that of the first card, from the chosen card and the size."""
        super().__init__(id=id)
        self._draw, self._first_line = draw, 0

    def render(self) -> Text:
        """The cards with what is around them."""
        lines, self._first_line = self._draw(self.chosen, *self.size)
        return Text("\n", no_wrap=True).join(lines)

    def action_move(self, by: int) -> None:
        """Chooses another card."""
        self.chosen = max(0, min(len(CARD_ACTIONS) - 1, self.chosen + by))

    async def action_take(self) -> None:
        """Does what the chosen card says."""
        await self.run_action(f"screen.{CARD_ACTIONS[self.chosen]}")

    async def on_click(self, event: Click) -> None:
        """Takes the clicked card."""
        card, part = divmod(event.y - self._first_line, CARD_LINES)
        if 0 <= card < len(CARD_ACTIONS) and part < CARD_LINES - 1:
            self.chosen = card
            await self.action_take()


class HomeScreen(StartingScreen):
    """All saves with their state and progress; without any, the ways to begin."""

    TITLE = "Saves"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (130, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "new", "New tournament", id="home.new"),
        Binding("l,L", "leaderboard", "Leaderboard", id="home.leaderboard"),
        Binding("A", "add", "Add agents", show=False, id="home.add"),
        Binding("slash", "find", "Find", id="home.find"),
        Binding("d", "demo", "Watch the demo", show=False, id="home.demo"),
        Binding("p", "preset", "Play a preset", show=False, id="home.preset"),
        Binding("o", "file", "Open a tournament file", show=False, id="home.file"),
        Binding("t", "app.next_theme", "Next theme", show=False, id="home.theme"),
        Binding("r", "reload", "Reload", show=False, id="home.reload"),
        Binding("1", "jump('saves')", "Go to the tournaments", show=False, id="home.jump1"),
        Binding("2", "jump('preview')", "Go to the preview", show=False, id="home.jump2"),
        Binding("escape", "clear", "Clear the search", show=False, id="home.clear"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._catalogue = Catalogue()
        self._paths: list[Path] = self._catalogue.paths()
        self._rows: list[SaveRow] = []
        self._states: dict[Path, str] = {}
        self._search = ""
        self._watched: Path | None = None
        self._wanted: Path | None = None

    def compose(self) -> ComposeResult:
        """Yields the cards of a first visit, and the list with its preview."""
        yield Drawing(self._heading, id="heading")
        yield FirstVisit(lambda *at: first_visit(self.look, *at), id="cards")
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield SavesList(
                    self._row, empty="No save fits the search.", id="saves", tall=2, gap=1
                )
                yield Drawing(self._start, id="start")
            yield DrawnPane(
                lambda width, height: preview(self._under_cursor(), self.look, width, height),
                id="preview",
            )
        yield TextInput(placeholder="part of a name, a game or an agent", id="find", compact=True)
        yield KeyFooter()

    def on_mount(self) -> None:
        """Shows the names of the saves, then reads them, and again every three seconds."""
        self.query_one("#find").display = False
        self.query_one("#start").border_title = Text("Start something", "bold")
        self.query_one("#saves").border_subtitle = "newest first"
        self._show()
        self.query_one("#saves" if self._paths else "#cards").focus()
        self._read()
        self.set_interval(RELOAD_SECONDS, self._read)
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self._show())

    def on_screen_resume(self) -> None:
        """Reads the saves again on coming back from a tournament, with the cursor on its own."""
        watched = getattr(self.app, "last_watched", None)
        if watched != self._watched:
            self._watched = self._wanted = watched
        self._read()

    # --- Reading

    @work(thread=True, exclusive=True, group="read", exit_on_error=False)
    def _read(self) -> None:
        """Reads the saves that have changed, the newest first."""
        worker, painted = get_current_worker(), time.monotonic()
        paths = self._catalogue.paths()
        for path in paths:
            if worker.is_cancelled:
                return
            self._catalogue.read(path)
            if time.monotonic() - painted > PAINT_SECONDS:
                painted = time.monotonic()
                self.app.call_from_thread(self._show, paths)
        self.app.call_from_thread(self._show, paths)
        self.app.call_from_thread(self._ask_runners)

    @work(exclusive=True, group="states", exit_on_error=False)
    async def _ask_runners(self) -> None:
        """Asks the runners for their states: the lock tells only that a save has a runner."""
        states: dict[Path, str] = {}
        for path in self._paths:
            if self._catalogue.known(path).state == "running":
                with suppress(ParlourError):  # it may end at this very moment
                    states[path] = (await ask_runner_soon(path, GetStatus())).state
        if states != self._states:
            self._states = states
            self._show()

    # --- Showing

    def _show(self, paths: list[Path] | None = None) -> None:
        """Shows the saves as they were read last."""
        if not self.is_attached:
            return  # a thread was still reading
        had_saves, chosen = bool(self._paths), self._under_cursor()
        self._paths = self._paths if paths is None else paths
        rows = [self._known(path) for path in self._paths]
        self._rows = [row for row in rows if row.matches(self._search)]
        self._longest = max((len(row.file) for row in self._rows), default=0)
        saves = self.query_one("#saves", SavesList)
        self.query_one("#cards").display = not self._paths
        for name in ("#heading", "#body"):
            self.query_one(name).display = bool(self._paths)
        shown = [row.path for row in self._rows]
        if self._wanted in shown:
            saves.cursor, self._wanted = shown.index(self._wanted), None
        elif chosen is not None and chosen.path in shown:
            saves.cursor = shown.index(chosen.path)
        saves.show(len(self._rows))
        look = self.look
        more = f"/{self._search}" if self._search else ""
        saves.set_title(look.title("1", "Tournaments", more))
        self._show_preview()
        for name in ("#heading", "#start", "#cards"):
            self.query_one(name).refresh()
        if had_saves != bool(self._paths):
            self.query_one("#saves" if self._paths else "#cards").focus()
        self.refresh_bindings()

    def _known(self, path: Path) -> SaveRow:
        row = self._catalogue.known(path)
        if row.state != "running" or path not in self._states:
            return row
        return replace(row, state=self._states[path])

    def _under_cursor(self) -> SaveRow | None:
        cursor = self.query_one("#saves", SavesList).cursor
        return self._rows[cursor] if cursor < len(self._rows) else None

    def _show_preview(self, *, reset: bool = False) -> None:
        pane = self.query_one("#preview", DrawnPane)
        pane.set_title(self.look.title("2", "Preview"))
        pane.show(reset=reset)

    def _heading(self, width: int, height: int) -> list[Text]:
        palette = self.look.palette
        count = len(self._paths)
        parents = {path.parent for path in self._paths}
        folders = [f"{FOLDER}/"] * (FOLDER in parents) + ["this folder"] * (Path() in parents)
        saves = "1 save in " if count == 1 else f"{count} saves in "
        note = Text.assemble((saves, palette.soft), (" and ".join(folders), palette.text))
        place = Text("your tournaments", f"bold {palette.text}")
        return header_lines(self.look, "Parlour", place, note, width)

    def _row(self, index: int, width: int) -> list[Text]:
        if index >= len(self._rows):  # fewer since the list was laid out
            return []
        cursor = index == self.query_one("#saves", SavesList).cursor
        room = min(self._longest, max(0, width - START_WIDTH))
        row = self._rows[index]
        return save_lines(row, self.look, width, cursor=cursor, now=time.time(), name_width=room)

    def _start(self, width: int, height: int) -> list[Text]:
        return start_lines(shown_path(keys_file()), self.look, width)

    # --- Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without saves there is nothing to find or to rank."""
        return bool(self._paths) or action not in NEED_SAVES

    def why_not(self, action: str) -> str:
        """The reason why a key does nothing without saves."""
        return "" if self.check_action(action, ()) else "There is no save yet: d plays the demo."

    def on_list_pane_moved(self, _message: ListPane.Moved) -> None:
        """Shows the preview of the save under the cursor."""
        self._show_preview(reset=True)

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Opens a save on the live screen."""
        if message.row < len(self._rows):  # else they have become fewer since the key
            self.app.post_message(OpenSave(self._rows[message.row].path))

    def action_leaderboard(self) -> None:
        """Shows the leaderboard of the save under the cursor."""
        if (row := self._under_cursor()) is not None:
            self.app.post_message(Show(LEADERBOARD, row.path))

    def action_add(self) -> None:
        """Opens the form that adds agents to the save under the cursor."""
        if (row := self._under_cursor()) is not None:
            self.app.post_message(Show(ADD, row.path))

    def action_demo(self) -> None:
        """Plays the demo; where there are saves, asks first."""
        if self._paths:
            saves = [self._known(path) for path in self._paths]
            self.ask_for_demo(next((row for row in saves if row.is_of(DEMO_NAME)), None))
        else:
            super().action_demo()

    def action_new(self) -> None:
        """Opens the form for a new tournament."""
        self.app.post_message(Show(NEW))

    def action_jump(self, name: str) -> None:
        """Goes to a pane if it is in sight."""
        pane = self.query_one(f"#{name}")
        if not self._paths:
            self.say("There is no save yet: d plays the demo.")
        elif pane.display:
            pane.focus()
        else:
            self.say("The preview needs a terminal of 130 columns.")

    def action_reload(self) -> None:
        """Reads the folders now."""
        self.say(f"Reading {FOLDER}/ and this folder again.")
        self._read()

    def action_find(self) -> None:
        """Opens the search."""
        field = self.query_one("#find", Input)
        field.display = True
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Shows the saves that fit."""
        self._search = event.value.strip()
        self._show()

    def on_input_submitted(self, _event: Input.Submitted) -> None:
        """Goes to the saves that fit."""
        self.query_one("#find").display = False
        self.query_one("#saves").focus()

    def action_clear(self) -> None:
        """Shows all saves again."""
        field = self.query_one("#find", Input)
        if not field.display and not field.value:
            self.say("Nothing is searched for. q leaves.")
            return
        field.value, field.display = "", False
        if self._paths:
            self.query_one("#saves").focus()
