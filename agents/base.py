"""Who answers an ask: the one interface that models, scripts and people share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from games.dice import Dice
from games.moves import Ask, Fault
from games.table import View


@dataclass(frozen=True, slots=True)
class Reply:
    """What an agent answers.

    ``value`` is an answer model or plain data of its form; the game validates it. ``notes``
    (analysis, beliefs, thinking) are stored and shown to onlookers, never to another seat.
    """

    value: object
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """What an agent may use for one act.

    ``dice`` are keyed by match, ask, seat and agent, so that a replayed act falls the same
    way; ``fault`` says what was wrong with the previous try, None on the first.
    """

    dice: Dice
    fault: Fault | None = None


class Agent(Protocol):
    """A contestant. It sees the ask and its own seat's view, nothing else."""

    name: str

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply | Fault:
        """Answers one ask for the seat of the view; a Fault when no usable answer came."""
        ...
