"""The registry: the folders that ship, and real distributions from outside through entry points."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.games.common.errors import BadInput
from parlour.games.engine.registry import find_game, games
from parlour.games.undercover import GAME

ROOT = Path(__file__).parent.parent.parent

COIN = '''
"""Both players call a coin; whoever is right wins."""
from pathlib import Path
from parlour.games.engine.game import Frozen, Game, Scoring, Seating, Texts
from parlour.games.engine.moves import Answer, Ask, Outcome, Tell, ask


class Record(Frozen):
    stake: float


class Variant(Frozen):
    told: bool = True


class Setting(Record, Variant):
    pass


class Call(Answer):
    heads: bool


def rules(setting, seats, dice):
    seats = tuple(seats)
    if setting.told:
        yield Tell("stake", {{"stake": setting.stake}})
    for place in {order}:
        yield Tell("place", {{"place": place}})
    calls = yield from ask(
        Ask(
            "call", seats, Call,
            fallback=lambda seat, dice: Call(heads=True),
            sample=lambda seat, dice: Call(heads=dice.chance(0.5)),
        )
    )
    heads = dice.chance(0.5)
    winners = tuple(seat for seat in seats if calls[seat].heads == heads)
    return Outcome(
        "heads" if heads else "tails",
        tuple(setting.stake if seat in winners else 0.0 for seat in seats),
        ("caller",) * 2, ("one", "two"), winners if len(winners) < 2 else (),
    )


GAME = Game(
    name="{name}", version=1, folder=Path(__file__).parent, rules=rules,
    record=Record, variant=Variant, setting=Setting,
    texts=Texts(
        title="Coin",
        endings={{"heads": "heads fell", "tails": "tails fell"}},
        kinds={{"stake": "what can be won", "place": "where it is", "call": "a player's call"}},
    ),
    seating=Seating(sides=lambda setting: ("one", "two")),
    scoring=Scoring(roles={{"caller": 1.0}}, draw_probability=0.5),
)
'''


def distribution(folder: Path, name: str = "coin", order: str = '["here", "there"]') -> Path:
    """A folder for sys.path with an installed distribution that brings a game of that name."""
    for part in ("prompts", "data"):
        (folder / "coin_game" / part).mkdir(parents=True)
    (folder / "coin_game" / "__init__.py").write_text(COIN.format(name=name, order=order))
    (folder / "coin_game" / "prompts" / "system.j2").write_text("You are {{ me }}.")
    (folder / "coin_game" / "prompts" / "call.j2").write_text("Heads or tails?")
    (folder / "coin_game" / "data" / "settings.json").write_text('[{"stake": 1.0}, {"stake": 0.5}]')
    info = folder / "coin_game-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: coin-game\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[parlour.games]\ncoin = coin_game:GAME\n")
    return folder


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs Python with the distributions of a folder installed."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"},
        capture_output=True,
        text=True,
        check=False,
    )


CHECK = (
    "from parlour.games.engine.registry import games\n"
    "from parlour.games.testing.conformance import check_game\n"
    "assert list(games())[-1] == 'coin', games()\n"
    "check_game(games()['coin'])\n"
    "print('conforms')\n"
)


def test_a_game_of_another_distribution_is_listed_and_can_be_checked(tmp_path: Path) -> None:
    done = python(distribution(tmp_path), "-c", CHECK)
    assert (done.stdout, done.stderr) == ("conforms\n", "")


def test_a_game_whose_order_hangs_on_the_hash_seed_does_not_conform(tmp_path: Path) -> None:
    words = "{'" + "', '".join("abcdefghij") + "'}"
    done = python(distribution(tmp_path, order=words), "-c", CHECK)
    assert done.returncode == 1
    assert "AssertionError: coin: plays differently under another hash seed" in done.stderr


def test_a_game_under_a_name_that_is_taken_is_left_out(tmp_path: Path) -> None:
    done = python(distribution(tmp_path, name="undercover"), "-m", "parlour", "list", "games")
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        "Left out: entry point coin = coin_game:GAME: brings a game named 'undercover', which"
        " already exists; uninstall one of the two or rename the game"
    ) in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("coin_game:NOTHING", "cannot be loaded (AttributeError: "),
        ("no_such_module:GAME", "cannot be loaded (ModuleNotFoundError: "),
        ("coin_game:rules", "is not a game"),
    ],
)
def test_an_entry_point_without_a_game_is_named_and_breaks_what_needs_it_alone(
    target: str, problem: str, tmp_path: Path
) -> None:
    points = distribution(tmp_path) / "coin_game-1.0.dist-info" / "entry_points.txt"
    points.write_text(f"[parlour.games]\ncoin = {target}\n")
    said = f"entry point coin = {target}: {problem}"
    listed = python(tmp_path, "-m", "parlour", "list", "games")
    assert f"Left out: {said}" in " ".join(listed.stdout.split())
    checked = python(tmp_path, "-m", "parlour", "doctor")
    assert f"FIX   left out: {said}" in checked.stdout
    assert (listed.returncode, checked.returncode) == (0, 1)
    planned = python(tmp_path, "-m", "parlour", "plan", "--preset", "demo")
    assert (planned.returncode, planned.stderr) == (0, "")
    file = tmp_path / "coins.toml"
    agents = "".join(f'[[agents]]\nname = "{name}"\nstrategy = "random"\n' for name in "AB")
    file.write_text(f'name = "coins"\n[[games]]\nname = "coin"\n{agents}')
    done = python(tmp_path, "-m", "parlour", "plan", str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.endswith("; fix or uninstall that package\n")
    assert done.stderr.count("\n") == 1


def test_every_game_folder_is_a_game_under_its_own_name() -> None:
    folders = {path.parent.name for path in (ROOT / "games").glob("*/rules.py")}
    assert {
        name for name, game in games().items() if game.folder.parent.resolve() == ROOT / "games"
    } == folders
    assert games()["undercover"] is GAME


def test_a_game_is_found_by_name_and_a_misspelling_is_answered_with_the_nearest() -> None:
    assert find_game("undercover", "here") is GAME
    with pytest.raises(BadInput) as refused:
        find_game("undercovr", "games[0].name")
    assert str(refused.value) == (
        "games[0].name: unknown game 'undercovr'; did you mean 'undercover'?"
        f" known: {', '.join(sorted(games()))}"
    )
