"""A viewer's picture of a save, kept up to date by polling: nothing lost, nothing twice."""

import asyncio
from pathlib import Path

from tests.runners import QUICK, session
from tests.tournaments import finished, new_save, tamper
from tournament.save import Save
from tui.state import Watched


def picture(watched: Watched) -> tuple[object, ...]:
    """All that a viewer knows of a save; answers count only while a match is on."""
    lines = [
        (line.number, line.ending, line.frozen, None if line.over else line.answers)
        for line in watched.lines
    ]
    return lines, watched.progress, watched.running()


def fresh(save: Path) -> tuple[object, ...]:
    """What one that opens it now knows."""
    watched = Watched(save)
    watched.close()
    return picture(watched)


def test_at_any_moment_of_a_run_polling_knows_what_opening_anew_does(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)

    async def story() -> None:
        watched = Watched(save)
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

    asyncio.run(story())


def test_an_outcome_that_comes_after_the_poll_of_the_last_answer_is_seen(tmp_path: Path) -> None:
    save = finished(tmp_path, QUICK)
    with Save(save) as whole:
        ending = whole.match_lines()[1].ending
    outcome = taken_back(save, 2)
    watched = Watched(save)
    assert (watched.progress.finished, watched.running()) == (3, [2])
    tamper(save, "UPDATE matches SET outcome = ? WHERE number = 2", outcome)
    assert watched.poll()
    assert (watched.progress.finished, watched.progress.done) == (4, True)
    assert watched.lines[1].ending == ending
    assert watched.running() == []
    watched.close()


def taken_back(save: Path, match: int) -> str:
    """Takes a match's outcome out of a save, as it is just before that is stored."""
    with Save(save) as before:
        (outcome,) = before._one("SELECT outcome FROM matches WHERE number = ?", match)
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number = ?", match)
    return str(outcome)


def test_a_match_that_is_frozen_meanwhile_is_seen(tmp_path: Path) -> None:
    save = finished(tmp_path, QUICK)
    taken_back(save, 3)
    watched = Watched(save)
    tamper(save, "UPDATE matches SET frozen = 'it differs' WHERE number = 3")
    assert watched.poll()
    assert (watched.progress.finished, watched.progress.frozen) == (3, 1)
    assert watched.lines[2].frozen == "it differs"
    watched.close()


def test_what_is_stored_while_a_viewer_opens_a_save_is_neither_lost_nor_counted_twice(
    tmp_path: Path,
) -> None:
    save = finished(tmp_path, QUICK)
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number = 4")
    tamper(save, "DELETE FROM answers WHERE match = 4 AND ask > 0")
    with Save(save) as reader:
        with reader.one_moment():
            lines = reader.match_lines()
            tamper(
                save,
                "INSERT INTO answers (match, ask, seat, kind, round, value, tries, digest)"
                " SELECT 4, 1, seat, kind, round, value, tries, digest FROM answers"
                " WHERE match = 4",
            )
            seq = reader.last_seq()
        assert lines[3].answers == 1
        assert reader.touched_since(seq)[1] == {4: 1}
        assert [line.answers for line in reader.match_lines()] == [0, 0, 0, 2]
