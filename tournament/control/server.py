"""The control server of a runner: a Unix socket with one JSON object per line in each direction."""

import asyncio
import json
import os
import socket
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from math import inf
from pathlib import Path

from pydantic import ValidationError

from parlour.agents.llm.keys import from_outside
from parlour.games.common.errors import BadInput
from parlour.games.common.validation_messages import first_problem
from parlour.tournament.calls.dispatch import CallUnderWay
from parlour.tournament.calls.errors import BudgetExceeded
from parlour.tournament.control import requests
from parlour.tournament.control.requests import REQUEST, Request
from parlour.tournament.control.status import OpenCall, PersonStatus, RunnerStatus, Wait
from parlour.tournament.plan.additions import Addition
from parlour.tournament.run.parking import Parked
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.growing.grow import Growth, growth_of
from parlour.tournament.save.lock import file_number, iso, socket_path
from parlour.tournament.save.provenance.alarms import alarms
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import Progress

MAX_LINE_BYTES = 2**20
"""Bytes of a request; the longest answer text fits in several times."""
ACCEPT_SECONDS = 0.01
"""Seconds between two tries to take a connection while no descriptor is left."""
STORE_SECONDS = 1.0
"""Seconds that the reply to a command waits for new options to be stored."""
MAX_WAITING, MAX_PARKED, MAX_FAILED, MAX_ALARMS, MAX_WORKERS = 200, 5, 5, 20, 100
MAX_CALLS, MAX_WAITS, MOST_WORDS = 100, 50, 60
"""The most entries of each kind in a status, so that it stays short."""


@asynccontextmanager
async def serving(runner: Runner, before: Progress, save: Path) -> AsyncIterator["ControlServer"]:
    """Serves commands while a runner runs; the caller holds the save's lock.

    ``before`` is the progress of the save when the run began.
    """
    path = socket_path(save)
    path.unlink(missing_ok=True)  # left behind by a killed runner: we hold the lock
    control = ControlServer(runner, before, save)
    with socket.socket(socket.AF_UNIX) as listener:
        mask = os.umask(0o177)  # the socket is for its owner alone
        try:
            listener.bind(str(path))
        finally:
            os.umask(mask)
        listener.listen()
        listener.setblocking(False)
        accepting = asyncio.create_task(control.accept(listener))
        try:
            yield control
        finally:
            accepting.cancel()
            await asyncio.gather(accepting, return_exceptions=True)
            path.unlink(missing_ok=True)
            await control.close()


