"""The status of a run: the runner's reply to every command, a hung one, and why the last ended."""

import time
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, Field

from parlour.games.common.text import clean
from parlour.tournament.run.state import OpenAsk, State, StopReason, WorkerState
from parlour.tournament.save.lock import holder, last_run, last_sign
from parlour.tournament.save.provenance.alarms import Alarm
from parlour.tournament.save.rows import MatchCount


class PersonStatus(BaseModel, frozen=True):
    """A person of the tournament: whether the seat is taken, and the asks that wait."""

    taken: bool = False
    asks: list[OpenAsk] = Field(default_factory=list)


class MoneyStatus(BaseModel, frozen=True):
    """Spending and budgets of the models, in US dollars.

    ``reserved`` is held back for the worst case of the calls under way that a budget bounds.
    ``dollars_per_hour`` and ``dollars_at_end`` are forecasts, None while unknown. The plan of an
    adaptive tournament ends with its open decision: ``dollars_at_most`` is the forecast for the
    most matches that it may play, None for a fixed schedule.
    """

    dollars: float = 0.0
    reserved: float = 0.0
    dollars_per_hour: float | None = None
    dollars_at_end: float | None = None
    dollars_at_most: float | None = None
    budget: float | None = None
    agent_budgets: dict[str, float] = Field(default_factory=dict)


class Wait(BaseModel, frozen=True):
    """Something that a run waits for: ``who`` is an endpoint, an agent or the save.

    ``matches`` counts the matches that are set aside for it, 0 where requests wait in a queue.
    ``until`` is a time in UTC (ISO 8601), None where a person has to act or the end is unknown.
    """

    kind: Literal["provider", "person", "budget", "disk"]
    who: str
    why: str
    matches: int = 0
    until: str | None = None


class OpenCall(BaseModel, frozen=True):
    """A call that a model has not answered yet: its ``age`` in seconds, and what has arrived.

    ``tokens`` is 0 before the first one, and where the server does not stream; ``speed`` is in
    tokens a second, ``words`` are the first ones.
    """

    match: int
    seat: int
    agent: str
    age: float
    tokens: int = 0
    speed: float | None = None
    words: str = ""


class RunStatus(MoneyStatus):
    """Counts and money of a run, and what it does now.

    Times are seconds; ``left`` is a forecast, None while unknown, and ``left_at_most`` the one for
    the most matches that an adaptive tournament may play. ``limits`` are words on endpoints that
    are slowed down or paused. ``waiting`` maps matches in play to the seats they wait for,
    ``parked`` matches that cannot go on to the reason; both are cut to a few. ``open_calls`` are
    those under way, the oldest first. ``since`` is when the
    state began, in UTC (ISO 8601).
    """

    since: str | None = None
    stopped_because: StopReason | None = None
    matches: int = 0
    finished: int = 0
    frozen: int = 0
    answers: int = 0
    faults: int = 0
    failed: list[str] = Field(default_factory=list)
    parked: dict[int, str] = Field(default_factory=dict)
    calls: int = 0
    failed_calls: int = 0
    cached: int = 0
    in_flight: int = 0
    per_second: float = 0.0
    pace: float | None = None
    limits: list[str] = Field(default_factory=list)
    elapsed: float = 0.0
    left: float | None = None
    left_at_most: float | None = None
    waiting: dict[int, list[int]] = Field(default_factory=dict)
    people: dict[str, PersonStatus] = Field(default_factory=dict)
    waits: list[Wait] = Field(default_factory=list)
    open_calls: list[OpenCall] = Field(default_factory=list)
    alarms: list[Alarm] = Field(default_factory=list)
    workers: list[WorkerState] = Field(default_factory=list)


class RunnerStatus(RunStatus):
    """The reply of a runner.

    ``stepped`` and ``refused`` are set only in replies to a step and to a person's answer. A runner
    of another version may lack newer fields or send more.
    """

    state: State
    pid: int = 0
    stepped: int | None = None
    refused: str | None = None

    def person(self, agent: str) -> PersonStatus:
        """The status of a person; nobody and nothing for an agent that is none."""
        return self.people.get(agent, PersonStatus())


def stopped_because(save: Path, count: MatchCount) -> StopReason | None:
    """Why the last run of a save ended; None while one goes on, or if there was none."""
    if holder(save) is not None:
        return None
    if count.done:
        return "finished"
    because = last_end(save).stopped_because
    return None if because == "finished" else because  # it grew since


class LastEnd(BaseModel, frozen=True):
    """The end of the last run of a save, None where unknown: times in UTC (ISO 8601), its reason.

    ``stopped_by`` names the signal or command that stopped it; ``error`` is the error that ended
    it.
    """

    started: str | None = None
    ended: str | None = None
    stopped_because: StopReason | None = None
    stopped_by: str | None = None
    error: str | None = None


def last_end(save: Path) -> LastEnd:
    """The end of the last run; call it only while nothing runs the save."""
    record = last_run(save)
    read: dict[str, str] = {
        name: clean(value)
        for name in LastEnd.model_fields
        if isinstance(value := record.get(name), str)
    }
    if read.get("stopped_because") not in get_args(StopReason):
        read.pop("stopped_because", None)  # of another version
    return LastEnd.model_validate(read)


HUNG_SECONDS = 15.0
"""Seconds without a sign after which a runner counts as hung: loading a large save takes a few."""


def silence(save: Path) -> float | None:
    """Seconds since the last sign of life of the process that runs a save; None if none runs it."""
    sign = last_sign(save)
    if sign is None or holder(save) is None:
        return None
    return max(0.0, time.time() - sign)


def hung(save: Path) -> str:
    """A sentence on a runner without a sign of life, with the commands that help; else empty."""
    runner, seconds = holder(save), silence(save)
    if runner is None or seconds is None or seconds < HUNG_SECONDS:
        return ""
    pid = runner.get("pid", "unknown")
    return (
        f"no sign of process {pid} for {seconds:.0f} s: hung or suspended? `kill -CONT {pid}` wakes"
        f" a suspended one, `kill -KILL {pid}` ends a hung one; stored answers stay"
    )
