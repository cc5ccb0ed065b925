"""Budgets: refused where they cannot hold, met cleanly, changed at any time."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from parlour.cli.run import replaced_budgets
from parlour.games.common.errors import BadInput
from parlour.tournament.calls.budget import dollars, parse_amount
from parlour.tournament.calls.errors import BudgetExceeded
from parlour.tournament.control.changes import set_budget
from parlour.tournament.control.client import ask_runner_soon
from parlour.tournament.control.launch import last_words
from parlour.tournament.control.requests import SetBudget
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import SessionResult
from tests.crash.running import count, running
from tests.models import Served, provider, served
from tests.runners import begun
from tests.tournament.test_journal import planned, rows, run
from tests.tournaments import (
    in_save,
    new_save,
    parlour,
    play,
    printed,
    refused,
    tournament,
    written,
)

LIMIT = "parameters = { max_tokens = 50 }"
CALL = 300 / 1_000_000
"""Dollars for a call of the suite's provider: 100 tokens in at $1, 20 out at $10 a million."""
SCRIPTS = (
    '[[agents]]\nname = "Rob"\nstrategy = "random"\n'
    '[[agents]]\nname = "Lin"\nstrategy = "literal"\n'
)


pytestmark = pytest.mark.usefixtures("own_config")


def two(server: Served, repetitions: int = 1, more: str = LIMIT) -> str:
    """Two models, two matches a repetition, six calls each."""
    return planned(server, repetitions, more, ["undercover"])


def control(save: Path) -> RunOptions:
    return in_save(save, Save.control)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (LIMIT, "", "agent 'Ada': its answers have no token limit, so no budget can be"),
        ("prices = [1.0, 10.0]", "", "agent 'Ada': the price of 'ada-1' is unknown, so no"),
    ],
)
def test_under_a_budget_a_model_that_none_can_hold_is_refused_before_a_save_is_made(
    tmp_path: Path, old: str, new: str, line: str
) -> None:
    with provider(tmp_path) as server:
        text = two(server).replace(old, new)
        path = tmp_path / "save.db"
        file = written(tmp_path, text)
        first = refused("run", file, "--save", path, "--budget", 1, "--detach", cwd=tmp_path)
        assert first.startswith(f"parlour: {line}")
        in_file = written(tmp_path, f"budget = 1\n{text}")
        assert refused("run", in_file, "--save", path, cwd=tmp_path) == first
        assert not path.exists()
        save = new_save(tmp_path, text)
        later = refused("run", "--save", save, "--plain", "--budget", 1, cwd=tmp_path)
        assert later.startswith(f"parlour: {line}")
        said = refused("budget", save, 1, cwd=tmp_path)
        assert said.startswith(f"parlour: {line}")
        assert control(save).budget is None
        assert server.requests == []


def test_at_the_budget_a_run_ends_in_one_line_and_goes_on_with_more(tmp_path: Path) -> None:
    with provider(tmp_path) as server:
        first = run(tmp_path, two(server, 4), "--budget", 0.01, "--concurrency", 2)
        save = tmp_path / "save.db"
        assert first.returncode == 1
        finished = count(save, "matches WHERE outcome IS NOT NULL")
        assert 0 < finished < 8
        used = in_save(save, Save.spent)
        assert used.calls == len(server.requests)
        assert used.dollars == pytest.approx(used.calls * CALL)
        assert used.dollars <= 0.01
        assert first.stderr.startswith("parlour: the models have used up the budget of $0.0100: $0")
        assert first.stderr.endswith(
            f"; {8 - finished} matches left to play, continue with more: parlour run {save}"
            " --budget MORE\n"
        )
        assert first.stderr.count("\n") == 1
        assert count(save, "reservations") == 0
        # The status reports it afterwards.
        assert last_words(save) == [first.stderr.removeprefix("parlour: ").strip()]
        assert "have used up the budget of $0.0100" in printed("status", save, cwd=tmp_path)
        # It is kept: without more nothing is asked.
        again = parlour("run", "--save", save, "--plain", cwd=tmp_path)
        assert (again.returncode, len(server.requests)) == (1, used.calls)
        said = printed("run", "--save", save, "--plain", "--budget", 1, cwd=tmp_path)
        assert f"/s, {dollars(used.dollars)} of $1.00" in said  # as it begins
        assert control(save).budget == 1
        with Save(save) as opened:
            assert opened.match_count().done
            assert opened.spent().calls == 48  # six in each match, none of them twice
        assert last_words(save) == []
        shown = printed("budget", save, cwd=tmp_path)
    assert f"${48 * CALL:.4f}" in shown
    assert "$1.00" in shown


