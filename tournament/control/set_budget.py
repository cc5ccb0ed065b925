"""Sets a budget of a save: through its runner, or in the save itself if no runner has it."""

import math
from pathlib import Path

from parlour.tournament.calls.budget import no_such_model, refuse_unbounded
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.save.growing.create import update_run_options
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save

LOOKUP_SECONDS = 60.0
"""Seconds that the runner may take: it may have to load the list of prices."""


def set_budget(path: Path, amount: float, agent: str | None) -> None:
    """Sets the dollars of one agent, or of all models; inf lifts the budget.

    Raises BadInput if the budget could not hold.
    """
    if holder(path) is not None:
        dollars = None if amount == math.inf else amount
        RunnerClient(path, LOOKUP_SECONDS).set_budget(dollars, agent)
        return
    with Save(path) as save:
        models, stored = save.tournament.models, save.control()
    if agent is not None and agent not in models:
        raise no_such_model(agent, models)
    run_options = stored.with_budget(amount, agent)
    refuse_unbounded(models, run_options)
    update_run_options(path, run_options)
