"""The command `seat`: gives the seat of a person to a program, whose model plays with tools."""

import asyncio
import json
from pathlib import Path
from typing import Any

from parlour.cli.output import find_save
from parlour.games.common.errors import BadInput
from parlour.games.common.packages import require
from parlour.tournament.save.reader import Save
from parlour.tui.models.save_view import SaveView
from parlour.tui.models.seat import SeatClient

LOOK_SECONDS = 0.2
LONGEST_WAIT_SECONDS = 60.0
"""The longest time that ``wait`` takes, which clients that give up early can shorten."""
RULES = (
    "You hold a player's seat in a social game. Call wait until a question comes, then answer it"
    " with an object that fits its schema, and go on until wait says that the tournament is over."
)


def seat(save: Path | None = None, *, agent: str, mcp: bool = False) -> int:
    """Give the seat of a person to a program that speaks MCP."""
    path = find_save(save)
    with Save(path) as opened:
        people = opened.tournament.people
    if agent not in people:
        known = ", ".join(people) or "none"
        raise BadInput("AGENT", f"{agent!r} is not played by a person", f"people: {known}")
    if not mcp:
        fix = "add --mcp; a person takes it in `parlour attach`, with the key s"
        raise BadInput("--mcp", "is missing: the seat is for a program", fix)
    require("mcp", "2", "--mcp")
    asyncio.run(_serve(path, agent))
    return 0


class SeatTools:
    """The three tools of a seat: ``look``, ``answer`` and ``wait``."""

    def __init__(self, path: Path, agent: str) -> None:
        self._client = SeatClient(SaveView(path), agent)

    async def look(self) -> str:
        """Return the open question with all that the seat knows, or why there is none."""
        client = self._client
        await client.listen()
        if (question := client.question) is not None:
            left = {} if client.left is None else {"seconds_left": round(client.left)}
            asked = {
                "match": question.match,
                "kind": question.ask.kind,
                "rules": question.prompt.system,
                "question": question.prompt.question,
                "schema": question.ask.schema(question.seat),
                **left,
            }
            return json.dumps(asked)
        if client.is_over and (table := client.table) is not None and table.outcome is not None:
            payoff = table.outcome.payoffs[client.seat]
            client.go_on()
            return f"The match is over; your payoff is {payoff:g}. Call wait for the next one."
        watched = client.watched
        if watched.progress.done:
            return "The tournament is over."
        if watched.live is None:
            return "The tournament is not running. Call wait again later."
        return "No question is open. Call wait."

    async def answer(self, value: dict[str, Any]) -> str:
        """Answer the open question with an object that fits its schema."""
        refused = await self._client.answer(value)
        return "Accepted. Call wait." if refused is None else f"Refused: {refused}"

    async def wait(self, seconds: float = LONGEST_WAIT_SECONDS) -> str:
        """Wait for the next question, the end of a match or of the tournament."""
        until = asyncio.get_running_loop().time() + min(seconds, LONGEST_WAIT_SECONDS)
        while True:
            seen = await self.look()
            if seen[0] == "{" or " over" in seen or asyncio.get_running_loop().time() >= until:
                return seen
            await asyncio.sleep(LOOK_SECONDS)


async def _serve(path: Path, agent: str) -> None:
    """Serves the tools on standard input and output until the client ends."""
    from mcp.server.mcpserver import MCPServer

    tools = SeatTools(path, agent)
    server = MCPServer("parlour", instructions=RULES)
    for tool in (tools.look, tools.answer, tools.wait):
        server.add_tool(tool)
    await server.run_stdio_async()
