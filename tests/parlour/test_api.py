"""The Python interface: runs in threads and loops, agents made in Python, matches by hand."""

import asyncio
import re
import resource
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import parlour
from parlour.agents.base import Call, Reply
from parlour.api.results import Results
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask
from parlour.tournament.plan.schedule import match_count
from parlour.tournament.save.reader import Save
from tests.tournaments import contents, environment, finished, new_save, written

OWN: dict[str, Any] = {
    "name": "own",
    "seed": 3,
    "games": [{"name": "undercover", "limit": 2, "clue_rounds": 1, "probes": "off"}],
    "agents": [{"name": "Mine", "kind": "python"}, {"name": "Rob", "strategy": "random"}],
}


class Deciding:
    """An agent as scripted strategies are."""

    def decide(self, ask: Ask[Any], view: View, dice: Any) -> object:
        """Any legal answer."""
        return ask.sample(view.seat, dice)


class Acting:
    """An agent with the whole interface, notes included."""

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Any legal answer, with a note."""
        return Reply(ask.sample(view.seat, call.dice), {"thought": "mine"})


class OneArgument:
    def decide(self, ask: Any) -> Any:
        return None


def vague(question: dict[str, Any]) -> dict[str, Any]:
    """An agent as a plain function."""
    others = [name for name in question["players"] if name != question["player"]]
    answers = {"clue": {"text": "I saw one once"}, "vote": {"suspect": others[0]}}
    return answers[question["kind"]]


async def vague_later(question: dict[str, Any]) -> dict[str, Any]:
    """The same as a coroutine."""
    await asyncio.sleep(0)
    return vague(question)


# --- Running


def test_a_run_plays_what_the_command_line_plays(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    path = written(tmp_path)
    save = parlour.run(path, tmp_path / "api.db")
    assert save.finished
    assert contents(save.path) == contents(finished(tmp_path / "other"))
    assert repr(save) == f"<{tmp_path / 'api.db'}: 'small', 12/12 matches finished>"


def test_the_same_call_plays_nothing_that_is_stored(tmp_path: Path) -> None:
    before = contents(parlour.run(OWN, tmp_path / "own.db", agents={"Mine": Deciding()}).path)
    again = parlour.run(OWN, tmp_path / "own.db", agents={"Mine": Acting()})
    assert contents(again.path) == before


def test_without_a_path_a_new_save_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert parlour.run(OWN, agents={"Mine": vague}).path == Path("saves/own.db")
    assert parlour.open("own").path == Path("saves/own.db")


def in_a_thread(work: Callable[[], Results]) -> Results:
    results: list[Results] = []
    thread = Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    return results[0]


def in_a_loop(work: Callable[[], Results]) -> Results:
    async def inside() -> Results:
        return work()

    return asyncio.run(inside())


@pytest.mark.parametrize("where", [in_a_thread, in_a_loop])
def test_a_run_works_in_a_thread_and_inside_a_loop(
    where: Callable[[Callable[[], Results]], Results], tmp_path: Path
) -> None:
    assert where(lambda: parlour.run(OWN, tmp_path / "own.db", agents={"Mine": vague})).finished


def test_a_run_leaves_signals_and_limits_of_the_process_alone(tmp_path: Path) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    during: list[Any] = []

    def observed(question: dict[str, Any]) -> dict[str, Any]:
        during.append(([*map(signal.getsignal, numbers)], limits()))
        return vague(question)

    def limits() -> tuple[int, int]:
        return resource.getrlimit(resource.RLIMIT_NOFILE)

    before = ([*map(signal.getsignal, numbers)], limits())
    soft, hard = before[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
    try:
        parlour.run(OWN, tmp_path / "own.db", agents={"Mine": observed})
        assert during
        assert all(seen == (before[0], (min(soft, 512), hard)) for seen in during)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


INTERRUPTED = """
import sys, time
import parlour
from tests.parlour.test_api import OWN, vague

def slow(question):
    print("asked", flush=True)
    time.sleep(0.2)
    return vague(question)

