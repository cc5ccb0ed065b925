"""The fast lane: quick agents play on at once, and neither results nor safety change."""

import asyncio
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.base import Call, Reply
from parlour.agents.registry import strategies
from parlour.agents.scripted.strategy import Strategy
from parlour.agents.scripted.words import RandomPlayer
from parlour.games.common.errors import BadInput
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask, player
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.run import fast_lane
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.save.writer import ENOUGH_WAITING, Writer
from parlour.tournament.session import SessionHooks, run_session
from tests.models import served
from tests.people import ONE, legal, seated
from tests.runners import QUICK, session
from tests.tournaments import (
    ANSWERS,
    LANES,
    MATCHES,
    contents,
    finished,
    in_save,
    new_save,
    play,
    printed,
    refused,
    scripted,
    tournament,
    written,
)


class Recorded:
    """A quick agent that calls ``on_act`` with the lane of each act before it answers."""

    def __init__(self, agent: Any, on_act: Callable[[str], None]) -> None:
        self.name, self._agent, self._on_act = agent.name, agent, on_act

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        self._on_act("slow")
        return Reply(self._agent.decide(ask, view, call))

    def decide(self, ask: Ask[Any], view: View, call: Call) -> object:
        self._on_act("fast")
        return self._agent.decide(ask, view, call)


def record(runner: Runner, on_act: Callable[[str], None]) -> None:
    """Has every quick agent of a runner recorded."""
    for name, agent in runner.agents.items():
        if hasattr(agent, "decide"):
            runner.agents[name] = Recorded(agent, on_act)


@pytest.mark.parametrize("lane", LANES)
def test_a_pace_keeps_quick_agents_out_of_the_fast_lane(tmp_path: Path, lane: str) -> None:
    acts: list[str] = []
    save = new_save(tmp_path)
    play(save, pace=LANES[lane], on_start=lambda runner, _: record(runner, acts.append))
    assert acts == [lane] * ANSWERS


def both_lanes(folder: Path, make: Callable[[Path], None]) -> dict[str, dict[str, Any]]:
    """The contents of a save of each lane, played to its end; ``make`` creates each."""
    lanes = {}
    for lane, pace in LANES.items():
        save = folder / f"{lane}.db"
        make(save)
        ended = play(save, pace=pace, concurrency=64)
        assert ended.progress.done
        assert (ended.stats.answers, ended.stats.faults, ended.stats.finished) == (
            ended.progress.answers,
            ended.progress.faults,
            ended.progress.finished,
        )
        lanes[lane] = contents(save)
    return lanes


@pytest.mark.slow
def test_the_lane_changes_nothing_that_is_stored_of_any_game(tmp_path: Path) -> None:
    lanes = both_lanes(tmp_path, lambda save: create_save(save, read_preset("demo")))
    assert lanes["fast"] == lanes["slow"]


def test_the_lane_takes_matches_with_seats_that_the_game_plays(tmp_path: Path) -> None:
    acts: list[str] = []
    text = QUICK.split("[[games]]")[0] + GREEDY
    save = new_save(tmp_path, text)
    assert play(save, on_start=lambda runner, _: record(runner, acts.append)).progress.done
    assert set(acts) == {"fast"}
    assert any("(built in)" in match.agents for match in in_save(save, Save.matches))


GREEDY = """
[[games]]
name = "donation"
lineup = "alone"
greedy_seats = 1
[[agents]]
name = "Ada"
strategy = "image_scoring"
"""


class Faulty(Strategy):
    """Votes for itself, always or until it is asked again; else any legal answer."""

    games = None

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        if ask.kind == "vote" and (view.seat == 0 or dice.below(2)):
            return {"suspect": player(view.seat)}
        return ask.sample(view.seat, dice)


