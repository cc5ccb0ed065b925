"""docs/people.md: its tournament is one, and its keys are those of the screen."""

import re
from pathlib import Path

from parlour.agents.human import HumanConfig
from parlour.tui.models.save_view import BARRED
from parlour.tui.screens.filling import FillingScreen
from parlour.tui.screens.seat import SeatScreen
from parlour.tui.screens.steering import WatchingScreen
from parlour.tui.widgets.fields_pane import FieldsPane, SeatTurn
from tests.blocks import blocks, codes, section, shell, table_rows, text_of, write_files
from tests.tournaments import tournament

PAGE = "docs/people.md"


def keys_of(screen: type) -> dict[str, set[str]]:
    """The keys of each action of a class, by the action's id."""
    by_action: dict[str, set[str]] = {}
    for binding in vars(screen)["BINDINGS"]:
        by_action.setdefault(str(binding.id), set()).update(binding.key.split(","))
    return by_action


def test_the_example_is_a_tournament_with_two_people_one_of_them_with_a_clock(
    tmp_path: Path,
) -> None:
    assert write_files(PAGE, tmp_path) == ["evening.toml"]
    (script,) = blocks(PAGE, "sh")
    printed = shell(script, tmp_path)
    assert "evening: 3 matches in 1 experiment" in printed
    assert "Cost" not in printed  # nobody in it costs anything
    read = tournament(tmp_path, (tmp_path / "evening.toml").read_text(encoding="utf-8"))
    assert {name: one.seconds for name, one in read.people.items()} == {"Ann": None, "Bo": 300}


def test_the_keys_of_the_block_are_those_described() -> None:
    rows = table_rows(section(PAGE, "A table for two people and a program"))
    assert [codes(row[0])[0] for row in rows] == list(HumanConfig.model_fields)


def test_the_keys_of_the_form_are_those_of_the_screen() -> None:
    keys: dict[str, set[str]] = {}
    for owner in (FillingScreen, SeatScreen, FieldsPane, SeatTurn):
        keys |= keys_of(owner)
    rows = {row[0] for row in table_rows(section(PAGE, "The form"))}
    for shown, id, key in (
        ("Enter, Tab", "seat.enter", "enter"),
        ("Enter, Tab", "seat.next", "tab"),
        ("Ctrl+S", "seat.send", "ctrl+s"),
        ("left, right, `0` to `9`", "fields.next", "right"),
        ("left, right, `0` to `9`", "seat.option0", "0"),
        ("left, right, `0` to `9`", "seat.option9", "9"),
        ("up, down", "fields.up", "up"),
        ("PgUp, PgDn", "seat.up", "pageup"),
        ("F3", "seat.rules", "f3"),
        ("F5", "seat.start", "f5"),
        ("Esc", "seat.rise", "escape"),
    ):
        assert shown in rows
        assert key in keys[id]
    assert "s" in keys_of(WatchingScreen)["live.seat"]
    assert "o" in keys_of(WatchingScreen)["live.look_on"]


def test_the_word_for_a_hidden_match_names_the_two_ways_that_there_are() -> None:
    assert re.search(r"\bs takes a seat, o looks on", BARRED)
    assert "`o` on the live screen" in text_of(PAGE)
