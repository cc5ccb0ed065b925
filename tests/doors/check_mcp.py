"""A seat that the SDK's own MCP client plays with the tools of ``parlour seat``."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

import parlour
from tests.doors.stored import answers_of

MORE = {"clue_rounds": 1, "probes": "off", "lineup": ["Ann", "Bea", "Rob"]}
ONE: dict[str, Any] = {
    "name": "one",
    "seed": 5,
    "games": [{"name": "undercover", "limit": 1, **MORE}],
    "agents": [
        {"name": "Ann", "kind": "human"},
        {"name": "Bea", "strategy": "bayesian"},
        {"name": "Rob", "strategy": "random"},
    ],
}
"""One match, in which Ann gives a clue and a vote."""


def command(save: Path, agent: str) -> StdioServerParameters:
    """The server of a seat."""
    words = ["-m", "parlour", "seat", str(save), agent, "--mcp"]
    return StdioServerParameters(command=sys.executable, args=words)


async def text(client: Client, tool: str, **arguments: Any) -> str:
    """The text that a tool returns."""
    (part,) = (await client.call_tool(tool, arguments)).content
    return str(getattr(part, "text"))  # noqa: B009 - of several types


async def played(save: Path) -> list[str]:
    """Plays the seat to the end of the match, with every mistake that a model makes on the way."""
    kinds = []
    async with Client(command(save, "Ann")) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools == {"look", "answer", "wait"}
        assert "Refused: no question is open" in await text(client, "answer", value={})
        while (seen := await text(client, "wait"))[0] == "{":
            question = json.loads(seen)
            assert json.loads(await text(client, "look")) == question
            kinds.append(question["kind"])
            illegal = await text(client, "answer", value={"nothing": 1})
            assert illegal.startswith("Refused: ")
            choices = question["schema"]["properties"].get("suspect", {}).get("enum")
            value = {"suspect": choices[0]} if choices else {"text": "One meets it at home"}
            assert await text(client, "answer", value=value) == "Accepted. Call wait."
            assert (await text(client, "answer", value=value)).startswith("Refused: ")
        kinds.append(seen)
        kinds.append(await text(client, "wait"))
    return kinds


def test_a_client_plays_a_seat(tmp_path: Path) -> None:
    save = tmp_path / "one.db"
    runner = Thread(target=parlour.run, args=(ONE, save), daemon=True)
    runner.start()
    while not save.exists():
        runner.join(0.05)
    clue, vote, over, end = asyncio.run(played(save))
    runner.join(30)
    assert (clue, vote) == ("clue", "vote")
    assert over.startswith("The match is over; your payoff is ")
    assert end == "The tournament is over."
    answers = answers_of(save, "Ann")
    assert [(answer.kind, answer.fault) for answer in answers] == [("clue", None), ("vote", None)]
    assert all(answer.latency for answer in answers)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["Bea", "--mcp"], "AGENT: 'Bea' is not played by a person; people: Ann"),
        (["Ann"], "--mcp: is missing: the seat is for a program; add --mcp; a person"),
    ],
)
def test_a_seat_that_cannot_be_given_is_refused(
    words: list[str], line: str, tmp_path: Path
) -> None:
    from parlour.api.playing import prepare_save

    save = tmp_path / "one.db"
    prepare_save(save, parlour.load(ONE))
    asked = [sys.executable, "-m", "parlour", "seat", str(save), *words]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"parlour: {line}")
