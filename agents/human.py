"""A person as an agent, with the same information as any other and an optional clock."""

from typing import Any, Literal

from pydantic import Field

from parlour.agents.base import AgentBlock, Call, Reply
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask


class HumanConfig(AgentBlock):
    """An agent block of kind "human".

    ``seconds`` is the clock of each of its asks; None: there is none. It runs while a person
    sits at the seat and the tournament is not paused. ``blind``: the end of a match does not say
    which agents played.
    """

    kind: Literal["human"]
    seconds: float | None = Field(default=None, gt=0, le=86_400, allow_inf_nan=False)
    blind: bool = False


class HumanAgent:
    """An agent that a person plays at a screen, where answers are validated as they are typed."""

    def __init__(self, config: HumanConfig) -> None:
        self.name = config.name

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Waits for the answer, or for the Fault of a clock that ran out."""
        return Reply(await call.person())
