"""A pane of the live screen is declared once: a part that is forgotten fails here."""

from pathlib import Path

from rich.text import Text
from textual.geometry import Size

from parlour.tui.look.look import Look
from parlour.tui.settings import LAYOUTS
from parlour.tui.views.live_places import PANES, PaneBasis, live_places, pane_tabs
from parlour.tui.widgets.panes import Pane
from tests.tournaments import ROOT
from tests.tui.playing import driven, focused, live, looped, saved


@looped
async def test_each_pane_has_a_widget_with_its_key_and_title(tmp_path: Path) -> None:
    async with driven(await saved(tmp_path / "small.db"), size=(200, 60)) as pilot:
        for pane in PANES:
            title = live(pilot).query_one(f"#{pane.id}", Pane).border_title
            assert Text.from_markup(str(title)).plain.startswith(str(pane.key))
            if pane.id in live(pilot).places(live(pilot).query_one("#body").size):
                await pilot.press(str(pane.key))
                assert focused(pilot) == pane.id


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
