"""Every refusal is one line on stderr with place, value and fix, and exit code 2."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import parlour as parlour_api
from parlour.ratings.measures.role_counts import paired_counters
from parlour.tournament.save.growing.create import create_save
from tests.known import GAMES, KEYS, PRESETS, known
from tests.tournaments import SMALL, new_save, parlour, play, refused, tamper, written

MISUSES: dict[str, tuple[str, str]] = {
    "no command and no terminal": (
        "",
        "parlour: the screens: need a terminal; see `parlour --help`",
    ),
    "an unknown command": (
        "plya",
        "parlour: No such command 'plya'. Did you mean 'plan', 'replay'? See `parlour --help`.",
    ),
    "a name that people try": (
        "ls",
        "parlour: ls: is not a command; write `parlour list games`, agents, presets or keys;"
        " for a save: `parlour status`",
    ),
    "a view for a command": (
        "conduct good.db",
        "parlour: conduct: is not a command; write `parlour leaderboard --view conduct`",
    ),
    "an option of another view": (
        "leaderboard good.db --view conduct --by role",
        "parlour: --by: is not for --view conduct; leave it out, or --view ranks",
    ),
    "an option of prompts": (
        "replay good.db 1 --ask 0",
        "parlour: --ask: is for --prompts; add --prompts",
    ),
    "anchors without agents": (
        "add good.db --repetitions 2 --against Ada",
        "parlour: against: is for new agents; give blocks of agents, or leave it out",
    ),
    "nothing to add": (
        "add",
        "parlour: add: nothing to add;"
        " give a file with [[agents]] or [[games]] blocks, or --repetitions N",
    ),
    "another memory for a tournament": (
        "run good.toml --memory last:3",
        "parlour: --memory: is for a save that is continued;"
        " name a save alone, or set `memory` in the tournament file",
    ),
    "two saves to run": (
        "run good.db --save other.db",
        "parlour: --save: good.db is the save already; name one save",
    ),
    "an unknown option": (
        "run --zonk 3",
        "parlour run: No such option: --zonk. See `parlour run --help`.",
    ),
    "an option without its value": (
        "run --preset",
        "parlour: Option '--preset' requires an argument. See `parlour --help`.",
    ),
    "an argument too many": (
        "check a.db b.db",
        "parlour check: Got unexpected extra argument(s) (b.db). See `parlour check --help`.",
    ),
    "an argument missing": (
        "replay",
        "parlour replay: Missing argument 'MATCH'. See `parlour replay --help`.",
    ),
    "nothing to run": (
        "run",
        "parlour: saves: has no saves; start one with `parlour run --preset demo`",
    ),
    "nothing to plan": (
        "plan",
        "parlour: plan: nothing to plan; name a tournament file, --preset NAME, or"
        " --save FILE for the rest of a save",
    ),
    "two things to plan": (
        "plan good.toml --save good.db",
        "parlour: --save: cannot be combined with a tournament; give one of them",
    ),
    "a tournament that is not there": (
        "run none.toml",
        "parlour: none.toml: cannot be read (No such file or directory);"
        " give a tournament file, or --preset NAME (see `parlour list presets`)",
    ),
    "a preset for a file": (
        "run demo",
        "parlour: demo: cannot be read (No such file or directory);"
        " did you mean --preset demo? There is no such file",
    ),
    "a tournament without its ending": (
        "run endless",
        "parlour: endless: cannot be read (No such file or directory); did you mean endless.toml?",
    ),
    "a save that is not there": (
        "status none",
        "parlour: none: there is no such save;"
        " see `ls saves` for what there is, or start one with `parlour run`",
    ),
    "a misspelt tournament": (
        "plan goood.toml",
        "parlour: goood.toml: cannot be read (No such file or directory); did you mean good.toml?",
    ),
    "a misspelt save": (
        "leaderboard goood.db",
        "parlour: goood.db: there is no such save; did you mean good.db?",
    ),
    "a misspelt save to continue": (
        "run --save finshed",
        "parlour: finshed: there is no such save; did you mean finished.db?",
    ),
    "a misspelt save to steer": (
        "attach saves/tamperd",
        "parlour: saves/tamperd: there is no such save; did you mean tampered.db?",
    ),
    "an agent that only Python can give": (
        "run python.toml",
        "parlour: agent 'Mine': is a Python object that was not given;"
        " run it from Python: parlour.run(tournament, save, agents={'Mine': ...})",
    ),
    "an agent that only Python can give, to continue": (
        "run python.db",
        "parlour: agent 'Mine': is a Python object that was not given;"
        " run it from Python: parlour.run(tournament, save, agents={'Mine': ...})",
    ),
    "another tournament for a save": (
        "run other.toml --save good.db",
        "parlour: good.db: holds another tournament ('small'): seed is 7 in the save and 8 now;"
        " leave the tournament out to continue it, or choose another --save",
    ),
    "a table where a file is": (
        "leaderboard finished.db --format csv --out good.toml",
        "parlour: good.toml: already exists; overwrite it with --force, or choose another file",
    ),
    "tables where files are": (
        "export finished.db --format csv --out tables",
        "parlour: tables/seats.csv: already exists;"
        " overwrite the tables there with --force, or choose another --out",
    ),
    "two steps at once": (
        "step good.db --turn --match",
        "parlour: step: --turn and --match exclude each other; give one of them",
    ),
    "settings that are there to calibrate": (
        "calibrate undercover good.toml --out good.toml",
        "parlour: --out good.toml: already exists; name a file that does not exist",
    ),
    "nobody to calibrate with": (
        "calibrate undercover",
        "parlour: calibrate: no agents to play; name a tournament file or --preset NAME"
        " whose agents play",
    ),
    "an amount that is none": (
        "budget good.db lots",
        "parlour: budget: 'lots' is not an amount; write 12.50, +5 for more, or none",
    ),
    "a bad tournament": (
        "run bad.toml",
        f"parlour: bad.toml:3: sede: is not a valid key here; did you mean 'seed'? {KEYS}",
    ),
    "a bad tournament to plan": (
        "plan bad.toml",
        f"parlour: bad.toml:3: sede: is not a valid key here; did you mean 'seed'? {KEYS}",
    ),
    "an unknown preset": (
        "run --preset dmeo",
        f"parlour: --preset: unknown preset 'dmeo'; did you mean 'demo'? {PRESETS}",
    ),
    "a preset beside a tournament": (
        "run good.toml --preset demo",
        "parlour: --preset: cannot be combined with a tournament file;"
        ' give one of them; a file can build on a preset with preset = "NAME"',
    ),
    "a seed without a tournament": (
        "run --save new.db --seed 3",
        "parlour: --seed: needs a tournament;"
        " add a tournament file or --preset NAME; a save keeps its seed",
    ),
    "a negative seed": (
        "run good.toml --seed -1",
        "parlour run: Invalid value for '--seed': must be at least 0. See `parlour run --help`.",
    ),
    "a seed that no save can hold": (
        "run good.toml --seed 9223372036854775808",
        "parlour: good.toml:3: seed: must be less than 9223372036854775808"
        " (got 9223372036854775808)",
    ),
    "no match at once": (
        "run good.toml --concurrency 0",
        "parlour run: Invalid value for '--concurrency': must be at least"
        " 1. See `parlour run --help`.",
    ),
    "a pace of nothing": (
        "run good.toml --pace 0",
        "parlour run: Invalid value for '--pace': must be at least 0.01. See `parlour run --help`.",
    ),
    "a pace that is no number": (
        "run good.toml --pace nan",
        "parlour run: Invalid value for '--pace': must be at least 0.01. See `parlour run --help`.",
    ),
    "a save that is not there, to continue": (
        "run --save none.db",
        "parlour: none.db: there is no such save;"
        " add a tournament file or --preset NAME to start one there",
    ),
    "a new save in a file's place": (
        "run good.toml --save good.toml/new.db",
        "parlour: good.toml/new.db: cannot be created (Not a directory);"
        " choose another place with --save",
    ),
    "a new save in a folder that is not there": (
        "run good.toml --save svaes/new.db",
        "parlour: svaes/new.db: there is no folder svaes; make it first (mkdir -p svaes),"
        " or choose another place with --save",
    ),
    "a folder to continue": (
        "run --save .",
        "parlour: .: is a folder, not a save; name a file in it, such as NAME.db",
    ),
    "a folder for a new save": (
        "run good.toml --save .",
        "parlour: .: is a folder, not a save; name a file in it, such as NAME.db",
    ),
    "a save for a tournament": (
        "plan good.db",
        "parlour: good.db: is a save, not a tournament file;"
        " continue it with `parlour run good.db`",
    ),
    "a tournament without end": (
        "plan endless.toml",
        "parlour: endless.toml:3: repetitions: 1000000000 make 12000000000 matches;"
        " a tournament has at most 1000000: fewer repetitions, agents or settings",
    ),
    "one table of games": (
        "plan onegame.toml",
        "parlour: onegame.toml:5: games: is a table, not a list of tables;"
        " write [[games]], not [games]",
    ),
    "a file that is no save": (
        "run --save good.toml",
        "parlour: good.toml: is not a save of Parlour, or is damaged;"
        " name another file, or restore a copy of it",
    ),
    "another program's database": (
        "status other.db",
        "parlour: other.db: is not a save of Parlour; name another file",
    ),
    "a save of a newer version": (
        "leaderboard newer.db",
        "parlour: newer.db: was made by a newer Parlour (save version 99, this one reads 10);"
        " update Parlour",
    ),
    "a folder for a save": (
        "check .",
        "parlour: .: is a folder, not a save; name a file in it, such as NAME.db",
    ),
    "a form that there is not": (
        "leaderboard good.db --format xml",
        "parlour leaderboard: Invalid value for '--format': 'xml' is not one of"
        " 'table', 'json', 'csv', 'md', 'latex'. See `parlour leaderboard --help`.",
    ),
    "a kind of line that there is not": (
        "leaderboard good.db --by seat",
        "parlour: --by: cannot be 'seat'; give one of overall, game, role, condition, meta.KEY",
    ),
    "a place that cannot be written": (
        "leaderboard good.db --format csv --out none/board.csv",
        "parlour: none/board.csv: cannot be written (No such file or directory);"
        " choose another file",
    ),
    "a save for a place to write to": (
        "leaderboard good.db --format csv --out good.db",
        "parlour: good.db: is a save and would be lost; choose another file",
    ),
    "an unknown game to measure": (
        "leaderboard good.db --view measures --game undercovr",
        f"parlour: --game: unknown game 'undercovr'; did you mean 'undercover'? {GAMES}",
    ),
    "a match that there is not": (
        "replay good.db 13",
        "parlour: good.db: there is no match 13; the save has matches 1 to 12",
    ),
    "a match of no number": (
        "replay good.db first",
        "parlour replay: Invalid value for 'MATCH': must be a whole number."
        " See `parlour replay --help`.",
    ),
    "a match before the first": (
        "replay good.db 0",
        "parlour replay: Invalid value for 'MATCH': must be at least 1."
        " See `parlour replay --help`.",
    ),
    "a player that there is not": (
        "replay good.db 1 --as 4",
        "parlour: --as: there is no player 4; the match has players 1 (Rob), 2 (Ada), 3 (Rob)",
    ),
    "an agent in no seat": (
        "replay good.db 1 --as Lin",
        "parlour: --as: there is no player Lin; the match has players 1 (Rob), 2 (Ada), 3 (Rob)",
    ),
    "an agent in two seats": (
        "replay good.db 1 --as Rob",
        "parlour: --as: Rob has 2 seats; the match has players 1 (Rob), 2 (Ada), 3 (Rob)",
    ),
    "a save after its match": (
        "replay 1 good.db",
        "parlour: replay: SAVE comes first; write `parlour replay good.db 1`",
    ),
    "a tournament without a command": (
        "good.toml",
        "parlour: good.toml: is not a command; did you mean `parlour run good.toml`?",
    ),
    "a match that cannot be replayed": (
        "replay tampered.db 1",
        "parlour: tampered.db: match 1, ask 0, Player 1: stored as 'vote' of round 9, but the"
        " replay asks 'clue' of round 1 (ask 0); see `parlour check tampered.db`",
    ),
    "an export into a file": (
        "export good.db --format csv --out good.toml",
        "parlour: good.toml: is a file; --out names a folder, such as --out tables",
    ),
    "an agent that there is not": (
        "compare finished.db Ada Zed",
        "parlour: finished.db: there is no agent 'Zed'; the save has Ada, Rob, Lin",
    ),
    "an agent against itself": (
        "compare finished.db Ada Ada",
        "parlour: finished.db: 'Ada' is one agent; name two to compare",
    ),
    "a measure that cannot be compared": (
        "compare finished.db Ada Rob --measure win_rat",
        "parlour: --measure: 'win_rat' cannot be compared; did you mean 'win_rate'? "
        + known(paired_counters()),
    ),
    "a correction that there is not": (
        "compare finished.db Ada Rob --correction none",
        "parlour compare: Invalid value for '--correction': 'none' is not one of"
        " 'holm', 'bh', 'bonferroni'. See `parlour compare --help`.",
    ),
    "agents that have done nothing yet": (
        "compare good.db Ada Rob",
        "parlour: good.db: 'Ada' and 'Rob' share no measured game, setting and role;"
        " only counted seats of finished matches count: see `parlour plan`",
    ),
    "nobody to pause": (
        "pause good.db",
        "parlour: good.db: is not running; start it with `parlour run good.db`",
    ),
    "a finished save to pause": (
        "pause finished.db",
        "parlour: finished.db: is finished; see it with `parlour leaderboard finished.db`",
    ),
    "a finished save to stop": (
        "stop finished.db",
        "parlour: finished.db: is finished; see it with `parlour leaderboard finished.db`",
    ),
    "a finished save to step": (
        "step finished.db",
        "parlour: finished.db: is finished; see it with `parlour leaderboard finished.db`",
    ),
    "nobody to stop": (
        "stop none.db",
        "parlour: none.db: there is no such save; see `parlour status`",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("misused")
    written(folder, name="good.toml")
    written(folder, SMALL.replace("seed", "sede"), name="bad.toml")
    written(folder, SMALL.replace("seed = 7", "repetitions = 1_000_000_000"), name="endless.toml")
    written(folder, SMALL.replace("[[games]]", "[games]"), name="onegame.toml")
    written(folder, SMALL.replace("seed = 7", "seed = 8"), name="other.toml")
    made_in_python = SMALL.replace('strategy = "literal"', 'kind = "python"').replace("Lin", "Mine")
    written(folder, made_in_python, name="python.toml")
    create_save(folder / "python.db", parlour_api.load(folder / "python.toml"))
    (folder / "tables").mkdir()
    (folder / "tables" / "seats.csv").touch()
    for name in ("good.db", "newer.db", "tampered.db", "finished.db"):
        new_save(folder, name=name)
    play(folder / "finished.db")
    tamper(folder / "newer.db", "PRAGMA user_version = 99")
    tamper(
        folder / "tampered.db",
        "INSERT INTO answers (match, ask, seat, kind, round, value, tries, digest)"
        " VALUES (1, 0, 0, 'vote', 9, '{}', 1, '')",
    )
    sqlite3.connect(folder / "other.db").execute("CREATE TABLE t (x)")
    return folder


@pytest.mark.parametrize("case", MISUSES)
def test_a_refusal_is_one_line_with_place_value_and_fix(folder: Path, case: str) -> None:
    words, expected = MISUSES[case]
    before = {path.name for path in folder.iterdir()}
    assert refused(*words.split(), cwd=folder) == expected
    assert {path.name for path in folder.iterdir()} <= before | _beside(before)


def _beside(names: set[str]) -> set[str]:
    """Files that a reader leaves beside a save: the log's shared memory, and an empty log."""
    return {f"{name}-shm" for name in names} | {f"{name}-wal" for name in names}


