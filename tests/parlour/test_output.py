"""Terminals, pipes and spreadsheets get only visible text; a reader that leaves is no error."""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from parlour.ratings.reports.leaderboard import layout
from parlour.tournament.save.finished import fingerprint_of, state_of
from parlour.tournament.save.reader import Save
from tests.tournaments import (
    COMMAND,
    SMALL,
    called,
    environment,
    new_save,
    parlour,
    printed,
    tamper,
    written,
)

SAVE = "saves/small.db"

HOSTILE = "\x1b[2J\x1b]0;title\x07\x9b1m\u202eevil\u2066\x7f\r\u200b"
"""Clears the screen, sets the title, colours, turns the writing round, hides."""


def only_visible(text: str) -> bool:
    """True if a text holds only visible characters and line ends."""
    return all(
        c == "\n" or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in text
    )


def test_only_visible_rejects_every_hostile_character() -> None:
    assert only_visible("Ärger – μ [b]\n")
    assert not any(only_visible(c) for c in HOSTILE if c not in "[2J]0;title1mevil")


PACKAGE = """
from parlour.agents.scripted.words import RandomPlayer
from parlour.games.families.word_games import Clue, Vote

HOSTILE = {hostile!r}

class Shouter(RandomPlayer):
    "Says what should not be said."

    def decide(self, ask, view, dice):
        if ask.kind == "clue":
            return Clue(text="=1+1 [bold]loud[/bold] [/] " + HOSTILE)
        if ask.kind == "vote":
            return Vote(suspect=(view.seat + 1) % 3, reasoning=HOSTILE)
        return super().decide(ask, view, dice)

class Breaker(RandomPlayer):
    "Breaks."

    def decide(self, ask, view, dice):
        raise RuntimeError("broken " + HOSTILE)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which another distribution brings two strategies, as entry points do."""
    site = tmp_path_factory.mktemp("site")
    (site / "rude_players.py").write_text(PACKAGE.format(hostile=HOSTILE), encoding="utf-8")
    about = site / "rude_players-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: rude-players\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[parlour.agents]\nshouter = rude_players:Shouter\nbreaker = rude_players:Breaker\n"
    )
    env = environment()
    return {**env, "PYTHONPATH": f"{site}{os.pathsep}{env['PYTHONPATH']}"}


@pytest.fixture(scope="module")
def rude(tmp_path_factory: pytest.TempPathFactory, installed: dict[str, str]) -> Path:
    """A folder where a strategy has played that says hostile things under a hostile name."""
    folder = tmp_path_factory.mktemp("rude")
    text = SMALL.replace('"literal"', '"shouter"').replace('"Lin"', '"=[red]x[/red] [/] $_|{}"')
    written(folder, text, "small.toml")
    done = parlour("run", "small.toml", cwd=folder, env=installed)
    assert (done.returncode, done.stderr) == (0, "")
    assert only_visible(done.stdout)
    assert "=[red]x[/red] [/] $_|{}" in done.stdout, "markup was taken for markup"
    return folder


def test_hostile_words_of_a_player_are_shown_as_words(rude: Path) -> None:
    text = printed("replay", SAVE, 3, cwd=rude)
    assert only_visible(text)
    assert "=1+1 [bold]loud[/bold] [/] [2J]0;title1mevil" in text


def test_hostile_words_of_an_agents_failure_are_shown_as_words(
    tmp_path: Path, installed: dict[str, str]
) -> None:
    written(tmp_path, SMALL.replace('"literal"', '"breaker"'))
    done = parlour("run", "tournament.toml", cwd=tmp_path, env=installed)
    assert done.returncode == 1
    assert only_visible(done.stderr)
    assert "agent 'Lin' failed with RuntimeError: broken [2J]0;title1mevil" in done.stderr


