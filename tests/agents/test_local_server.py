"""A model on this machine: its server is started, shared, started again, and never left behind."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import endpoint_of
from parlour.agents.llm.local_server import LocalClient, local_block, models_folder
from parlour.agents.model_calls import ProviderFailure, Request
from parlour.games.common.errors import BadInput
from tests.consents import own_config
from tests.runners import until
from tests.tournaments import ROOT, new_save, parlour, refused

SERVER = f"""#!{sys.executable}
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

its = {{name.removeprefix("LLAMA_ARG_"): value for name, value in os.environ.items()}}
if "broken" in its["MODEL"]:
    sys.exit("0.00.123.456 E model: is broken")

class Handler(BaseHTTPRequestHandler):
    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        message = {{"content": json.dumps({{"pid": os.getpid(), "names": sorted(os.environ)}})}}
        body = {{"model": its["ALIAS"], "choices": [{{"message": message}}]}}
        body |= {{"system_fingerprint": "b1"}}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())
    do_GET = do_POST = answer
    def log_message(self, *_words):
        pass

ThreadingHTTPServer((its["HOST"], int(its["PORT"])), Handler).serve_forever()
"""
"""A llama-server that answers with its process number and the names of its environment."""
ASKED = Request((("user", "Who are you?"),))


@pytest.fixture(autouse=True)
def _machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine, with that llama-server on its path and a key in its environment."""
    monkeypatch.setenv("XDG_CONFIG_HOME", own_config(tmp_path / "config"))
    program = tmp_path / "bin" / "llama-server"
    program.parent.mkdir()
    program.write_text(SERVER)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody-else-gets-this")


def weights(folder: Path, name: str = "tiny.gguf", content: bytes = b"GGUF") -> Path:
    """A model's file."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


def config(path: Path) -> LLMConfig:
    """The block of ``--model local:PATH``."""
    return LLMConfig.model_validate(local_block(f"local:{path}"))


def is_there(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return sys.platform != "linux" and os.system(f"kill -0 {pid} 2>/dev/null") == 0
    return state != "Z"


async def test_agents_share_a_server_which_ends_with_the_last_of_them(tmp_path: Path) -> None:
    block = config(weights(tmp_path / "models"))
    one, other = LocalClient(block), LocalClient(block)
    first, second = await one.complete(ASKED), await other.complete(ASKED)
    assert first.text == second.text
    its = json.loads(first.text)
    assert "OPENAI_API_KEY" not in its["names"]
    await one.close()
    assert is_there(its["pid"])
    await other.close()
    until(lambda: not is_there(its["pid"]))  # it is killed, which the system may do a moment later
    # What is stored of it is the same in every run, and on every machine with this file.
    assert (first.host, first.served) == ("local", "tiny.gguf")
    assert first.fingerprint.endswith(" b1")
    assert endpoint_of(block).name == "local:tiny.gguf"
    assert str(tmp_path) not in block.model_dump_json()


async def test_a_server_that_was_killed_is_started_again(tmp_path: Path) -> None:
    client = LocalClient(config(weights(tmp_path / "models")))
    before = json.loads((await client.complete(ASKED)).text)["pid"]
    os.kill(before, signal.SIGKILL)
    after, failures = before, list[ProviderFailure]()
    while after == before:  # until its end is noticed, calls fail as at any server
        try:
            after = json.loads((await client.complete(ASKED)).text)["pid"]
        except ProviderFailure as failure:
            failures.append(failure)
            await asyncio.sleep(0.05)
    assert all(failure.temporary for failure in failures)
    assert not [failure for failure in failures if "127.0.0.1" in failure.message]
    await client.close()


async def test_a_server_that_cannot_begin_says_why(tmp_path: Path) -> None:
    client = LocalClient(config(weights(tmp_path / "models", "broken.gguf")))
    with pytest.raises(
        BadInput, match=r"local model 'broken.gguf': .*does not begin: model: is broken"
    ):
        await client.complete(ASKED)
    await client.close()


async def test_another_file_of_the_same_name_has_another_fingerprint(tmp_path: Path) -> None:
    prints = []
    for number in (1, 2):
        path = weights(tmp_path / f"models-{number}", content=bytes([number]))
        client = LocalClient(config(path))  # the link is to this one now
        prints.append((await client.complete(ASKED)).fingerprint)
        await client.close()
        assert (models_folder() / "tiny.gguf").samefile(path)
    assert prints[0] != prints[1]


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"model": "../x.gguf"}, "is not the name of a GGUF file"),
        ({"model": "gpt-4o"}, "is not the name of a GGUF file"),
        ({"api_base": "http://localhost:8000/v1"}, "needs neither api_base nor api_key_env"),
        ({"api_key_env": "MY_KEY"}, "needs neither api_base nor api_key_env"),
    ],
)
def test_a_block_names_a_file_and_nothing_else(keys: dict[str, str], problem: str) -> None:
    block = {"name": "Mina", "kind": "llm", "client": "local", "model": "tiny.gguf", **keys}
    with pytest.raises(ValueError, match=problem):
        LLMConfig.model_validate(block)


def test_what_is_missing_is_said_in_one_line_before_a_save_is_made(tmp_path: Path) -> None:
    run = "run", "--preset", "demo", "--save", "new.db", "--model"
    assert "x.gguf: does not exist; name one as local:FILE.gguf" in refused(
        *run, "local:x.gguf", cwd=tmp_path
    )
    assert "is no GGUF file" in refused(*run, f"local:{ROOT}/README.md", cwd=tmp_path)
    assert "is taken" in refused(*run, f"local:{weights(tmp_path, 'Bea.gguf')}", cwd=tmp_path)
    assert not (tmp_path / "new.db").exists()
    text = '[[games]]\nname = "prisoners_dilemma"\nlimit = 1\nrounds = 1\n'
    agents = "".join(f'[[agents]]\nname = "{name}"\nstrategy = "random"\n' for name in "AB")
    block = '[[agents]]\nname = "C"\nkind = "llm"\nclient = "local"\nmodel = "gone.gguf"\n'
    save = new_save(tmp_path, f'name = "x"\n{text}{agents}{block}')
    done = parlour("run", save, "--plain", cwd=tmp_path)
    assert done.returncode == 2
    assert "local model 'gone.gguf': is not on this machine; put the file, or a link" in done.stderr
