"""What the other pages say, held to the program: rooms, paths, the save, exports, undercover."""

import json
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from agents.registry import strategies
from games.donation import GAME as DONATION
from games.gossip import MOST_WORDS, TONES
from games.undercover import GAME
from games.undercover.rules import CREDITS, LONGEST_CLUE, Pair, Variant
from parlour.exporting import COLUMNS
from tests.blocks import ROOT, blocks, codes, section, shell, table_rows, text_of, write_files
from tests.test_architecture import ARROWS
from tournament.session import PATIENCE_SECONDS
from tournament.writer import RETRY_SECONDS

PAGES = [
    "README.md",
    *(f"docs/{p.relative_to(ROOT / 'docs')}" for p in (ROOT / "docs").rglob("*.md")),
]


def described(page: str, title: str) -> list[str]:
    """The names in the first column of the table under a heading."""
    return [codes(row[0])[0] for row in table_rows(section(page, title))]


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    text = text_of(page)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        assert "://" not in target, f"{page} needs the network for {target}"
        linked = (ROOT / page).parent / path if path else ROOT / page
        assert linked.exists(), f"{page} links to {target}"
        if anchor:
            titles = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
            assert anchor in anchors, f"{page} links to {target}"


def test_every_path_on_the_map_exists() -> None:
    paths = [code for code in codes(text_of("docs/rooms.md")) if "/" in code]
    assert len(paths) > 30
    for path in paths:
        assert (ROOT / path).exists(), path


def test_the_map_shows_the_arrows_that_are_enforced() -> None:
    (drawing,) = blocks("docs/rooms.md", "text")
    drawn = {}
    for line in drawing.splitlines():
        room, _, others = line.partition("→")
        drawn[room.strip()] = set(filter(None, (other.strip() for other in others.split(","))))
    assert drawn == ARROWS


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo tournament, played by a process that has ended, opened by nobody since."""
    folder = tmp_path_factory.mktemp("demo")
    shell("parlour run --preset demo --save demo.db >/dev/null", folder)
    return folder / "demo.db"


def test_a_save_can_be_copied_as_one_file_after_the_run_has_ended(
    demo: Path, tmp_path: Path
) -> None:
    shutil.copy(demo, tmp_path / "copy.db")
    printed = shell("parlour check copy.db", tmp_path)
    assert printed == "copy.db: 240 matches, 5040 answers: all as stored\n"
    assert demo.stat().st_mode & 0o777 == 0o600


def test_the_tables_of_a_save_are_those_described(demo: Path) -> None:
    connection = sqlite3.connect(f"{demo.as_uri()}?mode=ro", uri=True)
    tables = [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    ]
    for table in tables:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        assert described("docs/save.md", f"`{table}`") == columns
    connection.close()
    titles = re.findall(r"^### `(\w+)`$", text_of("docs/save.md"), re.MULTILINE)
    assert sorted(titles) == sorted(tables)


def test_the_times_that_the_page_on_saves_gives_are_those_of_the_code() -> None:
    text = section("docs/save.md", "Who writes")
    assert RETRY_SECONDS == 2
    assert "every two seconds" in text
    assert PATIENCE_SECONDS == 10 * 60
    assert "After ten minutes" in text


def test_the_columns_of_an_export_are_those_described() -> None:
    titles = re.findall(r"^## `(\w+)`$", text_of("docs/export.md"), re.MULTILINE)
    assert {title: tuple(described("docs/export.md", f"`{title}`")) for title in titles} == COLUMNS


UNDERCOVER = "docs/games/undercover.md"


def test_undercovers_keys_and_defaults_are_those_described() -> None:
    rows = table_rows(section(UNDERCOVER, "Keys"))
    shown = {codes(row[0])[0]: codes(row[1])[0] for row in rows}
    assert shown == {key: str(value) for key, value in Variant().model_dump().items()}
    values = set(codes(next(row for row in rows if row[0] == "`probes`")[2]))
    assert values == set(Variant.model_fields["probes"].annotation.__args__)


def test_undercovers_endings_and_credits_are_those_described() -> None:
    rows = table_rows(section(UNDERCOVER, "How it ends"))
    assert {codes(row[0])[0]: row[1] for row in rows} == GAME.endings
    assert {codes(row[0])[0]: (int(row[2]), int(row[3])) for row in rows} == CREDITS
    assert f"at most {LONGEST_CLUE} characters" in section(UNDERCOVER, "How it is played")


def test_undercovers_setting_fields_are_those_described() -> None:
    assert described(UNDERCOVER, "Settings") == list(Pair.model_fields)
    assert len(GAME.shipped()) == 20
    assert section(UNDERCOVER, "Settings").strip().startswith("Twenty pairs")


def test_undercovers_probes_are_those_described() -> None:
    found = set(re.findall(r"^- `(\w+)`:", section(UNDERCOVER, "Probes"), re.MULTILINE))
    assert found == GAME.probes


def test_the_example_of_undercover_plays(tmp_path: Path) -> None:
    assert len(write_files(UNDERCOVER, tmp_path)) == 3
    (script,) = blocks(UNDERCOVER, "sh")
    printed = shell(script, tmp_path)
    assert "my pairs: 6 matches" in printed  # 3 repetitions × 1 pair × both sides
    assert 'your word is "cello"' in printed
    body = json.loads(shell("parlour status pairs.db --format json", tmp_path))
    assert (body["finished"], body["faults"]) == (6, 0)


DONATION_PAGE = "docs/games/donation.md"


def test_donations_keys_and_defaults_are_those_described() -> None:
    rows = table_rows(section(DONATION_PAGE, "Keys"))
    shown = {codes(row[0])[0]: codes(row[1])[0] for row in rows}
    assert shown == {key: str(value) for key, value in DONATION.variant().model_dump().items()}
    assert set(TONES) <= set(codes(section(DONATION_PAGE, "Keys")))


def test_donations_endings_and_players_are_those_described() -> None:
    rows = table_rows(section(DONATION_PAGE, "How it ends"))
    assert {codes(row[0])[0]: row[1] for row in rows} == DONATION.endings
    able = {n for n, s in strategies().items() if s.games is None or "donation" in s.games}
    assert set(described(DONATION_PAGE, "Scripted players")) == able
    assert f"1 to {MOST_WORDS} words" in section(DONATION_PAGE, "How it is played")


def test_the_example_of_donation_plays(tmp_path: Path) -> None:
    assert write_files(DONATION_PAGE, tmp_path) == ["village.toml"]
    (script,) = blocks(DONATION_PAGE, "sh")
    printed = shell(script, tmp_path)
    assert "village: 1 match in" in printed
    body = json.loads(shell("parlour status village.db --format json", tmp_path))
    assert (body["finished"], body["faults"]) == (1, 0)
