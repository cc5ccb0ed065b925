"""Players of a user's own: functions and endpoints get plain data, and may do anything."""

import asyncio
import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from parlour.agents.base import Call
from parlour.agents.code_blocks import FunctionConfig
from parlour.agents.model_calls import Client, Completion, Request
from parlour.agents.user_code import FunctionAgent
from parlour.games.common.errors import BadInput
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Fault, FaultKind, Seat
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.tournament.control.launch import last_words
from parlour.tournament.save.lock import holder
from parlour.tui.models.save_view import SaveView
from tests.consents import agreed
from tests.provider import hosted
from tests.runners import answers, runner_process, until
from tests.tournaments import new_save, parlour, printed, scripted

FILE = 'name = "own"\nseed = 3\n[[games]]\nname = "undercover"\nlimit = 1\n' + (
    '[[agents]]\nname = "Own"\n{own}\n' + scripted(Bea="bayesian")
)
FUNCTION = 'kind = "function"\nfunction = "players.py:answer"'


def table_at(kind: str) -> Table:
    """A table of undercover at the first ask of a kind; all before it is answered by chance."""
    game = find_game("undercover", "test")
    table = Table(game, game.make_setting(game.shipped()[0], game.variant()), 3, seed=5)
    while table.pending is not None and table.pending.kind != kind:
        for seat in table.waiting:
            table.answer({seat: table.pending.sample(seat, Dice(1, table.ask_number, seat))})
    return table


async def sent(client: Client, request: Request) -> Completion:
    """A call without a journal."""
    return await client.complete(request)


def acted(tmp_path: Path, code: str, kind: str = "vote", **call: Any) -> Any:
    """Answer of a function with this code to the first ask of a kind."""
    file = tmp_path / "players.py"
    file.write_text(code)
    config = FunctionConfig(name="Own", kind="function", function=f"{file}:answer")
    table = table_at(kind)
    assert table.pending is not None
    act = FunctionAgent(config).act(
        table.pending, table.view(table.waiting[0]), Call(Dice("test"), complete=sent, **call)
    )
    return asyncio.run(act).value


@pytest.mark.parametrize("define", ["def", "async def"])
def test_a_function_gets_the_question_as_json_and_its_value_is_the_answer(
    tmp_path: Path, define: str
) -> None:
    code = f"import json\n{define} answer(question):\n    return json.loads(json.dumps(question))\n"
    fault = Fault(FaultKind.ILLEGAL, "a player cannot vote for itself")
    asked = acted(tmp_path, code, earlier=(("Player 1!", fault),))
    table = table_at("vote")
    me = table.waiting[0]
    assert (asked["game"], asked["kind"], asked["round"]) == ("undercover", "vote", 2)
    assert asked["player"] == f"Player {me + 1}"
    assert asked["players"] == ["Player 1", "Player 2", "Player 3"]
    assert asked["mistakes"] == [{"answer": "Player 1!", "problem": fault.message}]
    assert asked["schema"]["properties"].keys() == {"reasoning", "suspect"}
    assert "undercover" in asked["system"].lower()
    assert 0 <= asked["dice"] < 2**32
    assert [event["record"] for event in asked["events"]] == [
        dict(event.record) for event in table.view(me).events
    ]
    words = [event["text"] for event in asked["events"] if event["kind"] == "word"]
    assert words == [f'To Player {me + 1}: your word is "{word_of(table, me)}"']


def word_of(table: Table, seat: Seat) -> str:
    return str(table.view(seat).told("word")[0].record["word"])


def test_a_function_that_is_not_async_does_not_hold_the_others_up(tmp_path: Path) -> None:
    # Each waits until both are there: one after the other they would wait for ever.
    code = "import threading\nboth = threading.Barrier(2, timeout=10)\n"
    code += "def answer(question):\n    both.wait()\n    return {'suspect': None}\n"
    file = tmp_path / "players.py"
    file.write_text(code)
    config = FunctionConfig(name="Own", kind="function", function=f"{file}:answer")
    table = table_at("vote")

    async def two() -> list[Any]:
        agent, ask = FunctionAgent(config), table.pending
        assert ask is not None
        call = Call(Dice("t"), complete=sent)
        acts = [agent.act(ask, table.view(seat), call) for seat in table.waiting[:2]]
        return [reply.value for reply in await asyncio.gather(*acts)]

    assert asyncio.run(two()) == [{"suspect": None}] * 2


@pytest.mark.parametrize("define", ["def", "async def"])
@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("raise SystemExit(3)", "it ended by SystemExit with 3"),
        ("raise asyncio.CancelledError", "it ended by CancelledError"),
        ("return next(iter([]))", "StopIteration"),
        ("return question['nothing']", "'nothing'"),
    ],
)
def test_whatever_a_function_raises_is_an_error_of_its_own_with_its_line(
    tmp_path: Path, define: str, does: str, said: str
) -> None:
    with pytest.raises(Exception, match=said) as raised:
        acted(tmp_path, f"import asyncio\n{define} answer(question):\n    {does}\n")
    assert isinstance(raised.value, Exception)
    assert raised.value.__notes__ == ["players.py, line 3"]


