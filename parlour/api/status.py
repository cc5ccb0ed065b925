"""State and progress of a save, asked of its runner if one is running."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from parlour.games.common.errors import BadSave
from parlour.tournament.control.client import REPLY_SECONDS, ControlFailed, RunnerClient
from parlour.tournament.control.launch import last_words
from parlour.tournament.control.status import RunStatus, hung, last_end, silence
from parlour.tournament.reports.growth_history import AddedStage, growth_history
from parlour.tournament.run.state import State
from parlour.tournament.save.lock import holder, iso
from parlour.tournament.save.outline import experiment_counts
from parlour.tournament.save.provenance.alarms import alarms_of
from parlour.tournament.save.provenance.origins import origin_words
from parlour.tournament.save.provenance.remarks import Remark, remarks_of
from parlour.tournament.save.queries import decided
from parlour.tournament.save.reader import RANK, Save

HUNG_REPLY_SECONDS = 1.0
"""Seconds that a reply is waited for from a process without a sign of life."""


@dataclass(frozen=True, slots=True)
class SaveStatus:
    """A save: its counts and money from its runner, or from the save if none replies.

    ``state`` is "hung" if its process gives no sign of life. ``since`` is when the state began,
    ``started`` and ``ended`` when the last run did, in UTC (ISO 8601), None where unknown.
    ``decided`` says which ranks of an adaptive tournament are decided, ``until`` and
    ``most_matches`` when it ends; None for another one. ``origin`` says from which saves the
    matches were merged or split, "" if from none. ``stopped_by`` is the signal or command that
    stopped it, ``error`` the error that ended it. ``provenance`` are remarks on what changed within
    the figures. ``pid`` and ``silence``, the seconds since the last sign of life, are None while
    nothing runs it. ``history`` has the stages of the tournament.
    """

    save: str
    name: str
    created: str
    state: State | Literal["finished", "unfinished", "hung"]
    pid: int | None
    experiments: int
    experiments_finished: int
    prompt_tokens: int
    completion_tokens: int
    run: RunStatus
    since: str | None
    origin: str = ""
    started: str | None = None
    ended: str | None = None
    stopped_by: str | None = None
    error: str | None = None
    decided: str | None = None
    until: str | None = None
    most_matches: int | None = None
    silence: float | None = None
    history: tuple[AddedStage, ...] = ()
    provenance: tuple[Remark, ...] = ()

    def as_json(self) -> str:
        """Flat JSON; of a save that nothing runs without the fields that only a runner has."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        own["state"] = self.state
        own["provenance"] = list(map(asdict, self.provenance))
        del own["run"]
        own["history"] = list(map(asdict, self.history))
        if self.decided is None:
            for name in ("decided", "until", "most_matches"):
                del own[name]
        left_out = {"state", "since", "stepped", "refused"}
        run = self.run.model_dump(mode="json", exclude_unset=True, exclude=left_out)
        return json.dumps(own | run, indent=2)


def read_status(path: Path) -> SaveStatus:
    """The status of a save, asked of its runner if one is running."""
    with Save(path) as save:
        progress, name, created = save.progress(), save.name, save.created
        spent, control, words = save.spent(), save.control(), origin_words(save)
        decisions, most = decided(save), save.tournament.most_matches
        experiments, experiments_finished = experiment_counts(save)
        history = growth_history(save)
        # A runner counts them as it plays.
        raised = alarms_of(save) if holder(path) is None else []
        provenance = tuple(remarks_of(save))
    run = RunStatus(
        **asdict(progress),
        calls=spent.calls,
        failed_calls=spent.failed_calls,
        cached=spent.cached,
        dollars=spent.dollars,
        budget=control.budget,
        agent_budgets=control.agent_budgets,
        alarms=raised,
    )
    status = SaveStatus(
        save=str(path),
        name=name,
        created=created,
        state="finished" if progress.done else "unfinished",
        pid=None,
        experiments=experiments,
        experiments_finished=experiments_finished,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        run=run,
        since=created,
        history=history,
        origin=words,
        provenance=provenance,
        decided=decisions,
        until=control.until or RANK,
        most_matches=most,
    )
    running = holder(path)
    return _at_rest(status, path) if running is None else _of_runner(status, path, running)


def _of_runner(status: SaveStatus, path: Path, running: dict[str, Any]) -> SaveStatus:
    """The status of a save that a process runs; from the save alone if that does not reply."""
    started, quiet = running.get("started"), silence(path)
    status = replace(
        status, state="running", pid=running.get("pid"), since=started, started=started
    )
    status = replace(status, silence=None if quiet is None else round(quiet, 1))
    is_hung = bool(hung(path))
    with suppress(ControlFailed, BadSave):  # it may end at this very moment
        now = RunnerClient(path, HUNG_REPLY_SECONDS if is_hung else REPLY_SECONDS).status()
        return replace(status, state=now.state, pid=now.pid, since=now.since or started, run=now)
    return replace(status, state="hung", since=_last_sign(quiet)) if is_hung else status


def _last_sign(seconds: float | None) -> str | None:
    """The time of the last sign of life, so many seconds ago."""
    return None if seconds is None else iso(datetime.now(UTC) - timedelta(seconds=seconds))


def _at_rest(status: SaveStatus, path: Path) -> SaveStatus:
    """The status of a save that nothing runs, with the end of its last run."""
    end, run = last_end(path), status.run
    status = replace(status, started=end.started, ended=end.ended, since=end.ended or status.since)
    if status.state == "finished":
        return status
    because = None if end.stopped_because == "finished" else end.stopped_because  # it grew since
    run = run.model_copy(update={"stopped_because": because, "failed": last_words(path)})
    return replace(status, run=run, stopped_by=end.stopped_by, error=end.error)