class ControlServer:
    """Replies to the commands for one runner.

    ``addition`` is to be added to the save once the runner has stopped, with the ``growth`` that
    it was planned as; None for nothing. ``is_paused`` is true if the runner was paused before.
    """

    def __init__(self, runner: Runner, before: Progress, save: Path) -> None:
        self._runner, self._before, self._save = runner, before, save
        self._file = file_number(save)
        self.addition: Addition | None = None
        self.growth: Growth | None = None
        self.is_paused = False
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def accept(self, listener: socket.socket) -> None:
        """Serves each connection, until it is cancelled.

        One descriptor is kept for the moment at which there is no other, so that a command is
        still answered then; after that the oldest connections are hung up.
        """
        loop, spare = asyncio.get_running_loop(), [os.dup(listener.fileno())]
        tasks = set[asyncio.Task[None]]()

        def over(task: asyncio.Task[None]) -> None:
            tasks.discard(task)
            if not spare:
                with suppress(OSError):
                    spare.append(os.dup(listener.fileno()))

        try:
            while True:
                try:
                    connection, _ = await loop.sock_accept(listener)
                except OSError:
                    if spare:
                        os.close(spare.pop())
                    else:
                        self._hang_up_oldest()
                        await asyncio.sleep(ACCEPT_SECONDS)
                    continue
                reader, writer = await asyncio.open_connection(
                    sock=connection, limit=MAX_LINE_BYTES
                )
                task = asyncio.create_task(self._serve(reader, writer))
                tasks.add(task)
                task.add_done_callback(over)
        finally:
            for handle in spare:
                os.close(handle)

    def _hang_up_oldest(self) -> None:
        """Ends the oldest connection at which nobody sits."""
        for writer in self._connections.values():
            if not self._runner.people.has_seat(writer):
                writer.transport.abort()
                return

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection. A person at it keeps the seat until it ends."""
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = writer
        try:
            while line := await reader.readline():
                writer.write(await self._reply(line, writer) + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError):
            pass  # the client has gone, or its line is too long
        finally:
            self._runner.people.rise(writer)
            writer.close()
            del self._connections[task]

    async def close(self) -> None:
        """Ends all connections."""
        for writer in self._connections.values():
            writer.transport.abort()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _reply(self, line: bytes, person: object) -> bytes:
        """The reply to a request: the status, or an error."""
        try:
            request = REQUEST.validate_json(line)
            if request.save not in {None, self._file}:
                raise ValueError("runs another save, whose socket this is")
            status = await self._obey(request, person)
        except ValidationError as error:
            where, problem = first_problem(error)
            return json.dumps({"error": f"{problem}{where}"}).encode()
        except (ValueError, BadInput) as error:
            return json.dumps({"error": str(error)}).encode()
        # Unset fields are those that only the replies to other requests have.
        return status.model_dump_json(exclude_unset=True).encode()

    async def _obey(self, request: Request, person: object) -> RunnerStatus:
        """Carries out a request. An illegal answer is not an error: its reply says ``refused``."""
        runner = self._runner
        match request:
            case requests.GetStatus():
                if request.match is not None:
                    runner.watch(request.match)
                return self._status(request.match)
            case requests.Step():
                stepped = runner.step(request.unit, request.match)
                return self._status(stepped).model_copy(update={"stepped": stepped})
            case requests.Answer():
                place = (request.match, request.ask, request.seat)
                refused = await runner.people.answer(person, *place, request.value)
                return self._status(request.match).model_copy(update={"refused": refused})
            case requests.SetBudget():
                await runner.set_budget(request.dollars, request.agent)
            case requests.Sit():
                runner.people.sit(request.agent, person)
            case requests.SetPace():
                runner.gate.set_pace(request.per_second)
                if (stored := runner.store_options()) is not None:
                    # A full disk must not delay the reply for long.
                    await asyncio.wait([stored], timeout=STORE_SECONDS)
            case requests.Pause():
                runner.gate.close()
            case requests.Resume():
                runner.gate.open()
            case requests.Grow():
                await self._grow(request.addition)
            case requests.Stop():
                runner.stats.stopped_by = runner.stats.stopped_by or "a command"
                runner.stop()
        return self._status()

    async def _grow(self, addition: Addition) -> None:
        """Stops the runner for an addition. BadInput if it cannot be added."""

        def planned() -> Growth:
            with Save(self._save) as save:
                return growth_of(save, addition)

        growth = await asyncio.to_thread(planned)
        if not growth.is_same:
            await self._runner.workers.refuse_unready(growth.grown.tournament)
            if self.addition is not None or self._runner.gate.stopping:
                raise ValueError("it is stopping; try again")
            self.addition, self.growth = addition, growth
            self.is_paused = not self._runner.gate.is_open
            self._runner.stop()

    def _status(self, match: int | None = None) -> RunnerStatus:
        return status_of(self._runner, self._before, match)


def status_of(runner: Runner, before: Progress, match: int | None = None) -> RunnerStatus:
    """The status of a runner now.

    ``before`` is the progress of the save when the run began; ``match`` is one to include.
    """
    stats, state = runner.stats, runner.state
    tables = dict(islice(runner.playing.items(), MAX_WAITING))
    if match is not None and match in runner.playing:
        tables[match] = runner.playing[match]
    parked = dict(islice(runner.parking.parked.items(), MAX_PARKED))
    if match is not None and match in runner.parking.parked:
        parked[match] = runner.parking.parked[match]
    people = {
        agent: PersonStatus(
            taken=runner.people.is_seated(agent), asks=runner.people.open_asks(agent)
        )
        for agent in runner.people.configs
    }
    # How long a person takes is unknown.
    is_predictable = state == "running" and not any(person.asks for person in people.values())
    left = stats.seconds_left if is_predictable else None
    at_most = stats.seconds_at_most if is_predictable else None
    failed = [*stats.given_up, *map(str, stats.exceeded_budgets), *stats.failures()]
    return RunnerStatus(
        state=state,
        stopped_because=runner.stopped_because,
        pid=os.getpid(),
        matches=before.matches + runner.decider.matches,
        finished=before.finished + stats.finished,
        frozen=before.frozen + len(stats.frozen),
        answers=before.answers + stats.answers,
        faults=before.faults + stats.faults,
        failed=failed[:MAX_FAILED],
        since=iso(stats.since(state)),
        parked={number: entry.reason for number, entry in parked.items()},
        calls=stats.calls,
        failed_calls=stats.failed_calls,
        cached=stats.cached,
        dollars=round(stats.dollars, 6),
        reserved=round(runner.budget.reserved, 6),
        dollars_per_hour=stats.dollars_per_hour if state == "running" else None,
        # The forecast is a second old, and more may have been spent since.
        dollars_at_end=stats.dollars_at_end and max(stats.dollars_at_end, stats.dollars),
        dollars_at_most=stats.dollars_at_most and max(stats.dollars_at_most, stats.dollars),
        budget=runner.run_options.budget,
        agent_budgets=runner.run_options.agent_budgets,
        in_flight=runner.gate.in_flight,
        per_second=round(stats.per_second(), 1),
        pace=runner.gate.pace,
        limits=runner.limits.describe(),
        elapsed=round(time.monotonic() - stats.begun, 1),
        left=None if left is None else round(left, 1),
        left_at_most=None if at_most is None else round(at_most, 1),
        waiting={
            **{number: [] for number in runner.pool.in_play},  # nobody is waited for
            **{number: list(table.waiting) for number, table in tables.items()},
        },
        people=people,
        waits=list(islice(waits_of(runner), MAX_WAITS)),
        open_calls=[_open_call(call) for call in runner.dispatcher.under_way][:MAX_CALLS],
        alarms=alarms(stats.conduct)[:MAX_ALARMS],
        workers=runner.workers.states()[:MAX_WORKERS],
    )


def _open_call(call: CallUnderWay) -> OpenCall:
    heard = call.hearing
    return OpenCall(
        match=call.match,
        seat=call.seat,
        agent=call.agent,
        age=round(time.monotonic() - call.begun, 1),
        tokens=heard.pieces,
        speed=None if heard.speed is None else round(heard.speed, 1),
        # Not the last word: it may be half a key, which nothing finds.
        words=from_outside(heard.text.rpartition(" ")[0], MOST_WORDS),
    )


# --- What a run waits for


def waits_of(runner: Runner) -> Iterator[Wait]:
    """Yields everything that a run waits for now: the disk, endpoints, parked matches, people."""
    if runner.stats.disk_trouble:
        yield Wait(kind="disk", who="the save", why=runner.stats.disk_trouble)
    for hold in runner.limits.holds():
        until = _until(hold.seconds)
        yield Wait(kind="provider", who=hold.endpoint, why=hold.why, until=until)
    yield from _parked(runner)
    yield from _people(runner)


def _parked(runner: Runner) -> Iterator[Wait]:
    """Yields the parked matches, counted by agent and reason."""
    parking, now = runner.parking, time.monotonic()
    alike: dict[tuple[str, str], list[Parked]] = defaultdict(list)
    for parked in parking.parked.values():
        alike[parked.why.agent, parked.reason].append(parked)
    for (agent, reason), matches in alike.items():
        first = matches[0]
        due = inf if first.permanent else min(map(parking.due, matches)) - now
        yield Wait(
            kind="budget" if isinstance(first.why, BudgetExceeded) else "provider",
            who=agent,
            why=reason,
            matches=len(matches),
            until=_until(due),
        )


def _people(runner: Runner) -> Iterator[Wait]:
    """Yields the people who are asked, until the first of their clocks runs out."""
    for agent in runner.people.configs:
        if not (asks := runner.people.open_asks(agent)):
            continue
        # The clock of a question runs while its person is seated.
        seated = runner.people.is_seated(agent)
        left = min((ask.left for ask in asks if ask.left is not None), default=inf)
        yield Wait(
            kind="person",
            who=agent,
            why="to answer" if seated else "to take the seat",
            matches=len({ask.match for ask in asks}),
            until=_until(left if seated else inf),
        )


def _until(seconds: float) -> str | None:
    """The time in so many seconds; None if that is unknown."""
    return None if seconds == inf else iso(datetime.now(UTC) + timedelta(seconds=seconds))
