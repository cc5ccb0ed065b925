"""The other pages against the program: rooms, paths, the save, exports, games."""

import json
import re
import shutil
import sqlite3
from itertools import chain, product
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest

from parlour.agents.registry import strategies
from parlour.api.columns import COLUMNS
from parlour.games.chameleon import rules as chameleon_rules
from parlour.games.cost_sharing.rules import FEE, Airline, pool
from parlour.games.engine.registry import games
from parlour.games.families.gossip_games import MOST_WORDS, TONES
from parlour.games.families.group_sizes import Group
from parlour.games.impostor import rules as impostor_rules
from parlour.games.mechanisms.over import MECHANISMS
from parlour.games.undercover import rules as undercover_rules
from parlour.tournament.save.writer import RETRY_SECONDS
from parlour.tournament.session import PATIENCE_SECONDS
from tests.agents.strength import MATCHES, OPPONENTS, strength_table
from tests.blocks import ROOT, blocks, codes, section, shell, table_rows, text_of, write_files
from tests.docs import asks, generations, sizes, strangers
from tests.docs.disclosure import disclosure_page, mechanisms_page
from tests.docs.mechanisms import rows

MEASURED = "docs/games", "docs/mechanisms.md", "docs/norms.md"
study = pytest.mark.study("games", "agents/scripted", *MEASURED, "tests/agents", "tests/docs")

PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "THREATS.md",
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
    assert len(paths) > 20
    for path in paths:
        assert (ROOT / path).exists(), path


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
    assert printed == (
        "copy.db: 44 of 44 matches finished, 484 answers. OK: every match replays identically\n"
    )
    assert demo.stat().st_mode & 0o777 == 0o600


def test_the_tables_of_a_save_are_those_described(demo: Path) -> None:
    connection = sqlite3.connect(f"{demo.as_uri()}?mode=ro", uri=True)
    tables = [
        name
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
        )
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
    described = []
    for title in titles:
        for name, kind, meaning in table_rows(section("docs/export.md", f"`{title}`")):
            described.append(
                (title, codes(name)[0], kind, re.sub(r"\[(.*?)\]\(.*?\)", r"\1", meaning))
            )
    assert described == [*COLUMNS]


PLAYED = {
    # 2 settings × both sides.
    "chameleon": ("strings.db", 4, "your word is"),
    # 1 setting × 2 agents × 3 seats.
    "cost_sharing": ("airport.db", 6, "Player 2 proposes 60 / 10 / 30"),
    "donation": ("village.db", 1, "Ended: played"),
    # A block: the impostor in 4 seats on both teams.
    "impostor": ("teams.db", 8, "your team mate is Player 2"),
    "investment": ("trust.db", 1, " arrive"),
    # 1 setting × 2 agents × 3 seats.
    "prisoners_dilemma": ("dilemma.db", 6, "rounds 8"),
    # 2 settings × 2 agents × 3 seats.
    "public_good": ("pool.db", 12, "endowment 50"),
    "reciprocity": ("circle.db", 1, " met and chose to "),
    # 3 repetitions × 1 pair × both sides.
    "undercover": ("pairs.db", 6, 'your word is "cello"'),
}
"""Results of each game's example: the save, its matches, a text that replay prints."""

TOLD = {"seven": 7, "twenty": 20, "300": 300}
CREDITS = {"chameleon": chameleon_rules.CREDITS, "undercover": undercover_rules.CREDITS}

every_game = pytest.mark.parametrize("name", sorted(PLAYED))


def page_of(name: str) -> str:
    return f"docs/games/{name}.md"


def test_every_game_has_a_page_and_every_page_a_game() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "games").glob("*.md")}
    assert pages == set(games()) == set(PLAYED)
    for page in ("README.md", "docs/rooms.md"):
        for name in pages:
            assert f"games/{name}.md)" in text_of(page), f"{page} does not link to {name}"