def test_an_agent_at_its_own_budget_waits_and_the_others_go_on(tmp_path: Path) -> None:
    with provider(tmp_path) as server:
        text = two(server).replace(LIMIT, f"{LIMIT}\nbudget = 0.006", 1) + SCRIPTS
        done = run(tmp_path, text)
        save = tmp_path / "save.db"
        # Of 12 matches Ada plays in 6; Bob plays 4 with the scripts, and they play 2.
        over = count(save, "matches WHERE outcome IS NOT NULL")
        assert 6 <= over < 12
        assert done.returncode == 1
        assert done.stderr.startswith("parlour: agent 'Ada' has used up its budget of $0.0060: $0")
        assert done.stderr.endswith(f"continue with more: parlour budget {save} MORE --agent Ada\n")
        by_agent = {r["agent"]: r["s"] for r in rows(save, BY_AGENT)}
        assert by_agent["Ada"] <= 0.006
        assert "$0.0060" in printed("budget", save, cwd=tmp_path)
        assert "not a language model of this" in refused(
            "budget", save, 1, "--agent", "Rob", cwd=tmp_path
        )
        printed("budget", save, "$1.50", "--agent", "Ada", cwd=tmp_path)
        assert "$2.00" in printed("budget", save, "+.5", "--agent", "Ada", cwd=tmp_path)
        assert control(save).agent_budgets == {"Ada": 2.0}
        printed("run", "--save", save, "--plain", cwd=tmp_path)
        assert "'a lot' is not an amount" in refused("budget", save, "a lot", cwd=tmp_path)
        printed("budget", save, "none", "--agent", "Ada", cwd=tmp_path)
        assert control(save).agent_budgets == {}
    assert count(save, "matches WHERE outcome IS NOT NULL") == 12


BY_AGENT = "SELECT agent, total(price) AS s FROM calls GROUP BY agent"


def test_a_changed_file_and_an_option_override_the_budget_in_the_save(tmp_path: Path) -> None:
    with provider(tmp_path) as server:
        save = new_save(tmp_path, f"budget = 0\n{two(server)}")
        assert control(save).budget == 0
        file = written(tmp_path, f"budget = 0.001\n{two(server)}")
        other = parlour("run", file, "--save", save, "--plain", cwd=tmp_path)
        assert other.returncode == 1
        assert other.stderr.startswith(
            "Budget of all: $0.0010, from the tournament file; the save had $0.00, which"
            f" stays with: parlour run {save}\n"
        )
        assert control(save).budget == 0.001
        without = written(tmp_path, two(server))
        assert parlour("run", without, "--save", save, "--plain", cwd=tmp_path).returncode == 1
        assert control(save).budget == 0.001  # a file that says nothing changes nothing
        assert server.requests == []
        printed("budget", save, 0.002, cwd=tmp_path)
        more = parlour("run", file, "--save", save, "--plain", "--budget", 0.0015, cwd=tmp_path)
        assert "from the tournament file" not in more.stderr  # what was just said goes before both
        assert control(save).budget == 0.0015
        printed("run", save, "--plain", "--budget", "inf", cwd=tmp_path)
        assert control(save).budget is None
        assert len(server.requests) == 12


def test_budgets_of_agents_that_a_file_takes_back_are_reported(tmp_path: Path) -> None:
    with provider(tmp_path) as server:
        text = two(server).replace(LIMIT, f"{LIMIT}\nbudget = 0.1", 1)
        save = new_save(tmp_path, text)
    wanted = tournament(tmp_path, text)
    assert list(replaced_budgets(control(save), wanted, None)) == []
    set_budget(save, 0.15, "Ada")
    (line,) = replaced_budgets(control(save), wanted, 5.0)
    assert line.startswith("Budget of Ada: $0.1000, from the tournament file; the save had")


