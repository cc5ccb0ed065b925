"""Calls of models that nothing stores; they pass the limits, budgets and retries of a run."""

import asyncio
from collections.abc import Mapping
from typing import cast

from parlour.agents.llm.config import LLMConfig
from parlour.tournament.calls.budget import Budget, tariffs_of
from parlour.tournament.calls.dispatch import ModelDispatcher
from parlour.tournament.calls.gate import Gate
from parlour.tournament.calls.limits import Limits
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.save.writer import Writer

AT_ONCE = 64
"""Matches, or questions, that are played at once."""


class _Unstored:
    """The writer of calls and answers that are not stored."""

    async def answer(self, *_row: object) -> None:
        """Stores nothing."""

    call = reserve = answer


async def unstored_calls(
    models: Mapping[str, LLMConfig],
    options: RunOptions,
    spent: tuple[Mapping[str, float], int] = ({}, 0),
) -> ModelDispatcher:
    """The dispatcher of such calls. Raises BadInput if a budget cannot be enforced."""
    tariffs = await asyncio.to_thread(tariffs_of, models, options)
    gate = Gate(options.pace)
    queues = Limits(models, options.limits, gate)
    await queues.learn_slots(models)
    budget = Budget(options, tariffs, *spent)
    return ModelDispatcher(models, queues, budget, gate, cast(Writer, _Unstored()))
