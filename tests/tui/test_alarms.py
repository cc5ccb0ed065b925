"""Alarms and hung runners on the screens: a quiet sentence each, where trouble is told."""

import asyncio
from pathlib import Path

import pytest

from parlour.tournament.control.client import ControlFailed
from parlour.tournament.control.requests import Request
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.save.provenance.alarms import Alarm
from parlour.tournament.save.provenance.remarks import Remark
from parlour.tui.app import ParlourApp
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.models import save_view
from parlour.tui.models.save_view import SaveView
from parlour.tui.models.standings import Standings
from parlour.tui.views.leaderboard import LeaderboardState, warnings
from parlour.tui.views.run_header import trouble_lines
from parlour.tui.widgets.dialogs import Leaving
from tests.tournaments import finished, new_save, tamper
from tests.tui.playing import driven

ALARM = Alarm("faults", "undercover", 9, 30, "undercover: 9 of 30 answers are faulty\x1b[2J")


def told_of(watched: SaveView) -> list[str]:
    """The sentences below the header of a screen."""
    return [line.plain.strip() for line in trouble_lines(Look(), watched, 120)]


def test_the_alarms_of_a_runner_stand_below_the_header_also_after_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies: list[RunnerStatus | ControlFailed] = [
        RunnerStatus(state="running", alarms=[ALARM]),
        ControlFailed("x: is not running"),
    ]

    async def reply(*_: object) -> RunnerStatus:
        first = replies.pop(0)
        if isinstance(first, ControlFailed):
            raise first
        return first

    monkeypatch.setattr(save_view, "ask_runner_soon", reply)
    watched = SaveView(new_save(tmp_path))
    assert told_of(watched) == []
    for state in ("running", "not running"):
        asyncio.run(watched.listen())
        assert watched.state == state
        (line,) = told_of(watched)
        assert line.endswith("undercover: 9 of 30 answers are faulty[2J")
    watched.close()


def test_a_hung_runner_is_told_from_one_that_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = ["x: its runner does not answer (timed out)", "x: is not running"]
    sentence = ["no sign of process 7 for 40 s", ""]

    async def fails(*_: object) -> RunnerStatus:
        raise ControlFailed(errors.pop(0))

    monkeypatch.setattr(save_view, "ask_runner_soon", fails)
    monkeypatch.setattr(save_view, "hung", lambda _path: sentence.pop(0))
    watched = SaveView(new_save(tmp_path))
    asyncio.run(watched.listen())
    assert watched.state == "hung"
    assert "no sign of process 7 for 40 s" in told_of(watched)[0]
    asyncio.run(watched.listen())
    assert (watched.state, told_of(watched)) == ("not running", [])
    watched.close()


async def test_the_keys_of_a_hung_runner_say_what_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = "no sign of process 7 for 40 s: `kill -CONT 7` wakes a suspended one"
    sent: list[str] = []

    async def fails(_save: Path, request: Request, *_: object) -> RunnerStatus:
        sent.append(request.do)
        raise ControlFailed("x: its runner does not answer; the command takes effect once it does")

    monkeypatch.setattr(save_view, "ask_runner_soon", fails)
    monkeypatch.setattr(save_view, "hung", lambda _path: sentence)

    async with driven(new_save(tmp_path)) as pilot:
        await pilot.until(lambda: pilot.live.watched.state == "hung")
        for key in ("space", "n"):
            pilot.app.clear_notifications()
            await pilot.press(key, says=sentence)
        await pilot.press("q", at=Leaving, sees="no sign of process 7")
        assert "3  leave; it stops once it answers again" in pilot.shown
        assert set(sent) == {"status"}
        await pilot.press("3")
        await pilot.until(lambda: pilot.app.return_code is not None)
        assert "stop" in sent
        assert isinstance(pilot.app, ParlourApp)
        assert "takes effect once it does" in pilot.app.farewell


def test_the_alarms_of_a_save_stand_under_its_leaderboard(tmp_path: Path) -> None:
    save = finished(tmp_path)
    tamper(save, "UPDATE answers SET fault = 'empty' WHERE seat = 0")
    tamper(save, "DELETE FROM counts")
    tamper(save, "DELETE FROM leaderboards")
    standings = Standings(save)
    assert standings.refresh()
    assert {alarm.kind for alarm in standings.alarms} == {"faults"}
    look = Look()
    state = LeaderboardState(Cast([], look.palette), look, standings.board)
    before = [line.plain for line in warnings(state, 120)]
    state.alarms = standings.alarms
    after = [line.plain for line in warnings(state, 120)]
    assert standings.alarms[0].sentence in after[0]
    assert standings.alarms[0].sentence not in "".join(before)
    standings.close()


def test_warnings_on_provenance_stand_under_the_leaderboard_and_notes_quietly(
    tmp_path: Path,
) -> None:
    standings = Standings(finished(tmp_path))
    assert standings.refresh()
    assert standings.remarks == []
    look = Look()
    state = LeaderboardState(Cast([], look.palette), look, standings.board)
    standings.close()
    words = {"warning": "Ada was served by 2 hosts: a\x1b[2J, b", "note": "Ada: 2 fingerprints"}
    state.remarks = [
        Remark("hosts", "warning", "Ada", 2, words["warning"]),
        Remark("fingerprints", "note", "Ada", 2, words["note"]),
    ]
    with_remarks = warnings(state, 120)
    assert "Ada was served by 2 hosts: a[2J, b" in with_remarks[0].plain
    assert words["note"] in with_remarks[-1].plain
    assert look.palette.warn in str(with_remarks[0].spans)
    assert look.palette.warn not in str(with_remarks[-1].spans)
    assert [line.plain.rstrip()[-1] == "…" for line in warnings(state, 14)] == [False, False, True]
