"""The game and the agent that the guides build are built, installed and played as written."""

import json
import re
from itertools import chain
from pathlib import Path

import pytest

from parlour.agents.base import Call
from parlour.agents.question import question
from parlour.games.common.errors import BadInput
from parlour.games.engine.dice import Dice
from parlour.games.engine.prompts import render
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.games.testing.new_game import FILES, SCAFFOLD, write_game
from tests.blocks import blocks, codes, install, section, shell, table_rows, text_of, write_files

PLAY_IT = """
from parlour.games.engine.dice import Dice
from parlour.games.engine.prompts import render
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table

game = games()["boxes"]
endings, asked = set(), set()
for seed in range(60):
    for record in game.shipped():
        setting = game.make_setting(record, game.variant(looks=2))
        table = Table(game, setting, game.seats(setting), seed)
        while table.pending is not None:
            (seat,) = table.waiting
            prompt = render(game, table.view(seat), table.pending.kind)
            assert prompt.question and "box" in prompt.system
            asked.add(table.pending.kind)
            table.answer({seat: table.pending.sample(seat, Dice(seed, table.ask_number))})
        endings.add(table.outcome.ending)
        assert set(game.texts.kinds) >= {event.kind for event in table.events}
assert endings == set(game.texts.endings), endings
assert asked == {"hide", "open"}, asked
"""


def installed(guide: str, folder: Path) -> Path:
    """The guide's package, built from its blocks and installed; returns where.

    The sources stay out of the folder, which Python searches first; the tournament goes there.
    """
    sources = folder / "sources"
    if guide == "docs/add-a-game.md":
        sources = write_game(sources / "boxes")[0].parent
    write_files(guide, sources)
    assert (sources / "pyproject.toml").is_file()
    install(sources, folder / "site")
    for tournament in sources.glob("*.toml"):
        if tournament.name != "pyproject.toml":
            tournament.rename(folder / tournament.name)
    return folder / "site"


@pytest.mark.slow
def test_the_game_of_the_guide_plays_a_tournament(tmp_path: Path) -> None:
    site = installed("docs/add-a-game.md", tmp_path)
    (script,) = blocks("docs/add-a-game.md", "sh")
    printed = shell(script, tmp_path, site)
    assert "One player hides a coin" in printed  # parlour list games
    assert "Finished: boxes.db" in printed
    assert "found (the seeker opened" in printed or "safe (the coin was" in printed  # replay
    # 5 repetitions × 3 settings × both sides.
    assert "30 matches" in printed.splitlines()[-1]
    rows = json.loads(
        shell("parlour leaderboard boxes.db --view measures --format json", tmp_path, site)
    )
    measured = {row["measure"] for row in rows}
    # Nobody is special; the number of looks is the game's own measure.
    assert measured == {"win_rate", "payoff", "welfare", "fault_rate", "looks"}
    assert "Looks" in shell("parlour leaderboard boxes.db --by game", tmp_path, site)


@pytest.mark.slow
def test_the_game_of_the_guide_reaches_all_its_endings_and_fills_its_prompts(
    tmp_path: Path,
) -> None:
    site = installed("docs/add-a-game.md", tmp_path)
    (tmp_path / "play_it.py").write_text(PLAY_IT)
    shell('"$PYTHON" play_it.py', tmp_path, site)


@pytest.mark.slow
def test_the_agent_of_the_guide_plays_a_tournament(tmp_path: Path) -> None:
    site = installed("docs/add-an-agent.md", tmp_path)
    (script,) = blocks("docs/add-an-agent.md", "sh")
    printed = shell(script, tmp_path, site)
    assert "Speaks from general to specific and accuses" in printed  # parlour list agents
    assert "Finished: birds.db" in printed
    board = json.loads(shell("parlour leaderboard birds.db --format json", tmp_path, site))
    assert {standing["agent"] for standing in board["standings"]} == {"Merle", "Bea"}
    faults = json.loads(shell("parlour status birds.db --format json", tmp_path, site))["faults"]
    assert faults == 0


@pytest.mark.parametrize("guide", ["docs/add-a-game.md", "docs/add-an-agent.md"])
def test_the_folder_shown_holds_the_files_that_follow(guide: str, tmp_path: Path) -> None:
    tree = blocks(guide, "text")[0]
    for path in write_files(guide, tmp_path):
        if path.endswith(".toml") and path != "pyproject.toml":
            continue  # a tournament, which stands outside the package
        assert Path(path).name in tree, f"{path} is not in the tree of {guide}"
    assert "\t" not in text_of(guide)


@pytest.mark.slow
def test_the_function_of_the_guide_plays_a_tournament(tmp_path: Path) -> None:
    guide = "docs/own-agents.md"
    assert write_files(guide, tmp_path) == ["players.py", "table.toml"]
    (script,) = blocks(guide, "sh")
    printed = shell(script, tmp_path)
    assert "Vague" in printed
    rows = json.loads(shell("parlour leaderboard table.db --view measures --format json", tmp_path))
    faults = {
        row["agent"]: (row["k"], row["n"])
        for row in rows
        if row["measure"] == "fault_rate" and row["game"] is None
    }
    # 2 settings, both sides, 2 rounds: of clues, own roles, votes and beliefs 2 + 2 + 1 + 2 a match
    # as the one undercover, as two civilians twice that.
    assert faults == {"Vague": (0.0, 2 * 21.0), "Bea": (0.0, 2 * 21.0)}


def test_the_function_of_the_guide_has_ten_lines() -> None:
    (code,) = blocks("docs/own-agents.md", "python")
    written = [line for line in code.splitlines() if line.strip() and not line.startswith('"""')]
    assert len(written) <= 10


def test_the_fields_of_a_question_are_those_described() -> None:
    game = find_game("undercover", "test")
    table = Table(game, game.make_setting(game.shipped()[0], game.variant()), 3, seed=1)
    view = table.view(table.waiting[0])
    prompt = render(game, view, table.pending.kind)
    asked = question(table.pending, view, Call(Dice("test")), prompt)
    rows = table_rows(section("docs/own-agents.md", "A function in ten lines").partition("### ")[0])
    assert list(chain.from_iterable(codes(row[0]) for row in rows)) == list(asked)


@pytest.mark.slow
def test_a_new_game_plays_at_once_and_passes_its_test(tmp_path: Path) -> None:
    printed = shell("parlour new-game two_truths", tmp_path)
    assert printed.count("Written: ") == len(FILES)
    folder = tmp_path / "two_truths"
    script = """
    parlour run two_truths/two_truths.toml --save t.db
    parlour replay t.db 1
    $PYTHON -m pytest -q -p no:cacheprovider two_truths/tests
    """
    played = shell(script, tmp_path, folder)
    assert 'heard "It is rather' in played
    assert "1 passed" in played
    text = "".join(path.read_text() for path in folder.rglob("*") if path.is_file())
    assert not re.search(r"NAME|TITLE", text)
    assert {f"{each}.txt" for each in FILES.values()} == {each.name for each in SCAFFOLD.iterdir()}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("undercover", "there is a game 'undercover'"),
        ("Two", "cannot be the name"),
        ("class", "cannot be the name"),
        ("a-b", "cannot be the name"),
        ("there", "already exists"),
    ],
)
def test_a_name_that_cannot_be_a_game_is_refused(name: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(BadInput, match=problem):
        write_game(tmp_path / name)
