"""Forecast of a tournament that is being put together: matches, calls, money, time, problems."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from parlour.games.common.errors import BadInput, ParlourError
from parlour.games.common.progress import listening
from parlour.games.common.text import one_line
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.registry import games
from parlour.games.engine.transcript import counted
from parlour.tournament.calls.budget import refuse_unbounded
from parlour.tournament.plan.additions import Addition
from parlour.tournament.plan.loader import tournament_of
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import (
    PlannedMatch,
    answers_per_match,
    meetings_of,
    refuse_rule,
    schedule,
)
from parlour.tournament.reports.cost_estimate import (
    Averages,
    Expense,
    averages,
    budget_checks,
    expenses,
)
from parlour.tournament.save.bounds import LEAST_PACE, MOST_AT_ONCE
from parlour.tournament.save.growing.create import merge_options
from parlour.tournament.save.growing.grow import growth_of
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.trust.consent import Untrusted
from parlour.tui.models.new_tournament import (
    USUAL_CONCURRENCY,
    Draft,
    between,
    is_pace,
    number,
    tournament_file,
    usual_at_once,
    without,
)
from parlour.tui.models.offered import OfferedAgent

CALL_SECONDS = 3.0
"""Seconds that a call of a model is taken to last."""
SCRIPTED_ASKS = 500.0
"""Answers of scripted agents a second, at least, on one core."""
PLACE = "form"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem as a sentence; one that ``forbids`` must be solved before playing."""

    text: str
    forbids: bool = True


@dataclass(frozen=True, slots=True)
class PlanForecast:
    """The tournament in numbers, as far as it can be planned.

    ``meetings`` counts matches of each pair of agents, by the order of their names. ``seconds``
    is None where people play. ``paced``: the pace settles the time, not the duration of calls.
    """

    matches: int = 0
    asks: int = 0
    by_game: Mapping[str, int] = field(default_factory=dict)
    meetings: Mapping[tuple[str, str], int] = field(default_factory=dict)
    costs: tuple[Expense, ...] = ()
    budget: float | None = None
    seconds: float | None = 0.0
    paced: bool = False
    problems: tuple[Problem, ...] = ()

    @property
    def obstacle(self) -> str:
        """The first problem that forbids playing, "" where none does."""
        return next((problem.text for problem in self.problems if problem.forbids), "")

    @property
    def dollars(self) -> float | None:
        """The expected cost of all models; None if a price is not known."""
        known = [cost.dollars for cost in self.costs if cost.dollars is not None]
        return sum(known) if len(known) == len(self.costs) else None


class ForecastStopped(Exception):
    """The form has changed: the forecast is of no use."""


def run_options(draft: Draft) -> RunOptions:
    """The options of the run. Raises BadInput for a number out of range."""
    at_once, pace = draft.numbers.get("at once", ""), draft.numbers.get("pace", "")
    concurrency: Any = number(at_once) if at_once else None
    per_second: Any = number(pace) if pace else None
    if concurrency is not None and not between(concurrency, int, 1, MOST_AT_ONCE):
        problem = f"{at_once} is not a number of matches"
        raise BadInput("at once", problem, f"give 1 to {MOST_AT_ONCE:,}, or nothing")
    until = None
    if draft.schedule == "adaptive" and draft.until.strip():
        from parlour.ratings.adaptive.until import until_of  # slow

        until = draft.until.strip()
        until_of(until, "until")
    if per_second is None:
        return RunOptions(concurrency, until=until)
    if not is_pace(per_second):
        fix = f"give at least {LEAST_PACE}, or nothing"
        raise BadInput("pace", f"{pace} is not a number of asks a second", fix)
    return RunOptions(concurrency or usual_at_once(draft), float(per_second), until=until)


def forecast(
    draft: Draft,
    offered: Mapping[str, OfferedAgent],
    is_stopped: Callable[[], bool] = lambda: False,
) -> PlanForecast:
    """The forecast of a draft. For a thread: prompts are rendered if models play.

    Raises Stopped as soon as ``is_stopped``.
    """
    problems = [*_missing_parts(draft, offered)]
    options = RunOptions()
    try:
        options = run_options(draft)
    except BadInput as error:
        problems.append(_refused(error))
    tournament, refused = _planned(tournament_file(draft, offered))
    problems += refused
    for name, agent in offered.items():
        if name in draft.agents and agent.key == "missing":
            problems.append(Problem(one_line(f"{name} has no key: {agent.fix}, or untick it.")))
    if tournament is None:
        return PlanForecast(problems=tuple(problems))
    try:
        refuse_rule(tournament, options.until, "until")
    except BadInput as error:
        problems.append(_refused(error))
    money = Money(merge_options(RunOptions(), tournament))
    return computed(tournament, schedule(tournament), options, money, problems, is_stopped)


def _missing_parts(draft: Draft, offered: Mapping[str, OfferedAgent]) -> Iterator[Problem]:
    if not draft.name:
        yield Problem("The tournament has no name: write one under Schedule.")
    elif re.search(r"[/\\\0]", draft.name):
        yield Problem("The name has a slash, which no file's name can have.")
    if not draft.games:
        yield Problem("No game is ticked: space ticks the one under the cursor.")
    if not any(name in draft.agents for name in offered):
        yield Problem("No agent is ticked: space ticks the one under the cursor.")


