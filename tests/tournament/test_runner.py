"""The runner: faults and repairs, agents that fail, and the same result whatever the order."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import pytest

from parlour.agents.base import Call, Reply
from parlour.agents.registry import strategies
from parlour.agents.scripted.words import RandomPlayer
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask, Fault, FaultKind, player
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions, StoredAnswer
from parlour.tournament.session import SessionResult, run_session
from tests.tournaments import (
    ANSWERS,
    LANES,
    MATCHES,
    SMALL,
    contents,
    finished,
    in_save,
    new_save,
    play,
    scripted,
)

PAIR = """
name = "pair"
[[games]]
name = "undercover"
limit = 1
probes = "off"
""" + scripted(Bad="bad", Rob="random")
"""One setting, one pair, two sides: 2 matches of 9 answers (6 clues, 3 votes)."""

Act = Callable[[Ask[Any], View, Call], Awaitable[object]]


class Acting:
    """An agent that does what a test says."""

    def __init__(self, act: Act) -> None:
        self.name, self._act = "Bad", act

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Any:
        return await self._act(ask, view, call)


@pytest.fixture
def bad(monkeypatch: pytest.MonkeyPatch) -> None:
    """A strategy named "bad", so that tournaments can have it; each test gives it its ways."""
    monkeypatch.setitem(strategies(), "bad", RandomPlayer)


def played(save: Path, act: Act, **options: Any) -> SessionResult:
    """Plays a save with ``act`` for the agent Bad."""

    def on_start(runner: Runner, _progress: object) -> None:
        runner.agents["Bad"] = Acting(act)

    return play(save, on_start=on_start, **options)


def answers_of(save: Path, agent: str) -> list[StoredAnswer]:
    with Save(save) as opened:
        seats = {match.number: match.agents for match in opened.matches()}
        return [a for a in opened.answers() if seats[a.match][a.seat] == agent]


def legal(ask: Ask[Any], view: View, dice: Dice) -> object:
    return ask.sample(view.seat, dice)


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(
    ("faulty", "tries", "fault"),
    # An answer may be fixed twice; what is still faulty then is replaced.
    [(0, 1, None), (1, 2, None), (2, 3, None), (3, 3, "illegal"), (9, 3, "illegal")],
)
def test_a_faulty_answer_is_asked_for_again_twice_and_then_replaced(
    tmp_path: Path, faulty: int, tries: int, fault: str | None
) -> None:
    attempt: dict[int, int] = {}  # by seat: one match is played at a time
    faults: list[Fault] = []

    async def act(ask: Ask[Any], view: View, call: Call) -> object:
        attempt[view.seat] = len(call.earlier) + 1
        faults.extend(fault for _text, fault in call.earlier[-1:])
        if attempt[view.seat] > faulty:
            return Reply(legal(ask, view, call.dice))
        return Reply({"text": "  "} if ask.kind == "clue" else {"suspect": player(view.seat)})

    save = new_save(tmp_path, PAIR)
    ended = played(save, act, concurrency=1)
    stored = answers_of(save, "Bad")
    # Bad holds one seat in one match and two in the other: 3 seats with 2 clues and 1 vote.
    assert len(stored) == 9
    assert {(a.tries, a.fault) for a in stored} == {(tries, fault)}
    if faulty:  # each time the agent gets the fault
        assert {f.message for f in faults} == {
            "the clue is blank: say something about your word",
            "you cannot vote for yourself: name one of the other players",
        }
        assert len(faults) == 9 * (tries - 1)
    if fault is not None:
        values = {(a.kind, a.value) for a in stored}
        assert values == {
            ("clue", '{"text":"(no clue)"}'),
            ("vote", '{"reasoning":"","suspect":null}'),
        }
        assert ended.stats.faults == ended.progress.faults == 9
    assert ended.progress.done
    assert {a.fault for a in answers_of(save, "Rob")} == {None}


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize("kind", FaultKind)
def test_a_fault_that_the_agent_reports_keeps_its_class(tmp_path: Path, kind: FaultKind) -> None:
    async def act(_ask: Ask[Any], _view: View, _call: Call) -> object:
        return Reply(Fault(kind, "no"))

    save = new_save(tmp_path, PAIR)
    played(save, act)
    assert {(a.fault, a.tries) for a in answers_of(save, "Bad")} == {(kind.value, 3)}


@pytest.mark.usefixtures("bad")
def test_the_class_of_a_fault_is_the_last_attempts(tmp_path: Path) -> None:
    kinds = {None: FaultKind.REFUSAL, FaultKind.REFUSAL: FaultKind.TRUNCATED}

    async def act(_ask: Ask[Any], _view: View, call: Call) -> object:
        before = call.earlier[-1][1].kind if call.earlier else None
        if before in kinds:
            return Reply(Fault(kinds[before]))
        return Reply("no answer of any form")

    save = new_save(tmp_path, PAIR)
    played(save, act)
    assert {a.fault for a in answers_of(save, "Bad")} == {"unparsable"}


@pytest.mark.usefixtures("bad")
def test_each_attempt_has_dice_of_its_own_and_falls_the_same_in_every_run(tmp_path: Path) -> None:
    thrown: list[list[tuple[int, str, int]]] = [[], []]

    for run in (0, 1):

        async def act(ask: Ask[Any], view: View, call: Call, run: int = run) -> object:
            fell = Dice.below(call.dice, 10**6)
            thrown[run].append((view.seat, f"{ask.kind} {ask.round}", fell))
            return Reply(Fault(FaultKind.EMPTY))

        (tmp_path / str(run)).mkdir()
        played(new_save(tmp_path / str(run), PAIR), act, concurrency=1 + run)
    assert sorted(thrown[0]) == sorted(thrown[1])
    fell = [number for *_, number in thrown[0]]
    assert len(fell) == 27
    assert len(set(fell)) > 20, "attempts, asks or seats share their dice"


@pytest.mark.usefixtures("bad")
def test_notes_are_stored_with_the_answer_and_reach_no_view(tmp_path: Path) -> None:
    seen: list[str] = []

    async def act(ask: Ask[Any], view: View, call: Call) -> object:
        seen.append(repr(view))
        return Reply(legal(ask, view, call.dice), {"b": "hidden", "a": [1, 2]})

    save = new_save(tmp_path, PAIR)
    played(save, act)
    assert {a.notes for a in answers_of(save, "Bad")} == {'{"a": [1, 2], "b": "hidden"}'}
    assert {a.notes for a in answers_of(save, "Rob")} == {None}
    assert not any("hidden" in view for view in seen)


class Odd:
    """Something that no JSON holds."""


FAILURES: dict[str, tuple[Callable[[], object], str]] = {
    "raises": (lambda: 1 // 0, "ZeroDivisionError: integer division or modulo by zero"),
    "gives nothing": (lambda: None, "AttributeError: 'NoneType' object has no attribute 'value'"),
    "has notes that are no JSON": (
        lambda: Reply({"text": "hm"}, {"odd": Odd()}),
        "TypeError: Object of type Odd is not JSON serializable",
    ),
}


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize("case", FAILURES)
def test_an_agent_that_fails_stops_its_matches_and_no_others(tmp_path: Path, case: str) -> None:
    give, expected = FAILURES[case]
    text = PAIR + '[[agents]]\nname = "Lin"\nstrategy = "literal"\n'

    async def act(_ask: Ask[Any], _view: View, _call: Call) -> object:
        return give()

    save = new_save(tmp_path, text)
    ended = played(save, act)
    # Bad meets Rob and Lin twice each; the two matches of Rob and Lin are played.
    assert (ended.progress.matches, ended.progress.finished, ended.progress.frozen) == (6, 2, 0)
    assert not ended.interrupted
    reasons = [f"match {n}: agent 'Bad' failed with {expected}" for n in (1, 2, 3, 4)]
    assert sorted(ended.stats.failed.values()) == reasons
    # With the agent fixed the same save goes on to the end.
    assert play(save).progress.finished == 6


@pytest.mark.usefixtures("bad")
def test_the_words_of_a_failure_are_one_clean_line(tmp_path: Path) -> None:
    async def act(_ask: Ask[Any], _view: View, _call: Call) -> object:
        raise RuntimeError("\x1b[2Jfirst\nsecond\u202e " + "x" * 1000)

    ended = played(new_save(tmp_path, PAIR), act)
    assert ended.stats.failed[1] == (
        "match 1: agent 'Bad' failed with RuntimeError: [2Jfirst second " + "x" * 184
    )


@pytest.mark.usefixtures("bad")
def test_answers_that_arrive_beside_a_failure_are_stored(tmp_path: Path) -> None:
    # In the vote Bad fails at once, and Rob's answers come later: they are stored all the same.
    async def act(ask: Ask[Any], view: View, call: Call) -> object:
        if ask.kind == "vote":
            raise RuntimeError("no")
        return Reply(legal(ask, view, call.dice))

    save = new_save(tmp_path, PAIR)
    assert played(save, act).progress.finished == 0
    votes = [a for a in answers_of(save, "Rob") if a.kind == "vote"]
    assert len(votes) == 3


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Contents of the small tournament's save when it is played match by match."""
    return contents(finished(tmp_path_factory.mktemp("alone"), concurrency=1))


