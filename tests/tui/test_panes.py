"""Panes of lines by themselves: what is drawn again, and what is not."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from rich.text import Text
from textual.app import App, ComposeResult
from textual.geometry import Size

from parlour.tui.look.look import Look
from parlour.tui.look.palette import NIGHT
from parlour.tui.look.themes import variables
from parlour.tui.settings import LAYOUTS
from parlour.tui.views.live_places import PANES, PaneBasis, live_places, pane_tabs
from parlour.tui.widgets.drawn import DrawnPane
from parlour.tui.widgets.panes import ListPane, Pane
from tests.tournaments import ROOT
from tests.tui.playing import Driven, driven, saved


class Bench(App[None]):
    """A list and a text side by side, and a note of every line that is drawn."""

    CSS = "Screen { layout: horizontal; } ListPane, DrawnPane { width: 1fr; height: 1fr; }"

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The variables of the style sheets of the panes."""
        return variables(NIGHT)

    def __init__(self) -> None:
        super().__init__()
        self.rows = [Text(f"row {n}") for n in range(100)]
        self.list = ListPane(lambda index, _width: self.rows[index].copy(), empty="-", id="list")
        self.lines = [Text("first"), Text("second")]
        self.text = DrawnPane(lambda _width, _height: self.lines, id="text", follows=True)
        self.drawn: list[tuple[str, int]] = []
        for pane in (self.list, self.text):
            pane.render_line = self._noted(pane)  # type: ignore[method-assign]

    def _noted(self, pane: ListPane | DrawnPane) -> Callable[[int], Any]:
        draw = pane.render_line

        def noted(y: int) -> Any:
            self.drawn.append((str(pane.id), y))
            return draw(y)

        return noted

    def compose(self) -> ComposeResult:
        """The two panes."""
        yield self.list
        yield self.text


def on_a_bench(story: Callable[[Bench, Driven], Coroutine[Any, Any, None]]) -> None:
    """Tells a story with both panes filled and everything drawn."""

    async def whole() -> None:
        bench = Bench()
        async with bench.run_test(size=(60, 20)) as pilot:
            bench.list.show(100)
            bench.text.show()
            await pilot.pause()
            bench.drawn.clear()
            await story(bench, pilot)

    asyncio.run(whole())


def test_showing_the_same_again_draws_nothing() -> None:
    async def story(bench: Bench, pilot: Driven) -> None:
        bench.list.show(100)
        bench.text.show()
        bench.text.set_title(Text("a title"))
        await pilot.pause()
        bench.drawn.clear()
        bench.text.set_title(Text("a title"))
        await pilot.pause()
        assert bench.drawn == []

    on_a_bench(story)


def test_only_the_lines_that_changed_are_drawn_and_rows_out_of_sight_are_not() -> None:
    async def story(bench: Bench, pilot: Driven) -> None:
        bench.rows[3] = Text("row three")
        bench.rows[5].stylize("bold")
        bench.rows[7] = Text("row 7", style="red")
        bench.rows[99] = Text("the last")
        bench.list.show(100)
        bench.lines = [Text("first"), Text("another")]
        bench.text.show()
        await pilot.pause()
        assert sorted(bench.drawn) == [("list", 3), ("list", 5), ("list", 7), ("text", 1)]

    on_a_bench(story)


def test_rows_that_go_are_wiped_out() -> None:
    async def story(bench: Bench, pilot: Driven) -> None:
        bench.list.show(2)
        await pilot.pause()
        shown = [bench.list.render_line(y).text.strip() for y in range(4)]
        assert shown == ["row 0", "row 1", "", ""]
        assert {y for pane, y in bench.drawn if pane == "list"} >= set(range(2, 18))

    on_a_bench(story)


async def test_each_pane_has_a_widget_with_its_key_and_title(tmp_path: Path) -> None:
    async with driven(await saved(tmp_path / "small.db"), size=(200, 60)) as pilot:
        for pane in PANES:
            title = pilot.live.query_one(f"#{pane.id}", Pane).border_title
            assert Text.from_markup(str(title)).plain.startswith(str(pane.key))
            if pane.id in pilot.live.places(pilot.live.query_one("#body").size):
                await pilot.press(str(pane.key))
                assert pilot.focused == pane.id


def test_each_pane_has_a_place_a_tab_and_a_line_in_the_documentation() -> None:
    drawn = pane_tabs(Look(), PANES[0]).plain
    lines = (ROOT / "docs/screens.md").read_text(encoding="utf-8").splitlines()
    placed: set[str] = set()
    for layout in LAYOUTS:
        placed |= live_places(Size(200, 60), PaneBasis(layout, PANES[0], 3, 4)).keys()
    for pane in PANES:
        assert pane.id in placed
        assert f"{pane.key} {pane.tab}" in drawn
        assert any(line.startswith(f"| `{pane.key}` {pane.title} |") for line in lines)
