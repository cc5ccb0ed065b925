"""Agents behind the SDK's own A2A server, at a seat of Parlour."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from a2a.helpers.proto_helpers import (
    get_message_text,
    new_data_message,
    new_task_from_user_message,
    new_text_message,
)
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes.agent_card_routes import create_agent_card_routes
from a2a.server.routes.jsonrpc_routes import create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part
from starlette.applications import Starlette

import parlour
from tests.doors.stored import answers_of, calls_of


class Player(AgentExecutor):
    """An agent that answers in one of several ways, from the question in the metadata."""

    def __init__(self, way: str) -> None:
        self.way, self.asked = way, 0

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        self.asked += 1
        message = context.message
        question = json.loads(dict(message.metadata)["parlour"])
        assert question["system"] in get_message_text(message)
        answer = {"action": ["cooperate", "defect"][question["dice"] % 2]}
        if self.way == "data":
            await event_queue.enqueue_event(new_data_message({**answer, "reasoning": ""}))
        elif self.way == "prose":
            text = f"I choose this:\n```json\n{json.dumps(answer)}\n```"
            await event_queue.enqueue_event(new_text_message(text))
        elif self.way in {"task", "late", "failed"}:
            task = new_task_from_user_message(message)
            await event_queue.enqueue_event(task)
            updater = TaskUpdater(event_queue, task.id, task.context_id)
            await updater.start_work()
            if self.way == "late":
                await asyncio.sleep(5)
            if self.way == "failed" and self.asked == 1:
                await updater.failed()
                return
            await updater.add_artifact([Part(text=json.dumps(answer))])
            await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Nothing to cancel."""


@contextmanager
def serving(player: Player, host: str = "127.0.0.1") -> Iterator[str]:
    """The address of an agent, whose card names this host."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    interface = AgentInterface(
        url=f"http://{host}:{port}/rpc", protocol_binding="JSONRPC", protocol_version="1.0"
    )
    card = AgentCard(
        name="Player",
        version="3",
        skills=[AgentSkill(id="play", name="play", description="plays", tags=["game"])],
        description="plays",
        supported_interfaces=[interface],
        capabilities=AgentCapabilities(),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
    )
    handler = DefaultRequestHandler(player, InMemoryTaskStore(), card)
    routes = [*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/rpc")]
    config = uvicorn.Config(Starlette(routes=routes), port=port, log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def tournament(address: str, **keys: Any) -> dict[str, Any]:
    """One match of the dilemma against a scripted player."""
    away = {"name": "Away", "kind": "llm", "client": "a2a", "model": "any", "api_base": address}
    return {
        "name": "away",
        "seed": 1,
        "games": [{"name": "prisoners_dilemma", "limit": 1}],
        "agents": [
            {**away, "retry_wait": 0.01, **keys},
            {"name": "Tit", "strategy": "tit_for_tat"},
        ],
    }


@pytest.mark.parametrize("way", ["prose", "data", "task", "failed"])
def test_an_agent_plays_whichever_way_it_answers(way: str, tmp_path: Path) -> None:
    player = Player(way)
    with serving(player) as address:
        parlour.run(tournament(address), tmp_path / "away.db")
    away, calls = answers_of(tmp_path / "away.db", "Away"), calls_of(tmp_path / "away.db")
    assert len(away) == player.asked - (way == "failed") > 10
    assert {answer.fault for answer in away} == {None}
    assert {call.served for call in calls if call.failure is None} == {"Player 3"}
    assert [call.failure for call in calls if call.failure] == ["server"] * (way == "failed")


def test_an_answer_that_comes_too_late_is_a_timeout(tmp_path: Path) -> None:
    keys = {"timeout": 0.3, "retries": 1, "worst_case": 0.01, "budget": 0.015}
    with serving(Player("late")) as address, pytest.raises(parlour.NotFinished, match="budget"):
        parlour.run(tournament(address, **keys), tmp_path / "away.db")
    assert {call.failure for call in calls_of(tmp_path / "away.db")} == {"timeout"}


def test_a_card_sends_messages_to_its_own_host_only(tmp_path: Path) -> None:
    with (
        serving(Player("prose"), "localhost") as address,
        pytest.raises(parlour.NotFinished, match="its card sends messages to http://localhost"),
    ):
        parlour.run(tournament(address), tmp_path / "away.db")
