"""The queue of one endpoint: limits, fairness, and the circuit breaker."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from parlour.agents.llm.endpoints import Endpoint, endpoint_of
from parlour.agents.llm.prices import likely_prompt_tokens
from parlour.agents.model_calls import Completion, FailureKind, ProviderFailure
from parlour.tournament.calls.endpoint_queue import FAILURES_TO_OPEN, EndpointQueue, QueuedRequest
from parlour.tournament.calls.errors import Stopped, Unreachable
from parlour.tournament.calls.gate import Gate, MatchRef
from parlour.tournament.calls.limits import Limits
from parlour.tournament.plan.schema import Limit
from tests.models import QUESTION, config

pytestmark = pytest.mark.hurried

ANSWER = Completion("{}", prompt_tokens=8, completion_tokens=2)
ENDPOINT = "http://models.example/v1"


def failure(kind: FailureKind, retry_after: float | None = None) -> ProviderFailure:
    return ProviderFailure(kind, kind, retry_after)


class Office:
    """A queue before an endpoint with a gate, and the acts that come to it."""

    def __init__(self, **limits: Any) -> None:
        self.gate = Gate()
        limit = Limit(endpoint=ENDPOINT, **limits)
        self.queue = EndpointQueue("models.example", limit, self.gate)
        self.gate.on_change.append(self.queue.look)
        self.passed: list[tuple[str, float]] = []
        self.requests: list[QueuedRequest] = []
        self._slots: dict[QueuedRequest, AsyncExitStack] = {}

    async def come(self, name: str, tokens: int = 1, match: int = 1) -> QueuedRequest:
        """An act that has passed the gate asks: the first letter of its name is the agent."""
        # It has passed before, however the gate is now.
        was_open, self.gate.is_open = self.gate.is_open, True
        async with AsyncExitStack() as stack:
            slot = await stack.enter_async_context(self.gate.slot(MatchRef(match, 1, 1)))
            self.gate.is_open = was_open
            request = await self.queue.enter(name[0], slot, tokens)
            self._slots[request] = stack.pop_all()
        self.passed.append((name, self.queue.now - 1000.0))
        self.requests.append(request)
        return request

    async def answer(
        self, request: QueuedRequest, result: Completion | ProviderFailure | None = ANSWER
    ) -> bool:
        closed = self.queue.leave(request, result)
        await self._slots.pop(request).aclose()
        return closed

    async def ask(self, name: str, result: Completion | ProviderFailure = ANSWER) -> bool:
        """One request from its beginning to its end."""
        return await self.answer(await self.come(name), result)

    @property
    def names(self) -> list[str]:
        return [name for name, _when in self.passed]


async def settle() -> None:
    """Everybody who may go on now has gone on."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_no_more_are_in_flight_than_the_limit_and_the_others_follow_one_for_one() -> None:
    office = Office(in_flight=2)
    tasks = [asyncio.create_task(office.come(f"A{n}")) for n in range(5)]
    await settle()
    assert office.names == ["A0", "A1"]
    assert (office.queue.in_flight, office.gate.in_flight) == (2, 2)
    await office.answer(office.requests[0])
    await settle()
    assert office.names == ["A0", "A1", "A2"]
    for turn in list(office.requests[1:]):
        await office.answer(turn)
    await settle()
    assert office.names == ["A0", "A1", "A2", "A3", "A4"]
    assert all(task.done() for task in tasks)


async def test_agents_take_turns_and_each_agent_s_requests_go_in_order_of_arrival() -> None:
    office = Office(in_flight=1)
    first = await office.come("A0")
    tasks = [asyncio.create_task(office.come(n)) for n in ("A1", "A2", "A3", "B1", "C1", "B2")]
    await settle()
    await office.answer(first)
    while not all(task.done() for task in tasks):
        await settle()
        if len(office.requests) < 7:
            await office.answer(office.requests[-1])
    assert office.names == ["A0", "A1", "B1", "C1", "A2", "B2", "A3"]


async def test_in_any_minute_no_more_requests_go_than_the_limit() -> None:
    office = Office(per_minute=3)
    for n in range(7):
        await office.ask(f"A{n}")
        await asyncio.sleep(10.0)
    # Three at 0, 10 and 20 s; each further one a minute after the third before it.
    assert [when for _name, when in office.passed] == [0, 10, 20, 60, 70, 80, 120]


async def test_tokens_are_reserved_by_an_estimate_and_corrected_by_what_was_used() -> None:
    office = Office(tokens_per_minute=100)
    first = await office.come("A0", tokens=60)
    task = asyncio.create_task(office.come("A1", tokens=60))
    await settle()
    assert not task.done()  # 120 are more than 100
    await office.answer(first)  # but it took 10
    await settle()
    assert task.done()
    nothing = Completion("{}")  # what it took is not said: the estimate stands
    await office.answer(office.requests[1], nothing)
    await office.come("A2", tokens=31)
    assert [when for _name, when in office.passed] == [0, 0, 60]


