"""A viewer's picture of a save, kept up to date by polling: nothing lost, nothing twice."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from parlour.tournament.control.requests import Request, SetPace
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.plan.additions import Addition
from parlour.tournament.save.growing.grow import grow
from parlour.tournament.save.outline import begun_matches
from parlour.tournament.save.queries import new_answers
from parlour.tournament.save.reader import Save
from parlour.tui.models import save_view
from parlour.tui.models.save_view import GROWN, SaveView
from tests.runners import QUICK, session
from tests.tournaments import finished, new_save, play, stored_rows, tamper


def picture(watched: SaveView) -> tuple[object, ...]:
    """All that a viewer knows of a save; answers count only while a match is on."""
    lines = [
        (line.over, None if line.over else line.answers, line.kind if line.answers else "")
        for line in map(watched.lines.__getitem__, range(1, len(watched.lines) + 1))
    ]
    return lines, watched.progress, watched.running()


def fresh(save: Path) -> tuple[object, ...]:
    """Picture of a save that is opened now."""
    watched = SaveView(save)
    watched.close()
    return picture(watched)


async def test_polling_shows_the_same_as_opening_again_at_any_moment_of_a_run(
    tmp_path: Path,
) -> None:
    save = new_save(tmp_path, QUICK)

    watched = SaveView(save)
    async with session(save) as running:
        for _ in range(16):  # 4 matches of 4 turns each: 3 clues, and the votes at once
            running.runner.step("turn")
            while running.runner.state == "pausing" and not running.ended.done():
                await asyncio.sleep(0)
            assert watched.poll()
            assert picture(watched) == fresh(save)
        assert watched.progress.finished == 4
    assert not watched.poll()
    watched.close()


def test_an_outcome_that_comes_after_the_poll_of_the_last_answer_is_seen(tmp_path: Path) -> None:
    save = finished(tmp_path, QUICK)
    outcome = taken_back(save, 2)
    watched = SaveView(save)
    assert (watched.progress.finished, watched.running()) == (3, [2])
    tamper(save, "UPDATE matches SET outcome = ? WHERE number = 2", outcome)
    assert watched.poll()
    assert (watched.progress.finished, watched.progress.done) == (4, True)
    assert watched.lines.is_over(2)
    assert watched.running() == []
    watched.close()


def taken_back(save: Path, match: int) -> str:
    """Takes a match's outcome out of a save, as it is just before that is stored."""
    with Save(save) as before:
        (outcome,) = before._one("SELECT outcome FROM matches WHERE number = ?", match)
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number = ?", match)
    return str(outcome)


def test_a_match_whose_end_is_read_before_its_last_answers_is_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = finished(tmp_path, QUICK)
    outcome = taken_back(save, 2)
    votes = "match = 2 AND kind = 'vote'"
    columns = "match, ask, seat, kind, round, value, tries, digest"
    rows = stored_rows(save, f"SELECT {columns} FROM answers WHERE {votes}")
    tamper(save, f"DELETE FROM answers WHERE {votes}")
    watched = SaveView(save)

    def read_before_the_end(reader: Save, seq: int) -> object:
        new = new_answers(reader, seq)
        monkeypatch.undo()
        for row in rows:
            tamper(save, f"INSERT INTO answers ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *row)
        tamper(save, "UPDATE matches SET outcome = ? WHERE number = 2", outcome)
        return new

    monkeypatch.setattr(save_view, "new_answers", read_before_the_end)
    for _ in range(2):
        assert watched.poll()
        assert (watched.progress.finished, watched.progress.done) == (4, True)
    watched.close()


def test_a_match_that_is_frozen_meanwhile_is_seen(tmp_path: Path) -> None:
    save = finished(tmp_path, QUICK)
    taken_back(save, 3)
    watched = SaveView(save)
    tamper(save, "UPDATE matches SET frozen = 'it differs' WHERE number = 3")
    assert watched.poll()
    assert (watched.progress.finished, watched.progress.frozen) == (3, 1)
    assert watched.lines.is_over(3)
    watched.close()


def test_what_is_stored_while_a_viewer_opens_a_save_is_neither_lost_nor_counted_twice(
    tmp_path: Path,
) -> None:
    save = finished(tmp_path, QUICK)
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number = 4")
    tamper(save, "DELETE FROM answers WHERE match = 4 AND ask > 0")
    with Save(save) as reader:
        with reader.one_moment():
            begun = begun_matches(reader)
            tamper(
                save,
                "INSERT INTO answers (match, ask, seat, kind, round, value, tries, digest)"
                " SELECT 4, 1, seat, kind, round, value, tries, digest FROM answers"
                " WHERE match = 4",
            )
            seq = reader.last_seq()
        assert begun[4].answers == 1
        assert new_answers(reader, seq)[1] == {4: (1, "clue", 1)}
        assert {number: its.answers for number, its in begun_matches(reader).items()} == {4: 2}


def test_what_a_runner_said_before_a_later_command_does_not_undo_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = new_save(tmp_path, QUICK)
    pace = 4.0
    answers: list[asyncio.Future[None]] = []

    async def slow_runner(_save: Path, request: Request, _seconds: float) -> RunnerStatus:
        nonlocal pace
        if isinstance(request, SetPace) and request.per_second is not None:
            pace = request.per_second
        said = RunnerStatus(state="running", pace=pace)
        answers.append(asyncio.get_running_loop().create_future())
        await answers[-1]
        return said

    monkeypatch.setattr("parlour.tui.models.save_view.ask_runner_soon", slow_runner)

    async def story() -> None:
        watched = SaveView(save)

        async def asked(command: Coroutine[Any, Any, str | None]) -> asyncio.Task[str | None]:
            task = asyncio.create_task(command)
            await asyncio.sleep(0)
            return task

        async def answered(index: int, task: asyncio.Task[str | None]) -> object:
            answers[index].set_result(None)
            assert await task is None
            return watched.live and watched.live.pace

        status = await asked(watched.status())
        first = await asked(watched.set_pace(8.0))
        assert await answered(0, status) is None
        second = await asked(watched.set_pace(16.0))
        assert await answered(1, first) is None
        await watched.listen()  # asks nothing: the command's answer says how things stand
        assert len(answers) == 3
        assert await answered(2, second) == 16.0
        status = await asked(watched.status())
        assert await answered(3, status) == 16.0
        watched.close()

    asyncio.run(story())


def test_a_save_that_grew_says_so_where_it_is_watched(tmp_path: Path) -> None:
    save = finished(tmp_path, QUICK)
    watched = SaveView(save)
    before = picture(watched)
    grow(save, Addition(repetitions=2))
    assert play(save).progress.done
    for _ in range(2):
        assert not watched.poll()
        assert (watched.trouble, picture(watched)) == (GROWN, before)
    watched.close()
