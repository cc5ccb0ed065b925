"""The save's states against a model in memory: what was awaited is there, once, and nothing else.

A crash is a copy of file and log taken at some moment while answers are on their way: what a
killed process leaves. The copy may hold more than was awaited (a commit that nobody had heard
of yet), but then the oldest of it, in order and whole. Since that depends on the moment, no
rule draws anything that depends on what the save holds.
"""

import asyncio
import shutil
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from parlour.games.common.errors import BadSave
from parlour.games.engine.moves import Outcome, Seat
from parlour.tournament.save import writer as writer_module
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import Progress, StoredAnswer, outcome_from_json, outcome_to_json
from parlour.tournament.save.writer import Writer
from tests.tournaments import MATCHES, stored_rows, tournament

PLAYED = (1, 2, 3)
"""The matches that anything happens to; few, so that things happen to the same ones."""
SIDES = ("civilian", "undercover", "civilian")
OUTCOMES = [
    outcome_to_json(Outcome("caught", (3.0, 0.0, 3.0), SIDES, SIDES, (Seat(0), Seat(2)))),
    outcome_to_json(Outcome("tie", (1.0, 2.0, 1.0), SIDES, SIDES)),
]


class Ended(NamedTuple):
    match: int
    outcome: str


class Frozen(NamedTuple):
    match: int
    reason: str


class Board(NamedTuple):
    input: str
    body: str


Write = StoredAnswer | Ended | Frozen | Board


@dataclass
class Model:
    """Contents of a save, in the plainest form."""

    answers: dict[tuple[int, int, int], StoredAnswer] = field(default_factory=dict)
    outcomes: dict[int, str] = field(default_factory=dict)
    frozen: dict[int, str] = field(default_factory=dict)
    boards: list[Board] = field(default_factory=list)

    def after(self, writes: list[Write]) -> "Model":
        new = Model(dict(self.answers), dict(self.outcomes), dict(self.frozen), [*self.boards])
        for write in writes:
            if isinstance(write, StoredAnswer):
                new.answers[write.match, write.ask, write.seat] = write
            elif isinstance(write, Ended):
                new.outcomes[write.match] = write.outcome
            elif isinstance(write, Frozen):
                new.frozen[write.match] = write.reason
            else:
                new.boards.append(write)
        return new


def found(path: Path) -> Model:
    """The same, read from a save."""
    with Save(path) as save:
        model = Model(
            {(a.match, a.ask, a.seat): a._replace(seq=0) for a in save.answers()},
            {m.number: outcome_to_json(m.outcome) for m in save.matches() if m.outcome},
            {m.number: m.frozen for m in save.matches() if m.frozen is not None},
        )
    boards = stored_rows(path, "SELECT input, body FROM leaderboards ORDER BY seq")
    model.boards = [Board(*row) for row in boards]
    return model


ANSWERS = st.builds(
    StoredAnswer,
    match=st.sampled_from(PLAYED),
    ask=st.integers(0, 3),
    seat=st.integers(0, 2),
    kind=st.sampled_from(["clue", "vote"]),
    round=st.integers(0, 2),
    value=st.sampled_from(["{}", '{"text": "ärger"}', '{"text": "' + "x" * 5000 + '"}']),
    fault=st.none() | st.sampled_from(["empty", "illegal"]),
    tries=st.integers(1, 3),
    notes=st.none() | st.just('{"why": "so"}'),
    digest=st.text("0123456789abcdef", max_size=16),
    seq=st.just(0),
    begun=st.none() | st.floats(0, 1e10),
    latency=st.none() | st.floats(0, 1e6),
)
WRITES = st.lists(
    ANSWERS
    | st.builds(Ended, st.sampled_from(PLAYED), st.sampled_from(OUTCOMES))
    | st.builds(Frozen, st.sampled_from(PLAYED), st.sampled_from(["rules changed", "by hand"]))
    | st.builds(Board, st.text("ab", min_size=1, max_size=2), st.just("{}")),
    min_size=1,
    max_size=6,
)