@pytest.mark.parametrize("concurrency", [2, 64])
def test_how_many_play_at_once_changes_nothing(
    tmp_path: Path, alone: dict[str, Any], concurrency: int
) -> None:
    assert len(alone["answers"]) == ANSWERS
    assert contents(finished(tmp_path, concurrency=concurrency)) == alone


def test_agents_that_take_their_time_change_nothing(tmp_path: Path, alone: dict[str, Any]) -> None:
    save = new_save(tmp_path)

    class Slow:
        def __init__(self, agent: Any, dice: Dice) -> None:
            self.name, self._agent, self._dice = agent.name, agent, dice

        async def act(self, ask: Ask[Any], view: View, call: Call) -> Any:
            await asyncio.sleep(self._dice.below(10) / 1000)
            return await self._agent.act(ask, view, call)

    def on_start(runner: Runner, _progress: object) -> None:
        runner.agents.update({n: Slow(a, Dice(n)) for n, a in runner.agents.items()})

    play(save, on_start=on_start, concurrency=64)
    with Save(save) as opened:
        order = [(a.match, a.ask) for a in sorted(opened.answers(), key=lambda a: a.seq)]
    assert order != sorted(order), "nothing overtook anything"
    assert contents(save) == alone


@pytest.mark.parametrize("lane", LANES)
def test_a_tournament_played_in_pieces_is_the_same(
    tmp_path: Path, alone: dict[str, Any], lane: str
) -> None:
    save = new_save(tmp_path)
    pieces = 0
    while True:
        # Each session is stopped in its 40th act, wherever that may be.
        def on_start(runner: Runner, _progress: object) -> None:
            acts = count(1)

            class Stopping:
                def __init__(self, agent: Any) -> None:
                    self.name, self._agent = agent.name, agent

                async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
                    return Reply(self.decide(ask, view, call))

                def decide(self, ask: Ask[Any], view: View, call: Call) -> object:
                    if next(acts) == 40:
                        runner.stop()
                    return self._agent.decide(ask, view, call)

            runner.agents.update({n: Stopping(a) for n, a in runner.agents.items()})

        ended = play(save, on_start=on_start, pace=LANES[lane])
        pieces += 1
        if ended.progress.done:
            break
        assert ended.interrupted
        assert ended.stats.answers == 40
    assert pieces == 7  # 252 answers
    assert contents(save) == alone


