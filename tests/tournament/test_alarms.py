"""Alarms of a run: counted as it plays, read again from the save, and said in every place."""

import asyncio
from pathlib import Path

import pytest

from parlour.tournament.control.run_log import run_log_file
from parlour.tournament.save.provenance.alarms import ANY_FAULT, alarms, alarms_of, conduct_counts
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import SessionResult, run_session
from tests.models import served
from tests.provider import OTHER_MODEL
from tests.tournament.test_journal import planned
from tests.tournaments import finished, in_save, new_save, printed, printed_json, tamper

pytestmark = pytest.mark.usefixtures("own_config")


def faulty_run(folder: Path) -> tuple[Path, SessionResult]:
    """A run of two models: two answers by another model, later ones refused or in prose."""

    def mode(number: int) -> str:
        if number <= 2:  # they are counted from 1
            return "other_model"
        return "good" if number <= 6 else ("refusal", "prose")[number % 2]

    async def story() -> tuple[Path, SessionResult]:
        async with served(folder, mode) as server:
            save = new_save(folder, planned(server, 2, games=["undercover"]))
            return save, await run_session(save, RunOptions(concurrency=1))

    return asyncio.run(story())


def test_the_alarms_of_a_run_are_those_of_its_save_and_stand_in_every_place(tmp_path: Path) -> None:
    save, end = faulty_run(tmp_path)
    with Save(save) as opened:
        assert end.stats.conduct == conduct_counts(opened)
        raised = alarms_of(opened)
    assert raised == alarms(end.stats.conduct)
    assert {alarm.kind for alarm in raised} >= {"faults", "model"}
    sentences = [alarm.sentence for alarm in raised]
    assert any(f"were answered by {OTHER_MODEL}" in sentence for sentence in sentences)
    text = printed("status", save, cwd=tmp_path)
    board = printed("leaderboard", save, cwd=tmp_path)
    for sentence in sentences:
        assert f"Alarm        {sentence}\n" in text
        assert f"Alarm: {sentence}\n" in board
        assert f"WARNING alarm: {sentence.partition(':')[0]}" in run_log_file(save).read_text()
    body = printed_json("status", save, "--format", "json", cwd=tmp_path)
    assert [alarm["sentence"] for alarm in body["alarms"]] == sentences
    assert set(body["alarms"][0]) == {"kind", "subject", "count", "of", "sentence"}


def test_a_resumed_run_goes_on_with_the_counts_of_the_save(tmp_path: Path) -> None:
    async def story() -> SessionResult:
        async with served(tmp_path, "refusal") as server:
            save = new_save(tmp_path, planned(server, 2, games=["undercover"]))
            assert (await run_session(save, RunOptions(concurrency=1))).progress.done
            tamper(save, "UPDATE matches SET outcome = NULL WHERE number = 3")
            tamper(save, "DELETE FROM answers WHERE match = 3 AND ask > 0")
            tamper(save, "DELETE FROM calls WHERE match = 3 AND ask > 0")
            tamper(save, "DELETE FROM counts")
            again = await run_session(save, RunOptions(concurrency=1))
            assert again.stats.conduct == in_save(save, conduct_counts)
            return again

    end = asyncio.run(story())
    assert end.progress.done
    assert {alarm.kind for alarm in alarms(end.stats.conduct)} == {"faults", "only_faults"}


def test_a_sound_tournament_raises_none(tmp_path: Path) -> None:
    save = finished(tmp_path)
    assert in_save(save, alarms_of) == []
    plan = in_save(save, lambda opened: opened._select(f"EXPLAIN QUERY PLAN {ANY_FAULT}"))
    assert [step[3] for step in plan] == ["SCAN stored_answers USING INDEX faulty_answers"]
    assert "Alarm" not in printed("status", save, cwd=tmp_path)
