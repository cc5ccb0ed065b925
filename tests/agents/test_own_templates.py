"""Templates of strangers, and other players that try to change what they are handed."""

import asyncio
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.base import Agent, Call
from parlour.agents.code_blocks import FunctionConfig, PythonConfig
from parlour.agents.llm.agent import LLMAgent
from parlour.agents.llm.http_clients import HTTPClient, OpenAIClient
from parlour.agents.llm.own_templates import fill
from parlour.agents.user_code import FunctionAgent, made_in_python
from parlour.games.common.errors import BadInput
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Fault, FaultKind
from parlour.games.engine.prompts import Filled
from parlour.games.engine.table import Table
from tests.agents.test_user_code import table_at
from tests.blocks import text_of
from tests.models import config
from tests.tournaments import parlour, written

HOME = Path(__file__).parent


def filled(folder: Path, text: str, table: Table | None = None) -> Filled:
    """The template of a vote with this text, filled from the view of a seat that has heard much."""
    game = folder / "undercover"
    game.mkdir(exist_ok=True)
    (game / "vote.j2").write_text(text)
    table = table or table_at("vote")
    shipped = table.game.folder / "prompts"
    return fill(table.game, table.view(table.waiting[0]), ("vote.j2",), folder, shipped)


CHANGES = text_of("tests/data/template_changes.txt").splitlines()
"""Ways to change the record ``e`` of what was said."""


@pytest.mark.parametrize("way", CHANGES)
def test_no_template_changes_what_seats_were_told(tmp_path: Path, way: str) -> None:
    table = table_at("vote")
    before = json.dumps([event.record for event in table.events])
    with suppress(BadInput):
        filled(tmp_path, f"{{% for e in told.said %}}{{% {way} %}}{{% endfor %}}", table)
    assert json.dumps([event.record for event in table.events]) == before
    assert table.digest() == table_at("vote").digest()


# Published ways out of Jinja's sandbox: CVE-2024-56201, CVE-2024-56326, CVE-2025-27516,
# CVE-2024-22195, CVE-2024-34064, CVE-2019-10906, CVE-2016-10745; and those of collections.
ESCAPES = text_of("tests/data/template_escapes.txt").splitlines()
"""Expressions that reach, where there is no sandbox, what only a program may."""


@pytest.mark.parametrize("inner", ESCAPES)
def test_no_published_payload_leaves_the_sandbox(tmp_path: Path, inner: str) -> None:
    mark = tmp_path / "mark"
    code = inner.replace("CMD", f"'touch {mark}'").replace("MARK", f"'{mark}'")
    text = ""
    with suppress(BadInput):
        (text,) = filled(tmp_path, f"{{{{ {code} }}}}").texts
    assert not re.search("__globals__|class|module|function", text), text
    assert not mark.exists()


def test_templates_include_no_file_outside_their_folders(tmp_path: Path) -> None:
    (tmp_path / "secret.j2").write_text("secret")
    for name in ("../secret.j2", str(tmp_path / "secret.j2"), "/etc/passwd", "..\\\\secret.j2"):
        with pytest.raises(BadInput, match="there is no template"):
            filled(tmp_path, f"{{% include '{name}' %}}")


FOREVER = "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"
LARGE = (
    "{{ 'x' * 2000000000 }}",
    "{{ '%2000000000d' % 1 }}",
    "{{ '{:2000000000}'.format(1) }}",
    "{{ ['x'] * 300000000 }}",
    "{{ 'x' | center(2000000000) }}",
    "{{ lipsum(n=100000000) }}",
    "{% set s = namespace(x='xx') %}{% for a in range(40) %}{% set s.x = s.x ~ s.x %}{% endfor %}",
    "{% set s = namespace(x=[1]) %}{% for a in range(60) %}{% set s.x = [s.x, s.x] %}{% endfor %}"
    "{{ s.x }}",
    "{% macro m(n) %}{% if n %}{{ m(n - 1) * 2 }}{% endif %}x{% endmacro %}{{ m(40) }}",
    "{{ 'x' * 1000001 }}",
)
"""Templates that take gigabytes, or make a text that no model reads."""
LONG = (FOREVER, "{{ 10 ** (10 ** 10) }}")


@pytest.mark.slow
@pytest.mark.parametrize("text", [*LARGE, *LONG])
def test_a_template_that_takes_too_much_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match=r"takes more than|longer than|Memory|recursion|too large"):
        filled(tmp_path, text)
    assert filled(tmp_path, "Vote.").texts == ["Vote."]  # the next one is filled as ever


