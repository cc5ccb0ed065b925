"""The interface of agents, which models, scripts, functions and people share."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Annotated, Any, NamedTuple, Protocol

from pydantic import BaseModel, Field, field_validator

from parlour.agents.model_calls import Client, Completion, Request
from parlour.games.common.text import clean, one_line
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask, Fault

MetaValue = str | int | float | bool
LONGEST_META = 200
"""Length of a key or text of ``meta`` in characters."""


class AgentBlock(BaseModel, frozen=True, extra="forbid", strict=True):
    """The keys that an agent block of every kind has.

    ``meta`` says what the agent is (provider, family, size or anything else). It plays no part in
    a match; exports have it, and leaderboards can group by it.
    """

    name: str = Field(min_length=1, max_length=60)
    meta: dict[str, MetaValue] = Field(default_factory=dict, max_length=50)

    @field_validator("meta")
    @classmethod
    def _plain(cls, meta: dict[str, MetaValue]) -> dict[str, MetaValue]:
        for key, value in meta.items():
            if not key or len(key) > LONGEST_META or one_line(key) != key:
                raise ValueError(f"{clean(key)!r} is no key: write a name on one line")
            if isinstance(value, float) and not isfinite(value):
                raise ValueError(f"{key} is not a finite number")
            if isinstance(value, str) and (len(value) > LONGEST_META or clean(value) != value):
                raise ValueError(f"{key} is too long or has control characters")
        return meta


Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class CallingBlock(AgentBlock):
    """The keys of an agent whose answers are calls: limited in time, repeated and paid.

    ``timeout``: seconds that an answer may take. ``retries``: attempts after a first one that
    failed for a reason that may pass; the wait before them begins with ``retry_wait`` seconds and
    doubles. ``prices``: dollars per million tokens: in and out, and of those in the ones that are
    read from the provider's cache and the ones that are written to it. ``worst_case``: the most
    dollars that an answer can cost, where no limit of tokens says it. ``budget``: dollars that
    the agent may spend in one save. It does not affect what is played, so a save stores it
    elsewhere.
    """

    timeout: float = Field(default=120.0, gt=0)
    retries: int = Field(default=5, ge=0, le=100)
    retry_wait: float = Field(default=1.0, gt=0)
    prices: tuple[Price, ...] | None = Field(default=None, strict=False, min_length=2, max_length=4)
    worst_case: Price | None = None
    budget: float | None = Field(default=None, ge=0, allow_inf_nan=False, exclude=True)


@dataclass(frozen=True, slots=True)
class Reply:
    """An agent's reply to an ask.

    ``value`` is an answer model, plain data of its form, a text with such data as JSON, or the
    Fault that kept it from one; the game validates it. ``notes`` (analysis, beliefs, thinking) are
    stored and shown to onlookers, never to another seat. ``text`` is what a model wrote, for a
    second try to refer to. The rest is what the answer cost, None where nobody knows: tokens (of
    the prompt's ``cached_tokens`` and of the answer's ``reasoning_tokens`` are a part), US
    ``dollars``, and ``latency`` in seconds, by default the time that the agent took.
    """

    value: object
    notes: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    dollars: float | None = None
    latency: float | None = None


Complete = Callable[[Client, Request], Awaitable[Completion]]
"""Calls a model through the journal: a request that was answered before is not sent again."""


async def no_model(client: Client, request: Request) -> Completion:
    """The ``complete`` of a call that may not use a model."""
    raise RuntimeError("this call has no access to a model")


async def nobody() -> object:
    """The ``person`` of a call that has no person."""
    raise RuntimeError("this call has no access to a person")


class Call(NamedTuple):
    """Everything an agent has for one act besides the ask and its view.

    ``dice`` are keyed by match, ask, seat and agent, so that a replayed act draws the same
    numbers. ``order`` is drawn once for all tries of an ask: it orders the choices that a model is
    offered (None: the usual order). ``earlier`` are the earlier invalid attempts: what was written,
    what was wrong. ``notes`` are what this seat itself noted in this match, oldest first: with its
    earlier answers, then with the faulty tries before this one. ``person`` waits until a person at
    a screen has answered this ask. ``digest`` is the fingerprint of the ask and of what its seats
    were told.
    """

    dice: Dice
    earlier: tuple[tuple[str, Fault], ...] = ()
    complete: Complete = no_model
    notes: tuple[Mapping[str, Any], ...] = ()
    person: Callable[[], Awaitable[object]] = nobody
    order: int | None = None
    digest: str = ""


class Agent(Protocol):
    """A player of a tournament. It sees the ask and its own seat's view, nothing else.

    A *quick* agent also has ``decide`` with the same arguments, which returns the value of the
    reply at once. It depends on the ask, the view, the dice and the earlier attempts alone: the
    runner does not wait for it, and a lost answer is given again, the same.
    """

    name: str

    def act(self, ask: Ask[Any], view: View, call: Call) -> Coroutine[Any, Any, Reply]:
        """Answers one ask for the seat of the view."""
        ...


def at_once(act: Coroutine[Any, Any, Reply]) -> Reply:
    """The reply of an act that never waits; needs no event loop, and may run in one."""
    try:
        act.send(None)
    except StopIteration as done:
        reply: Reply = done.value
        return reply
    raise RuntimeError("the act waits, though no model is called")
