"""The prompts screen: what a model was sent for one call of a match, and what it wrote."""

from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from parlour.games.engine.moves import player
from parlour.tournament.reports.prompts import Exchange, reading
from parlour.tournament.save.reader import Save
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.text import BOLD, cut
from parlour.tui.views.prompts import exchange_lines
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.text_pane import TextPane


class PromptsScreen(ParlourScreen):
    """One call after another: messages, response format, parameters, answer and fault."""

    TITLE = "Prompts"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,n", "go(1)", "Next call", id="prompts.next"),
        Binding("left,h,p", "go(-1)", "Previous call", id="prompts.previous"),
        Binding("escape,b", "back", "Back", id="prompts.back"),
    ]

    def __init__(self, path: Path, number: int, ask: int | None = None) -> None:
        """Starts at the last call up to ``ask``. Raises BadSave if the match cannot be read."""
        super().__init__()
        self._number = number
        with Save(path) as save, reading(save) as prompts:
            self._exchanges: list[Exchange] = list(prompts.of_match(number))
        before = [
            at for at, each in enumerate(self._exchanges) if ask is None or each.call.ask <= ask
        ]
        self._at = before[-1] if before else 0

    def compose(self) -> ComposeResult:
        """Yields the call in one pane."""
        yield Static(id="status")
        yield TextPane(empty="No model was called in this match.", id="prompt")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Shows the call."""
        self.query_one("#prompt").focus()
        self._paint()

    def _paint(self) -> None:
        title = Text.assemble(("Prompts  ", BOLD), f"match {self._number}")
        if self._exchanges:
            each = self._exchanges[self._at]
            title.append(f"   call {self._at + 1} of {len(self._exchanges)}   ← back   → forward")
            self.query_one("#prompt").border_title = Text(
                f"Ask {each.call.ask}, {player(each.call.seat)} {cut(each.call.agent, 30)},"
                f" try {each.call.try_}"
            )
            self.query_one("#prompt", TextPane).show(exchange_lines(each), reset=True)
        self.query_one("#status", Static).update(title)

    def action_go(self, by: int) -> None:
        """Goes to the next or previous call."""
        self._at = max(0, min(len(self._exchanges) - 1, self._at + by))
        self._paint()
