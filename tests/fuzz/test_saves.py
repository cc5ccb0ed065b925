"""Damaged saves: whatever reads one ends well or in one line, and never writes to it."""

import shutil
import tomllib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parlour.games.common.errors import ParlourError
from parlour.tournament.save.database import COLUMNS
from parlour.tui.models.save_view import LocalState, SaveView, Tables
from parlour.tui.models.saves import Catalogue
from parlour.tui.models.standings import ConductTable, MatchHistory, read_entrants
from tests.blocks import text_of
from tests.fuzz.budget import at_length, budgeted
from tests.fuzz.commands import refusal_of, refused_or_done
from tests.fuzz.saves import SAVE, Cell, Changed, Cut, Damage, Flipped, Json, base_save, columns_of
from tests.fuzz.values import shares
from tests.tournaments import resealed

FEW = 3
"""Commands that a damaged save is tried with."""


def _watch(save: Path) -> None:
    view = SaveView(save, LocalState())
    try:
        for number in range(1, len(view.lines) + 1):
            view.look_at(number)
            view.stored(number)
        view.matching("ada")
        view.poll()
        Tables(view).up_to_date([1, 2])
    finally:
        view.close()


def _list(save: Path) -> None:
    row = Catalogue().read(save)
    assert (row.summary is None) == (row.state == "failed") == bool(row.problem)
    assert row.is_of("models") or row.matches("ada") in {True, False}


READERS: dict[str, Callable[[Path], object]] = {
    "home": _list,
    "live": _watch,
    "race": lambda save: MatchHistory(save).refresh(),
    "conduct": lambda save: ConductTable(save).refresh(),
    "seats": read_entrants,
}
"""Reading by the screens."""

ON_FILE = tomllib.loads(text_of("tests/data/damages.toml"))
"""Commands that read a save, and values and statements that damage one."""
COMMANDS, CELLS = ON_FILE["commands"], ON_FILE["cells"]
USUAL = [
    *("status", "leaderboard", "leaderboard --view=head-to-head", "leaderboard --view=measures"),
    *("compare Ada Bob", "check"),
]
WITHOUT_STORED = "DELETE FROM counts", "DELETE FROM leaderboards"
"""Before other damage, so that everything is counted again."""
FLIPS = st.builds(
    Flipped, st.lists(st.tuples(shares, st.integers(1, 255)), min_size=1, max_size=8).map(tuple)
)
DAMAGES = st.one_of(
    FLIPS,
    st.builds(Cut, shares),
    st.builds(
        Cell,
        st.sampled_from(CELLS),
        st.sampled_from(ON_FILE["sql_values"]),
        st.one_of(st.none(), shares),
    ),
    st.builds(
        Json,
        st.sampled_from(ON_FILE["json_columns"]),
        shares,
        shares,
        st.sampled_from(ON_FILE["json_values"]),
    ),
    st.builds(Changed, st.sampled_from(ON_FILE["changes"])),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "not-needed")
        base_save(folder)
    return folder


commands = given(
    damage=DAMAGES,
    counted=st.booleans(),
    words=st.lists(st.sampled_from(COMMANDS), min_size=FEW, max_size=FEW, unique=True),
)


@budgeted(20)
@example(damage=Cell("stored_matches.game", "NULL", 0.5), counted=True, words=USUAL)
@example(damage=Cell("stored_answers.fault", "1000000000000"), counted=False, words=USUAL)
@example(damage=Cell("stored_matches.game", "'[1, 2]'"), counted=True, words=["compare Ada Bob"])
@example(
    damage=Flipped(((0.3251812565289639, 126),)),
    counted=True,
    words=["leaderboard --view=conduct", "status"],
)
@example(
    damage=Changed("UPDATE stored_matches SET outcome = json_set(outcome, '$.payoffs[0]', 1e300)"),
    counted=False,
    words=["leaderboard --view=measures", "leaderboard"],
)
@example(
    damage=Changed("DELETE FROM stored_matches WHERE number % 2"),
    counted=True,
    words=["site --out pages"],
)
@commands
def test_every_command_reads_or_refuses_a_damaged_save(
    folder: Path, damage: Damage, counted: bool, words: list[str]
) -> None:
    save = damaged_save(folder, damage, counted)
    before = save.read_bytes()
    for line in words:
        command, *options = line.split()
        place = [*options, SAVE] if line.endswith("--save") else [SAVE, *options]
        refused_or_done([command, *place], folder, SAVE)
        assert save.read_bytes() == before