class SaveMachine(RuleBasedStateMachine):
    """One save in the hands of writers that come, go and die."""

    @initialize()
    def create(self) -> None:
        self.loop = asyncio.Runner()
        self.folder = Path(mkdtemp(prefix="save-states-"))
        self.path = self.folder / "0.db"
        self.planned = tournament(self.folder)
        create_save(self.path, self.planned)
        self.writer: Writer | None = None
        self.model = Model()
        self.copies = 0

    def teardown(self) -> None:
        if self.writer is not None:
            self.close()
        self.loop.close()
        shutil.rmtree(self.folder)

    def fresh(self, writes: list[Write]) -> list[Write]:
        """The writes without answers that are there already: the program gives none twice."""
        seen, unwritten = set(self.model.answers), []
        for write in writes:
            if isinstance(write, StoredAnswer):
                key = (write.match, write.ask, write.seat)
                if key in seen:
                    continue
                seen.add(key)
            unwritten.append(write)
        return unwritten

    async def put(self, write: Write) -> None:
        assert self.writer is not None
        if isinstance(write, StoredAnswer):
            await self.writer.answer(write)
        elif isinstance(write, Ended):
            await self.writer.outcome(*write)
        elif isinstance(write, Frozen):
            await self.writer.freeze(*write)
        else:
            await self.writer.leaderboard(*write)

    @precondition(lambda self: self.writer is None)
    @rule()
    def open(self) -> None:
        self.writer = self.loop.run(Writer.open(self.path, lambda _reason: None))

    @precondition(lambda self: self.writer is not None)
    @rule()
    def close(self) -> None:
        assert self.writer is not None
        self.loop.run(self.writer.close())
        self.writer = None

    @rule()
    def create_again(self) -> None:
        with pytest.raises(BadSave, match="already exists"):
            create_save(self.path, self.planned)

    @precondition(lambda self: self.writer is not None)
    @rule(writes=WRITES)
    def store(self, writes: list[Write]) -> None:
        writes = self.fresh(writes)

        async def whole() -> None:
            await asyncio.gather(*map(self.put, writes))

        self.loop.run(whole())
        self.model = self.model.after(writes)

    @precondition(lambda self: self.writer is not None)
    @rule(writes=WRITES)
    def store_on_a_disk_that_is_full_for_a_while(self, writes: list[Write]) -> None:
        # A long answer last, so that the disk is surely too small for the batch.
        writes = self.fresh(writes)
        long = Board("long", "x" * 100_000)
        unheard: list[str | None] = []

        async def whole() -> None:
            assert self.writer is not None
            self.writer._on_trouble = unheard.append
            await self.writer._connection.execute("PRAGMA max_page_count = 1")
            tasks = [asyncio.create_task(self.put(write)) for write in [*writes, long]]
            while not unheard:
                await asyncio.sleep(0.001)
            assert not any(task.done() for task in tasks)
            assert found(self.path) == self.model
            await self.writer._connection.execute("PRAGMA max_page_count = 1000000")
            await asyncio.gather(*tasks)

        self.loop.run(whole())
        assert unheard[-1] is None
        self.model = self.model.after([*writes, long])

    @precondition(lambda self: self.writer is not None)
    @rule(writes=WRITES, later=WRITES, moment=st.integers(0, 12))
    def crash(self, writes: list[Write], later: list[Write], moment: int) -> None:
        writes = self.fresh([*writes, *later])
        self.copies += 1
        copy = self.folder / f"{self.copies}.db"

        async def whole() -> int:
            tasks = [asyncio.create_task(self.put(write)) for write in writes]
            for _ in range(moment):
                await asyncio.sleep(0.0002 if moment % 2 else 0)
            awaited = sum(task.done() for task in tasks)
            for ending in ("", "-wal"):
                if (log := Path(f"{self.path}{ending}")).exists():
                    shutil.copyfile(log, f"{copy}{ending}")
            await asyncio.gather(*tasks)
            assert self.writer is not None
            await self.writer.close()
            return awaited

        awaited = self.loop.run(whole())
        self.writer, self.path = None, copy
        stored = found(copy)
        candidates = [self.model.after(writes[:n]) for n in range(awaited, len(writes) + 1)]
        assert stored in candidates
        self.model = stored

    @precondition(lambda self: self.writer is not None)
    @rule(again=ANSWERS, writes=WRITES)
    def answer_twice(self, again: StoredAnswer, writes: list[Write]) -> None:
        self.store([again])  # if it is not there already

        async def whole() -> None:
            tasks = [*map(self.put, self.fresh(writes)), self.put(again)]
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert {type(result) for result in results} == {sqlite3.IntegrityError}

        self.loop.run(whole())
        self.close()

    @invariant()
    def the_save_holds_what_the_model_holds(self) -> None:
        assert found(self.path) == self.model
        with Save(self.path) as save:
            assert save.progress() == Progress(
                MATCHES,
                finished=len(self.model.outcomes),
                frozen=len(self.model.frozen),
                answers=len(self.model.answers),
                faults=sum(a.fault is not None for a in self.model.answers.values()),
            )
            unfinished = {m for m, *_ in self.model.answers if m not in self.model.outcomes}
            assert set(save.unfinished_answers()) == unfinished
            records = {record.number: record for record in save.records()}
            assert set(records) == set(self.model.outcomes) - set(self.model.frozen)
            for number, record in records.items():
                assert record.outcome == outcome_from_json(self.model.outcomes[number])
                keys = [(number, a.ask, a.seat) for a in record.answers]
                assert keys == sorted(key for key in self.model.answers if key[0] == number)
            newest = self.model.boards[-1] if self.model.boards else None
            assert save.stored_leaderboard() == newest


def explored(monkeypatch: pytest.MonkeyPatch, examples: int) -> None:
    monkeypatch.setattr(writer_module, "RETRY_SECONDS", 0.005)
    run_state_machine_as_test(
        SaveMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_save_behaves_as_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    explored(monkeypatch, examples=20)


@pytest.mark.soak
def test_the_save_behaves_as_its_model_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    explored(monkeypatch, examples=1000)
