"""The Python interface: load a tournament, run it, open what was stored.

Nothing here needs a terminal, handles signals or changes limits of the process. The command line
is built on the same functions.
"""

import asyncio
import json
import warnings
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from shlex import quote
from threading import Thread
from typing import Any

from parlour.agents.code_blocks import PythonConfig
from parlour.agents.user_code import made_in_python
from parlour.api.results import Results
from parlour.games.common.errors import BadInput, BadSave, ParlourError
from parlour.games.common.suggestions import suggestion
from parlour.tournament.plan.loader import read_preset, read_tournament, tournament_of
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.validation import difference, first_difference, what_is_played
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.bounds import LEAST_BUDGET, LEAST_PACE, MOST_AT_ONCE, MOST_WORKERS
from parlour.tournament.save.directory import chosen, new_save
from parlour.tournament.save.growing.create import apply_file_options, create_save
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import NO_HOOKS, SessionHooks, SessionResult, run_session

Source = Tournament | Mapping[str, Any] | str | Path
"""A tournament, or its source: a file's path, or a dict of the same form."""
MOST_REASONS = 5
"""Maximum number of failed matches named when a run ends early."""


class NotFinished(ParlourError):
    """A run ended before its tournament: failures, a used-up budget, or a stop.

    ``save`` has what was stored until then.
    """

    def __init__(self, message: str, save: Results) -> None:
        super().__init__(message)
        self.save = save


def load(
    source: Source | None = None, *, preset: str | None = None, seed: int | None = None
) -> Tournament:
    """Returns the tournament of a file, of a dict of the same form, or of a preset.

    ``seed`` replaces that of the source. Paths in a dict are relative to the working folder.
    Raises BadInput naming the field, the value and the fix.
    """
    if (source is None) == (preset is None):
        raise BadInput("load", "needs one source", "give a file, a dict, or preset=NAME")
    if preset is not None:
        return read_preset(preset, seed)
    if isinstance(source, Tournament):
        return source
    if isinstance(source, Mapping):
        return tournament_of(source, Path(), "tournament", seed)
    return read_tournament(Path(str(source)), seed)


def open(path: str | Path) -> Results:
    """Returns the results of a save. It may still be running. Raises BadSave."""
    return Results(chosen(Path(path)))


def run(
    tournament: Source,
    path: str | Path | None = None,
    *,
    agents: Mapping[str, object] | None = None,
    concurrency: int | None = None,
    pace: float | None = None,
    budget: float | None = None,
    workers: int | None = None,
    ray: str | None = None,
) -> Results:
    """Plays a tournament to its end and returns its results; the same call resumes.

    ``path`` is the save; by default a new one in ``saves/``. ``agents`` are the objects behind
    agents of kind "python", by name. ``concurrency`` (matches at once), ``pace`` (questions a
    second) and ``budget`` (dollars) default to those of the last run, or of the tournament;
    ``math.inf`` lifts a pace or a budget. ``workers`` is the number of processes that may play
    matches whose players answer at once, by default as many as there are cores. ``ray`` is the
    address of a Ray cluster to play on, "local" for a new one on this machine.

    The run has a thread and an event loop of its own, so it works in a notebook and in any thread.
    Ctrl-C, or interrupting the notebook's kernel, stores the answers in flight before
    KeyboardInterrupt is raised. Raises NotFinished if the run ends before the tournament.
    """
    running = _Running()

    async def play() -> Results:
        return await run_async(
            tournament,
            path,
            agents=agents,
            concurrency=concurrency,
            pace=pace,
            budget=budget,
            workers=workers,
            ray=ray,
            _on_start=running.started,
        )

    Thread(target=running.work, args=(play,), daemon=True, name="parlour.run").start()
    try:
        return running.done.result()
    except KeyboardInterrupt:
        running.stop()
        running.done.exception()  # a second interrupt ends the wait
        raise


async def run_async(
    tournament: Source,
    path: str | Path | None = None,
    *,
    agents: Mapping[str, object] | None = None,
    concurrency: int | None = None,
    pace: float | None = None,
    budget: float | None = None,
    workers: int | None = None,
    ray: str | None = None,
    _on_start: Any = None,
) -> Results:
    """Does the same as ``run`` in the event loop of the caller."""
    wanted = load(tournament)
    given = dict(agents or {})
    _refuse_run_options(concurrency, pace, budget, workers)
    refuse_missing_agents(wanted, given)
    save = new_save(wanted.name) if path is None else Path(path)
    prepare_save(save, wanted)
    if is_played_and_rated(save):
        _warn_of_faults(save)
        return Results(save)
    ended = await run_session(
        save,
        RunOptions(concurrency, pace, budget=budget, workers=workers, ray=ray),
        SessionHooks(on_start=_on_start or NO_HOOKS.on_start, on_warning=_warn),
        players=given,
    )
    if not ended.progress.done:
        reasons = "; ".join(reasons_of(ended)) or "it was stopped"
        progress = f"{ended.progress.finished}/{ended.progress.matches} matches finished"
        line = f"{save}: {progress}: {reasons}; the same call resumes it"
        raise NotFinished(line, Results(save))
    _warn_of_faults(save)
    return Results(save)


def _warn(line: str) -> None:
    warnings.warn(line, stacklevel=2)