test_every_command_at_length = at_length(
    test_every_command_reads_or_refuses_a_damaged_save, commands, 20
)
writers = given(damage=DAMAGES, counted=st.booleans())


@budgeted(20)
@example(damage=Changed("DELETE FROM stored_matches WHERE number % 2"), counted=True)
@example(damage=Cell("stored_calls.prompt", "999"), counted=False)
@writers
def test_a_damaged_save_is_merged_and_copied_or_refused(
    folder: Path, damage: Damage, counted: bool
) -> None:
    """Also where whoever damaged it has sealed it again."""
    save, made = damaged_save(folder, damage, counted), folder / "made"
    with suppress(Exception):
        resealed(save)
    before, base = save.read_bytes(), (folder / "base.db").read_bytes()
    for words in (
        ["merge", "made/m.db", SAVE, "base.db"],
        ["merge", "made/m.db", "base.db", SAVE],
        ["backup", SAVE, "made/b.db"],
    ):
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        refused = refused_or_done(words, folder, SAVE).code
        assert not (refused and any(made.iterdir())), "something was left behind"
        if (made / "m.db").exists():
            assert "damaged" not in refused_or_done(["check", "made/m.db"], folder, "m.db").err
        assert (save.read_bytes(), (folder / "base.db").read_bytes()) == (before, base)


test_a_damaged_save_is_merged_at_length = at_length(
    test_a_damaged_save_is_merged_and_copied_or_refused, writers, 20
)
screens = given(damage=DAMAGES, counted=st.booleans())


@budgeted(20)
@example(damage=Changed("DELETE FROM stored_matches WHERE number % 2"), counted=True)
@example(damage=Cell("stored_matches.entry", "999"), counted=True)
@example(damage=Cell("stored_matches.game", "NULL", 0.5), counted=True)
@screens
def test_every_screen_reads_or_refuses_a_damaged_save(
    folder: Path, damage: Damage, counted: bool
) -> None:
    save = damaged_save(folder, damage, counted)
    before = save.read_bytes()
    for name, read in READERS.items():
        refusal = refusal_of(partial(read, save), ParlourError)
        assert not refusal or (name in {"live", "seats"} and SAVE in refusal)
        assert "\n" not in refusal
    assert save.read_bytes() == before


test_every_screen_at_length = at_length(
    test_every_screen_reads_or_refuses_a_damaged_save, screens, 20
)


def damaged_save(folder: Path, damage: Damage, counted: bool) -> Path:
    """A damaged copy of the good save; without its stored counts and leaderboards unless asked."""
    save = folder / SAVE
    for left in folder.glob(f"{SAVE}*"):
        left.unlink()
    shutil.copy(folder / "base.db", save)
    if not counted:
        for sql in WITHOUT_STORED:
            Changed(sql).apply(save)
    damage.apply(save)
    return save


def test_the_types_are_known_of_every_column(folder: Path) -> None:
    tables = columns_of(folder / "base.db")
    declared = {"INTEGER": int, "REAL": float, "TEXT": str, "ANY": str, "BLOB": bytes}
    for name, kind, required in tables:
        if name != "body":
            assert declared[kind] in COLUMNS[name], name
            assert kind != "ANY" or len(COLUMNS[name] - {type(None)}) == 2, name
            assert required or type(None) in COLUMNS[name], name
