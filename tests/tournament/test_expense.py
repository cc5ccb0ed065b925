"""What a tournament is expected to cost, held to what it then really took from a real server."""

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from parlour.tournament.plan.schedule import schedule
from parlour.tournament.reports.cost_estimate import Expense, Usual, expenses
from parlour.tournament.session import run_session
from tests.models import clean_environment, provider, served
from tests.tournament.test_deliberating import planned as deliberating
from tests.tournament.test_journal import planned, rows, run
from tests.tournaments import fresh, new_save, tournament, written


def forecast(folder: Path, *words: object) -> dict[str, Any]:
    done = fresh(
        "plan", *words, "--format", "json", cwd=folder, env=clean_environment(folder), timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_the_plan_tells_the_calls_beforehand_and_the_rest_by_what_was_seen(tmp_path: Path) -> None:
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
        {"agent": name, **dict.fromkeys(NUMBERS, 0.0)} for name in ("Ada", "Bob")
    ]
    # Half of the matches are taken back but for their first two asks: the rest will cost what
    # the others did, 100 tokens in and 20 out a call, which the server says of each.
    connection = sqlite3.connect(save)
    with connection:
        connection.execute("UPDATE matches SET outcome = NULL WHERE number % 2 = 0")
        gone = connection.execute("DELETE FROM answers WHERE match % 2 = 0 AND ask > 1").rowcount
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
            costs = expenses(wanted, list(schedule(wanted)), {})
            noting = deliberating(server.base, DELIBERATED, {"Ada": "scratchpad", "Bob": "none"})
            noted = expenses(tournament(tmp_path, noting), list(schedule(wanted)), {})
            # Ada thinks first in each of its actions: of 4 matches it has a seat in two and two
            # in the others, 6 × (2 clues and a vote), and 2 seats × 5 rounds of the dilemma.
            assert noted[0].calls - noted[0].answers == 6 * 3 + 10
            assert noted[1].calls == noted[1].answers
            # Undercover, 4 matches of 21 answers: an analysis before every clue but a match's
            # first, and before every vote, 5 + 3. The dilemma, 15 answers: before each in the
            # four rounds after the first, 12.
            assert sum(cost.answers for cost in costs) == 4 * 21 + 15
            assert sum(cost.calls for cost in costs) == 4 * (21 + 8) + 15 + 12
            assert all(cost.completion_tokens > 300 * 8 for cost in costs)
            save = new_save(tmp_path, text)
            assert (await run_session(save)).progress.done
            return sum(cost.calls for cost in costs) - len(server.requests)

    assert asyncio.run(story()) == 0


NUMBERS = ("answers", "calls", "prompt_tokens", "completion_tokens", "dollars", "seen")


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


def test_what_to_plan_is_said_once(tmp_path: Path) -> None:
    for words, problem in (
        ([], "nothing to plan"),
        (["--preset", "demo", "--save", "some.db"], "--save: cannot be combined with a tournament"),
    ):
        done = fresh("plan", *words, cwd=tmp_path)
        assert done.returncode == 2
        assert problem in done.stderr