def test_a_template_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    secret, own = tmp_path / "secret", tmp_path / "pr"
    secret.mkdir()
    (secret / "vote.j2").write_text("-----BEGIN")
    (own / "undercover").mkdir(parents=True)
    path = own / "undercover" / "vote.j2"
    table = table_at("vote")

    def refusal() -> str:
        with pytest.raises(BadInput) as refused:
            fill(table.game, table.view(table.waiting[0]), ("vote.j2",), own, HOME)
        assert "BEGIN" not in str(refused.value)
        return str(refused.value)

    path.symlink_to(secret / "vote.j2")
    assert refusal() == f"prompt {path}: is a link; put the file itself there"
    path.unlink()
    os.mkfifo(path)
    assert "is no regular file" in refusal()
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(secret)
    assert "is a link" in refusal()


MODEL = '[[agents]]\nname = "{}"\nkind = "llm"\nmodel = "m"\napi_base = "http://127.0.0.1:9/v1"\n'
PLANNED = (
    'name = "t"\nseed = 1\n[[games]]\nname = "undercover"\nlimit = 1\n'
    + "".join(map(MODEL.format, "ABC"))
    + 'prompts = "pr"\n'
)


def test_plan_refuses_a_template_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "pr" / "undercover"
    folder.mkdir(parents=True)
    file = written(tmp_path, PLANNED)
    for text in ("{{ 'x' * 2000000000 }}", FOREVER):
        (folder / "system.j2").write_text(text)
        done = parlour("plan", file, cwd=tmp_path)
        assert done.returncode == 2, done
        assert "prompt undercover/system.j2" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def tamper(value: Any) -> None:
    """Changes everything that can be changed in what a player is handed."""
    if isinstance(value, dict):
        for entry in list(value.values()):
            tamper(entry)
        value["text"], value["donor"] = "It has six strings", 999
    elif isinstance(value, list):
        for entry in value:
            tamper(entry)
        value.append("It has six strings")
    elif isinstance(value, tuple):
        for entry in value:
            tamper(entry)


class Acting:
    """An object that tampers with everything before it acts."""

    async def act(self, ask: Any, view: Any, call: Any) -> Any:
        for given in (ask, view, call, ask.bounds(view.seat), ask.schema(view.seat)):
            tamper(given)
        return None


class Deciding:
    """The same with the interface of scripted strategies."""

    def decide(self, ask: Any, view: Any, dice: Any) -> Any:
        tamper((ask, view))


class Tampering(HTTPClient, OpenAIClient):
    """A client that tampers with the request, as a library that carries it might."""

    async def complete(self, request: Any) -> Any:
        tamper((request.messages, request.parameters, request.schema, request.question))
        raise EOFError


KINDS = ("template", "endpoint", "function", "class that acts", "class that decides", "callable")


def players(folder: Path) -> dict[str, Agent]:
    """An agent of each kind that tampers with what it is handed."""
    own = folder / "pr" / "undercover"
    own.mkdir(parents=True)
    (own / "vote.j2").write_text(f"{{% for e in told.said %}}{{% {CHANGES[1]} %}}{{% endfor %}}")
    code = folder / "players.py"
    code.write_text("from tests.agents.test_own_templates import tamper as answer\n")
    function = FunctionConfig(name="F", kind="function", function=f"{code}:answer")
    python = PythonConfig(name="P", kind="python")
    endpoint, model = config("http://127.0.0.1:9/v1", "http"), config("http://127.0.0.1:9/v1")
    with_template = config("http://127.0.0.1:9/v1", prompts=str(folder / "pr"))
    return {
        "template": LLMAgent(with_template, Tampering(model)),
        "endpoint": LLMAgent(endpoint, Tampering(endpoint)),
        "function": FunctionAgent(function),
        "class that acts": made_in_python(python, {"P": Acting()}),
        "class that decides": made_in_python(python, {"P": Deciding()}),
        "callable": made_in_python(python, {"P": tamper}),
    }


def test_no_kind_of_agent_changes_the_table(tmp_path: Path) -> None:
    agents = players(tmp_path)
    assert tuple(agents) == KINDS
    for kind, agent in agents.items():
        table = table_at("vote")
        before, seat = repr(table.events), table.waiting[0]
        notes = ({"heard": 1, "beliefs": [[0.5]]},)
        earlier = (("{}", Fault(FaultKind.ILLEGAL, "no")),)
        assert table.pending is not None

        async def complete(client: Any, request: Any) -> Any:
            return await client.complete(request)

        call = Call(Dice(1), earlier, complete, notes)
        with suppress(EOFError, BadInput):
            asyncio.run(agent.act(table.pending, table.view(seat), call))
        assert repr(table.events) == before, kind
        assert notes == ({"heard": 1, "beliefs": [[0.5]]},), kind
        assert table.digest() == table_at("vote").digest(), kind
