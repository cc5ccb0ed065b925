"""Code of the user as an agent: texts, costs, its life in a run, and everything it may do wrong."""

import asyncio
import json
import re
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import parlour
from parlour import Reply
from parlour.api.playing import prepare_save
from parlour.games.engine.moves import Fault, FaultKind
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import run_session
from tests.tournaments import printed


def own(**keys: Any) -> dict[str, Any]:
    """Two matches of six answers of the agent "Mine", whose block has these keys."""
    return {
        "name": "own",
        "seed": 3,
        "games": [{"name": "undercover", "limit": 1, "clue_rounds": 1, "probes": "off"}],
        "agents": [
            {"name": "Mine", "kind": "python", "retry_wait": 0.01, **keys},
            {"name": "Rob", "strategy": "random"},
        ],
    }


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """A legal answer."""
    others = [name for name in question["players"] if name != question["player"]]
    return {"text": "I saw one once"} if question["kind"] == "clue" else {"suspect": others[0]}


def played(path: Path, player: object, **keys: Any) -> parlour.Results:
    """The save of a run with this agent."""
    return parlour.run(own(**keys), path / "own.db", agents={"Mine": player})


def mine(save: parlour.Results) -> Any:
    """The answers of the agent."""
    answers = save.answers()
    return answers[answers["agent"] == "Mine"]


def conduct(save: parlour.Results) -> Any:
    """The row of the agent's conduct."""
    return save.conduct().set_index("agent").loc["Mine"]


# --- What an answer is


@pytest.mark.parametrize(
    ("said", "thought"),
    [
        (json.dumps, None),
        (lambda data: f"Let me see.\n```json\n{json.dumps(data)}\n```", None),
        (lambda data: [data], None),
        (lambda data: f"<think>hm</think>{json.dumps(data)}", "hm"),
    ],
)
def test_an_answer_may_be_a_text(
    said: Callable[[Any], object], thought: str | None, tmp_path: Path
) -> None:
    save = played(tmp_path, lambda question: said(answer(question)))
    assert mine(save)["fault"].isna().all()
    assert [(note or {}).get("thinking") for note in mine(save)["notes"]] == [thought] * 6


@pytest.mark.parametrize("way", ["question", "act", "decide"])
def test_a_reply_tells_what_it_cost(way: str, tmp_path: Path) -> None:
    def reply(value: object) -> Reply:
        return Reply(value, prompt_tokens=100, completion_tokens=7, dollars=0.5, latency=2.0)

    async def act(ask: Any, view: Any, call: Any) -> Reply:
        return reply(ask.sample(view.seat, call.dice))

    def decide(ask: Any, view: Any, dice: Any) -> Reply:
        return reply(ask.sample(view.seat, dice))

    objects = {"act": SimpleNamespace(act=act), "decide": SimpleNamespace(decide=decide)}
    save = played(tmp_path, objects.get(way, lambda question: reply(answer(question))))
    one = conduct(save)
    counts = one[["calls", "prompt_tokens", "completion_tokens", "dollars", "latency_median"]]
    assert list(counts) == [6, 600, 42, 3.0, 2.0]
    assert list(save.calls()["agent"]) == ["Mine"] * 6


def test_prices_turn_tokens_into_dollars(tmp_path: Path) -> None:
    def reply(question: Any) -> Reply:
        return Reply(answer(question), prompt_tokens=1000, completion_tokens=10)

    assert conduct(played(tmp_path, reply, prices=[2.0, 50.0]))["dollars"] == pytest.approx(0.015)


def test_an_answer_without_a_cost_needs_no_call_and_has_its_times(tmp_path: Path) -> None:
    before = time.time()

    async def slowly(question: Any) -> Any:
        await asyncio.sleep(0.02)
        return answer(question)

    save = played(tmp_path, slowly)
    assert conduct(save)["calls"] == 0
    assert conduct(save)["latency_median"] >= 0.02
    assert (mine(save)["latency"] >= 0.02).all()
    assert mine(save)["begun"].between(before, time.time()).all()
    quick = save.answers().query("agent == 'Rob'")
    assert quick["latency"].isna().all()
    assert quick["begun"].isna().all()


# --- Its life