@pytest.mark.parametrize("takes", ["", "question, more"])
def test_a_function_that_cannot_take_a_question_is_named_with_file_and_line(
    tmp_path: Path, takes: str
) -> None:
    with pytest.raises(TypeError, match="positional argument") as raised:
        acted(tmp_path, f"import asyncio\n\n\ndef answer({takes}):\n    return None\n")
    assert raised.value.__notes__ == ["players.py, line 4"]


def test_what_a_function_that_is_not_async_returns_is_awaited_if_it_can_be(tmp_path: Path) -> None:
    slowly = "async def {}({}question):\n    {}return {{'suspect': None}}\n"
    later = slowly.format("slowly", "", "") + "def answer(question):\n    return slowly(question)\n"
    # So it is of an object that can be called.
    called = "class Player:\n    " + slowly.format("__call__", "self, ", "    ")
    for number, code in enumerate((later, called + "answer = Player()\n")):
        (tmp_path / f"{number}").mkdir()
        assert acted(tmp_path / f"{number}", code) == {"suspect": None}


def test_what_a_function_does_to_its_question_stays_with_it(tmp_path: Path) -> None:
    code = """
def answer(question):
    for event in question["events"]:
        event["record"]["said"] = "by the function"
        for value in event["record"].values():
            if isinstance(value, list):
                value.reverse()
            elif isinstance(value, dict):
                value.clear()
    return question["events"]
"""
    table = table_at("vote")
    before = json.dumps([event.record for event in table.view(table.waiting[0]).events])
    assert acted(tmp_path, code)
    again = table_at("vote")
    assert json.dumps([event.record for event in again.view(again.waiting[0]).events]) == before


def test_odd_keys_of_an_answer_are_a_fault_and_no_error(tmp_path: Path) -> None:
    table = table_at("vote")
    judged = table.pending.judge(table.waiting[0], acted(tmp_path, "def answer(q): return {1: 2}"))
    assert isinstance(judged, Fault)


@pytest.mark.slow
def test_a_function_that_never_comes_back_ends_with_the_process(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    code = f"import time\ndef answer(question):\n    open({str(begun)!r}, 'w').close()\n"
    (tmp_path / "players.py").write_text(f"{code}    time.sleep(1000)\n")
    save = new_save(tmp_path, FILE.format(own=FUNCTION))
    with runner_process(save, stdout=subprocess.DEVNULL) as process:
        until(begun.exists)
        process.send_signal(signal.SIGINT)
        until(lambda: getattr(answers(save), "state", None) == "stopping")
        time.sleep(0.5)
        assert process.poll() is None  # it waits for what is in flight
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)


@pytest.mark.parametrize(
    ("function", "code", "problem"),
    [
        ("gone.py:answer", "", "there is no file"),
        ("players.py:reply", "def answer(question): ...", "has no function 'reply'"),
        ("players.py:answer", "answer = 3", "has no function 'answer'"),
        ("players.py:answer", "raise SystemExit(3)", "fails with SystemExit: 3"),
        ("players.py:answer", "\n1 / 0", "players.py:2: fails with ZeroDivisionError: division"),
        ("players.py:answer", "import nowhere", "players.py:1: fails with ModuleNotFoundError"),
        ("players.py:answer", "def f(:", "players.py: fails with SyntaxError: .* line 1"),
        ("players.py", "", "is not a function: write"),
    ],
)
def test_a_function_that_is_not_there_is_refused_before_anything_is_played(
    tmp_path: Path, function: str, code: str, problem: str
) -> None:
    (tmp_path / "players.py").write_text(code)
    with pytest.raises(BadInput, match=problem) as refused:
        new_save(tmp_path, FILE.format(own=f'kind = "function"\nfunction = "{function}"'))
    assert "\n" not in str(refused.value)