def test_asks_begin_no_faster_than_the_pace(tmp_path: Path) -> None:
    # 1 match of 9 answers at 30 a second: a late one is made up for, but none comes early.
    text = SMALL.replace("limit = 2", 'limit = 1\nprobes = "off"\nlineup = ["Ada", "Rob", "Lin"]')
    started: list[float] = []
    begun: list[float] = []

    class Clocked:
        def __init__(self, agent: Any) -> None:
            self.name, self._agent = agent.name, agent

        async def act(self, ask: Ask[Any], view: View, call: Call) -> Any:
            begun.append(time.monotonic())
            return await self._agent.act(ask, view, call)

    def on_start(runner: Runner, _progress: object) -> None:
        runner.agents.update({n: Clocked(a) for n, a in runner.agents.items()})
        started.append(time.monotonic())

    play(new_save(tmp_path, text), on_start=on_start, pace=30)
    assert len(begun) == 9
    for number, moment in enumerate(begun):
        assert moment - started[0] >= number / 30 - 1e-6


def test_a_session_that_is_stopped_at_once_has_begun_nothing(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    ended = play(save, on_start=lambda runner, _progress: runner.stop())
    assert ended.interrupted
    assert (ended.progress.answers, ended.progress.finished) == (0, 0)


class Gone(RandomPlayer):
    """A strategy of another package that was here when the save was made."""

    games: ClassVar = None


def test_a_save_whose_strategy_is_gone_can_be_read_but_not_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(strategies(), "bad", Gone)
    save = new_save(tmp_path, PAIR)
    monkeypatch.delitem(strategies(), "bad")
    assert len(in_save(save, Save.matches)) == 2
    with pytest.raises(Exception, match="agent 'Bad': unknown strategy 'bad'"):
        asyncio.run(run_session(save, RunOptions(concurrency=1)))


def test_every_match_is_played_once(tmp_path: Path) -> None:
    ended = play(new_save(tmp_path), concurrency=64)
    assert (ended.stats.finished, ended.stats.answers) == (MATCHES, ANSWERS)
    assert (ended.progress.finished, ended.progress.answers) == (MATCHES, ANSWERS)