class Connected:
    """Keeps something of the event loop, as a connection is."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def __aenter__(self) -> "Connected":
        self.lines.append("in")
        self.task = asyncio.current_task()
        self.gate = asyncio.Condition()
        return self

    async def __aexit__(self, *error: object) -> None:
        assert asyncio.current_task() is self.task
        self.lines.append("out")

    async def __call__(self, question: Any) -> Any:
        async with self.gate:
            return answer(question)


def test_an_object_is_entered_for_each_run_and_left_by_the_same_task(tmp_path: Path) -> None:
    player = Connected()
    for number in range(2):
        save = parlour.run(own(), tmp_path / f"{number}.db", agents={"Mine": player})
        assert mine(save)["fault"].isna().all()
    assert player.lines == ["in", "out"] * 2


@asynccontextmanager
async def opened() -> AsyncIterator[Connected]:
    """An agent for the time of a run."""
    async with Connected() as player:
        yield player


async def made_later() -> Connected:
    return Connected()


@pytest.mark.parametrize("maker", [Connected, opened, made_later])
def test_a_class_or_a_function_makes_the_object_of_a_run(maker: object, tmp_path: Path) -> None:
    for number in range(2):
        save = parlour.run(own(), tmp_path / f"{number}.db", agents={"Mine": maker})
        assert mine(save)["fault"].isna().all()


def test_what_cannot_begin_is_named_and_what_does_not_end_well_costs_nothing(
    tmp_path: Path,
) -> None:
    def maker() -> object:
        raise ConnectionError("no key")

    line = "agent 'Mine': cannot begin: ConnectionError: no key; fix it"
    with pytest.raises(parlour.BadInput, match=re.escape(line)):
        played(tmp_path, maker)
    with pytest.raises(parlour.BadInput, match="a int cannot play"):
        played(tmp_path, lambda: 3)

    class Failing(Connected):
        async def __aexit__(self, *error: object) -> None:
            raise OSError("gone")

    with pytest.warns(UserWarning, match="agent 'Mine' did not end well: OSError: gone"):
        assert played(tmp_path, Failing()).finished


def test_a_connection_of_an_earlier_run_is_said_to_be_one(tmp_path: Path) -> None:
    loop = asyncio.new_event_loop()
    loop.close()

    async def stale(question: Any) -> Any:
        loop.call_soon(print)

    with pytest.raises(parlour.NotFinished, match="give a class, or a function that makes it"):
        played(tmp_path, stale)


# --- What goes wrong


class Misbehaving:
    """Does something else at its first ask, and answers as it should later; counts its asks."""

    def __init__(self, first: Callable[[], Any]) -> None:
        self.first, self.asked = first, 0

    async def __call__(self, question: Any) -> Any:
        self.asked += 1
        return await self.first() if self.asked == 1 else answer(question)


async def late() -> Any:
    await asyncio.sleep(5)


async def never() -> Any:
    """It goes on after it was cancelled, until the loop ends."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        await asyncio.Event().wait()


async def too_much() -> Any:
    return {"text": "x" * 9_000_000}


async def rate_limited() -> Any:
    error = RuntimeError("slow down")
    error.response = SimpleNamespace(status_code=429, headers={"retry-after": "0.01"})  # type: ignore[attr-defined]
    raise error


async def disconnected() -> Any:
    try:
        raise ConnectionResetError("reset by peer")
    except OSError as error:
        raise RuntimeError("the SDK failed") from error


FAILURES = {
    late: ("timeout", "no answer in 0.2 s"),
    never: ("timeout", "no answer in 0.2 s"),
    too_much: ("server", "the answer is longer than 8000000 characters"),
    rate_limited: ("rate_limit", "HTTP 429: slow down"),
    disconnected: ("connection", "reset by peer"),
}


@pytest.mark.parametrize("first", FAILURES)
def test_a_failure_that_may_pass_is_tried_again(first: Any, tmp_path: Path) -> None:
    player = Misbehaving(first)
    save = played(tmp_path, player, timeout=0.2)
    assert player.asked == 7
    assert mine(save)["fault"].isna().all()
    (failed,) = save.calls()[["failure", "message"]].itertuples(index=False)
    assert tuple(failed) == FAILURES[first]
    assert conduct(save)["retries"] == 1


FAULTS = {
    "unparsable": {"player": "Player 2", "text": "hm"},
    "illegal": {"text": "x" * 100_000},
    "empty": "",
    "refusal": Reply(Fault(FaultKind.REFUSAL, "no")),
}


