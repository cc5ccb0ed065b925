"""Changes of a save: through its runner, or in the save itself if no runner has it."""

import math
import time
from pathlib import Path
from shlex import quote

from parlour.agents.code_blocks import PythonConfig
from parlour.games.common.errors import BadInput
from parlour.tournament.calls.budget import no_such_model, refuse_unbounded
from parlour.tournament.control.client import ControlFailed, RunnerClient
from parlour.tournament.control.requests import Grow, SetBudget
from parlour.tournament.plan.additions import Addition
from parlour.tournament.save.growing.create import update_run_options
from parlour.tournament.save.growing.grow import Growth, grow, growth_of
from parlour.tournament.save.growing.stages import stages_of
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save

CHECK_SECONDS = 60.0
"""Seconds that the runner may take to check a change: it may have to load the list of prices."""
PATIENCE_SECONDS = 3600.0
"""The longest wait for answers in flight: a slow model may think for minutes."""
LOOK_SECONDS = 0.05


def set_budget(path: Path, amount: float, agent: str | None) -> None:
    """Sets the dollars of one agent, or of all models; inf lifts the budget.

    Raises BadInput if the budget could not hold.
    """
    if holder(path) is not None:
        dollars = None if amount == math.inf else amount
        RunnerClient(path, CHECK_SECONDS).send(SetBudget(dollars=dollars, agent=agent))
        return
    with Save(path) as save:
        models, stored = save.tournament.callers, save.control()
    if agent is not None and agent not in models:
        raise no_such_model(agent, models)
    run_options = stored.with_budget(amount, agent)
    refuse_unbounded(models, run_options)
    update_run_options(path, run_options)


def grow_save(path: Path, addition: Addition) -> Growth:
    """Adds agents, games or repetitions to a save, also while it is played.

    Returns when they are planned. Raises as ``growth_of``; ControlFailed if the runner ends before.
    """
    with Save(path) as save:
        growth, before = growth_of(save, addition), len(stages_of(save))
    refuse_unbounded(growth.grown.tournament.callers, growth.options)
    if growth.is_same:
        return growth
    if holder(path) is None:
        return grow(path, addition, growth)
    for agent in growth.grown.added.agents:
        if isinstance(agent, PythonConfig):
            fix = f"stop it first: parlour stop {quote(str(path))}"
            raise BadInput(addition.place, f"{agent.name!r} is an object of a Python program", fix)
    RunnerClient(path, CHECK_SECONDS).send(Grow(addition=addition))
    _wait(path, before)
    return growth


def _wait(path: Path, stages: int) -> None:
    """Waits until the save has more stages."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE_SECONDS:
        ended = holder(path) is None  # asked first: the last thing that a runner does may be this
        with Save(path) as save:
            if len(stages_of(save)) > stages:
                return
        if ended:
            fix = f"try again, then see `parlour status {quote(str(path))}`"
            raise ControlFailed(f"{path}: its runner ended before anything was added; {fix}")
        time.sleep(LOOK_SECONDS)
    see = f"see `parlour status {quote(str(path))}`"
    raise ControlFailed(f"{path}: answers are still in flight; {see}")