def _planned(content: dict[str, Any]) -> tuple[Tournament | None, list[Problem]]:
    """The tournament without the blocks that are refused, and why they are."""
    problems: list[Problem] = []
    while content["games"] and content["agents"]:
        try:
            return tournament_of(content, Path(), PLACE), problems
        except BadInput as error:
            place = error.place.removeprefix(PLACE).removeprefix(": ")
            block = re.match(r"(games|agents)\[(\d+)\][.:]?\s*(.*)", place)
            if block is None:
                problems.append(_refused(BadInput(place, error.problem, error.fix)))
                return None, problems
            part, index = block[1], int(block[2])
            problem = error.problem.removeprefix(f"{content[part][index]['name']} ")
            named = _block_place(content, part, index, block[3])
            problems.append(_refused(BadInput(named, problem, error.fix)))
            content = without(content, part, index)
    return None, problems


def _block_place(content: Mapping[str, Any], part: str, index: int, key: str) -> str:
    """The place of a problem in words: the game or agent, and the key."""
    name = str(content[part][index]["name"])
    if part == "games" and name in games():
        name = games()[name].texts.title
    key = key.replace("limit", "settings").replace("_", " ")
    return f"{name}, {key}" if key else name


def _refused(error: BadInput) -> Problem:
    """The problem of a refusal: a sentence with its place and the fix."""
    text = f"{error.place} {error.problem}" if error.place else error.problem
    text = one_line(f"{text}: {error.fix}" if error.fix else text)
    return Problem(text[:1].upper() + text[1:].rstrip(".") + ".")


@dataclass(frozen=True, slots=True)
class Money:
    """The budgets in ``options``, the dollars spent by agent, and the average costs so far."""

    options: RunOptions
    spent: Mapping[str, float] = field(default_factory=dict)
    known: Averages = field(default_factory=dict)


def computed(
    tournament: Tournament,
    planned: Iterable[PlannedMatch],
    options: RunOptions,
    money: Money,
    problems: list[Problem],
    is_stopped: Callable[[], bool],
) -> PlanForecast:
    """The forecast of planned matches of a tournament, which has these problems. Raises Stopped."""
    matches: list[PlannedMatch] = []
    meetings: Counter[tuple[str, str]] = Counter()
    for match in planned:
        if is_stopped():
            raise ForecastStopped
        matches.append(match)
        meetings.update(combinations(sorted({*match.agents} - {BUILT_IN}), 2))

    def go_on(_work: str, _done: int, _total: int) -> None:
        if is_stopped():
            raise ForecastStopped

    of_a_match = answers_per_match(tournament)
    asks = sum(of_a_match[match.entry] for match in matches)
    costs = []
    if tournament.models:
        with listening(go_on):
            costs = expenses(tournament, meetings_of(matches), money.known)
    problems += _problems_of_money(tournament, costs, money)
    if tournament.most_matches is not None:
        words = f"the others follow from outcomes, {tournament.most_matches:,} in all at most"
        which = "next" if matches and matches[0].number > 1 else "first"
        those = f"the {which} {counted(len(matches), 'match')}"
        problems.append(Problem(f"All of this is of {those}: {words}.", forbids=False))
    calls = sum(cost.calls for cost in costs)
    seconds, paced = _duration(tournament, options, asks, calls, len(matches))
    return PlanForecast(
        matches=len(matches),
        asks=asks,
        by_game=Counter(match.game for match in matches),
        meetings=meetings,
        costs=tuple(costs),
        budget=money.options.budget,
        seconds=seconds,
        paced=paced,
        problems=tuple(problems),
    )


def sentence_of(error: ParlourError) -> str:
    """An error as a sentence; one that begins with a file's name is left as it is."""
    text = one_line(str(error)).rstrip(".")
    begin = text if "." in text.split(" ")[0] else text[:1].upper() + text[1:]
    return f"{begin}."


def _problems_of_money(
    tournament: Tournament, costs: list[Expense], money: Money
) -> Iterator[Problem]:
    try:
        refuse_unbounded(tournament.callers, money.options)
    except ParlourError as error:
        yield Problem(sentence_of(error))
    for check in budget_checks(money.options, money.spent, costs):
        if check.exceeded and check.expected is not None:
            who = check.agent or "All models together"
            text = f"{who} may spend ${check.budget:,.2f} but need about ${check.expected:,.2f}"
            text = text.replace(" need ", " needs ") if check.agent else text
            yield Problem(f"{text}: play ends when it is spent.", forbids=False)


def _duration(
    tournament: Tournament, options: RunOptions, asks: int, calls: float, matches: int
) -> tuple[float | None, bool]:
    """Seconds of play, None where people play; and True if the pace settles them."""
    if tournament.people:
        return None, False
    at_once = min(options.concurrency or USUAL_CONCURRENCY, max(1, matches))
    by_calls = (
        calls * CALL_SECONDS / at_once + (asks - calls if asks > calls else 0) / SCRIPTED_ASKS
    )
    by_pace = asks / options.pace if options.pace else 0.0
    return max(by_calls, by_pace), by_pace > by_calls


# --- Agents that are added to a save

UNCOUNTED = Problem(
    "It needs your consent, which is asked for first; then the forecast is shown.", forbids=False
)
"""The note in place of a forecast before the user has agreed."""


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