def test_faults_and_repairs_are_those_of_the_slow_lane(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(strategies(), "faulty", Faulty)
    planned = tournament(tmp_path, QUICK.replace('"random"', '"faulty"'))
    lanes = both_lanes(tmp_path, lambda save: create_save(save, planned))
    assert lanes["fast"] == lanes["slow"]
    votes = [row for row in lanes["fast"]["answers"] if row[3] == "vote"]
    problem = '{"problem": "you cannot vote for yourself: name one of the other players"}'
    assert {(row[6], row[7], row[8]) for row in votes} >= {(None, 2, None), ("illegal", 3, problem)}


class Broken(RandomPlayer):
    """Cannot vote."""

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        return 1 // 0 if ask.kind == "vote" else super().decide(ask, view, dice)


def test_an_agent_that_fails_stops_its_match_beside_answers_that_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(strategies(), "broken", Broken)
    save = new_save(tmp_path, QUICK.replace('"random"', '"broken"'))
    ended = play(save)
    assert (ended.progress.finished, len(ended.stats.failed)) == (0, 4)
    assert "agent 'Rob' failed with ZeroDivisionError" in ended.stats.failed[1]
    with Save(save) as opened:
        seats = [match.agents.count("Ada") for match in opened.matches()]
        # Three clues of each match, and the votes of the agent that does not fail.
        assert [len(opened.answers_of(n)) - 3 for n in (1, 2, 3, 4)] == seats
    monkeypatch.setitem(strategies(), "broken", RandomPlayer)
    assert play(save).progress.done
    (tmp_path / "whole").mkdir()
    assert contents(save)["answers"] == contents(finished(tmp_path / "whole", QUICK))["answers"]


def test_the_loop_has_its_turn_after_every_slice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    clock = type("Clock", (), {"monotonic": staticmethod(lambda: now)})
    monkeypatch.setattr(fast_lane, "time", clock)
    acts = 0
    between: list[int] = []

    async def look() -> None:
        while True:
            between.append(acts)
            await asyncio.sleep(0)

    def act(_lane: str) -> None:
        nonlocal acts, now
        acts += 1
        now += 0.005

    looking: list[asyncio.Task[None]] = []

    def started(runner: Runner, _progress: object) -> None:
        record(runner, act)
        looking.append(asyncio.create_task(look()))

    ended = play(new_save(tmp_path), on_start=started, concurrency=64)
    assert ended.progress.done
    at_once = [after - before for before, after in pairwise(between)]
    # Four acts fill a slice; an ask of three seats that begins in it is played to its end.
    assert 3 <= max(at_once) <= 6
    assert sum(at_once) == ANSWERS


def test_matches_have_slices_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_lane, "SLICE_SECONDS", 1e-9)  # one ask each
    save = new_save(tmp_path)
    assert play(save, concurrency=MATCHES).progress.done
    with Save(save) as opened:
        order = [(a.ask, a.match) for a in sorted(opened.answers(), key=lambda a: a.seq)]
    rounds = [ask for ask, _ in order]
    assert max(before - after for before, after in pairwise(rounds)) <= 1
    assert rounds != sorted(rounds, reverse=True)


