"""Client for an agent that speaks A2A 1.x over JSON-RPC; it needs no library of the protocol."""

import asyncio
import json
import time
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from parlour.agents.llm.client import label
from parlour.agents.llm.endpoints import host_of, normalized
from parlour.agents.llm.http_clients import JsonHttpClient
from parlour.agents.llm.keys import from_outside
from parlour.agents.model_calls import Completion, FailureKind, ProviderFailure, Request

CARD = ".well-known/agent-card.json"
HEADERS = {"Content-Type": "application/json", "A2A-Version": "1.0"}
LOOK_SECONDS = 0.5
"""Seconds between looks whether a task is done."""
BUSY = frozenset({"TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"})
FAILED = frozenset({"TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_AUTH_REQUIRED"})
INTERNAL_ERROR = -32603


class A2AClient(JsonHttpClient):
    """Client for one agent; the text of its message, or of its task's artifacts, is the answer."""

    _card: dict[str, Any] | None = None

    async def complete(self, request: Request) -> Completion:
        """Sends one message and waits for its answer. Raises ProviderFailure."""
        begun = time.monotonic()
        text = "\n\n".join(text for _role, text in request.messages)
        message: dict[str, Any] = {"messageId": uuid4().hex, "role": "ROLE_USER"}
        message["parts"] = [{"text": text}]
        if request.question:  # as text: the protocol's own data has no whole numbers
            message["metadata"] = {"parlour": json.dumps(request.question)}
        try:
            async with asyncio.timeout(self._config.timeout):
                card = self._card = self._card or await self._known()
                result = await self._called("SendMessage", {"message": message})
                while (task := result.get("task")) and _state(task) in BUSY:
                    await asyncio.sleep(LOOK_SECONDS)
                    result = {"task": await self._called("GetTask", {"id": task["id"]})}
            spoken = [result.get("message")]
            if task:
                spoken = task.get("artifacts") or [task["status"].get("message")]
            said = from_outside("\n".join(map(_text, spoken)))
        except TimeoutError:
            reason = f"no answer in {self._config.timeout:g} s"
            raise ProviderFailure("timeout", reason) from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ProviderFailure("server", "the response does not follow A2A") from None
        state = _state(task) if task else ""
        if state in FAILED:
            raise ProviderFailure("server", f"its task ended as {state}: {said}")
        return Completion(
            text=said,
            finish="refusal" if state == "TASK_STATE_REJECTED" else "stop",
            latency=time.monotonic() - begun,
            parameters=dict(request.parameters),
            served=label(f"{card.get('name', '')} {card.get('version', '')}".strip()),
            host=host_of(card["url"]),
        )

    async def _known(self) -> dict[str, Any]:
        """The agent's card, with the ``url`` that takes messages. ProviderFailure if it has none.

        Messages, and with them the key, go to the host of the user's file alone.
        """
        base = (self._config.api_base or "").rstrip("/")
        body = json.loads((await self.post(f"{base}/{CARD}", None)).body)
        for each in body.get("supportedInterfaces") or ():
            if each["protocolBinding"] == "JSONRPC" and each["protocolVersion"].startswith("1."):
                url = each["url"]
                if urlsplit(normalized(url))[:2] != urlsplit(normalized(base))[:2]:
                    where = from_outside(url, 200)
                    raise ProviderFailure("settings", f"its card sends messages to {where}")
                return {**body, "url": url}
        raise ProviderFailure("settings", "its card has no interface for JSON-RPC of A2A 1.x")

    async def _called(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a method. ProviderFailure for an error."""
        assert self._card is not None
        call = {"jsonrpc": "2.0", "id": uuid4().hex, "method": method, "params": params}
        raw = (await self.post(self._card["url"], json.dumps(call).encode(), HEADERS)).body
        body = json.loads(raw, parse_float=_number)
        if error := body.get("error"):
            kind: FailureKind = "server" if error["code"] == INTERNAL_ERROR else "refused"
            said = from_outside(str(error.get("message")))
            raise ProviderFailure(kind, f"error {error['code']}: {said}")
        result: dict[str, Any] = body["result"]
        return result


def _state(task: dict[str, Any]) -> str:
    return str(task["status"]["state"])


def _number(text: str) -> int | float:
    """A number of the protocol, which makes 1.0 of a whole 1."""
    return int(float(text)) if float(text).is_integer() else float(text)


def _text(message: dict[str, Any] | None) -> str:
    """The texts of a message or an artifact, and its data as JSON."""
    parts = (message or {}).get("parts") or ()
    return "\n".join(
        part["text"] if "text" in part else json.dumps(part["data"])
        for part in parts
        if {"text", "data"} & part.keys()
    )