async def test_a_refusal_for_too_many_gives_its_tokens_back() -> None:
    office = Office(tokens_per_minute=100)
    await office.answer(await office.come("A0", tokens=100), failure("rate_limit"))
    await office.come("A1", tokens=100)
    assert [when for _name, when in office.passed] == [0, 0]


async def test_nobody_overtakes_who_waits_though_a_small_request_would_fit() -> None:
    office = Office(tokens_per_minute=100)
    await office.answer(await office.come("A0", tokens=60), Completion("{}"))
    tasks = [asyncio.create_task(office.come("A1", tokens=60))]
    await settle()
    tasks.append(asyncio.create_task(office.come("B0", tokens=10)))
    await asyncio.gather(*tasks)
    assert office.passed == [("A0", 0), ("A1", 60), ("B0", 60)]


async def test_an_answer_is_expected_to_be_as_long_as_those_before_were_on_the_average() -> None:
    limit = Limit(endpoint=ENDPOINT, tokens_per_minute=10**6)
    ada = {"Ada": config(ENDPOINT, name="Ada")}
    gate = Gate()
    limits = Limits(ada, [limit], gate)
    # 300 while nothing is known, then the first one, then a tenth of each further one.
    for answer, expected in ((100, 300), (200, 100), (10, 110), (10, 100)):
        async with gate.slot(MatchRef(1, 1, 1)) as slot:
            request = await limits.enter("Ada", slot, QUESTION)
            assert request.tokens == likely_prompt_tokens(QUESTION) + expected
            limits.leave(request, Completion("{}", prompt_tokens=8, completion_tokens=answer))


async def test_a_long_wait_for_a_limit_of_a_minute_is_reported() -> None:
    office = Office(tokens_per_minute=100)
    await office.come("A0", tokens=100)
    assert office.queue.describe() is None
    task = asyncio.create_task(office.come("A1", tokens=100))
    await settle()
    assert office.queue.describe() == "models.example: waiting 60 s (limit per minute)"
    hold = office.queue.hold()
    assert hold is not None
    assert (hold.why, round(hold.seconds)) == ("limit per minute", 60)
    await task


async def test_one_request_above_the_limit_of_tokens_goes_alone() -> None:
    office = Office(tokens_per_minute=100)
    await office.answer(await office.come("A0", tokens=5000), Completion("{}"))
    await office.come("A1", tokens=1)
    assert [when for _name, when in office.passed] == [0, 60]


async def test_a_refusal_for_too_many_halves_the_allowance_once_for_all_in_flight_together() -> (
    None
):
    office = Office(in_flight=8)
    for n in range(8):
        await office.come(f"A{n}")
    assert office.queue.describe() is None
    for turn in office.requests:  # all eight were sent before the first refusal
        await office.answer(turn, failure("rate_limit"))
    assert office.queue.allowance == 4
    assert office.queue.describe() == "models.example: 4 of 8 at once"
    await asyncio.sleep(1)
    for allowance in (2, 1, 1):
        turns = [await office.come(f"B{n}") for n in range(int(office.queue.allowance))]
        for turn in turns:
            await office.answer(turn, failure("rate_limit"))
        assert office.queue.allowance == allowance
        await asyncio.sleep(1)


async def test_answers_let_the_allowance_creep_up_again_and_never_above_the_limit() -> None:
    office = Office(in_flight=4)
    for n in range(4):
        await office.come(f"A{n}")
    for turn in office.requests:
        await office.answer(turn, failure("rate_limit"))
    seen = [office.queue.allowance]
    for n in range(8):
        await office.ask(f"A{n}")
        seen.append(office.queue.allowance)
    # 2, then one more for each allowance full of answers.
    assert [round(allowance, 2) for allowance in seen] == [
        *(2.0, 2.5, 2.9, 3.24, 3.55, 3.83, 4.0, 4.0, 4.0)
    ]
    assert office.queue.describe() is None


async def test_without_a_limit_a_refusal_sets_one_at_half_of_what_was_in_flight() -> None:
    office = Office()
    for n in range(20):
        await office.come(f"A{n}")
    await office.answer(office.requests[0], failure("rate_limit"))
    assert office.queue.describe() == "models.example: 10 of 20 at once"


async def test_what_the_endpoint_asks_to_wait_holds_everybody_back() -> None:
    office = Office()
    await office.ask("A0", failure("rate_limit", retry_after=25.0))
    assert office.queue.describe() == "models.example: paused for 25 s (too many requests)"
    await asyncio.sleep(5)
    await office.come("B0")
    assert office.passed[-1] == ("B0", 25.0)