@asynccontextmanager
async def playing(
    tmp_path: Path, mode: str = "good", **options: Any
) -> AsyncIterator[tuple[Served, Path, Runner, "asyncio.Task[SessionResult]"]]:
    """A paused run in this process."""
    async with served(tmp_path, mode) as server, asyncio.timeout(60):
        text = two(server, 3)
        if mode == "hang":
            text = text.replace("timeout = 60.0", "timeout = 1.0")
        save = new_save(tmp_path, text)
        async with begun(save, paused=True, concurrency=4, **options) as (runner, ended):
            yield server, save, runner, ended


async def test_a_budget_is_set_and_raised_while_a_tournament_runs(tmp_path: Path) -> None:
    async with playing(tmp_path) as (server, save, runner, ended):
        said = await ask_runner_soon(save, SetBudget(dollars=0.004))
        assert said.budget == 0.004
        runner.gate.open()
        # Some matches are set aside; the run would end, but for the gate that is closed again.
        while not runner.parking.exceeded_budgets:
            await asyncio.sleep(0)
        runner.gate.close()
        while runner.state != "paused":
            await asyncio.sleep(0.001)
        assert runner.budget.spent <= 0.004
        assert {type(parked.why) for parked in runner.parking.parked.values()} == {BudgetExceeded}
        more = SetBudget(dollars=None, agent="Ada")
        assert (await ask_runner_soon(save, more)).agent_budgets == {}
        said = await ask_runner_soon(save, SetBudget(dollars=5.0))
        runner.gate.open()
        assert (await ended).progress.done
        assert control(save).budget == 5.0
        assert len(server.requests) == 36
    assert count(save, "reservations") == 0


async def test_while_money_is_reserved_for_others_a_call_waits_and_a_pause_is_complete(
    tmp_path: Path,
) -> None:
    """One call at a time can be paid: the others wait for what it leaves, and none is refused."""

    async with playing(tmp_path, budget=0.009) as (server, _save, runner, ended):
        runner.gate.open()
        while runner.stats.calls < 5:
            await asyncio.sleep(0)
        runner.gate.close()
        while runner.state != "paused":
            await asyncio.sleep(0.001)
        asked = len(server.requests)
        await asyncio.sleep(0.05)
        assert len(server.requests) == asked
        runner.gate.open()
        end = await ended
        assert max(line["at_once"] for line in server.requests) == 1
        assert [error.own for error in end.stats.exceeded_budgets] == [False]
        assert end.stopped_because == "budget"


