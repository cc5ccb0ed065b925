"""The cost estimate, compared with the calls that a real server then got."""

import asyncio
import json
import os
import pty
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.llm.config import LLMConfig
from parlour.tournament.calls.budget import dollars
from parlour.tournament.plan.model import GameEntry
from parlour.tournament.plan.schedule import meetings
from parlour.tournament.reports import cost_estimate
from parlour.tournament.reports.cost_estimate import Expense, Usual, expenses
from parlour.tournament.session import run_session
from tests.models import clean_environment, provider, served
from tests.tournament.test_deliberating import planned as deliberating
from tests.tournament.test_journal import planned, rows, run
from tests.tournaments import new_save, parlour, printed, tamper, tournament, written


def forecast(folder: Path, *words: object) -> dict[str, Any]:
    done = parlour(
        "plan", *words, "--format", "json", cwd=folder, env=clean_environment(folder), timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    body: dict[str, Any] = json.loads(done.stdout)
    return body


@pytest.mark.slow
def test_the_plan_predicts_calls_and_estimates_the_rest_from_them(tmp_path: Path) -> None:
    with provider(tmp_path) as server:
        text = planned(server, 2)
        before = forecast(tmp_path, written(tmp_path, text))
        assert server.requests == []
        assert run(tmp_path, text).returncode == 0
    save = tmp_path / "save.db"
    made = {
        row["agent"]: row["calls"]
        for row in rows(save, "SELECT agent, count(*) AS calls FROM calls GROUP BY agent")
    }
    expected = {cost["agent"]: cost for cost in before["expenses"]}
    assert {agent: cost["calls"] for agent, cost in expected.items()} == made
    for cost in expected.values():
        assert cost["seen"] == 0
        assert cost["prompt_tokens"] > 100 * cost["calls"]
        # At a dollar and ten dollars for a million tokens in and out.
        dollars = (cost["prompt_tokens"] + 10 * cost["completion_tokens"]) / 1_000_000
        assert cost["dollars"] == pytest.approx(dollars, rel=0.02)
    assert forecast(tmp_path, "--save", save)["expenses"] == [
        {"agent": name, **dict.fromkeys(NUMBERS, 0.0), **PROMPTS} for name in ("Ada", "Bob")
    ]
    # Half of the matches are taken back but for their first two asks: the rest will cost what
    # the others did, 100 tokens in and 20 out a call, which the server says of each.
    connection = sqlite3.connect(save)
    with connection:
        connection.execute("UPDATE matches SET outcome = NULL WHERE number % 2 = 0")
        rest_of_them = "FROM answers WHERE match % 2 = 0 AND ask > 1"
        (gone,) = connection.execute(f"SELECT count(*) {rest_of_them}").fetchone()
        connection.execute(f"DELETE {rest_of_them}")
    connection.close()
    rest = forecast(tmp_path, "--save", save)
    assert rest["matches"] == before["matches"] / 2
    assert 0 < rest["asks"] == gone
    for cost in rest["expenses"]:
        assert cost["seen"] == 1
        assert cost["prompt_tokens"] == pytest.approx(100 * cost["calls"])
        assert cost["completion_tokens"] == pytest.approx(20 * cost["calls"])
        assert cost["dollars"] == pytest.approx(300 * cost["calls"] / 1_000_000)
    assert sum(cost["calls"] for cost in rest["expenses"]) == rest["asks"]


DELIBERATED = """
[[games]]
name = "undercover"
limit = 2
[[games]]
name = "prisoners_dilemma"
limit = 1
lineup = ["Ada", "Bob", "Ada"]
"""


def test_the_plan_counts_the_analyses_of_models_that_deliberate(tmp_path: Path) -> None:
    async def story() -> float:
        async with served(tmp_path, "good") as server:
            forms = {"Ada": "pgm_text", "Bob": "pgm_matrix"}
            text = deliberating(server.base, DELIBERATED, forms)
            wanted = tournament(tmp_path, text)
            costs = expenses(wanted, meetings(wanted), {})
            noting = deliberating(server.base, DELIBERATED, {"Ada": "scratchpad", "Bob": "none"})
            noted = expenses(tournament(tmp_path, noting), meetings(wanted), {})
            # Ada thinks first in each of its actions: of 4 matches it has a seat in two and two
            # in the others, 6 × (2 clues and a vote), and 2 seats × 5 rounds of the dilemma.
            assert noted[0].calls - noted[0].answers == 6 * 3 + 10
            assert noted[1].calls == noted[1].answers
            # Undercover, 4 matches of 21 answers: in either round an analysis before the second
            # and third clue, and before the probes of each player, 2 × (2 + 3); the others go by
            # one of these. The dilemma, 15 answers: before each in the four rounds after the
            # first, 12.
            assert sum(cost.answers for cost in costs) == 4 * 21 + 15
            assert sum(cost.calls for cost in costs) == 4 * (21 + 10) + 15 + 12
            assert all(cost.completion_tokens > 300 * 8 for cost in costs)
            save = new_save(tmp_path, text)
            assert (await run_session(save)).progress.done
            return sum(cost.calls for cost in costs) - len(server.requests)

    assert asyncio.run(story()) == 0


NUMBERS = ("answers", "calls", "prompt_tokens", "completion_tokens", "dollars", "seen")
PROMPTS = {"longest_prompt": 0, "needs": 0, "context": None}


def test_repairs_count_and_an_unknown_price_makes_the_whole_unknown() -> None:
    cost = Expense("Ada")
    cost.add(10, Usual(1.5, 100, 20, 0.002, seen=30))
    assert (cost.answers, cost.calls, cost.prompt_tokens, cost.completion_tokens) == (
        *(10, 15, 1500),
        300,
    )
    assert cost.dollars == pytest.approx(0.03)
    assert cost.seen == 1
    cost.add(30, Usual(1.0, 10, 10, None))
    assert (cost.calls, cost.dollars, cost.seen) == (45, None, 0.25)


def test_plan_needs_exactly_one_tournament(tmp_path: Path) -> None:
    for words, problem in (
        ([], "nothing to plan"),
        (["--preset", "demo", "--save", "some.db"], "--save: cannot be combined with a tournament"),
    ):
        done = parlour("plan", *words, cwd=tmp_path)
        assert done.returncode == 2
        assert problem in done.stderr


PRICED = """
name = "priced"
{budget}
[[games]]
name = "undercover"
limit = 1
[[agents]]
name = "Ada"
kind = "llm"
model = "test"
api_base = "http://127.0.0.1:9/v1"
prices = [1, 10]
{own}
[[agents]]
name = "Bob"
kind = "llm"
model = "other"
api_base = "http://127.0.0.1:9/v1"
{prices}
"""


def priced(budget: str = "", own: str = "", prices: str = "prices = [1, 10]") -> str:
    return PRICED.format(budget=budget, own=own, prices=prices)


def test_the_plan_sets_the_estimate_beside_the_budgets(tmp_path: Path) -> None:
    text = priced("budget = 0.001", "budget = 500.0")
    plan = forecast(tmp_path, written(tmp_path, text))
    costs = {cost["agent"]: cost["dollars"] for cost in plan["expenses"]}
    both, ada = plan["budgets"]
    assert both == {
        "agent": None,
        "budget": 0.001,
        "spent": 0.0,
        "expected": pytest.approx(sum(costs.values())),
        "exceeded": True,
    }
    assert ada == {
        "agent": "Ada",
        "budget": 500.0,
        "spent": 0.0,
        "expected": costs["Ada"],
        "exceeded": False,
    }
    lines = printed("plan", tmp_path / "tournament.toml", cwd=tmp_path).splitlines()
    total = dollars(sum(costs.values()))
    assert lines[-2] == f"Budget of all models: $0.0010. The estimate of {total} exceeds it."
    assert lines[-1].startswith("Budget of Ada: $500.00. The estimate of $0.0")
    assert lines[-1].endswith(" is within it.")
    assert forecast(tmp_path, written(tmp_path, priced()))["budgets"] == []


def test_the_plan_of_a_save_counts_what_is_spent_of_its_budget(tmp_path: Path) -> None:
    save = new_save(tmp_path, priced("budget = 0.08"))
    (before,) = forecast(tmp_path, "--save", save)["budgets"]
    assert (before["spent"], before["exceeded"]) == (0.0, False)
    tamper(save, "INSERT INTO reservations VALUES (1, 'Ada', 0.0799, 1, 0, 0)")
    (check,) = forecast(tmp_path, "--save", save)["budgets"]
    assert (check["spent"], check["exceeded"]) == (pytest.approx(0.0799), True)
    assert check["expected"] == pytest.approx(before["expected"])
    last = printed("plan", "--save", save, cwd=tmp_path).splitlines()[-1]
    assert last.startswith("Budget of all models: $0.0800, of which $0.0799 is spent. The estimate")
    assert last.endswith("for the rest exceeds it.")


def test_without_a_price_the_plan_does_not_judge_a_budget(tmp_path: Path) -> None:
    path = written(tmp_path, priced("budget = 0.001", prices=""))
    last = printed("plan", path, cwd=tmp_path).splitlines()[-1]
    assert last == (
        "Budget of all models: $0.0010. It cannot be compared with the estimate: a price is missing"
        " (set prices)."
    )


def test_models_with_the_same_prompts_are_simulated_once_and_priced_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulated: list[str] = []
    original = cost_estimate._rehearsed

    def counting(entry: GameEntry, model: LLMConfig) -> Any:
        simulated.append(model.name)
        return original(entry, model)

    monkeypatch.setattr(cost_estimate, "_rehearsed", counting)
    alone = priced(prices="prices = [2, 20]").replace("limit = 1", 'limit = 1\nlineup = "alone"')
    wanted = tournament(tmp_path, alone)
    ada, bob = expenses(wanted, meetings(wanted), {})
    assert simulated == ["Ada"]
    assert (ada.calls, ada.prompt_tokens) == (bob.calls, bob.prompt_tokens)
    assert ada.dollars is not None
    assert bob.dollars == pytest.approx(2 * ada.dollars)
    thinking = alone.replace("[2, 20]", '[2, 20]\ndeliberation = "scratchpad"')
    wanted = tournament(tmp_path, thinking)
    ada, bob = expenses(wanted, meetings(wanted), {})
    assert simulated == ["Ada", "Ada", "Bob"]
    assert bob.calls > ada.calls


SHOWN = """
import sys
import parlour.cli.signs_of_life
from parlour.cli.app import main
parlour.cli.signs_of_life.SILENT_SECONDS = 0
sys.argv = ["parlour", "plan", "tournament.toml"]
main()
"""


@pytest.mark.parametrize("on_a_terminal", [True, False])
def test_a_long_estimate_shows_its_progress_on_a_terminal(
    tmp_path: Path, on_a_terminal: bool
) -> None:
    written(tmp_path, priced())
    terminal, stderr = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", SHOWN],
            cwd=tmp_path,
            env=clean_environment(tmp_path, TERM="xterm"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr if on_a_terminal else subprocess.PIPE,
            text=True,
            timeout=60,
            check=True,
        )
        os.write(stderr, b"end")
        shown = ""
        while not shown.endswith("end"):
            shown += os.read(terminal, 100_000).decode()
    finally:
        os.close(terminal)
        os.close(stderr)
    assert "Agent" in done.stdout
    if on_a_terminal:
        assert "Estimating the cost" in shown
        assert shown.endswith("\x1b[2Kend")  # the line is cleared again
    else:
        assert (done.stderr, shown) == ("", "end")