@pytest.mark.slow
def test_a_function_that_fails_stops_its_match_and_goes_on_once_fixed(tmp_path: Path) -> None:
    file = tmp_path / "players.py"
    (tmp_path / "own.toml").write_text(FILE.format(own=FUNCTION))
    file.write_text("def answer(question):\n    return question['nothing']\n")
    agreed(tmp_path / "own.toml")
    broken = parlour("run", "own.toml", "--save", "own.db", cwd=tmp_path)
    assert broken.returncode == 1
    assert "agent 'Own' failed with KeyError: 'nothing'" in broken.stdout + broken.stderr
    file.write_text("def answer(question):\n    return {'text': 'hm'}\n")
    agreed(tmp_path / "own.toml")
    fixed = parlour("run", "--save", "own.db", cwd=tmp_path)
    assert fixed.returncode == 0, fixed.stderr
    assert parlour("check", "own.db", cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_a_save_is_read_without_the_function_that_played(tmp_path: Path) -> None:
    file = tmp_path / "players.py"
    (tmp_path / "own.toml").write_text(FILE.format(own=FUNCTION))
    file.write_text("def answer(question):\n    return {'text': 'hm'}\n")
    agreed(tmp_path / "own.toml")
    assert parlour("run", "own.toml", "--save", "own.db", cwd=tmp_path).returncode == 0
    file.unlink()
    for command in (["leaderboard"], ["check"], ["status"], ["replay", "1"]):
        words = [command[0], "own.db", *command[1:]]
        done = parlour(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_an_endpoint_plays_a_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", "a-key-of-its-own")
    seen: list[dict[str, Any]] = []

    def answer(question: dict[str, Any]) -> web.Response:
        seen.append(question)
        if question["kind"] == "doctor":
            return web.json_response({"ready": True})
        if len(seen) == 4:
            return web.Response(status=503)
        others = [name for name in question["players"] if name != question["player"]]
        answers: dict[str, Any] = {
            "clue": {"text": "hm"},
            "vote": {"suspect": others[question["dice"] % 2]},
            "own_role": {"role": "unsure"},
            "beliefs": {"beliefs": [{"viewer": n, "suspect": None} for n in question["players"]]},
        }
        return web.json_response(answers[question["kind"]])

    async def served(request: web.Request) -> web.Response:
        return answer({**await request.json(), "key": request.headers.get("Authorization")})

    async def story() -> None:
        async with hosted(served) as port:
            url = f"http://127.0.0.1:{port}/answer"
            block = 'kind = "llm"\nclient = "http"\nmodel = "mine"\nretry_wait = 0.05\n'
            block += f'api_base = "{url}"\napi_key_env = "OWN_KEY"\nparameters = {{ depth = 2 }}'
            (tmp_path / "own.toml").write_text(FILE.format(own=block))
            agreed(tmp_path / "own.toml")
            well = await asyncio.to_thread(parlour, "doctor", "own.toml", cwd=tmp_path)
            assert "agent 'Own' answers" in well.stdout, well.stdout
            words = ["run", "own.toml", "--save", "own.db"]
            done = await asyncio.to_thread(parlour, *words, cwd=tmp_path)
            assert done.returncode == 0, done.stderr

    asyncio.run(story())
    status = json.loads(parlour("status", "own.db", "--format", "json", cwd=tmp_path).stdout)
    assert (status["faults"], status["failed_calls"]) == (0, 1)
    assert status["calls"] == len(seen) - 1  # the doctor's is in no save
    for question in seen:
        assert (question["model"], question["parameters"]) == ("mine", {"depth": 2})
        assert question["key"] == "Bearer a-key-of-its-own"


@pytest.mark.slow
def test_why_a_run_in_the_background_ended_is_reported_afterwards(tmp_path: Path) -> None:
    go = tmp_path / "go"
    code = f"import pathlib\ndef answer(question, go=pathlib.Path({str(go)!r})):\n"
    code += "    while not go.exists(): pass\n    return question['nothing']\n"
    (tmp_path / "players.py").write_text(code)
    save = new_save(tmp_path, FILE.format(own=FUNCTION))
    assert parlour("run", "--save", save, "--detach", cwd=tmp_path).returncode == 0
    go.touch()
    until(lambda: holder(save) is None and last_words(save))
    why = "agent 'Own' failed with KeyError: 'nothing' (players.py, line 4)"
    done = parlour("attach", save, cwd=tmp_path)
    assert f"parlour: match 1: {why}\n" in done.stderr
    assert f"match 1: {why}" in printed("status", save, cwd=tmp_path)
    watched = SaveView(save)
    assert asyncio.run(watched.status())
    watched.close()
    assert f"match 1: {why}" in watched.failed
    (tmp_path / "players.py").write_text("def answer(question):\n    return None\n")
    agreed(tmp_path / "tournament.toml")
    assert parlour("run", "--save", save, cwd=tmp_path).returncode == 0
    assert last_words(save) == []


@pytest.mark.slow
def test_stop_names_the_agents_it_waits_for(tmp_path: Path) -> None:
    code = "import time\ndef answer(question):\n    time.sleep(9)\n"
    (tmp_path / "players.py").write_text(code)
    save = new_save(tmp_path, FILE.format(own=FUNCTION))
    with runner_process(save, stdout=subprocess.DEVNULL):
        until(lambda: (now := answers(save)) is not None and now.in_flight)
        out = printed("stop", save, cwd=tmp_path)
    assert " still to come: match 1 waits for Player " in out
    assert ": stopped; every answer is saved. " in out