def test_the_lane_waits_for_a_disk_that_is_slower(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acts, most = 0, 0
    commit = Writer._commit

    async def slowly(writer: Writer, batch: Any) -> None:
        nonlocal most
        before, idle = acts, 0
        while idle < 100:  # turns of the event loop in which nothing is played
            so_far = acts
            await asyncio.sleep(0)
            idle = idle + 1 if acts == so_far else 0
        most = max(most, acts - before)
        await commit(writer, batch)

    def act(_lane: str) -> None:
        nonlocal acts
        acts += 1

    monkeypatch.setattr(Writer, "_commit", slowly)
    monkeypatch.setattr(fast_lane, "SLICE_SECONDS", 1e-9)
    save = new_save(tmp_path, QUICK.replace("seed = 3", "seed = 3\nrepetitions = 120"))
    play(save, on_start=lambda runner, _: record(runner, act), concurrency=8)
    assert acts > 3 * ENOUGH_WAITING
    assert ENOUGH_WAITING / 2 < most <= ENOUGH_WAITING + 8 * 3


def test_the_answers_of_a_match_are_stored_in_order(tmp_path: Path) -> None:
    with Save(finished(tmp_path)) as save:
        stored = sorted(save.answers(), key=lambda answer: answer.seq)
    by_match: dict[int, list[int]] = {}
    for answer in stored:
        by_match.setdefault(answer.match, []).append(answer.ask)
    assert len(by_match) == MATCHES
    assert all(asks == sorted(asks) for asks in by_match.values())


# --- Matches that change lanes


MIXED = """
name = "mixed"
seed = 5
[[games]]
name = "undercover"
limit = 3
probes = "off"
lineup = ["Ada", "Rob", "Lin"]
[[agents]]
name = "Ada"
kind = "llm"
model = "m"
api_base = "{base}"
""" + scripted(Rob="random", Lin="literal")
"""Matches of nine answers: six clues in turn, and three votes at once, each a third Ada's."""


@pytest.mark.slow
async def test_a_match_changes_lanes_and_a_model_is_asked_once_all_before_is_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    acts: list[str] = []
    runners: list[Runner] = []
    unstored: list[int] = []
    save = tmp_path / "save.db"

    def mode(_number: int) -> str:
        (table,) = runners[0].playing.values()
        (match,) = runners[0].playing
        applied = sum(event.by is not None for event in table.events)
        durable = sum(row[0] == match for row in contents(save)["answers"])
        # Of the votes, which are asked at once, the others' may be durable already.
        assert table.pending is not None
        if table.pending.kind == "clue":
            unstored.append(applied - durable)
        return "good"

    def started(runner: Runner, _progress: object) -> None:
        record(runner, acts.append)
        runners.append(runner)

    async with served(tmp_path, mode) as server:
        create_save(save, tournament(tmp_path, MIXED.format(base=server.base)))
        ended = await run_session(save, RunOptions(concurrency=1), SessionHooks(on_start=started))
        assert ended.progress.done
    matches = len(contents(save)["matches"])
    assert unstored == [0] * 2 * matches
    # Clues of scripted players are given at once; beside the model's vote they are waited for.
    assert (acts.count("fast"), acts.count("slow")) == (4 * matches, 2 * matches)
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")


@pytest.mark.slow
async def test_a_person_is_asked_once_all_before_is_durable(tmp_path: Path) -> None:
    save = new_save(tmp_path, ONE)
    seen: list[tuple[int, int]] = []

    async with session(save, lane="fast") as running:
        running.runner.gate.open()

        def look() -> None:
            (table,) = running.runner.playing.values()
            applied = sum(event.by is not None for event in table.events)
            seen.append((applied, len(contents(save)["answers"])))

        running.runner.people.on_wait.append(look)
        async with seated(save, "Ann") as ann:
            for _ in range(2):
                pending = await ann.asked()
                assert await ann.says(pending, legal(save, pending)) is None
        assert (await running.ended).progress.done
    (clue, vote) = seen
    assert clue[0] == clue[1]
    assert vote[0] == 3 <= vote[1]


@pytest.mark.parametrize("how", ["paused", "at a pace"])
def test_a_run_that_is_held_up_and_let_go_changes_lanes(tmp_path: Path, how: str) -> None:
    acts: list[str] = []
    runners: list[Runner] = []
    opening: list[asyncio.Task[None]] = []
    save = new_save(tmp_path)

    async def open_once_paused() -> None:
        while runners[0].state != "paused":
            await asyncio.sleep(0)
        runners[0].gate.open()

    def act(lane: str) -> None:
        acts.append(lane)
        gate = runners[0].gate
        if len(acts) == 20 and how == "paused":
            gate.close()
            opening.append(asyncio.create_task(open_once_paused()))
        elif len(acts) == 20:
            gate.set_pace(200.0)
        elif len(acts) == 23 and how == "at a pace":
            gate.set_pace(None)

    def started(runner: Runner, _progress: object) -> None:
        runners.append(runner)
        record(runner, act)

    assert play(save, on_start=started, concurrency=4).progress.done
    assert acts[:20] == ["fast"] * 20
    slow = acts.count("slow")
    if how == "paused":  # each match in play goes on with the turn that waited, or with three
        assert 1 <= slow <= 4 * 3
    else:
        assert acts[20:23] == ["slow"] * 3
    assert len(acts) == ANSWERS
    assert slow < ANSWERS / 2
    (tmp_path / "whole").mkdir()
    assert contents(save) == contents(finished(tmp_path / "whole"))


# --- Functions of users


PURE = """
name = "pure"
seed = 3
[[games]]
name = "undercover"
limit = 1
clue_rounds = 1
probes = "off"
[[agents]]
name = "Own"
kind = "function"
function = "players.py:answer"
{pure}
[[agents]]
name = "Bea"
strategy = "bayesian"
"""
CODE = """
from threading import current_thread, main_thread

def answer(question):
    where = "here" if current_thread() is main_thread() else "in a thread"
    if question["kind"] == "clue":
        return {"text": f"{where} {question['dice'] % 100}"}
    others = [name for name in question["players"] if name != question["player"]]
    return {"suspect": others[0] if question["mistakes"] else question["player"]}
"""


@pytest.mark.parametrize(("pure", "place"), [("", "in a thread"), ("pure = true", "here")])
def test_a_function_takes_the_fast_lane_only_if_it_is_said_to_be_pure(
    tmp_path: Path, pure: str, place: str
) -> None:
    (tmp_path / "players.py").write_text(CODE)
    save = finished(tmp_path, PURE.format(pure=pure))
    with Save(save) as opened:
        seats = {match.number: match.agents for match in opened.matches()}
        answers = [a for a in opened.answers() if seats[a.match][a.seat] == "Own"]
    clues = [a.value for a in answers if a.kind == "clue"]
    assert len(clues) == 3
    assert all(place in clue for clue in clues)
    # It gets what was wrong with its first vote, as in the slow lane.
    assert {(a.tries, a.fault) for a in answers if a.kind == "vote"} == {(2, None)}


def test_a_pure_function_that_fails_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "players.py").write_text("def answer(question):\n    raise SystemExit(3)\n")
    save = new_save(tmp_path, PURE.format(pure="pure = true"))
    ended = play(save)
    assert not ended.progress.done
    assert "it ended by SystemExit with 3 (players.py, line 2)" in ended.stats.failed[1]


