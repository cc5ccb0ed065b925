"""The leaderboard screen: overall, by game, by role, and exports of what is shown."""

from pathlib import Path
from typing import ClassVar, Literal

from rich.cells import cell_len
from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer, Static

from tui.describe import DIM, one_line, tabs
from tui.dialogs import Choice
from tui.lines import ListPane
from tui.screens import ParlourScreen
from tui.standings import Standings

By = Literal["overall", "game", "role"]

KINDS: tuple[By, ...] = ("overall", "game", "role")
NAMES = ("Overall", "By game", "By role")


class LeaderboardScreen(ParlourScreen):
    """Who is good at what, and how surely."""

    TITLE = "Leaderboard"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1,o", "by(0)", "Overall", show=False, id="board.overall"),
        Binding("2", "by(1)", "By game", show=False, id="board.game"),
        Binding("3", "by(2)", "By role", show=False, id="board.role"),
        Binding("left,h", "shift(-1)", "Columns left", show=False, id="board.left"),
        Binding("right,l", "shift(1)", "Columns right", show=False, id="board.right"),
        Binding("m", "matrix", "Head to head", tooltip="Who beats whom", id="board.head_to_head"),
        Binding("e", "export", "Export", id="board.export"),
        Binding("escape,b", "back", "Back", id="board.back"),
    ]

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._standings = Standings(path)
        self._kind = 0
        self._first_column = 0
        self._headings: list[str] = []
        self._cells: list[list[str]] = []
        self._widths: list[int] = []

    def compose(self) -> ComposeResult:
        """The table, its headings above and its footnotes below."""
        yield Static(id="status")
        yield Static(id="headings")
        yield ListPane(self._row, empty="Computing …", id="table")
        yield Static(id="notes")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Reads the leaderboard, then keeps it fresh."""
        self.query_one("#table").focus()
        self._fill()
        self._load()
        self.set_interval(2.0, self._load)

    def on_unmount(self) -> None:
        """Lets go of what computes."""
        self._standings.close()

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _load(self) -> None:
        self._standings.behind = True
        if self._standings.due(finished=False) and self._standings.refresh():
            self.app.call_from_thread(self._fill)

    def _fill(self) -> None:
        from ratings.report import footnotes, headings, lines

        board, kind = self._standings.board, KINDS[self._kind]
        rows = lines(board, kind) if board is not None else []
        self._headings = headings(board, kind) if board is not None else ["#", "Agent"]
        self._cells = [[one_line(cell) for cell in row] for row in rows]
        table = [self._headings, *self._cells]
        self._widths = [max(cell_len(row[i]) for row in table) for i in range(len(self._headings))]
        title = Text.assemble(("Leaderboard  ", "bold"), tabs(NAMES, self._kind, first=1))
        title.append(f"   {one_line(str(self._path))}", DIM)
        self.query_one("#status", Static).update(title)
        notes = [one_line(note) for note in footnotes(board)] if board is not None else []
        self.query_one("#notes", Static).update(Text("\n".join(notes), "dim"))
        self._show()

    def on_resize(self) -> None:
        """More or fewer columns fit."""
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        table = self.query_one("#table", ListPane)
        table.empty = self._standings.trouble or (
            "Computing …"
            if self._standings.board is None
            else "No match is finished yet: Esc goes back."
        )
        width = table.scrollable_content_region.width
        head = Text(self._joined(self._headings, width), "bold", no_wrap=True)
        self.query_one("#headings", Static).update(head)
        right = len(self._headings) - self._columns(width)[-1] - 1
        sides = (("←", self._first_column), ("→", right))
        hidden = [f"{arrow} {count}" for arrow, count in sides if count]
        table.border_subtitle = "more columns: " + "  ".join(hidden) if hidden else ""
        table.show(len(self._cells))

    def _row(self, index: int, width: int) -> Text:
        return Text(self._joined(self._cells[index], width), no_wrap=True)

    def _columns(self, width: int) -> list[int]:
        """The columns in sight: rank and names stay, the others follow from the first wanted one.

        At least one of them is there, and none is cut that would fit alone.
        """
        fixed = self._headings.index("Agent") + 1
        columns = list(range(fixed))
        for i in range(fixed + self._first_column, len(self._headings)):
            room = sum(self._widths[column] + 2 for column in columns) + self._widths[i]
            if room > width and len(columns) > fixed:
                break
            columns.append(i)
        return columns

    def _joined(self, cells: list[str], width: int) -> str:
        names = self._headings.index("Agent")
        texts = []
        for i in self._columns(width):
            padding = " " * (self._widths[i] - cell_len(cells[i]))
            texts.append(cells[i] + padding if 0 < i <= names else padding + cells[i])
        return "  ".join(texts)

    def action_by(self, kind: int) -> None:
        """Shows another kind of leaderboard."""
        self._kind, self._first_column = kind, 0
        self._fill()

    def action_shift(self, by: int) -> None:
        """Brings further columns into sight."""
        width = self.query_one("#table", ListPane).scrollable_content_region.width
        if by < 0 or self._columns(width)[-1] < len(self._headings) - 1:
            self._first_column = max(0, self._first_column + by)
        self._show()

    def action_matrix(self) -> None:
        """Shows who won how much against whom."""
        self.parlour.show_head_to_head(self._path, self._standings)

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Opens the page of the agent under the cursor."""
        board = self._standings.board
        if board is not None:
            agent = board.by(KINDS[self._kind])[message.row].agent
            self.parlour.show_agent(self._path, self._standings, agent)

    def action_export(self) -> None:
        """Asks for the form and writes the leaderboard as shown."""
        options = [("md", "Markdown"), ("csv", "CSV"), ("latex", "LaTeX"), ("json", "JSON")]
        self.app.push_screen(Choice("Export this leaderboard as", options), self._export)

    def _export(self, form: str | None) -> None:
        from ratings.report import as_csv, as_json, as_latex, as_markdown

        board, kind = self._standings.board, KINDS[self._kind]
        if form is None or board is None:
            return
        text = {"md": as_markdown, "csv": as_csv, "latex": as_latex, "json": as_json}[form]
        ending = "tex" if form == "latex" else form
        target = self._path.with_name(f"{self._path.stem}-leaderboard-{kind}.{ending}")
        self.write(target, text(board, kind))

    def action_back(self) -> None:
        """Goes back to where one came from."""
        self.app.pop_screen()