PLAIN = ("experiment", "condition", "frozen", "name", "created", "kind", "fault", "value", "notes")
"""Columns in which the raw signs do not spoil a JSON around them."""
ROWS = {
    "experiment": "UPDATE matches SET experiment = ?",
    "condition": "UPDATE matches SET condition = ?",
    "frozen": "UPDATE matches SET frozen = ?",
    "outcome": "UPDATE matches SET outcome = replace(outcome, 'civilian', ?)",
    "agents": "UPDATE matches SET agents = replace(agents, 'Ada', ?)",
    "setting": "UPDATE tournament SET spec = replace(spec, 'guitar', ?)",
    "agent": "UPDATE tournament SET spec = replace(spec, 'Ada', ?)",
    "name": "UPDATE tournament SET name = ?",
    "created": "UPDATE tournament SET created = ?",
    "no text": "UPDATE matches SET experiment = CAST(x'1b5b324aff' AS TEXT) WHERE ? IS NOT NULL",
    "kind": "UPDATE answers SET kind = ?",
    "fault": "UPDATE answers SET fault = ?",
    "value": "UPDATE answers SET value = ?",
    "notes": "UPDATE answers SET notes = ?",
    "words in an answer": "UPDATE answers SET value = replace(value, 'g\":\"', 'g\":\"' || ?)",
    "words in notes": "UPDATE answers SET notes = '{\"thought\": \"' || ? || '\"}'",
    "board": "UPDATE leaderboards SET body = replace(body, 'Ada', ?)",
}


@pytest.mark.parametrize("case", ROWS)
def test_whatever_stands_in_a_save_the_screen_gets_only_text(
    folder: Path, tmp_path: Path, case: str
) -> None:
    # As it is, and as JSON writes it: what is cleaned before it is read may hold it still.
    save = Path(shutil.copy(folder / SAVE, tmp_path))
    tamper(save, ROWS[case], json.dumps(HOSTILE)[1:-1] + HOSTILE * (case in PLAIN))
    for words in (
        ["status", save],
        ["leaderboard", save, "--by", "role"],
        ["leaderboard", save, "--format", "csv", "--by", "role"],
        ["leaderboard", save, "--view=measures", "--format", "csv"],
        ["replay", save, 1],
        ["check", save],
        ["export", save, "--format", "jsonl", "--out", tmp_path / "out"],
    ):
        done = parlour(*words, cwd=tmp_path)
        assert only_visible(done.stdout), words
        assert only_visible(done.stderr), words
        assert done.returncode in {0, 1, 2}
    for path in (tmp_path / "out").glob("*"):
        assert only_visible(path.read_text(encoding="utf-8")), path


def test_a_stored_leaderboard_that_still_holds_is_shown_with_its_names_cleaned(
    folder: Path, tmp_path: Path
) -> None:
    # The fingerprint fits, so that nothing is computed again: these are the stored names.
    save = Path(shutil.copy(folder / SAVE, tmp_path))
    name = json.dumps(f"Ada{HOSTILE}")[1:-1]
    tamper(save, "UPDATE leaderboards SET body = replace(body, 'Ada', ?)", name)
    with Save(save) as opened:
        stored = opened.stored_leaderboard()
        assert stored is not None
        assert stored[0] == f"{layout()} {fingerprint_of(opened)} {state_of(opened)}"
    text = printed("leaderboard", save, "--format", "csv", cwd=tmp_path)
    assert only_visible(text)
    assert "Ada[2J]0;title1mevil" in text


def test_a_hostile_path_in_a_complaint_is_only_text(tmp_path: Path) -> None:
    done = parlour("status", tmp_path / f"x{HOSTILE}.db", cwd=tmp_path)
    assert done.returncode == 2
    assert only_visible(done.stderr)