async def test_a_run_at_its_budget_ends_though_the_last_match_is_played_beside_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stepped match spends all there is, and is set aside when all the others are."""
    monkeypatch.setattr("tests.provider.HANG_SECONDS", 3.0)

    async with playing(tmp_path, budget=0.005, mode="hang") as (server, _save, runner, ended):
        while len(runner.playing) < 4:
            await asyncio.sleep(0)
        runner.step("match", 5)
        while not server.requests:
            await asyncio.sleep(0)
        runner.gate.open()
        end = await ended
        assert [error.own for error in end.stats.exceeded_budgets] == [False]
        assert end.stopped_because == "budget"
        assert len(server.requests) == 1  # nothing came of it, so that it counts in full


async def test_a_budget_that_is_set_while_a_run_is_stopping_is_refused(tmp_path: Path) -> None:
    async with playing(tmp_path, budget=0.5) as (_server, save, runner, ended):
        runner.gate.open()
        runner.stop()
        with pytest.raises(BadInput, match="is being stopped; wait until it has stopped"):
            await runner.set_budget(5.0, None)
        assert (await ended).interrupted
        assert control(save).budget == 0.5


async def test_a_stop_ends_the_wait_for_money(tmp_path: Path) -> None:
    async with playing(tmp_path, budget=0.009) as (_server, _save, runner, ended):
        runner.gate.open()
        while runner.stats.calls < 2:
            await asyncio.sleep(0)
        runner.stop()
        assert (await ended).interrupted


def test_a_call_that_may_have_been_billed_counts_in_full_and_one_that_was_refused_not(
    tmp_path: Path,
) -> None:
    modes = "drop,server_error,rate_limit"
    with provider(tmp_path, "--faults", 0.5, "--modes", modes) as server:
        save = new_save(tmp_path, two(server, 2))
        assert play(save, budget=50.0).progress.done
    prices = rows(
        save, "SELECT failure, min(price) AS low, max(price) AS high FROM calls GROUP BY 1"
    )
    by_failure = {row["failure"]: (row["low"], row["high"]) for row in prices}
    assert by_failure[None] == pytest.approx((CALL, CALL))
    assert by_failure["rate_limit"] == by_failure["server"] == (0.0, 0.0)
    low, high = by_failure["connection"]
    assert 0.0015 < low <= high < 0.01  # more than a thousand bytes, and fifty tokens at $10


def test_an_address_where_nobody_listens_costs_nothing(tmp_path: Path) -> None:
    server = Served(9, tmp_path / "log")
    save = new_save(tmp_path, two(server))
    with running(save, "--budget", 1) as process:
        while count(save, "calls WHERE failure = 'connection'") < 3:
            assert process.poll() is None
    assert count(save, "calls WHERE price > 0") == 0


def test_the_status_says_what_may_be_spent(tmp_path: Path) -> None:
    def spending_lines() -> list[str]:
        lines = printed("status", save, cwd=tmp_path).splitlines()
        shown = [line.partition(";")[0] for line in lines if "spent" in line or "Budget" in line]
        return [" ".join(line.split()) for line in shown]

    text = two(Served(9, tmp_path / "log")).replace(LIMIT, f"{LIMIT}\nbudget = 0.5", 1)
    save = new_save(tmp_path, f"budget = 2\n{text}")
    assert spending_lines() == ["Models $0.00 of $2.00 spent", "Budget Ada: $0.5000"]
    with running(save, "--budget", 2.5) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.readline()
        assert spending_lines() == ["Models $0.00 of $2.50 spent", "Budget Ada: $0.5000"]


# --- A save goes on at another address


def test_a_save_goes_on_at_another_address_and_asks_nothing_again(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir(), second.mkdir()
    with provider(first) as server:
        text = two(server, 4)
        capped = run(tmp_path, text, "--budget", 0.01, "--concurrency", 2)
        assert capped.returncode == 1
        there = len(server.requests)
    save = tmp_path / "save.db"
    with provider(second) as elsewhere:
        moved = text.replace(server.base, elsewhere.base).replace("timeout = 60.0", "timeout = 9.0")
        assert moved.count(elsewhere.base) == text.count(server.base) > 0
        file = written(tmp_path, moved)
        done = parlour("run", file, "--save", save, "--budget", 1, "--plain", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert there + len(elsewhere.requests) == 8 * 6  # each of eight matches takes six calls
    with Save(save) as opened:
        assert {model.api_base for model in opened.tournament.models.values()} == {elsewhere.base}
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")
    # Another model, or another way to reach it, is another tournament.
    other = written(tmp_path, moved.replace('model = "ada-1"', 'model = "ada-2"'))
    assert 'agents[0].model is "ada-1" in the save and "ada-2" now' in refused(
        "run", other, "--save", save, cwd=tmp_path
    )
    bare = written(tmp_path, moved.replace(f'api_base = "{elsewhere.base}"\n', "", 1))
    assert "agents[0].api_base is true in the save" in refused(
        "run", bare, "--save", save, cwd=tmp_path
    )


@pytest.mark.parametrize(
    ("typed", "cap", "amount"),
    [
        ("12.50", None, 12.5),
        (" $3 ", 9.0, 3.0),
        ("0", None, 0.0),
        ("+5", 9.0, 14.0),
        ("+$5", None, 7.5),  # on top of the 2.50 that are spent
        ("none", 9.0, math.inf),
        ("None", None, math.inf),
        ("inf", 9.0, math.inf),
    ],
)
def test_a_budget_is_typed_whole_or_on_top_or_lifted(
    typed: str, cap: float | None, amount: float
) -> None:
    assert parse_amount(typed, cap, 2.5) == amount


@pytest.mark.parametrize("typed", ["a lot", "-3", "nan", "+", "1,5", "+-2"])
def test_what_is_no_amount_is_refused(typed: str) -> None:
    with pytest.raises(BadInput, match=r"is not an amount; write 12\.50"):
        parse_amount(typed, None, 0.0)


def test_under_a_budget_begun_matches_come_first(tmp_path: Path) -> None:
    finished = []
    with provider(tmp_path, "--latency", 0.02) as server:
        for at_once in (1, 64):
            save = new_save(tmp_path, two(server, 20), f"{at_once}.db")
            play(save, concurrency=at_once, budget=20 * 6 * CALL)
            finished.append(in_save(save, Save.match_count).finished)
    assert finished[1] >= finished[0] - 1 > 10  # without it, 64 at once finish none