try:
    parlour.run(OWN, sys.argv[1], agents={"Mine": slow}, concurrency=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
def test_an_interrupt_stores_the_answers_in_flight(tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(path)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for _ in range(3):
            assert process.stdout.readline() == "asked\n"
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read().splitlines()
    assert rest[-1] == "interrupted"
    answers = parlour.open(path).answers()
    asked = 3 + rest.count("asked")
    assert 0 < asked < 12
    assert (answers["agent"] == "Mine").sum() == asked  # the one in flight is stored
    assert parlour.run(OWN, path, agents={"Mine": vague}).finished


def test_a_failing_agent_ends_the_run_with_its_reason_and_the_same_call_resumes(
    tmp_path: Path,
) -> None:
    def broken(question: dict[str, Any]) -> dict[str, Any]:
        raise ValueError("a bug of mine")

    with pytest.raises(parlour.NotFinished, match="failed with ValueError: a bug of mine") as why:
        parlour.run(OWN, tmp_path / "own.db", agents={"Mine": broken})
    assert not why.value.save.finished
    line = broken.__code__.co_firstlineno + 1
    assert f"a bug of mine (test_api.py, line {line});" in str(why.value)
    failed = [int(number) for number in re.findall(r"match (\d+): ", str(why.value))]
    assert len(failed) > 1
    assert failed == sorted(failed)
    assert parlour.run(OWN, tmp_path / "own.db", agents={"Mine": vague}).finished


def test_a_failing_object_is_named_with_its_line(tmp_path: Path) -> None:
    class Broken:
        def decide(self, ask: Any, view: Any, dice: Any) -> Any:
            raise ValueError("a bug of mine")

    with pytest.raises(parlour.NotFinished) as why:
        parlour.run(OWN, tmp_path / "own.db", agents={"Mine": Broken()})
    line = Broken.decide.__code__.co_firstlineno + 1
    assert f"a bug of mine (test_api.py, line {line})" in str(why.value)


def test_an_agent_with_many_faults_is_warned_of_once(tmp_path: Path) -> None:
    line = r"many invalid answers: Mine \(12/12 faults\)"
    for _played_or_stored in range(2):
        with pytest.warns(UserWarning, match=line) as all_:
            parlour.run(OWN, tmp_path / "own.db", agents={"Mine": lambda question: None})
        assert len(all_) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parlour.run(OWN, tmp_path / "good.db", agents={"Mine": vague})


def test_how_a_save_is_played_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    parlour.run(OWN, path, agents={"Mine": vague}, concurrency=3, pace=5000.0)
    with Save(path) as save:
        assert (save.control().concurrency, save.control().pace) == (3, 5000.0)


# --- Agents made in Python


@pytest.mark.parametrize("player", [Deciding(), Acting(), vague, vague_later])
def test_an_agent_is_an_object_or_a_function(player: object, tmp_path: Path) -> None:
    save = parlour.run(OWN, tmp_path / "own.db", agents={"Mine": player})
    answers = save.answers()
    own = answers[answers["agent"] == "Mine"]
    assert len(own) == 12
    assert own["fault"].isna().all()
    if isinstance(player, Acting):
        assert {note["thought"] for note in own["notes"]} == {"mine"}


class Keyed(Deciding):
    """One that is not made without an argument."""

    def __init__(self, key: str) -> None:
        self.key = key


REFUSED = {
    "missing": ({}, "agent 'Mine': is a Python object that was not given; run it from Python: "),
    "class": ({"Mine": Keyed}, "the class Keyed takes (key: str) -> None; give an instance, or"),
    "no ask": ({"Mine": OneArgument()}, "decide: takes (ask); write def decide(self, ask, view, "),
    "no question": ({"Mine": lambda a, b: a}, "agent 'Mine': takes (a, b); let it take (question)"),
    "unable": ({"Mine": 3}, "a int cannot play; give a function, or an object with decide"),
    "misspelt": ({"Mein": vague}, "no agent 'Mein' of kind \"python\"; did you mean 'Mine'"),
    "unknown": ({"Mine": vague, "Rob": vague}, "has no agent 'Rob' of kind \"python\""),
}


@pytest.mark.parametrize("case", REFUSED)
def test_agents_that_do_not_fit_the_tournament_are_refused(case: str, tmp_path: Path) -> None:
    agents, line = REFUSED[case]
    with pytest.raises(parlour.BadInput, match=re.escape(line)):
        parlour.run(OWN, tmp_path / "own.db", agents=agents)
    assert list(tmp_path.iterdir()) == []


# --- Loading and opening


def test_a_dict_a_file_and_a_preset_are_sources(tmp_path: Path) -> None:
    small = parlour.load(written(tmp_path))
    assert (small.name, small.seed) == ("small", 7)
    assert repr(small) == "<Tournament 'small': undercover; Ada, Rob, Lin; round_robin>"
    assert parlour.load(written(tmp_path), seed=8).seed == 8
    built_on = parlour.load({"preset": "demo", "name": "mine"})
    assert built_on.name == "mine"
    assert match_count(built_on) == match_count(parlour.load(preset="demo"))


def test_a_save_that_is_not_finished_has_frames_too(tmp_path: Path) -> None:
    save = parlour.open(new_save(tmp_path))
    assert not save.finished
    assert len(save.matches()) == 12
    assert save.seats()["payoff"].isna().all()
    assert len(save.leaderboard()) == len(save.answers()) == len(save.measures()) == 0


# --- By hand


def test_a_table_refuses_what_is_not_asked_and_changes_nothing() -> None:
    table = parlour.table("undercover", clue_rounds=1, seed=7)
    (first,) = table.pending.players
    other = next(name for name in table.players if name != first)
    for answer, line in (
        ({other: {"text": "x"}}, f"{other}: is not asked now; the match waits for {first}"),
        ({first: {"txet": "x"}}, f"{first}: "),
        ({9: {"text": "x"}}, "there is no Player 9"),
    ):
        with pytest.raises(parlour.BadInput, match=line):
            table.answer(answer)
    assert table.pending.players == (first,)
    assert "Undercover" in table.prompt(first) or "undercover" in table.prompt(first)
    with pytest.raises(parlour.BadInput, match="is not asked now"):
        table.prompt(other)


# --- Importing


def printed_by(code: str) -> str:
    """The output of a process that runs some code."""
    return subprocess.check_output([sys.executable, "-c", code], env=environment(), text=True)


@pytest.mark.really_started
@pytest.mark.parametrize(
    ("module", "slow"),
    [
        ("parlour", ["pydantic", "pandas", "numpy", "typer", "asyncio"]),
        ("parlour.cli.options", ["pydantic", "sqlite3", "asyncio"]),
    ],
)
def test_the_first_import_loads_nothing_slow(module: str, slow: list[str]) -> None:
    code = f"import sys, {module}\nprint(sorted(set({slow}) & set(sys.modules)))"
    assert printed_by(code) == "[]\n"


def test_what_needs_no_frame_needs_no_pandas(tmp_path: Path) -> None:
    path = finished(tmp_path)
    code = (
        "import sys\nsys.modules['pandas'] = None\nimport parlour\n"
        f"save = parlour.open({str(path)!r})\nassert save.match(1).outcome\n"
        "try:\n    save.leaderboard()\n"
        "except parlour.BadInput as refusal:\n    print(refusal)\n"
    )
    assert printed_by(code) == (
        f"data frames: missing package pandas; install it: {sys.executable} -m pip install pandas\n"
    )


def test_the_public_names_are_there() -> None:
    assert all(getattr(parlour, name) for name in parlour.__all__)
    assert {*parlour.__all__} <= {*dir(parlour)}
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = parlour.nothing


def test_run_options_are_checked_before_a_save_is_made(tmp_path: Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"pace": "fast"}, "pace: cannot be 'fast'; give a number from 0.01 on"),
        ({"pace": 0}, "pace: cannot be 0; "),
        ({"concurrency": 0}, "concurrency: cannot be 0; give a whole number from 1 to 10,000"),
        ({"budget": -1}, "budget: cannot be -1; give a number from 0 on"),
    ]
    for options, line in wrong:
        with pytest.raises(parlour.BadInput, match=line):
            parlour.run(written(tmp_path), tmp_path / "new.db", **options)
        assert not (tmp_path / "new.db").exists()