def _warn_of_faults(path: Path) -> None:
    """Warns of each agent whose answers were often invalid, as the leaderboard's footnote does."""
    from parlour.ratings.reports.faults import faults_of, faulty_agents
    from parlour.tournament.reports.leaderboards import current_leaderboard

    with Save(path) as save:
        if save.tournament.fork is not None:
            return  # no leaderboard counts it
        board = current_leaderboard(save)
    for agent in faulty_agents(faults_of(board.by("overall"))):
        fix = "save.conduct() counts them by kind, and save.answers() has the reasons in its notes"
        warnings.warn(f"{path}: many invalid answers: {agent}; {fix}", stacklevel=2)


def _refuse_run_options(concurrency: object, pace: object, budget: object, workers: object) -> None:
    """BadInput for an option that is out of range."""
    whole_numbers = (("concurrency", concurrency, MOST_AT_ONCE), ("workers", workers, MOST_WORKERS))
    for name, value, most in whole_numbers:
        valid = isinstance(value, int) and 1 <= value <= most
        if value is not None and not valid:
            raise BadInput(name, f"cannot be {value!r}", f"give a whole number from 1 to {most:,}")
    for name, value, least in (("pace", pace, LEAST_PACE), ("budget", budget, LEAST_BUDGET)):
        valid = isinstance(value, int | float) and value >= least
        if value is not None and not valid:
            fix = f"give a number from {least:g} on, or math.inf for no limit"
            raise BadInput(name, f"cannot be {value!r}", fix)


class _Running:
    """A run in a thread with an event loop of its own."""

    def __init__(self) -> None:
        self.done: Future[Results] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._runner: Runner | None = None
        self._is_stopping = False

    def work(self, play: Any) -> None:
        """Runs the coroutine to its end; the future then has its result."""
        try:
            self.done.set_result(asyncio.run(play()))
        except BaseException as error:
            self.done.set_exception(error)

    def started(self, runner: Runner, _progress: object) -> None:
        """Takes the runner, so that it can be stopped from another thread."""
        self._loop, self._runner = asyncio.get_running_loop(), runner
        if self._is_stopping:
            runner.stop()

    def stop(self) -> None:
        """Stops the runner as soon as there is one: what is in flight is stored."""
        self._is_stopping = True
        if self._loop is not None and self._runner is not None:
            self._runner.stats.stopped_by = "an interrupt"
            self._loop.call_soon_threadsafe(self._runner.stop)


def prepare_save(path: Path, tournament: Tournament) -> None:
    """Makes a save that holds the tournament, or accepts one that already does.

    An existing save takes over limits, budgets and addresses of models from the tournament.
    Raises BadSave naming the first key that differs if it holds another one.
    """
    if not path.exists():
        create_save(path, tournament)
        return
    stored, wanted = refuse_another(path, tournament)
    if tournament.source is not None and tournament.source.path == path:
        return  # read from the save, which has its limits and budgets elsewhere
    if holder(path) is None:
        apply_file_options(path, tournament)
    elif stored != wanted:
        changed = difference(json.loads(stored), json.loads(wanted))
        fix = f"stop it first: parlour stop {quote(str(path))}"
        raise BadSave(str(path), f"is running, and {changed}", fix)


def refuse_another(path: Path, tournament: Tournament) -> tuple[str, str]:
    """BadSave naming the first key that differs if a save holds another tournament.

    Returns the stored text of the tournament, and the one that is to be stored.
    """
    with Save(path) as existing:
        stored, name = existing.tournament.to_json(), existing.name
    in_save, asked_for = what_is_played(stored), what_is_played(tournament.to_json())
    if in_save != asked_for:
        fix = "leave the tournament out to continue it, or choose another --save"
        place, there, here = first_difference(in_save, asked_for)
        if place in {"agents", "games"} and len(here) > len(there):
            fix += f"; `parlour add` adds {place} to a save"
        problem = f"holds another tournament ({name!r}): {difference(in_save, asked_for)}"
        raise BadSave(str(path), problem, fix)
    return stored, tournament.to_json()


def refuse_missing_agents(tournament: Tournament, given: Mapping[str, object]) -> None:
    """BadInput for an agent of kind "python" that was not given, or one given but not named."""
    wanted = {a.name: a for a in tournament.agents if isinstance(a, PythonConfig)}
    for name in given:  # first, since a misspelt name is also a missing one
        if name not in wanted:
            fix = suggestion(name, wanted) if wanted else 'write kind = "python" in its block'
            problem = f'the tournament has no agent {name!r} of kind "python"'
            raise BadInput("agents", problem, fix)
    for config in wanted.values():
        made_in_python(config, given)


def is_played_and_rated(path: Path) -> bool:
    """Returns True if all matches are over and the leaderboard is stored; a fork has none."""
    with Save(path) as save:
        rated = save.tournament.fork is not None or save.stored_leaderboard() is not None
        return save.match_count().done and rated


def reasons_of(ended: SessionResult) -> list[str]:
    """Returns the reasons of a run that ended early: failed matches or providers, budgets."""
    stats = ended.stats
    return [
        *stats.failures()[:MOST_REASONS],
        *stats.given_up,
        *(str(cap) for cap in stats.exceeded_budgets),
    ]