def test_a_pure_function_cannot_be_async(tmp_path: Path) -> None:
    (tmp_path / "players.py").write_text("async def answer(question):\n    return None\n")
    with pytest.raises(BadInput) as said:
        new_save(tmp_path, PURE.format(pure="pure = true"))
    assert str(said.value).endswith(
        "pure: answer is an async function, which waits; leave pure out, or write def in place of"
        " async def"
    )


@pytest.mark.parametrize(
    "block",
    [
        'strategy = "random"',
        'kind = "llm"\nmodel = "m"\napi_base = "http://127.0.0.1:1/v1"',
        'kind = "human"',
        'kind = "python"',
    ],
)
def test_pure_is_refused_in_blocks_of_other_kinds(tmp_path: Path, block: str) -> None:
    text = QUICK.replace('strategy = "bayesian"', f"{block}\npure = true")
    said = refused("plan", written(tmp_path, text), cwd=tmp_path)
    assert "pure" in said
    assert "is not a" in said


@pytest.mark.parametrize("wrong", ['"yes"', "1"])
def test_pure_is_true_or_false(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "players.py").write_text(CODE)
    with pytest.raises(BadInput, match=r"agents\[0\].pure"):
        tournament(tmp_path, PURE.format(pure=f"pure = {wrong}"))


def test_a_session_returns_once_its_last_answers_are_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Writer._commit

    async def slowly(writer: Writer, batch: Any) -> None:
        await asyncio.sleep(0.05)
        await commit(writer, batch)

    monkeypatch.setattr(Writer, "_commit", slowly)
    begun = time.monotonic()
    ended = play(new_save(tmp_path))
    assert ended.progress.done
    assert ended.stats.answers == ANSWERS
    assert time.monotonic() - begun >= 0.05
