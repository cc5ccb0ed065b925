"""Small tournaments with people in them, and people who answer over the runner's socket."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Seat
from parlour.games.engine.table import Table
from parlour.tournament.control.client import RunnerConnection
from parlour.tournament.control.requests import Answer, GetStatus, Sit
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import rebuild
from tests.tournaments import scripted

ONE = """
name = "one"
seed = 5

[[games]]
name = "undercover"
limit = 1
clue_rounds = 1
probes = "off"
lineup = ["Ann", "Bea", "Rob"]

[[agents]]
name = "Ann"
kind = "human"
""" + scripted(Bea="bayesian", Rob="random")
"""One match of six answers, two of them Ann's: a clue, and a vote at once with the others."""

TWO = ONE.replace('name = "Bea"\nstrategy = "bayesian"', 'name = "Bea"\nkind = "human"').replace(
    "seed = 5", "seed = 1"
)
"""The same with two people, Ann and Bea, who speaks first."""

Pending = tuple[int, int, int]
"""An ask as a status names it: match, number, seat."""


def table_of(save: Path, match: int) -> Table:
    """The table of a match as the save has it."""
    with Save(save) as opened:
        stored = opened.match(match)
        return rebuild(opened.tournament, stored, opened.answers_of(match))


def legal(save: Path, pending: Pending) -> dict[str, Any]:
    """A legal answer to an ask, as a form gives it."""
    match, number, seat = pending
    table = table_of(save, match)
    assert table.ask_number == number
    answer = table.pending.sample(Seat(seat), Dice("person", match, number, seat))
    value = answer.model_dump(mode="json")
    return {
        key: f"Player {entry + 1}" if key in {"suspect", "proposer"} else entry
        for key, entry in value.items()
    }


class Person:
    """A person at a terminal who has taken, or tries to take, the seat of an agent."""

    def __init__(self, save: Path, agent: str) -> None:
        self.save, self.agent = save, agent
        self.connection = RunnerConnection(save)

    async def sits(self) -> RunnerStatus:
        """Takes the seat. Raises ControlFailed."""
        return await self.connection.send(Sit(agent=self.agent))

    async def asks(self) -> list[Pending]:
        """The asks that wait for this agent."""
        now = await self.connection.send(GetStatus())
        return [row[:3] for row in now.person(self.agent).asks]

    async def asked(self) -> Pending:
        """The first ask that waits for it, once there is one."""
        async with asyncio.timeout(10):
            while not (waiting := await self.asks()):
                await asyncio.sleep(0.005)
        return waiting[0]

    async def says(self, pending: Pending, value: dict[str, Any]) -> str | None:
        """Answers; the rule's words if it will not do."""
        match, number, seat = pending
        answer = Answer(match=match, ask=number, seat=seat, value=value)
        return (await self.connection.send(answer)).refused

    async def plays(self, answers: int) -> None:
        """Gives so many legal answers."""
        for _ in range(answers):
            pending = await self.asked()
            assert await self.says(pending, legal(self.save, pending)) is None


@asynccontextmanager
async def seated(save: Path, agent: str) -> AsyncIterator[Person]:
    """A person at the seat of an agent, who leaves at the end."""
    person = Person(save, agent)
    try:
        await person.sits()
        yield person
    finally:
        person.connection.close()
