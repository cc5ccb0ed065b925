"""Saves made by an older version: they open, continue and check.

tests/data holds two saves of one tournament, made by commit ce237c0. Ada is a model that thinks
on a scratchpad; Rob and Lin are scripted.
"""

import asyncio
import gzip
import json
import math
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from parlour.tournament.reports.conduct import conduct
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.reports.thoughts import thoughts
from parlour.tournament.save.create import apply_file_options
from parlour.tournament.save.queries import newest_rows, open_calls, spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import first_difference
from parlour.tournament.save.rows import Progress
from parlour.tournament.session import run_session
from tests.models import served
from tests.tournaments import ROOT, parlour, printed, printed_json, tournament

DATA = ROOT / "tests" / "data"
FILE = (DATA / "older_save.toml").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _no_keys_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def unpacked(folder: Path, name: str) -> Path:
    path = folder / f"{name}.db"
    path.write_bytes(gzip.decompress((DATA / f"older_{name}.db.gz").read_bytes()))
    return path


def rows(save: Path, sql: str) -> list[Any]:
    connection = sqlite3.connect(f"{save.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def test_a_finished_save_opens_and_checks(tmp_path: Path) -> None:
    path = unpacked(tmp_path, "finished")
    with Save(path) as save:
        assert save.progress() == Progress(9, finished=9, frozen=0, answers=68, faults=0)
        assert save.control().budget == 5.0
        assert [limit.in_flight for limit in save.control().limits] == [4]
        assert save.spent().calls == 54
        assert first_difference(save) is None
        board = current_leaderboard(save)
        assert board.matches == 9
        assert {standing.agent for standing in board.by("overall")} == {"Ada", "Rob", "Lin"}
        ada = conduct(save)[0]
        assert (ada.agent, ada.answers, ada.calls) == ("Ada", 27, 54)
        assert len(thoughts(save.answers_of(2), 3)) == 4
    assert "9 matches, 68 answers" in printed("check", path, cwd=tmp_path)
    assert "Match 7:" in printed("replay", path, 7, "--thoughts", cwd=tmp_path)


def test_an_unfinished_save_opens_and_checks(tmp_path: Path) -> None:
    path = unpacked(tmp_path, "unfinished")
    with Save(path) as save:
        assert save.progress() == Progress(9, finished=4, frozen=0, answers=27, faults=0)
        assert list(open_calls(save)) == [(4, 2, 2)]
        spent, last = spent_by_agent(save)
        priced = rows(path, "SELECT total(price) FROM calls")[0][0]
        assert spent["Ada"] == pytest.approx(priced + 0.0125)
        assert last == 99
        assert first_difference(save) is None
    status = printed_json("status", path, "--format", "json", cwd=tmp_path)
    assert (status["state"], status["finished"]) == ("unfinished", 4)
    plan = printed_json("plan", "--save", path, "--format", "json", cwd=tmp_path)
    assert (plan["matches"], plan["budgets"][0]["budget"]) == (5, 5.0)


def as_data(stored: list[tuple[Any, ...]]) -> list[list[Any]]:
    """Rows with every JSON object as data."""

    def parsed(value: Any) -> Any:
        return json.loads(value) if str(value).startswith("{") else value

    return [list(map(parsed, row)) for row in stored]


def test_an_unfinished_save_is_continued(tmp_path: Path) -> None:
    path = unpacked(tmp_path, "unfinished")
    columns = "match, ask, seat, kind, round, value, fault, tries, notes, digest"
    stored = rows(path, f"SELECT seq, {columns} FROM answers")
    with Save(path) as save:
        newest = newest_rows(save)

    async def story() -> None:
        async with served(tmp_path, "good") as server:
            # The model has moved to another address, which the file may change.
            wanted = tournament(tmp_path, FILE.replace("PORT", str(server.port)))
            apply_file_options(path, wanted)
            assert (await run_session(path, concurrency=4, pace=math.inf)).progress.done
            assert server.requests

    asyncio.run(story())
    assert rows(path, f"SELECT seq, {columns} FROM answers WHERE seq <= {newest[0]}") == stored
    with Save(path) as save:
        assert save.progress() == Progress(9, finished=9, frozen=0, answers=68, faults=0)
        assert first_difference(save) is None
        assert open_calls(save) == {}
    # Scripted players decide as they did: matches without a model are those of the older version.
    older = unpacked(tmp_path, "finished")
    its_own = ", ".join(name for _, name, *_ in rows(older, "PRAGMA table_info(matches)"))
    scripted = "SELECT number FROM matches WHERE agents NOT LIKE '%Ada%'"
    for sql in (
        f"SELECT {columns} FROM answers WHERE match IN ({scripted}) ORDER BY match, ask, seat",
        f"SELECT {its_own} FROM matches WHERE number IN ({scripted}) ORDER BY number",
    ):
        # Their answers are the same data, with the reason before the choice since then.
        assert as_data(rows(path, sql)) == as_data(rows(older, sql))


def test_an_older_save_is_continued_from_its_file(tmp_path: Path) -> None:
    path = unpacked(tmp_path, "finished")
    (tmp_path / "today.toml").write_text(FILE.replace("PORT", "9"), encoding="utf-8")
    done = parlour("run", "today.toml", "--save", path, "--plain", cwd=tmp_path)
    assert done.returncode == 0
    assert "finished, nothing left to play" in done.stdout
    other = FILE.replace("PORT", "9").replace("seed = 11", "seed = 12")
    (tmp_path / "other.toml").write_text(other, encoding="utf-8")
    done = parlour("run", "other.toml", "--save", path, "--plain", cwd=tmp_path)
    assert (done.returncode, "seed is 11 in the save and 12 now" in done.stderr) == (2, True)
