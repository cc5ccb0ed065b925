"""Parlour with a real model on a real server, which the suite's own one is an imitation of."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from parlour.agents.llm.local_server import is_ready, server_program, weights_of
from parlour.agents.model_calls import FAILURES
from parlour.games.engine.registry import games
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.provenance.alarms import alarms_of
from parlour.tournament.save.reader import Save
from tests.consents import own_config
from tests.models import clean_environment
from tests.models.real import MODEL, needs_server, real_server, servers_of
from tests.tournaments import COMMAND, ROOT, new_save, play, printed, stored_rows

pytestmark = [pytest.mark.soak, needs_server]

HEAD = 'name = "real"\nseed = 1\nparameters = { max_tokens = 250, temperature = 0.7 }\n'
SCRIPTED = (
    '[[agents]]\nname = "Rob"\nstrategy = "random"\n'
    '[[agents]]\nname = "Bea"\nstrategy = ["bayesian", "equilibrium", "haggler"]\n'
    '[[agents]]\nname = "Lin"\nstrategy = ["literal", "cooperate", "yielding"]\n'
)
SHORT = {
    "undercover": "limit = 1\nclue_rounds = 1",
    "chameleon": "limit = 1",
    "impostor": 'limit = 1\nmatches = 1\nprobes = "off"',
    "prisoners_dilemma": "limit = 1\nrounds = 2",
    "public_good": "limit = 1\nrounds = 2",
    "cost_sharing": "limit = 1",
    "donation": "agents_per_match = 4",
    "reciprocity": "agents_per_match = 3",
    "investment": "agents_per_match = 3",
}
"""The shortest tournament of each game; the model has the first seat."""
FOUR = {"donation", "impostor"}
"""Games with four seats here; the others have three."""


def model(**keys: str) -> str:
    """The block of the model."""
    given = {"name": "Mina", "kind": "llm", "model": MODEL, "wording": "short", **keys}
    lines = "".join(f'{key} = "{value}"\n' for key, value in given.items())
    return f"[[agents]]\n{lines}timeout = 300\nprices = [0, 0]\n"


def planned(folder: Path, names: list[str], **keys: str) -> Path:
    """A save of these games, in which the model meets scripted players."""
    text = HEAD
    for name in names:
        lineup = ["Mina", "Rob", "Bea", "Lin"][: 4 if name in FOUR else 3]
        text += f'[[games]]\nname = "{name}"\n{SHORT[name]}\nlineup = {json.dumps(lineup)}\n'
    return new_save(folder, text + SCRIPTED + model(**keys))


@pytest.fixture(autouse=True)
def _no_keys_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", own_config(tmp_path / "config"))
    monkeypatch.setenv("OPENAI_API_KEY", "not-needed")  # litellm does not go without one


def held(save: Path, name: str = MODEL) -> None:
    """Holds what must hold after a run that has finished."""
    with Save(save) as opened:
        assert opened.match_count().done
        assert first_difference(opened) is None
        assert not [alarm for alarm in alarms_of(opened) if "model" in alarm.sentence]
    served = stored_rows(save, "SELECT DISTINCT served FROM calls WHERE failure IS NULL")
    assert served == [(name,)]


@pytest.mark.parametrize("client", ["openai", "litellm", "local"])
async def test_all_nine_games_are_played_through_each_client(tmp_path: Path, client: str) -> None:
    async with real_server() as base:
        keys = {
            "openai": {"api_base": base},
            "litellm": {"api_base": base, "client": "litellm", "model": f"openai/{MODEL}"},
            "local": {"client": "local"},
        }[client]
        save = planned(tmp_path, list(games()), **keys)
        assert (await asyncio.to_thread(play, save)).progress.done
    held(save)
    assert stored_rows(save, "SELECT count(*) FROM calls WHERE failure IS NOT NULL") == [(0,)]


def is_listening(port: int) -> bool:
    """True if a server of this machine accepts connections."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def as_its_page_says(port: int) -> Iterator[str]:
    """The server, begun by the command of docs/providers/llama-cpp.md; gives the block there."""
    page = (ROOT / "docs" / "providers" / "llama-cpp.md").read_text().replace("8080", str(port))
    (command,) = re.findall("`llama-server (.*)`\\.", page)
    (block,) = re.findall("```toml\n(.*?)```", page, flags=re.S)
    engine = server_program()
    assert engine is not None
    program, settings = engine
    options = command.replace("model.gguf", str(weights_of(MODEL))).split()
    server = subprocess.Popen(
        [program, *options], env={**os.environ, **settings}, cwd=Path(program).parent
    )
    try:
        until(partial(is_ready, f"http://127.0.0.1:{port}"))
        yield block
    finally:
        server.kill()
        server.wait()


def test_the_page_of_llama_cpp_is_followed_literally(tmp_path: Path) -> None:
    port = free_port()
    with as_its_page_says(port) as block:
        game = f'[[games]]\nname = "prisoners_dilemma"\n{SHORT["prisoners_dilemma"]}\n'
        file = tmp_path / "page.toml"
        file.write_text('name = "page"\nseed = 1\n' + game + SCRIPTED + block)
        assert "schema" in printed("doctor", file, cwd=tmp_path)
        save = tmp_path / "page.db"
        printed("run", file, "--save", save, "--plain", cwd=tmp_path)
    held(save, "my-model")
    assert stored_rows(save, "SELECT count(*) FROM calls WHERE failure IS NOT NULL") == [(0,)]


