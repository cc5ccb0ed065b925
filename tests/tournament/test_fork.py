"""Forks: the same match up to an ask, then another answer or another player; counted nowhere."""

import json
from pathlib import Path

import pytest

from parlour.agents.registry import ScriptedConfig
from parlour.api.playing import run
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.growing.fork import (
    ForkChange,
    agent_for,
    fork_match,
    origin_of,
    parted,
)
from parlour.tournament.save.reader import Save
from tests.tournaments import contents, finished, in_save, new_save, parlour, play, printed, tamper

CLUE = {"text": "It has many strings to pull"}
FIRST = Seat(0)


def asked(save: Path, match: int, kind: str) -> tuple[int, Seat]:
    """The first ask of a kind in a match, and a seat that it asks."""
    with Save(save) as opened:
        answer = next(each for each in opened.answers_of(match) if each.kind == kind)
    return answer.ask, answer.seat


def values(save: Path, match: int) -> dict[tuple[int, int], str]:
    with Save(save) as opened:
        return {(each.ask, each.seat): each.value for each in opened.answers_of(match)}


@pytest.mark.parametrize("kind", ["clue", "vote"])
def test_a_fork_keeps_all_answers_before_and_the_others_to_the_same_ask(
    tmp_path: Path, kind: str
) -> None:
    save = finished(tmp_path)
    ask, seat = asked(save, 3, kind)
    other = Seat(0 if seat else 1)
    answer = CLUE if kind == "clue" else {"reasoning": "so", "suspect": f"Player {other + 1}"}
    fork = fork_match(save, 3, ask, ForkChange(seat, answer=answer), None)
    assert fork.parent == save.parent / "forks"
    stored, forked = values(save, 3), values(fork, 1)
    expected = {place for place in stored if place[0] < ask or (place[0] == ask)}
    assert forked.keys() == expected
    assert json.loads(forked[ask, seat]) != json.loads(stored[ask, seat])
    assert all(forked[place] == stored[place] for place in expected - {(ask, seat)})
    assert play(fork).progress.done
    with Save(fork) as opened:
        assert first_difference(opened) is None
        assert origin_of(fork, opened.tournament.fork) == save  # type: ignore[arg-type]


def test_another_agent_plays_the_seat_from_the_ask_on(tmp_path: Path) -> None:
    save = finished(tmp_path)
    ask, seat = asked(save, 5, "vote")
    agent = ScriptedConfig(name="new", strategy="random")
    fork = fork_match(save, 5, ask, ForkChange(seat, agent=agent), None)
    assert (ask, seat) not in values(fork, 1)
    assert play(fork).progress.done
    with Save(fork) as opened:
        assert opened.match(1).agents[seat] == "new"
        assert first_difference(opened) is None


