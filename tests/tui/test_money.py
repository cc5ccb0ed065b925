"""Money on the live screen: what is spent and foretold, and the key that sets a budget."""

import re
from pathlib import Path
from typing import Any

import pytest

from parlour.tournament.control.status import MoneyStatus
from parlour.tournament.save.reader import Save
from parlour.tui.views.run_header import money_line
from parlour.tui.widgets.dialogs import ChoiceDialog, LinePrompt
from tests.models import Served, served
from tests.tournament.test_journal import planned
from tests.tournaments import tamper
from tests.tui.playing import driven, new_save, pane_text, running, saved

SAVE = Path("saves/small.db")
LIMIT = "parameters = { max_tokens = 50 }"
CALL = 300 / 1_000_000
"""Dollars for a call of the suite's provider: 100 tokens in at $1, 20 out at $10 a million."""


def models(server: Served, more: str = LIMIT) -> Path:
    """A save of two models that has not begun: 20 matches of 6 calls each."""
    return new_save(SAVE, planned(server, 10, more, ["undercover"]))


def line(**status: Any) -> str | None:
    """The money line for a status of the runner."""
    text = money_line(MoneyStatus(**status))
    return None if text is None else text.plain


def test_the_line_says_what_is_known_and_is_not_there_where_nothing_costs() -> None:
    assert money_line(None) is None
    assert line() is None
    assert line(dollars=0.1234) == "$0.1234 spent"
    assert line(budget=5.0) == "$0.00 of $5.00 spent"
    assert line(agent_budgets={"Ada": 1.0}) == "$0.00 spent"
    assert line(dollars=1.5, budget=9.0, dollars_per_hour=3.25, dollars_at_end=8.0) == (
        "$1.50 of $9.00 spent  $3.25/h  about $8.00 total"
    )
    over = line(dollars=1234.5, budget=5000.0, dollars_per_hour=123.25, dollars_at_end=8000.0)
    assert over is not None
    assert over.endswith("  about $8,000.00 total  over budget: b")
    assert len(over) <= 78
    adaptive = line(dollars=1.5, dollars_at_end=8.0, dollars_at_most=80.0)
    assert adaptive == "$1.50 spent  about $8.00 by the next decision, at most $80.00"


async def test_spending_and_forecast_stand_below_the_status_while_models_play(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, "good") as server:
        save = models(server)
        async with running(save, pace=20, paused=True) as runner, driven(save) as pilot:
            await pilot.until(lambda: pilot.live.watched.state == "paused")
            assert "spent" not in pilot.shown
            runner.gate.open()
            await pilot.sees("/h  about $0.03")
            assert re.fullmatch(
                r" \$0\.0\d+ spent  \$[\d.]+/h  about \$0\.03\d\d total  \d+ calls",
                pilot.shown.splitlines()[2],
            )
            # Each of 20 matches takes 6 calls, no more and no less, at the same price; of an
            # answer on its way the price may be counted already.
            forecast = pilot.live.watched.live.dollars_at_end
            assert forecast == pytest.approx(120 * CALL, rel=0.2)


async def test_b_sets_and_raises_the_budget_of_a_running_tournament(tmp_path: Path) -> None:
    async with served(tmp_path, "good") as server:
        save = models(server)
        async with running(save, paused=True) as runner, driven(save) as pilot:
            await pilot.until(lambda: pilot.live.watched.state == "paused")
            await pilot.press("b", at=ChoiceDialog)
            options = pane_text(pilot.app.screen, "#options").splitlines()
            assert options == [
                "1  all models: $0.00 spent or reserved, no budget",
                "2  Ada: $0.00 spent or reserved, no budget",
                "3  Bob: $0.00 spent or reserved, no budget",
            ]
            await pilot.press("1", *"2.5", "enter")
            await pilot.until(lambda: runner.run_options.budget == 2.5)
            await pilot.until(lambda: pilot.toasts == ["Budget of all models: $2.50."])
            await pilot.sees("$0.00 of $2.50 spent")
            await pilot.press("b", at=ChoiceDialog)
            await pilot.press("1", "home", *["delete"] * 3, *"+1", "enter")
            await pilot.until(lambda: runner.run_options.budget == 3.5)
            await pilot.press("b", at=ChoiceDialog)
            await pilot.press("3", *"0.25", "enter")
            await pilot.until(lambda: runner.run_options.agent_budgets == {"Bob": 0.25})
            assert runner.budget.options.agent_budgets == {"Bob": 0.25}


async def test_what_was_spent_stays_in_sight_when_nothing_runs(tmp_path: Path) -> None:
    async with served(tmp_path, "good") as server:
        save = models(server)
        async with running(save, paused=True) as runner, driven(save) as pilot:
            await pilot.until(lambda: pilot.live.watched.state == "paused")
            runner.step("match", 1)
            await pilot.sees("$0.0018 spent")  # of six calls
            await pilot.until(lambda: pilot.live.watched.state == "paused")
            runner.stop()
            await pilot.sees("not running")
            await pilot.sees("$0.0018 spent")
        async with driven(save) as pilot:
            await pilot.sees("$0.0018 spent")
            await pilot.press("b", at=ChoiceDialog)
            await pilot.press("1", *"2.5", "enter", sees="$0.0018 of $2.50 spent")


async def test_b_sets_the_budget_of_a_save_that_nothing_runs_and_escape_leaves_it(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, "good") as server:
        save = models(server)
        async with driven(save) as pilot:
            await pilot.press("b", at=ChoiceDialog)
            await pilot.press("2", at=LinePrompt)
            await pilot.press(*"1.5", "escape")
            assert pilot.live
            await pilot.press("b", at=ChoiceDialog)
            await pilot.press("2", *"much", "enter")
            assert pilot.toasts == [
                "budget: 'much' is not an amount; write 12.50, +5 for more, or none"
            ]
            await pilot.press("b", at=ChoiceDialog)
            await pilot.press("2", *"1.5", "enter")
            await pilot.until(lambda: pilot.toasts == ["Budget of Ada: $1.50."])
    with Save(save) as opened:
        assert (opened.control().budget, opened.control().agent_budgets) == (None, {"Ada": 1.5})


async def test_a_budget_that_could_not_hold_is_refused_with_the_fix(tmp_path: Path) -> None:
    async with served(tmp_path, "good") as server:
        save = models(server, more="")
        async with driven(save, size=(160, 30)) as pilot:
            await pilot.press("b", at=ChoiceDialog)
            await pilot.press("1", "5", "enter")
            await pilot.until(lambda: bool(pilot.toasts))
            assert "have no token limit" in pilot.toasts[0]
            assert "max_tokens" in pilot.toasts[0]


async def test_without_models_there_is_no_line_of_money_and_b_says_so() -> None:
    async with driven(await saved(SAVE, 30)) as pilot:
        await pilot.press("b")
        said = ["No language model plays in this tournament, so there is no budget to set."]
        await pilot.until(lambda: pilot.toasts == said)
        assert "spent" not in pilot.shown


async def test_a_save_that_has_gone_bad_says_so_instead_of_a_budget() -> None:
    async with driven(await saved(SAVE, 30)) as pilot:
        tamper(SAVE, "DROP TABLE stored_answers")
        await pilot.press("b")
        await pilot.until(lambda: any("saves/small.db" in said for said in pilot.toasts))