def saves_is_a_dangling_link(folder: Path) -> None:
    (folder / "saves").symlink_to(folder / "gone" / "away")


def saves_is_a_file(folder: Path) -> None:
    (folder / "saves").write_text("")


PLACES: dict[str, tuple[Callable[[Path], None], str]] = {
    "a link to nowhere": (
        saves_is_a_dangling_link,
        "parlour: saves: cannot be created (File exists); choose another place with --save",
    ),
    "a file": (
        saves_is_a_file,
        "parlour: saves/small.db: cannot be created (Not a directory);"
        " choose another place with --save",
    ),
}


@pytest.mark.parametrize("case", PLACES)
def test_where_there_is_no_place_for_saves_it_says_so(tmp_path: Path, case: str) -> None:
    spoil, expected = PLACES[case]
    spoil(tmp_path)
    written(tmp_path)
    assert refused("run", "tournament.toml", cwd=tmp_path) == expected


def test_the_failure_of_an_agent_is_printed_with_exit_code_1_and_the_command_that_continues(
    tmp_path: Path,
) -> None:
    # The save was made with a clue bank that has since lost a word.
    clues = [f"clue number {number}" for number in range(6)]
    words = dict.fromkeys(("guitar", "banjo", "train", "tram"), clues)
    (tmp_path / "words.json").write_text(f'{{"words": {words}}}'.replace("'", '"'))
    settings = '[{"civilian_word": "gizmo", "undercover_word": "widget", "undercover_seat": 0}]'
    (tmp_path / "mine.json").write_text(settings)
    own = {**words, "gizmo": clues, "widget": clues}
    bank = tmp_path / "own.json"
    bank.write_text(f'{{"words": {own}}}'.replace("'", '"'))
    text = (
        SMALL.replace("limit = 2", 'settings = "mine.json"')
        .replace("bayesian", "random")
        .replace("literal", "random")
        .replace('strategy = "random"', 'strategy = "random"\nclue_bank = "own.json"')
    )
    save = new_save(tmp_path, text)
    bank.write_text(f'{{"words": {words}}}'.replace("'", '"'))
    done = parlour("run", "--save", save, cwd=tmp_path)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0].startswith("parlour: match ")
    assert " failed with KeyError: " in lines[0]
    assert lines[-1] == (f"parlour: 6 matches failed; fix the cause, then: parlour run {save}")


def test_a_named_save_is_not_taken_for_another_argument(tmp_path: Path) -> None:
    new_save(tmp_path)
    assert refused("replay", "save.db", cwd=tmp_path).startswith(
        "parlour replay: Missing argument 'MATCH'. See `"
    )
    assert "'Ada' is one side" in refused("compare", "save.db", "Ada", cwd=tmp_path)
