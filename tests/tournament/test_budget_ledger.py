"""Budget ledger: never more than a budget is spent, whatever becomes of calls in flight."""

import asyncio
import json
from typing import Any

import pytest

from parlour.agents.llm.client import failure_of_status
from parlour.agents.llm.litellm_patch import library
from parlour.agents.llm.prices import Tariff, most_tokens, tariff_of, worst_case
from parlour.agents.model_calls import Completion, ProviderFailure, Request
from parlour.games.common.errors import BadInput
from parlour.tournament.calls.budget import Budget, dollars
from parlour.tournament.calls.errors import BudgetExceeded
from parlour.tournament.save.rows import RunOptions
from tests.models import config

ONE = Request((("user", "x" * 96),), {"max_tokens": 1000}, form="text")
"""100 bytes with the role; with what a provider may add, 1,132 tokens at the most."""
TARIFF = Tariff(1000.0, 1000.0)
"""A thousandth of a dollar for each token: the request costs $2.132 at the most."""
WORST = 2.132


def budget_of(
    whole: float | None = None, spent: dict[str, float] | None = None, **agents: float
) -> Budget:
    return Budget(
        RunOptions(budget=whole, agent_budgets=agents), {"Ada": TARIFF, "Bob": TARIFF}, spent or {}
    )


def test_the_worst_case_of_a_call_is_a_token_for_each_byte_and_the_longest_answer() -> None:
    assert worst_case(ONE, TARIFF) == pytest.approx(WORST)
    # Bytes, not letters; and the form of the answer where it is sent along.
    longer = Request((("user", "é" * 96),), {"max_tokens": 1000}, form="text")
    assert worst_case(longer, TARIFF) == pytest.approx(WORST + 0.096)
    formed = Request(ONE.messages, ONE.parameters, form="object")
    assert worst_case(formed, TARIFF) == pytest.approx(
        WORST + 0.001 * len('{"type": "json_object"}')
    )


def test_what_is_asked_as_plain_data_is_sent_and_counts() -> None:
    asked = {"kind": "vote", "text": "x" * 100}
    request = Request(ONE.messages, ONE.parameters, form="text", question=asked)
    more = 0.001 * len(json.dumps(asked))
    assert worst_case(request, TARIFF) == pytest.approx(WORST + more)


@pytest.mark.parametrize(
    ("parameters", "most"),
    [
        ({}, None),
        ({"max_tokens": 5}, 5),
        ({"max_completion_tokens": 7}, 7),
        ({"max_tokens": 5, "max_completion_tokens": 7}, 7),
        ({"max_tokens": 5, "extra_body": {"max_tokens": 9}}, 9),
        ({"max_tokens": 0}, None),
        ({"max_tokens": "many"}, None),
        ({"max_tokens": None}, None),
    ],
)
def test_the_limit_of_an_answer_is_the_largest_that_its_parameters_name(
    parameters: dict[str, Any], most: int | None
) -> None:
    assert most_tokens(parameters) == most


def test_what_is_in_flight_counts_with_its_worst_case_until_it_is_paid() -> None:
    here = budget_of(5.0)
    first = here.reserve("Ada", ONE) if here.can_afford("Ada", ONE) else None
    second = here.reserve("Bob", ONE) if here.can_afford("Bob", ONE) else None
    assert first
    assert second
    assert not here.can_afford("Ada", ONE)  # 3 × 2.132 are more than 5
    here.paid("Ada", first, 0.1)
    assert here.can_afford("Ada", ONE)
    here.paid("Bob", second, 2.0)
    assert here.can_afford("Ada", ONE)  # 2.1 + 2.132
    assert here.spent == pytest.approx(2.1)


def test_a_budget_may_be_reached_to_the_cent_and_not_exceeded() -> None:
    assert budget_of(WORST, {"Bob": 0.0}).can_afford("Ada", ONE)
    with pytest.raises(
        BudgetExceeded, match=r"^the models have used up the budget of \$2\.13: \$0\.0100 s"
    ):
        budget_of(WORST, {"Bob": 0.01}).can_afford("Ada", ONE)


def test_where_nothing_is_in_flight_nobody_waits_for_a_rounding() -> None:
    def brief(most: int) -> Request:
        return Request((("user", ""),), {"max_tokens": most}, form="text")

    # 1.037 + 1.102 - 1.037 - 1.102 is not 0 in floating point, but 2e-16.
    here = budget_of(5.0)
    taken = [here.reserve("Ada", brief(1)), here.reserve("Ada", brief(66))]
    for reservation in taken:
        here.paid("Ada", reservation, 0.0)
    here.change(RunOptions(budget=worst_case(brief(1), TARIFF)), {"Ada": TARIFF})
    assert here.can_afford("Ada", brief(1))


def test_an_agent_at_its_own_budget_does_not_stop_the_others() -> None:
    here = budget_of(None, {"Ada": 8.0, "Bob": 8.0}, Ada=10.0)
    line = (
        "agent 'Ada' has used up its budget of $10.00: $8.00 spent, and the next call may cost"
        " $2.13"
    )
    with pytest.raises(BudgetExceeded) as met:
        here.can_afford("Ada", ONE)
    assert (str(met.value), met.value.own, met.value.agent) == (line, True, "Ada")
    assert here.can_afford("Bob", ONE)
    assert here.reserve("Bob", ONE) is None  # no cap is about it


