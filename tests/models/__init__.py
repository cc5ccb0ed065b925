"""Models to play with: the suite's provider beside us or in a process of its own, and clients."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from inspect import isawaitable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.agents.llm.litellm_client import LiteLLMClient
from parlour.agents.model_calls import Client, Request
from parlour.games.engine.moves import Seat
from parlour.games.families.word_games import Vote, ballot
from parlour.tournament.calls import endpoint_queue
from tests import consents
from tests.provider import Provider, hosted
from tests.tournaments import ROOT, environment, new_save, session_of

CLIENTS: dict[str, Callable[[LLMConfig], Client]] = {
    "openai": OpenAIClient,
    "litellm": LiteLLMClient,
}
SCHEMA = ballot((Seat(0), Seat(1), Seat(2)), 1, Vote).schema(Seat(0))
QUESTION = Request(
    messages=(
        ("system", "You are Player 1. This is a table of 3."),
        ("user", f"Whom do you accuse?\n\nJSON schema:\n{json.dumps(SCHEMA)}"),
    ),
    schema=SCHEMA,
)
"""A request that the provider knows an answer to."""


@dataclass(frozen=True)
class Served:
    """A provider that serves: its address, and the file in which it keeps what it got."""

    port: int
    log: Path

    @property
    def base(self) -> str:
        """Value of api_base in a tournament file."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> list[dict[str, Any]]:
        """One entry for each request, in the order of their numbers."""
        written = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
        whole = written.rpartition("\n")[0]  # the last line may still be on its way
        return [json.loads(line) for line in whole.splitlines()]


@asynccontextmanager
async def served(
    folder: Path, mode: Callable[[int], str] | str, by_question: bool = False
) -> AsyncIterator[Served]:
    """The provider in this process; ``mode`` for each request or question, or one for all.

    How many of its failures come in a row depends on the machine: a circuit that they open stays
    so for a moment alone.
    """
    log = folder / "requests.jsonl"
    always = mode if isinstance(mode, str) else None
    modes: Any = (lambda _number: always) if always else mode
    provider = Provider(log, modes, by_question=by_question)
    async with hosted(provider.app()) as port:
        with patch.object(endpoint_queue, "FIRST_OPEN_SECONDS", 0.1):
            yield Served(port, log)


def models(base: str, keys: Mapping[str, str] | Iterable[str] = ("Ada", "Bob")) -> str:
    """The blocks of models at that address, each with keys of its own."""
    own = keys if isinstance(keys, Mapping) else dict.fromkeys(keys, "")
    return "".join(
        f'[[agents]]\nname = "{name}"\nkind = "llm"\nmodel = "{name.lower()}-1"\n'
        f'api_base = "{base}"\nretry_wait = 0.01\n{more}\n'
        for name, more in own.items()
    )


def played_by(
    folder: Path,
    text: Callable[[Served], str],
    mode: Callable[[int], str] | str = "good",
    then: Callable[[Path, Served], Any] = lambda _save, _server: None,
    by_question: bool = False,
    **options: Any,
) -> Path:
    """A save that is played to its end with the provider in this process.

    ``then`` does more with both while the provider is there.
    """

    async def story() -> Path:
        async with served(folder, mode, by_question) as server:
            save = new_save(folder, text(server))
            assert (await session_of(save, **options)).progress.done
            again = then(save, server)
            if isawaitable(again):
                await again
            return save

    return asyncio.run(story())


@contextmanager
def provider(folder: Path, *options: object) -> Iterator[Served]:
    """The provider in a process of its own, which is gone at the end."""
    log = folder / "requests.jsonl"
    command = [sys.executable, "-m", "tests.provider", "--log", str(log), *map(str, options)]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Served(int(process.stdout.readline()), log)
        finally:
            process.kill()


def config(base: str | None, carrier: str = "openai", **more: Any) -> LLMConfig:
    """An agent's block, for that client."""
    model = "openai/test" if carrier == "litellm" else "test"
    block = {"name": "Ada", "kind": "llm", "model": model, "client": carrier, "api_base": base}
    return LLMConfig.model_validate({**block, "timeout": 60.0, **more})


def clean_environment(folder: Path, **extra: str) -> dict[str, str]:
    """An environment in which no key is set, and a keys file without keys if there is none."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith(("_KEY", "_TOKEN")) and name not in {"COLUMNS", "TERM"}
    }
    return {
        **inherited,
        "PYTHONPATH": str(ROOT),
        "XDG_CONFIG_HOME": consents.own_config(folder / "config"),
        "OPENAI_API_KEY": "not-needed",
        **extra,
    }