def toml_text(value: object) -> str:
    """A value as it stands in a tournament file."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@every_game
def test_keys_defaults_and_values_are_those_described(name: str) -> None:
    game, rows = games()[name], table_rows(section(page_of(name), "Keys"))
    shown = {codes(row[0])[0]: codes(row[1])[0] for row in rows}
    unstored = getattr(game.variant, "when_changed", frozenset()) & game.variant.model_fields.keys()
    usual = game.variant()
    defaults = usual.model_dump() | {key: getattr(usual, key) for key in unstored}
    assert shown == {key: toml_text(value) for key, value in defaults.items()}
    for key, field in game.variant.model_fields.items():
        if get_origin(field.annotation) is Literal and key in shown:
            (row,) = (row for row in rows if row[0] == f"`{key}`")
            assert set(get_args(field.annotation)) <= set(codes(row[2])), key


def test_the_keys_of_mechanisms_are_those_described() -> None:
    keys = table_rows(section("docs/mechanisms.md", "Keys"))
    layered = [game for game in games().values() if "mechanism" in game.defaults()]
    for row in keys:
        name, key = codes(row[0])[0], codes(row[1])[0]
        defaults = {f"{game.defaults()[key]:g}" for game in layered if key in game.defaults()}
        assert defaults == set(codes(row[2])), (name, key)
    named = {(codes(row[0])[0], codes(row[1])[0]) for row in keys}
    assert named == set(chain.from_iterable(product([m.name], m.keys) for m in MECHANISMS))
    titles = set(re.findall(r"^## .* \(`(\w+)`\)$", text_of("docs/mechanisms.md"), re.MULTILINE))
    assert titles == {mechanism.name for mechanism in MECHANISMS}


def test_what_games_ask_is_as_described() -> None:
    assert table_rows(section("docs/own-agents.md", "What is asked")) == [*asks.rows()]


@study
def test_what_mechanisms_raise_is_as_measured() -> None:
    assert table_rows(section("docs/mechanisms.md", "What they raise")) == [*rows()]


@study
def test_what_strangers_do_is_as_measured() -> None:
    assert table_rows(section("docs/norms.md", "Unknown partners")) == [*strangers.rows()]


@study
def test_what_generations_come_to_is_as_measured_and_drawn() -> None:
    assert table_rows(section("docs/norms.md", "Generations")) == [*generations.rows()]
    drawn, shown = generations.figure(), generations.FIGURE.read_text("utf-8")
    assert shown.partition("</style>")[2] == drawn.partition("</style>")[2]


def test_the_facts_of_mechanisms_are_those_described() -> None:
    text = text_of("docs/mechanisms.md")
    assert text == mechanisms_page(text), "write it again: python -m tests.docs.disclosure"


@every_game
def test_the_facts_that_the_prompts_tell_are_those_described(name: str) -> None:
    text = text_of(page_of(name))
    renewed = disclosure_page(games()[name], text)
    assert text == renewed, "write it again: python -m tests.docs.disclosure"


@every_game
def test_endings_and_credits_are_those_described(name: str) -> None:
    game, rows = games()[name], table_rows(section(page_of(name), "How it ends"))
    assert {codes(row[0])[0]: row[1] for row in rows} == game.texts.endings
    shown = {codes(row[0])[0]: tuple(map(int, row[2:])) for row in rows}
    assert shown == CREDITS.get(name, dict.fromkeys(game.texts.endings, ()))


@every_game
def test_setting_fields_are_those_described(name: str) -> None:
    fields = list(games()[name].record.model_fields)
    text = section(page_of(name), "Settings")
    assert [codes(row[0])[0] for row in table_rows(text)] == fields
    if fields:
        (first,) = re.findall(r"^(.+) ship with the game\.", text.strip())
        count = first.split(" and ")[-1].split()[0]
        assert TOLD[count.lower()] == len(games()[name].shipped())


@every_game
def test_probes_are_those_described(name: str) -> None:
    page = page_of(name)
    listed = re.findall(r"^- `(\w+)`:", text_of(page), re.MULTILINE)
    assert set(listed) == games()[name].probes
    assert ("## Probes" in text_of(page)) == bool(listed)


@every_game
def test_the_players_described_are_those_that_can_play_it(name: str) -> None:
    able = {n for n, s in strategies().items() if s.games is None or name in s.games}
    assert set(described(page_of(name), "Scripted players")) == able


@every_game
@pytest.mark.slow
def test_the_example_of_a_game_plays(name: str, tmp_path: Path) -> None:
    assert write_files(page_of(name), tmp_path)
    (script,) = blocks(page_of(name), "sh")
    save, matches, replayed = PLAYED[name]
    printed = shell(script, tmp_path)
    assert re.search(rf": {matches} match(es)? in 1 experiment,", printed)  # parlour plan
    assert replayed in printed
    body = json.loads(shell(f"parlour status {save} --format json", tmp_path))
    assert (body["finished"], body["faults"]) == (matches, 0)


@study
@pytest.mark.parametrize("name", sorted(OPPONENTS))
def test_the_strength_of_scripted_players_is_as_measured(name: str) -> None:
    text = section(page_of(name), "How strong the scripted players are")
    assert f"{MATCHES} matches against" in text
    assert table_rows(text) == strength_table(name)


def test_limits_in_the_prose_are_those_of_the_code() -> None:
    for name, longest in (
        ("undercover", undercover_rules),
        ("chameleon", chameleon_rules),
        ("impostor", impostor_rules),
    ):
        text = section(page_of(name), "How it is played")
        assert f"{longest.LONGEST_CLUE} characters" in text
    for name in ("donation", "reciprocity", "investment"):
        assert f"1 to {MOST_WORDS} words" in section(page_of(name), "How it is played")
        assert set(TONES) <= set(codes(section(page_of(name), "Keys")))
    assert f"fee of ${FEE:,}" in text_of(page_of("cost_sharing"))
    assert len(pool()) == 20
    assert "Twenty airlines" in section(page_of("cost_sharing"), "Settings")
    fields = [codes(row[1]) for row in table_rows(section(page_of("cost_sharing"), "Settings"))]
    assert set(Airline.model_fields) <= set(fields[0])


@pytest.mark.study(
    *("games", "agents/scripted", "ratings", "tournament/plan", "docs/sizes.md"),
    "tests/docs/sizes.py",
)
def test_the_groups_of_each_size_are_as_measured(tmp_path: Path) -> None:
    assert table_rows(section("docs/sizes.md", "Scripted players")) == [*sizes.rows(tmp_path)]
    assert table_rows(section("docs/sizes.md", "Scripted jesters")) == [*sizes.jesters(tmp_path)]


def test_the_keys_of_groups_are_those_described() -> None:
    shown = {codes(row[0])[0] for row in table_rows(section("docs/sizes.md", "Keys"))}
    assert shown == Group.model_fields.keys()