BAD_ARGUMENTS: list[tuple[Callable[..., object], dict[str, Any], str]] = [
    (parlour.load, {}, "load: needs one source"),
    (parlour.load, {"source": {**OWN, "sede": 3}}, "tournament: sede: "),
    (parlour.load, {"source": {"preset": "dmeo"}}, "unknown preset 'dmeo'; did you mean 'demo'"),
    (parlour.load, {"source": "none.toml"}, "none.toml: cannot be read"),
    (parlour.table, {"game": "undercovr"}, "unknown game 'undercovr'"),
    (parlour.table, {"game": "undercover", "rounds": 3}, ": rounds"),
    (parlour.table, {"game": "undercover", "setting": 20}, "there is no setting 20; undercover"),
    (parlour.table("undercover").answer, {"answers": "x"}, "answer: is a str, not a dict"),
]


@pytest.mark.parametrize(("called", "arguments", "line"), BAD_ARGUMENTS)
def test_arguments_that_cannot_be_are_refused(
    called: Callable[..., object], arguments: dict[str, Any], line: str
) -> None:
    with pytest.raises(parlour.BadInput, match=line):
        called(**arguments)


def test_frames_have_the_columns_that_somebody_has_and_name_players_from_1(tmp_path: Path) -> None:
    save = parlour.open(finished(tmp_path))
    frame = save.leaderboard()
    assert list(frame.columns[:3]) == ["agent", "rank", "last_rank"]
    assert {"win_rate", "judgment_low"} <= set(frame.columns)
    assert set(frame.columns).isdisjoint({"game", "role", "condition", "cooperation"})
    assert list(save.leaderboard("role").columns[:3]) == ["game", "role", "agent"]
    by: Any = "agent"
    with pytest.raises(parlour.BadInput, match="by: cannot be 'agent'; give one of overall"):
        save.leaderboard(by=by)
    for frame in (save.seats(), save.answers()):
        assert set(frame["player"]) == {"Player 1", "Player 2", "Player 3"}
    first, match = save.seats().query("match == 4"), save.match(4)
    assert dict(zip(first["player"], first["agent"], strict=True)) == match.agents
    assert dict(zip(first["player"], first["payoff"], strict=True)) == match.outcome.payoffs
    # A view is what that player knew.
    own = [event.text for event in match.view(seat=1)]
    assert own == [event.text for event in match.view("Player 1")]
    assert any('"guitar"' in text for text in own)
    assert not any('"banjo"' in text for text in own)
    for number in (4, 0):
        with pytest.raises(parlour.BadInput, match=f"there is no Player {number}"):
            match.view(number)
