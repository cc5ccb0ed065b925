"""Who answers an ask: the one interface that models, scripts and people share."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from parlour.agents.model_calls import Client, Completion, Request
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Ask, Fault
from parlour.games.engine.table import View


@dataclass(frozen=True, slots=True)
class Reply:
    """What an agent answers.

    ``value`` is an answer model, plain data of its form, or the Fault that kept it from one; the
    game validates it. ``notes`` (analysis, beliefs, thinking) are stored and shown to onlookers,
    never to another seat. ``text`` is what a model wrote, for a second try to refer to.
    """

    value: object
    notes: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""


class Complete(Protocol):
    """The only way to a model: what came back for the same request before is not paid again."""

    async def __call__(self, client: Client, request: Request) -> Completion:
        """Asks the model through the client, and journals the answer before it is used."""
        ...


async def no_model(client: Client, request: Request) -> Completion:
    """Stands where there is no journal, so there can be no call."""
    raise RuntimeError("this act has no way to a model")


async def nobody() -> object:
    """Stands where no person can be asked."""
    raise RuntimeError("this act has no way to a person")


@dataclass(frozen=True, slots=True)
class Call:
    """What an agent may use for one act.

    ``dice`` are keyed by match, ask, seat and agent, so that a replayed act falls the same
    way. ``earlier`` are the faulty tries before this one: what was written, what was wrong.
    ``notes`` are what this seat itself noted in this match, oldest first: with its earlier
    answers, then with the faulty tries before this one. ``person`` waits until somebody at a
    screen has answered this ask.
    """

    dice: Dice
    earlier: tuple[tuple[str, Fault], ...] = ()
    complete: Complete = no_model
    notes: tuple[Mapping[str, Any], ...] = ()
    person: Callable[[], Awaitable[object]] = nobody


class Agent(Protocol):
    """A contestant. It sees the ask and its own seat's view, nothing else."""

    name: str

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Answers one ask for the seat of the view."""
        ...
