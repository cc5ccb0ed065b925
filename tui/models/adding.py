"""Agents to add to a save as they are put together on a form, and what they would play."""

from collections.abc import Callable, Mapping
from pathlib import Path

from parlour.games.common.errors import BadInput, ParlourError
from parlour.tournament.plan.additions import Addition, addition_of_file
from parlour.tournament.reports.cost_estimate import averages
from parlour.tournament.save.growing.grow import growth_of
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tournament.trust.consent import Untrusted
from parlour.tui.models.form import Field
from parlour.tui.models.new_tournament import Draft, agent_block, agent_fields, entry, tick
from parlour.tui.models.offered import OfferedAgent
from parlour.tui.models.plan_forecast import Money, PlanForecast, Problem, computed, sentence_of

UNCOUNTED = Problem(
    "It needs your consent, which is asked for first; then the forecast is shown.", forbids=False
)
"""The note in place of a forecast before the user has agreed."""


def adding_fields(draft: Draft, offered: Mapping[str, OfferedAgent], chosen: str) -> list[Field]:
    """The file, then a tick for each agent on offer and the details of the chosen one."""
    file = entry(("file",), "file", draft.file, unset="path of a TOML", words=True)
    return [file, *agent_fields(draft, offered, chosen)]


def against_fields(draft: Draft, names: tuple[str, ...]) -> list[Field]:
    """A tick for each agent of the save."""
    return [tick(("against", name), name, name in draft.against) for name in names]


def addition_of(
    draft: Draft, offered: Mapping[str, OfferedAgent], names: tuple[str, ...]
) -> Addition:
    """The addition that a form asks for. Raises BadInput for none, or for an unreadable file."""
    ticked = [agent for name, agent in offered.items() if name in draft.agents]
    file = draft.file.strip()
    if file and ticked:
        problem = "a file is named, and agents are ticked"
        raise BadInput("agents", problem, "clear the file, or untick them")
    if file:
        addition = addition_of_file(Path(file).expanduser())
    elif ticked:
        blocks = [agent_block(draft, agent) for agent in ticked]
        addition = Addition(agents={"agents": blocks}, folder=str(Path.cwd()))
    else:
        raise BadInput("agents", "none is ticked", "tick one with space, or name a file")
    against = [name for name in names if name in draft.against]
    return addition.model_copy(update={"against": against or None})


def adding_forecast(
    path: Path, read: Callable[[], Addition], is_stopped: Callable[[], bool] = lambda: False
) -> PlanForecast:
    """The forecast of the matches that an addition plans in a save. For a thread.

    Nothing is counted before the user has agreed to what needs consent. Raises Stopped.
    """
    try:
        with Save(path) as save:
            growth = growth_of(save, read())
            spent, _last = spent_by_agent(save)
            money = Money(growth.options, spent, averages(save))
    except Untrusted:
        return PlanForecast(problems=(UNCOUNTED,))
    except ParlourError as error:
        return PlanForecast(problems=(Problem(sentence_of(error)),))
    if growth.is_same:
        words = "The tournament has all of it already, so that nothing would be added."
        return PlanForecast(problems=(Problem(words),))
    return computed(growth.grown.tournament, growth.expected, growth.options, money, [], is_stopped)