VIEWS = ("ranks", "head-to-head", "measures")


@pytest.mark.parametrize("fault", FAULTS)
def test_an_answer_that_cannot_be_used_is_a_fault_as_of_an_endpoint(
    fault: str, tmp_path: Path
) -> None:
    answers = mine(played(tmp_path, lambda question: FAULTS[fault]))
    assert set(answers[answers["kind"] == "clue"]["fault"]) == {fault}


def test_of_two_answers_the_last_counts(tmp_path: Path) -> None:
    async def twice() -> Any:
        return '{"text": "one"} {"text": "two"}'

    save = played(tmp_path, Misbehaving(twice))
    assert "two" in [value.get("text") for value in mine(save)["value"]]
    assert mine(save)["fault"].isna().all()


def test_every_report_warns_of_an_agent_that_never_answers(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="many invalid answers: Mine"):
        played(tmp_path, lambda question: None)
    printed("paper", "own.db", "magic", "--no-figures", "--out", "paper", cwd=tmp_path)
    views = [["leaderboard", "own.db", "--view", view] for view in VIEWS]
    texts = [printed(*words, cwd=tmp_path) for words in [["compare", "own.db"], *views]]
    for text in [*texts, (tmp_path / "paper" / "table-1.md").read_text(encoding="utf-8")]:
        assert "Many invalid answers: Mine (6/6 faults). The other figures" in text


def test_a_late_coroutine_is_cancelled_and_a_late_thread_is_not_heard(tmp_path: Path) -> None:
    cancelled, over = threading.Event(), threading.Event()

    async def waits() -> Any:
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    played(tmp_path, Misbehaving(waits), timeout=0.1)
    assert cancelled.wait(5)
    asks: Counter[str] = Counter()

    def sleeps(question: Any) -> Any:
        asks["all"] += 1
        if asks["all"] == 1:
            over.wait(5)
        return answer(question)

    save = parlour.run(own(timeout=0.1), tmp_path / "thread.db", agents={"Mine": sleeps})
    over.set()
    assert list(save.calls()["failure"]) == ["timeout"]
    assert len(mine(save)) == 6


def test_a_wrong_key_or_cost_ends_the_run_with_its_line(tmp_path: Path) -> None:
    async def refused(question: Any) -> Any:
        error = RuntimeError("bad key")
        error.status_code = 401  # type: ignore[attr-defined]
        raise error

    line = r"for agent 'Mine' after a permanent error: auth: HTTP 401: bad key; check the key"
    with pytest.raises(parlour.NotFinished, match=line):
        played(tmp_path, refused)
    line = r"ValueError: its Reply has .*: give a number"
    for number, wrong in enumerate(({"dollars": -1}, {"dollars": float("nan")}, {"latency": "2"})):
        path, player = (
            tmp_path / f"{number}.db",
            lambda asked, cost=wrong: Reply(answer(asked), **cost),
        )
        with pytest.raises(parlour.NotFinished, match=line):
            parlour.run(own(), path, agents={"Mine": player})