async def test_a_shorter_wait_that_is_asked_for_does_not_shorten_a_longer_one() -> None:
    office = Office()
    turns = [await office.come("A0"), await office.come("A1")]
    for turn, seconds in zip(turns, (25.0, 5.0), strict=True):
        await office.answer(turn, failure("rate_limit", retry_after=seconds))
    await office.come("B0")
    assert office.passed[-1] == ("B0", 25.0)


async def test_no_endpoint_is_left_alone_for_more_than_ten_minutes_though_it_asks_for_more() -> (
    None
):
    office = Office()
    await office.ask("A0", failure("rate_limit", retry_after=86_400.0))
    await office.come("B0")
    assert office.passed[-1] == ("B0", 600.0)


async def test_who_waits_is_not_in_flight_and_a_stop_ends_the_wait() -> None:
    office = Office(in_flight=1)
    await office.come("A0")
    task = asyncio.create_task(office.come("A1"))
    await settle()
    assert office.gate.in_flight == 1
    office.gate.stop()
    with pytest.raises(Stopped):
        await task
    assert office.gate.in_flight == 1


async def test_a_closed_gate_keeps_who_waits_though_there_is_room_and_a_step_passes() -> None:
    office = Office(in_flight=1)
    first = await office.come("A0")
    tasks = [asyncio.create_task(office.come(f"A{n}", match=n)) for n in (1, 2, 3)]
    await settle()
    office.gate.close()
    await office.answer(first)
    await settle()
    assert (office.names, office.gate.in_flight) == (["A0"], 0)
    office.gate.step(2, "turn")
    await settle()
    assert office.names == ["A0", "A2"]
    await office.answer(office.requests[-1])
    await settle()
    assert office.names == ["A0", "A2"]
    office.gate.open()
    await settle()
    assert office.names == ["A0", "A2", "A1"]
    office.gate.stop()
    await asyncio.gather(*tasks, return_exceptions=True)


async def opened(office: Office, kind: FailureKind = "server") -> None:
    for n in range(FAILURES_TO_OPEN):
        assert office.queue.circuit.failure is None
        await office.ask(f"A{n}", failure(kind))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("server", "server errors"),
        ("connection", "no connection"),
        ("timeout", "no answer in time"),
    ],
)
async def test_failures_on_end_open_the_circuit_and_then_calls_fail_at_once(
    kind: FailureKind, words: str
) -> None:
    office = Office()
    await opened(office, kind)
    assert office.queue.describe() == f"models.example: paused for 15 s ({words})"
    with pytest.raises(Unreachable, match=kind):
        await office.come("B0")
    assert office.queue.now == 1000.0
    assert office.gate.in_flight == 0


async def test_ten_failures_on_end_open_it_and_no_fewer() -> None:
    office = Office()
    for n in range(10):
        assert office.queue.circuit.failure is None
        await office.ask(f"A{n}", failure("server"))
    assert office.queue.circuit.failure is not None


async def test_those_who_wait_in_line_are_turned_away_when_the_circuit_opens() -> None:
    office = Office(in_flight=1)
    for n in range(FAILURES_TO_OPEN - 1):
        await office.ask(f"A{n}", failure("server"))
    turn = await office.come("A9")
    task = asyncio.create_task(office.come("B0"))
    await settle()
    await office.answer(turn, failure("server"))
    with pytest.raises(Unreachable):
        await task


async def test_an_answer_between_or_a_refusal_for_too_many_never_opens_it() -> None:
    office = Office()
    for n in range(3 * FAILURES_TO_OPEN):
        between = n % FAILURES_TO_OPEN == FAILURES_TO_OPEN - 1
        await office.ask(f"A{n}", ANSWER if between else failure("timeout"))
    for n in range(3 * FAILURES_TO_OPEN):
        await office.ask(f"B{n}", failure("rate_limit"))
    assert office.queue.circuit.failure is None


@pytest.mark.parametrize("kind", ["auth", "refused"])
async def test_a_provider_that_refuses_a_request_is_alive(kind: FailureKind) -> None:
    office = Office()
    for result in [*["server"] * (FAILURES_TO_OPEN - 1), kind] * 2:
        await office.ask("A0", failure(result))  # type: ignore[arg-type]
    assert office.queue.circuit.failure is None
    await opened(office)
    await asyncio.sleep(15)
    assert await office.ask("B0", failure(kind)) is True
    assert office.queue.circuit.failure is None


