"""The list of keys in columns: exact widths, every key under its heading, and the signs."""

import pytest

from parlour.tui.look.look import Look
from parlour.tui.views.key_help import HelpLine, help_lines

KEYS = (
    HelpLine("live.pause", "space", "Pause"),
    HelpLine("live.export", "e", "Export"),
    HelpLine("live.layout", "v", "Next layout"),
    HelpLine("live.wall", "g", "Wall"),
    HelpLine("list.down", "↓ j", "Row down"),
    HelpLine("app.help", "? f1", "Help"),
)
HEADINGS = ("Steer", "Take away", "Look", "In the pane", "Go", "Everywhere")


@pytest.mark.parametrize("width", [20, 38, 72, 79, 120, 126, 220])
def test_every_line_has_the_width_and_every_key_and_heading_is_there(width: int) -> None:
    lines = help_lines(Look(), KEYS, width)
    assert {line.cell_len for line in lines} == {width}
    text = "\n".join(line.plain for line in lines)
    for key in KEYS:
        assert f"{key.keys:<5}  {key.words}" in text
    assert all(heading in text for heading in HEADINGS)


def test_a_broad_window_has_three_lists_beside_each_other_and_a_narrow_one_has_one() -> None:
    broad, narrow = (help_lines(Look(), KEYS, width) for width in (120, 60))
    assert sum(heading in broad[0].plain for heading in HEADINGS) == 3
    assert sum(heading in narrow[0].plain for heading in HEADINGS) == 1


def test_the_signs_are_explained_below() -> None:
    text = "\n".join(line.plain for line in help_lines(Look(), KEYS, 120))
    assert "private: not all players see it" in text.partition("what the signs say")[2]
