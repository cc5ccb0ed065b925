"""The check of a save finds every edit of what is shown, and locates it."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from shutil import copyfile

import pytest

import parlour as package
from parlour.cli import app
from parlour.tournament.control.changes import grow_save
from parlour.tournament.plan.additions import Addition
from parlour.tournament.save.growing.fork import ForkChange, fork_match
from parlour.tournament.save.merging.merge import merge_saves
from parlour.tournament.save.merging.split import split_save
from parlour.tournament.save.new_file import back_up
from tests.tournament.test_prompts import played
from tests.tournaments import (
    finished,
    new_save,
    parlour,
    play,
    printed,
    resealed,
    stored_rows,
    tamper,
)

OK = "OK: every match replays identically\n"
pytestmark = pytest.mark.usefixtures("own_config")


@pytest.fixture(scope="module")
def saves(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """A save of scripted players and one of models, both played to their ends."""
    with pytest.MonkeyPatch.context() as patched:
        folder = tmp_path_factory.mktemp("verified")
        patched.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        (folder / "models").mkdir()
        scripted = finished(folder)
        for repetitions in (2, 3):  # three runs have three seals at least
            package.add(scripted, repetitions=repetitions)
            assert play(scripted).progress.done
        made = {"scripted": scripted, "models": played(folder / "models")[0]}
        for save in made.values():
            assert printed("check", save, "--prompts", cwd=folder).endswith(OK)
        yield made


def swapped(save: Path) -> None:
    """Swaps the names of the first two rows of the stored leaderboard."""
    ((body,),) = stored_rows(save, "SELECT body FROM leaderboards ORDER BY seq DESC LIMIT 1")
    board = json.loads(body)
    first, second = board["standings"][:2]
    first["agent"], second["agent"] = second["agent"], first["agent"]
    tamper(save, "UPDATE leaderboards SET body = ?", json.dumps(board))


def hidden(save: Path) -> None:
    """Leaves a match unfinished without its row in the index of such matches."""
    ((*index,),) = stored_rows(save, "SELECT * FROM sqlite_schema WHERE name = 'open_matches'")
    with closing(sqlite3.connect(save)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'open_matches'")
    with closing(sqlite3.connect(save)) as connection, connection:
        connection.execute("UPDATE stored_matches SET outcome = NULL WHERE number = 7")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", index)


def edit(sql: str) -> Callable[[Path], None]:
    return lambda save: tamper(save, sql)


_LAST = "(SELECT max(number) FROM seals)"
EDITS = {
    "names on the leaderboard": ("scripted", swapped, "standings[0].agent"),
    "an outcome": (
        *("scripted", edit("UPDATE matches SET outcome = replace(outcome, '1.0', '2.0')")),
        "is replayed",
    ),
    "an answer's tries": (
        *("scripted", edit("UPDATE stored_answers SET tries = 3 WHERE seq = 100")),
        "edited since it was sealed: matches ",
    ),
    "an index": ("scripted", hidden, "row 7 missing from index open_matches"),
    "an answer's notes": (
        "models",
        edit("UPDATE stored_answers SET notes = NULL"),
        "edited since it was sealed",
    ),
    "a strategy": (
        *("scripted", edit("UPDATE tournament SET spec = replace(spec, 'bayesian', 'random')")),
        "stages 1 to 1",
    ),
    "the date": ("scripted", edit("UPDATE tournament SET created = '2020'"), "stages 1 to 1"),
    "a stage": ("scripted", edit("UPDATE stages SET since = '2020'"), "stages 1 to 1"),
    "a model's text": ("models", edit("UPDATE stored_calls SET text = 'no'"), "calls 1 to"),
    "a price": ("models", edit("UPDATE stored_calls SET price = 9 WHERE seq = 3"), "calls 1 to"),
    "the host": ("models", edit("UPDATE provenances SET host = 'api.openai.com'"), "provenances"),
    "the model of an origin": ("models", edit("UPDATE provenances SET model = 'x'"), "ask 0"),
    "whose call it is": (
        *("models", edit("UPDATE stored_calls SET agent = 'Bob' WHERE agent = 'Ada'")),
        "a call is of another agent or origin",
    ),
    "a template": ("models", edit("UPDATE templates SET text = 'x'"), "is of another text"),
    "a prompt": (
        *("models", edit("UPDATE stored_calls SET prompt = 'abc'")),
        "edited since it was sealed",
    ),
    "the last seals": ("scripted", edit(f"DELETE FROM seals WHERE number = {_LAST}"), "not sealed"),
    "a seal between": (
        "scripted",
        edit(f"DELETE FROM seals WHERE number = {_LAST} - 1"),
        "edited since it was sealed",
    ),
    "a seal": ("scripted", edit("UPDATE seals SET digest = x'00'"), "edited since it was sealed"),
}


@pytest.mark.parametrize("edited", EDITS)
def test_an_edit_is_found_and_located(tmp_path: Path, saves: dict[str, Path], edited: str) -> None:
    kind, change, said = EDITS[edited]
    save = tmp_path / "save.db"
    copyfile(saves[kind], save)
    change(save)
    done = parlour("check", save, cwd=tmp_path)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_prompt_that_cannot_be_rebuilt_is_found_though_it_was_sealed(
    tmp_path: Path, saves: dict[str, Path]
) -> None:
    save = tmp_path / "save.db"
    copyfile(saves["models"], save)
    tamper(save, "UPDATE stored_calls SET prompt = 'abc' WHERE match = 2 AND ask = 1")
    resealed(save)
    done = parlour("check", save, "--prompts", cwd=tmp_path)
    assert "match 2, ask 1, Player" in done.stderr
    assert "the prompt is not verified" in done.stderr


def hash_of(save: Path) -> str:
    return printed("check", save, "--seal", cwd=save.parent).rpartition("Seal: ")[2].strip()


def test_a_published_seal_is_recognised_after_growth_and_nowhere_else(tmp_path: Path) -> None:
    save, other = finished(tmp_path), tmp_path / "other.db"
    published = hash_of(save)
    back_up(save, other)
    assert hash_of(other) == published
    grow_save(save, Addition(repetitions=3))
    assert play(save).progress.done
    assert hash_of(save) != published
    assert OK in printed("check", save, "--against", published, cwd=tmp_path)

    tamper(other, "UPDATE tournament SET spec = replace(spec, 'bayesian', 'random')")
    resealed(other)
    assert printed("check", other, cwd=tmp_path).endswith(OK)  # invented, but consistent
    done = parlour("check", other, "--against", published, cwd=tmp_path)
    assert done.returncode == 1
    assert f"has no seal {published}" in done.stderr


def test_seals_hold_through_fork_split_and_merge_and_pass_no_edit_on(tmp_path: Path) -> None:
    save, out = new_save(tmp_path), tmp_path / "out.db"
    shards = split_save(save, 2, None)
    for shard in shards:
        assert play(shard).progress.done
    merge_saves(out, [save, *shards])
    fork = fork_match(out, 1, 2, ForkChange(0), None)
    play(fork)
    for made in (*shards, out, fork):
        assert printed("check", made, cwd=tmp_path).endswith(OK)
    tamper(out, "UPDATE stored_matches SET agents = (SELECT max(agents) FROM stored_matches)")
    assert "edited since it was sealed" in parlour("check", out, cwd=tmp_path).stderr
    tamper(shards[0], "UPDATE stored_answers SET tries = 2")
    with pytest.raises(Exception, match="edited since it was sealed"):
        merge_saves(tmp_path / "again.db", [save, *shards])


def test_the_stored_leaderboard_is_shown_until_matches_are_sealed_or_over(
    tmp_path: Path, saves: dict[str, Path]
) -> None:
    save = tmp_path / "save.db"
    copyfile(saves["scripted"], save)

    def shown() -> str:
        return printed("leaderboard", save, "--format", "csv", cwd=tmp_path)

    stored = shown()
    tamper(save, "UPDATE matches SET outcome = replace(outcome, '1.0', '2.0')")
    assert shown() == stored  # the edit is for `check`
    tamper(save, "UPDATE seals SET digest = x'00'")
    assert shown() != stored
    copyfile(saves["scripted"], save)
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number = 1")
    assert shown() != stored


@pytest.mark.parametrize("words", [["leaderboard"], ["site"]])
def test_a_stored_leaderboard_of_an_unknown_game_is_computed_again(
    tmp_path: Path, saves: dict[str, Path], words: list[str]
) -> None:
    save = tmp_path / "save.db"
    copyfile(saves["scripted"], save)
    tamper(save, """UPDATE leaderboards SET body = replace(body, '"undercover"', '"nowhere"')""")
    assert "nowhere" not in printed(words[0], save, *words[1:], cwd=tmp_path)


def test_too_little_memory_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def out_of_memory(**_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(app, "app", out_of_memory)
    with pytest.raises(SystemExit, match="1"):
        app.main()
    assert "parlour: there is not enough memory" in capsys.readouterr().err