async def test_when_it_is_due_one_call_is_tried_and_each_failure_doubles_the_wait() -> None:
    office = Office()
    await opened(office)
    for seconds in (15, 30, 60, 120, 240, 480, 600, 600):
        begun = office.queue.now
        assert office.queue.circuit.due == begun + seconds
        await asyncio.sleep(seconds - 0.01)
        with pytest.raises(Unreachable):
            await office.come("B0")
        await asyncio.sleep(0.01)
        trial = await office.come("B1")
        assert office.queue.describe() == "models.example: trying again (server errors)"
        with pytest.raises(Unreachable):  # it alone
            await office.come("B2")
        assert not await office.answer(trial, failure("server"))


async def test_the_success_of_the_tried_call_closes_it() -> None:
    office = Office()
    await opened(office)
    await asyncio.sleep(15)
    assert await office.ask("B0") is True
    assert office.queue.describe() is None
    assert await office.ask("B1") is False
    await opened(office)  # and it takes as many failures again, and opens for as long
    assert office.queue.describe() == "models.example: paused for 15 s (server errors)"


async def test_a_tried_call_that_is_one_too_many_closes_it_and_one_sent_before_does_not() -> None:
    office = Office()
    before = await office.come("A0")
    await opened(office)
    assert await office.answer(before, failure("rate_limit")) is False
    await asyncio.sleep(15)
    assert await office.ask("B0", failure("rate_limit")) is True
    assert office.queue.circuit.failure is None


async def test_a_call_to_be_tried_that_is_never_sent_leaves_the_try_to_the_next() -> None:
    office = Office()
    await opened(office)
    await asyncio.sleep(15)
    trial = await office.come("B0")
    assert trial.trial
    assert await office.answer(trial, None) is False
    office.gate.close()
    in_line = asyncio.create_task(office.come("B1"))
    await settle()
    in_line.cancel()
    await settle()
    assert office.queue.circuit.due == 1015.0
    office.gate.open()
    assert (await office.come("B2")).trial


async def test_the_call_to_be_tried_may_stand_in_line_and_is_not_turned_away() -> None:
    office = Office()
    await opened(office)
    await asyncio.sleep(15)
    office.gate.close()
    in_line = asyncio.create_task(office.come("B0"))
    await settle()
    assert not in_line.done()
    office.gate.open()
    assert await office.answer(await in_line) is True


async def test_a_tried_call_that_fails_wakes_those_who_wait_for_the_circuit() -> None:
    gate = Gate()
    limits = Limits({"Ada": config(ENDPOINT, name="Ada")}, [], gate)

    async def ask() -> bool:
        async with gate.slot(MatchRef(1, 1, 1)) as slot:
            request = await limits.enter("Ada", slot, QUESTION)
            limits.leave(request, failure("server"))
            return request.trial

    for _ in range(FAILURES_TO_OPEN):
        assert not await ask()
    assert limits.due("Ada") == 1015.0
    await asyncio.sleep(15)
    waiting = asyncio.create_task(gate.changes_within(None))
    await settle()
    assert await ask()
    await settle()
    assert waiting.done()
    assert limits.due("Ada") == 1045.0  # which is news to them


async def test_failures_of_calls_sent_before_it_opened_do_not_make_it_longer() -> None:
    office = Office()
    for n in range(FAILURES_TO_OPEN + 5):
        await office.come(f"A{n}")
    for turn in office.requests:
        await office.answer(turn, failure("server"))
    assert office.queue.circuit.due == 1015.0


async def test_a_stepped_match_is_tried_though_the_circuit_is_open() -> None:
    office = Office()
    await opened(office)
    office.gate.step(7, "turn")
    assert await office.answer(await office.come("A0", match=7)) is True


async def test_agents_share_the_endpoint_of_their_address_or_provider_and_key() -> None:
    assert endpoint_of(config("http://x/v1/")) == Endpoint("http://x/v1", None)
    models = {
        "Ada": config("http://x/v1", name="Ada"),
        "Bob": config("http://x/v1/", name="Bob", model="other"),
        "Cyd": config("http://x/v1", name="Cyd", api_key_env="OTHER_KEY"),
        "Dan": config(None, "litellm", name="Dan", model="openai/gpt-x"),
        "Eve": config(None, "litellm", name="Eve", model="anthropic/claude-x"),
    }

    limits = Limits(models, [Limit(endpoint="openai", in_flight=3)], Gate())
    queue_of = {name: limits._queue_of[name] for name in models}
    assert queue_of["Ada"] is queue_of["Bob"]
    assert len({id(queue) for queue in queue_of.values()}) == 4
    assert queue_of["Dan"].allowance == 3
    assert queue_of["Eve"].allowance == float("inf")
    shown = {queue._name for queue in queue_of.values()}
    assert shown == {"x (no key named)", "x (OTHER_KEY)", "openai", "anthropic"}