def test_what_never_answers_keeps_the_rest_going(tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    prepare_save(path, parlour.load(own(timeout=0.1, retries=1)))
    options = RunOptions(give_up_after=0.5)
    ended = asyncio.run(run_session(path, options, players={"Mine": silent(never)}))
    assert ended.stopped_because == "time"
    assert set(parlour.open(path).calls()["failure"]) == {"timeout"}


# --- What is asked again


def test_a_journaled_answer_is_never_asked_for_again(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    broken = True

    async def act(ask: Any, view: Any, call: Any) -> Reply:
        asked[f"{view.events} {ask.kind} {view.seat} {len(call.earlier)}"] += 1
        if broken and call.earlier:
            raise KeyError("second try")
        if not call.earlier:
            return Reply({"nothing": 1}, {"thought": "first"})
        assert call.earlier[0][0] == '{"nothing": 1}'
        assert call.notes[-1] == {"thought": "first"}
        return Reply(ask.sample(view.seat, call.dice))

    with pytest.raises(parlour.NotFinished, match="second try"):
        played(tmp_path, SimpleNamespace(act=act))
    first = set(asked)
    broken = False
    save = played(tmp_path, SimpleNamespace(act=act))
    assert set(mine(save)["tries"]) == {2}
    again = {key for key in first if asked[key] > 1}
    assert again
    assert all(key.endswith(" 1") for key in again)  # only those that had not answered


def test_check_and_prompts_know_what_code_was_asked(tmp_path: Path) -> None:
    from parlour.tournament.reports.prompts import first_false_prompt, reading
    from parlour.tournament.save.reader import Save

    save = played(tmp_path, lambda question: Reply(answer(question), dollars=0.1))
    with Save(save.path) as stored:
        assert first_false_prompt(stored) is None
        with reading(stored) as reader:
            (first, *_) = reader.of_match(1)
    assert "word" in first.request.messages[0][1]


# --- Money


def costing(dollars: float | None) -> Callable[[Any], Reply]:
    """An agent whose answers cost so much."""
    return lambda question: Reply(answer(question), dollars=dollars)


def silent(first: Callable[[], Any]) -> Callable[[Any], Any]:
    """An agent from which no answer comes."""

    async def answered(question: Any) -> Any:
        await first()

    return answered


@pytest.mark.parametrize("player", [costing(0.01), costing(None), silent(late), silent(never)])
def test_its_budget_holds(player: object, tmp_path: Path) -> None:
    with pytest.raises(parlour.NotFinished, match="used up its budget") as ended:
        played(tmp_path, player, worst_case=0.01, budget=0.035, timeout=0.05)
    assert conduct(ended.value.save)["dollars"] == pytest.approx(0.03)


def test_an_answer_that_costs_more_than_its_worst_case_is_the_last(tmp_path: Path) -> None:
    block, agents = own(worst_case=0.01, budget=0.03), {"Mine": costing(5.0)}
    with pytest.raises(parlour.NotFinished, match="used up its budget"):
        parlour.run(block, tmp_path / "own.db", agents=agents, concurrency=1)
    assert conduct(parlour.open(tmp_path / "own.db"))["dollars"] <= 3 * 5.0
    # The budget of all counts what code reports.
    with pytest.raises(parlour.NotFinished, match="have used up the budget"):
        parlour.run(own(), tmp_path / "all.db", agents={"Mine": costing(0.01)}, budget=0.02)
    assert 0.02 < conduct(parlour.open(tmp_path / "all.db"))["dollars"] <= 0.04


def test_keys_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    line = "nothing says what its answers can cost, so no budget can be enforced; set worst_case"
    with pytest.raises(parlour.BadInput, match=line):
        played(tmp_path, costing(0.1), budget=1.0)
    block = {"name": "Mine", "kind": "function", "function": "a.py:b", "pure": True, "timeout": 3}
    with pytest.raises(parlour.BadInput, match="timeout is not for a pure function"):
        parlour.load({**own(), "agents": [block, own()["agents"][1]]})


def test_a_limit_holds_for_code(tmp_path: Path) -> None:
    now, most = 0, 0

    async def slowly(question: Any) -> Any:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01)
        now -= 1
        return answer(question)

    limits = [{"endpoint": "agent:Mine", "in_flight": 1}]
    save = parlour.run({**own(), "limits": limits}, tmp_path / "own.db", agents={"Mine": slowly})
    assert save.finished
    assert most == 1


def test_a_fault_is_replayed_with_its_reason_and_every_try(tmp_path: Path) -> None:
    def player(question: dict[str, Any]) -> Any:
        return {"suspect": "Player 9"} if question["kind"] == "vote" else answer(question)

    path = played(tmp_path, player).path
    assert re.search(
        r"\[fault: illegal, .there is no Player 9", printed("replay", path, 1, cwd=tmp_path)
    )
    listed = printed("replay", path, 1, "--prompts", cwd=tmp_path)
    listing = re.search(
        r"ask (\d+) \(vote\): Player (\d) \(Mine\), tries 3, calls 2, fault", listed
    )
    assert listing
    ask, seat = listing.groups()
    words = ("replay", path, 1, "--prompts", "--ask")
    shown = printed(*words, ask, "--as", seat, cwd=tmp_path)
    assert re.findall(r"^=== .* try (\d)", shown, re.MULTILINE) == ["1", "2", "3"]
    assert "--- used in its place" in shown
    other = printed(*words, 0, cwd=tmp_path)
    assert '--- answer\n{"text":' in other