@pytest.mark.parametrize(
    "words",
    [
        "leaderboard saves/small.db --view measures",
        "list games --format json",
        "--help",
        "replay saves/small.db 1",
    ],
)
def test_a_reader_that_goes_away_is_no_error_worth_a_word(folder: Path, words: str) -> None:
    with subprocess.Popen(
        [*COMMAND, *words.split()],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()  # gone before the first line, which is the hardest case
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_a_run_plays_on_when_nobody_reads_its_progress(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    with subprocess.Popen(
        [*COMMAND, "run", "--save", save],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    with Save(save) as opened:
        assert opened.progress().done


def test_an_output_that_cannot_be_written_is_named(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        for words in (["list", "games"], ["leaderboard", SAVE, "--view=measures"], ["--help"]):
            done = parlour(
                *words, cwd=folder, capture_output=False, stdout=full, stderr=subprocess.PIPE
            )
            assert (done.returncode, done.stderr) == (
                1,
                "parlour: output: No space left on device\n",
            )


def test_a_closed_output_is_no_output(folder: Path) -> None:
    for command in ("list games", f"status {SAVE}", f"leaderboard {SAVE}"):
        done = subprocess.run(
            f"{subprocess.list2cmdline(COMMAND)} {command} >&-",
            shell=True,
            cwd=folder,
            env=environment(),
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, b"")


def test_letters_that_an_output_has_not_become_question_marks(folder: Path) -> None:
    env = environment(PYTHONIOENCODING="ascii")
    done = parlour("leaderboard", SAVE, cwd=folder, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Rating = ? - 3?" in done.stdout


def on_a_terminal(words: list[str], cwd: Path, **env: Any) -> tuple[int, str]:
    """Runs a command on a terminal of 80 columns; its exit code and all that reached it."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execve(COMMAND[0], [*COMMAND, *words], environment(COLUMNS="80", **env))
    out = b""
    while select.select([terminal], [], [], 60)[0]:
        try:
            more = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        out += more
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), out.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("options", "term"), [([], "dumb"), (["--plain"], "xterm-256color")], ids=["dumb", "plain"]
)
def test_on_a_dumb_terminal_or_when_asked_a_run_prints_plain_lines(
    tmp_path: Path, options: list[str], term: str
) -> None:
    new_save(tmp_path)
    words = ["run", "--save", "save.db", *options]
    code, out = on_a_terminal(words, tmp_path, TERM=term)
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;]*m", "", out)  # colour is not what makes a line not plain
    assert only_visible(plain), plain
    assert "save.db: 12 matches of Ada, Rob, Lin\n" in plain
    assert re.search(r"^\d+/12 matches, \d+ answers, \d+/s$", plain, re.MULTILINE)
    assert "Finished: save.db\n" in plain
    assert "\x1b" not in out or term != "dumb"


def test_on_a_narrow_terminal_the_leaderboard_fits(folder: Path) -> None:
    code, out = on_a_terminal(["leaderboard", SAVE], folder, TERM="xterm")
    assert code == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", out).splitlines()
    assert max(map(len, lines)) <= 80
    titles = [line for line in lines if line.split()[:2] == ["#", "Agent"]]
    assert "Deception" in " ".join(titles)
    rows = [line for line in lines if re.match(r" *[–\d]+ +(Ada|Rob|Lin) ", line)]
    assert len(rows) == 3 * len(titles) > 3


@pytest.mark.parametrize("columns", [60, 100])
def test_a_pipe_is_as_wide_as_columns_says(folder: Path, columns: int) -> None:
    done = parlour("leaderboard", SAVE, cwd=folder, env=environment(COLUMNS=str(columns)))
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= columns
    assert len([line for line in lines if line.split()[:2] == ["#", "Agent"]]) > 1


def test_commands_are_printed_as_they_can_be_called_from_where_the_user_stands(
    tmp_path: Path,
) -> None:
    save = new_save(tmp_path)
    project = tmp_path / "project"
    script = project / ".venv" / "bin" / "parlour"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!{sys.executable}\nfrom parlour.cli.app import main\nmain()\n")
    script.chmod(0o700)
    system = "/usr/bin:/bin"
    for path, cwd, own in (
        (f"{script.parent}:{system}", tmp_path, "parlour"),
        (system, project, ".venv/bin/parlour"),
        (system, tmp_path / "elsewhere", str(script)),
    ):
        cwd.mkdir(exist_ok=True)
        env = environment(PATH=path)
        done = called(script, "attach", save, cwd=cwd, env=env)
        assert f"Continue with: {own} run {save}\n" in done.stdout
        command = done.stdout.partition("Continue with: ")[2].replace(" run ", " status ")
        again = subprocess.run(
            command, shell=True, cwd=cwd, env=env, capture_output=True, check=False
        )
        assert again.returncode == 0
        refused = called(script, "pause", save, cwd=cwd, env=env)
        assert f"start it with `{own} run {save}`" in refused.stderr


def test_a_pipe_gets_the_whole_table(folder: Path) -> None:
    out = printed("leaderboard", SAVE, cwd=folder)
    assert only_visible(out)
    assert max(map(len, out.splitlines())) > 120, "the intervals are cut off"
    assert "need 120 columns" not in out