@contextmanager
def running(save: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A run of a save in a process of its own."""
    command = [*COMMAND, "run", str(save), "--plain"]
    environment = clean_environment(save.parent)
    with (save.parent / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(so: Callable[[], object], seconds: float = 120.0) -> None:
    """Waits for what a process does."""
    end = time.monotonic() + seconds
    while not so():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


def calls(save: Path) -> int:
    """Answered calls."""
    return int(stored_rows(save, "SELECT count(*) FROM calls WHERE failure IS NULL")[0][0])


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_no_kill_leaves_a_server_behind_or_loses_an_answer(tmp_path: Path) -> None:
    save = planned(tmp_path, ["prisoners_dilemma", "donation"], client="local")
    with running(save) as run:
        until(lambda: calls(save) >= 1)
        (server,) = servers_of(run.pid)
        run.kill()
        until(lambda: not Path(f"/proc/{server}").exists(), 5)
    before = calls(save)
    with running(save) as run:
        until(lambda: [*servers_of(run.pid)])
        (server,) = servers_of(run.pid)
        os.kill(server, signal.SIGKILL)  # it is started again
        until(lambda: calls(save) > before)
        (again,) = servers_of(run.pid)
        assert again != server
        run.send_signal(signal.SIGINT)
        assert run.wait(120) == 130
        until(lambda: not Path(f"/proc/{again}").exists(), 5)
    with running(save) as run:
        until(lambda: [*servers_of(run.pid)])
        (server,) = servers_of(run.pid)
        os.kill(server, signal.SIGTERM)
        assert run.wait(600) == 0
    held(save)
    places = {str(tmp_path), "127.0.0.1", str(Path(sys.prefix)), ".gguf"}
    content = save.read_bytes()
    assert not [place for place in places if place.encode() in content]


async def test_a_window_of_768_tokens_parks_what_it_cannot_hold_and_is_sent_nothing_longer(
    tmp_path: Path,
) -> None:
    async with real_server(1, 768) as base:
        save = planned(tmp_path, list(games()), api_base=base, wording="full")
        assert not (await asyncio.to_thread(play, save)).progress.done
    failures = stored_rows(save, "SELECT DISTINCT failure FROM calls WHERE failure IS NOT NULL")
    assert failures == [("window",)]  # nothing was refused by the server
    over = dict(stored_rows(save, "SELECT game, count(outcome) FROM matches GROUP BY game"))
    assert {"prisoners_dilemma", "undercover"} <= {game for game in over if over[game]}
    assert {"donation", "investment"} <= {game for game in over if not over[game]}
    assert not stored_rows(save, "SELECT 1 FROM answers WHERE fault = 'window'")
    with Save(save) as opened:
        assert first_difference(opened) is None


def test_a_pause_waits_for_the_answer_in_flight_and_nothing_is_sent_after_it(
    tmp_path: Path,
) -> None:
    save = planned(tmp_path, ["prisoners_dilemma", "cost_sharing"], client="local")
    with running(save) as run:
        until(lambda: calls(save) >= 1)
        printed("pause", save, cwd=tmp_path)
        before = calls(save)
        time.sleep(3)
        assert calls(save) == before
        printed("run", save, "--plain", cwd=tmp_path)
        assert run.wait(600) == 0
    held(save)


async def test_a_server_that_drowns_in_requests_costs_no_seat_anything(tmp_path: Path) -> None:
    game = f'[[games]]\nname = "prisoners_dilemma"\n{SHORT["prisoners_dilemma"]}\n'
    async with real_server(1) as base:
        block = model(api_base=base).replace("timeout = 300", "timeout = 30")
        save = new_save(tmp_path, HEAD + "repetitions = 16\n" + game + SCRIPTED + block)
        ends = datetime.now(UTC) + timedelta(seconds=90)
        await asyncio.to_thread(play, save, concurrency=64, deadline=ends)
    assert calls(save) > 0
    charged = stored_rows(save, "SELECT DISTINCT fault FROM answers WHERE fault IS NOT NULL")
    assert not {fault for (fault,) in charged} & set(FAILURES)
    with Save(save) as opened:
        assert first_difference(opened) is None


LITELLM = os.environ.get("PARLOUR_LITELLM_PROXY")
"""The program `litellm` of an environment in which litellm[proxy] is installed."""


@pytest.mark.skipif(LITELLM is None, reason="needs PARLOUR_LITELLM_PROXY=path/to/litellm")
async def test_litellms_own_proxy_stands_in_front(tmp_path: Path) -> None:
    assert LITELLM is not None
    port = 18090 + os.getpid() % 1000
    async with real_server() as base:
        config = tmp_path / "proxy.yaml"
        config.write_text(
            f"model_list: [{{model_name: {MODEL}, litellm_params: {{model: openai/{MODEL},"
            f" api_base: '{base}', api_key: none}}}}]\n"
        )
        keyless = {"LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true"}
        command = [LITELLM, "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
        proxy = subprocess.Popen(command, env={**os.environ, **keyless})
        try:
            await asyncio.to_thread(until, partial(is_listening, port), 240)
            save = planned(tmp_path, list(games()), api_base=f"http://127.0.0.1:{port}/v1")
            assert (await asyncio.to_thread(play, save)).progress.done
        finally:
            proxy.terminate()
            proxy.wait()
    held(save, f"openai/{MODEL}")  # as the proxy names the model that it asked
