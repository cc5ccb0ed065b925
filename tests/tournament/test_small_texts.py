"""Texts of strangers in places where they are seldom: tables, names of agents, kinds, commands."""

import unicodedata
from pathlib import Path

import pytest

from parlour.games.common.errors import BadInput
from parlour.ratings.reports.writers import latex_table
from tests.tournaments import new_save, parlour, play, refused, tamper, tournament, written

ALIKE = (
    "Ada\ufe0f",
    "A\u034fda",
    "Ada\u3164",
    "\u0410da",
    "Ad\u0430",
    "\uff21da",
    "A\u115fda",
    "Ada\U000e0101",
)
"""Names that look like Ada."""


def named(name: str) -> str:
    block = '[[agents]]\nname = "{}"\nstrategy = "random"\n'
    agents = "".join(map(block.format, ("Ada", name, "Cy")))
    return f'name = "n"\nseed = 1\n[[games]]\nname = "undercover"\nlimit = 1\n{agents}'


@pytest.mark.parametrize("name", ALIKE)
def test_an_agent_that_looks_like_another_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=r"agents\[1\]\.name: .* looks like 'Ada' \('Ada'\)"):
        tournament(tmp_path, named(unicodedata.normalize("NFC", name)))


def test_a_name_that_looks_like_nothing_is_refused_and_others_are_not(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="looks like nothing"):
        tournament(tmp_path, named("\u3164"))
    for name in ("ada", "Ada 2", "\u0410\u043d\u043d\u0430", "Ad\u00e1", "\u2764\ufe0f"):
        assert tournament(tmp_path, named(name)).agents[1].name == name


def test_a_kind_that_is_a_table_is_refused_in_one_line(tmp_path: Path) -> None:
    text = named("Bo").replace('strategy = "random"', "kind = { temperature = 1 }", 1)
    line = refused("plan", written(tmp_path, text), cwd=tmp_path)
    assert "agents[0].kind: unknown kind {'temperature': 1}" in line


def test_the_key_of_a_setting_is_clean_in_a_table(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    play(save)
    tamper(save, "UPDATE matches SET setting_key = ?", "k\x1b]52;c;QUJD\x07")
    done = parlour("export", save, "--out", "out", "--format", "csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in (tmp_path / "out" / "matches.csv").read_bytes()


def test_a_bracket_at_the_beginning_of_a_latex_row_is_no_length() -> None:
    table = latex_table(["[x]", "n"], [["[2cm]", "1"], ["b", "[2]"]])
    assert "{}[x] & n" in table
    assert "{}[2cm] & 1" in table
    assert "\n[" not in table


def test_a_save_is_quoted_in_a_command_that_is_printed(tmp_path: Path) -> None:
    save = tmp_path / "my save; x.db"
    new_save(tmp_path, name=save.name)
    assert f"parlour run '{save}'" in refused("pause", save, cwd=tmp_path)