def test_what_an_agent_has_in_flight_counts_in_its_own_budget_and_not_for_others() -> None:
    here = budget_of(None, Ada=3.0)
    assert here.can_afford("Ada", ONE)
    here.reserve("Ada", ONE)
    assert not here.can_afford("Ada", ONE)  # 2 × 2.132 are more than 3
    assert here.can_afford("Bob", ONE)


def test_reservations_of_killed_processes_are_spent_before_anything_else() -> None:
    with pytest.raises(BudgetExceeded):
        budget_of(5.0, {"Ada": 3.0}).can_afford("Bob", ONE)


def test_a_new_budget_waits_for_calls_that_were_sent_without_one() -> None:
    here = budget_of()
    assert here.reserve("Ada", ONE) is None
    here.change(RunOptions(budget=5.0), {"Ada": TARIFF, "Bob": TARIFF})
    assert not here.can_afford("Bob", ONE)
    here.paid("Ada", None, 1.5)
    assert here.can_afford("Bob", ONE)
    assert here.spent == 1.5


async def test_waiting_calls_hear_of_payments_and_of_changed_budgets() -> None:
    here = budget_of(3.0)
    first = here.reserve("Ada", ONE)
    for change in (lambda: here.paid("Ada", first, 0.0), lambda: here.change(RunOptions(), {})):
        waiting = asyncio.create_task(here.changes())
        await asyncio.sleep(0)
        assert not waiting.done()
        change()
        await waiting


@pytest.mark.parametrize(
    ("result", "cost"),
    [
        (Completion("{}", price=0.25), 0.25),
        (Completion("{}", prompt_tokens=100, completion_tokens=20), 0.12),
        (Completion("{}"), WORST),  # nobody says what it cost
        (Completion("{}", prompt_tokens=100), WORST),
        (Completion("{}", completion_tokens=20), WORST),
        (failure_of_status(429, "slow down", 1.0), 0.0),
        (failure_of_status(500, "oops", None), 0.0),
        (failure_of_status(401, "no", None), 0.0),
        (ProviderFailure("connection", "refused", free=True), 0.0),
        (ProviderFailure("connection", "dropped"), WORST),
        (ProviderFailure("timeout", "no answer in 5 s"), WORST),
        (ProviderFailure("server", "the response has no choices"), WORST),
    ],
)
def test_what_may_have_been_billed_without_a_bill_costs_its_worst_case(
    result: Completion | ProviderFailure, cost: float
) -> None:
    here = budget_of(5.0)
    reservation = here.reserve("Ada", ONE)
    assert reservation is not None
    assert here.cost(result, reservation) == pytest.approx(cost)


def test_a_model_without_a_limit_or_a_price_cannot_be_held_to_a_budget() -> None:
    base = "http://localhost:9/v1"
    limit = {"parameters": {"max_tokens": 100}}
    assert tariff_of(config(base, prices=[1, 2], **limit)) == Tariff(1.0, 2.0)
    with pytest.raises(BadInput, match=r"agent 'Ada': its answers have no token limit.*max_tok"):
        tariff_of(config(base, prices=[1, 2]))
    with pytest.raises(BadInput, match="no token limit"):  # for one kind of ask
        tariff_of(config(base, prices=[1, 2], for_ask={"vote": {"max_tokens": None}}, **limit))
    with pytest.raises(BadInput, match=r"the price of 'test' is unknown.*set prices in its bl"):
        tariff_of(config(base, **limit))


def test_prices_of_the_list_are_the_highest_that_may_hold() -> None:
    limit = {"parameters": {"max_tokens": 100}}
    listed = tariff_of(config(None, "litellm", name="Ada", **limit, model="openai/gpt-4o"))
    assert (listed.prompt, listed.completion) == pytest.approx((2.5, 10.0))
    long = tariff_of(config(None, "litellm", name="Ada", **limit, model="gemini/gemini-2.5-pro"))
    assert (long.prompt, long.completion) == pytest.approx((2.5, 15.0))  # of long prompts


def test_a_model_without_a_token_limit_or_with_a_price_per_request_has_no_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = config(
        None, "litellm", model="anthropic/claude-sonnet-4-5", parameters={"max_tokens": 100}
    )
    with monkeypatch.context() as patch:
        # litellm leaves out what a provider does not take.
        patch.setattr(library(), "get_supported_openai_params", lambda **_: ["temperature"])
        with pytest.raises(BadInput, match="its answers have no token limit"):
            tariff_of(model)
    assert tariff_of(model)
    monkeypatch.setitem(library().model_cost["claude-sonnet-4-5"], "input_cost_per_request", 0.01)
    with pytest.raises(BadInput, match="the price of 'anthropic/claude-sonnet-4-5' is unknown"):
        tariff_of(model)


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "$0.00"), (1234.5, "$1,234.50"), (0.05, "$0.0500"), (0.00042, "$0.000420")],
)
def test_smaller_amounts_are_printed_with_more_digits(amount: float, text: str) -> None:
    assert dollars(amount) == text