def test_a_match_that_is_still_played_can_be_forked(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    fork = fork_match(
        save, 1, 0, ForkChange(FIRST, agent=ScriptedConfig(name="n", strategy="random")), None
    )
    assert play(fork).progress.done
    assert in_save(save, Save.progress).answers == 0


def test_no_leaderboard_counts_a_fork(tmp_path: Path) -> None:
    save = finished(tmp_path)
    ask, seat = asked(save, 2, "clue")
    before = in_save(save, Save.stored_leaderboard)
    fork = fork_match(save, 2, ask, ForkChange(seat, answer=CLUE), None)
    play(fork)
    assert in_save(save, Save.stored_leaderboard) == before
    with Save(fork) as opened:
        assert opened.stored_leaderboard() is None
        with pytest.raises(BadInput, match="no leaderboard counts"):
            current_leaderboard(opened)


def test_python_plays_a_fork_and_plays_nothing_again(tmp_path: Path) -> None:
    save = finished(tmp_path)
    ask, seat = asked(save, 2, "clue")
    fork = fork_match(save, 2, ask, ForkChange(seat, answer=CLUE), None)
    with Save(fork) as opened:
        tournament = opened.tournament
    assert run(tournament, fork).finished
    before = contents(fork)
    assert run(tournament, fork).match(1).outcome is not None
    assert contents(fork) == before


@pytest.mark.parametrize(
    ("ask", "seat", "answer", "problem"),
    [
        (
            99,
            0,
            CLUE,
            r"has no ask 99; it has asks 0 to \d+: parlour replay .*save.db 1 --prompts$",
        ),
        (0, 7, CLUE, "has no Player 8"),
        (0, 0, {"txt": "no"}, "--answer: text: is missing"),
        (0, 0, {"text": " "}, "the clue is blank"),
    ],
)
def test_a_fork_that_cannot_be_is_refused(
    tmp_path: Path, ask: int, seat: int, answer: dict[str, str], problem: str
) -> None:
    save = finished(tmp_path)
    first, speaker = asked(save, 1, "clue")
    change = ForkChange(speaker if seat == 0 else Seat(seat), answer=answer)
    with pytest.raises(BadInput, match=problem):
        fork_match(save, 1, first if ask == 0 else ask, change, None)
    assert not list((tmp_path / "forks").glob("*.db"))


def test_an_agent_that_cannot_play_the_game_takes_no_seat(tmp_path: Path) -> None:
    save = finished(tmp_path)
    other = agent_for(in_save(save, lambda s: s.tournament), "greedy")
    with pytest.raises(BadInput, match=r"--agent.strategy: 'greedy' cannot play 'undercover'"):
        fork_match(save, 1, 0, ForkChange(Seat(0), agent=other), None)
    assert not list((tmp_path / "forks").glob("*.db"))


def test_a_seat_that_is_not_asked_and_a_fork_of_a_fork_are_refused(tmp_path: Path) -> None:
    save = finished(tmp_path)
    ask, seat = asked(save, 1, "clue")
    with pytest.raises(BadInput, match="is not asked"):
        fork_match(save, 1, ask, ForkChange(Seat((seat + 1) % 3), answer=CLUE), None)
    fork = fork_match(save, 1, ask, ForkChange(seat, answer=CLUE), None)
    with pytest.raises(BadInput, match="is a fork itself"):
        fork_match(fork, 1, ask, ForkChange(seat, answer=CLUE), None)


def test_a_damaged_match_is_not_forked(tmp_path: Path) -> None:
    save = finished(tmp_path)
    tamper(save, "UPDATE answers SET digest = 'x' WHERE match = 1 AND ask = 0")
    done = parlour("fork", save, 1, 3, 1, "--agent", "random", cwd=tmp_path)
    assert done.returncode == 2
    assert "see `parlour check" in done.stderr


def test_transcripts_part_at_the_first_line_that_differs() -> None:
    assert parted(["a", "b", "c"], ["a", "x"]) == (["a"], ["b", "c"], ["x"])
    assert parted(["a"], ["a"]) == (["a"], [], [])


def test_the_command_plays_the_fork_and_prints_both_from_where_they_part(tmp_path: Path) -> None:
    save = finished(tmp_path)
    ask, seat = asked(save, 1, "clue")
    shown = printed(
        *("fork", save, 1, ask, seat + 1, "--answer", json.dumps(CLUE), "--plain"), cwd=tmp_path
    )
    assert "match 1 of save.db" in shown
    assert "the fork" in shown
    assert CLUE["text"] in shown
    fork = next((tmp_path / "forks").glob("*.db"))
    refused = parlour("leaderboard", fork, cwd=tmp_path)
    assert refused.returncode == 2
    assert "no leaderboard counts" in refused.stderr


def test_the_command_takes_one_change(tmp_path: Path) -> None:
    save = finished(tmp_path)
    for more in ([], ["--agent", "random", "--person", "Me"]):
        done = parlour("fork", save, 1, 0, 1, *more, cwd=tmp_path)
        assert done.returncode == 2
        assert "give one of --answer JSON, --agent NAME and --person NAME" in done.stderr
