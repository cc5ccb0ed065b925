"""Metrics: the counts of a run as a text file that Prometheus's node exporter collects."""

import os
from collections.abc import Iterator
from pathlib import Path

from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import open_plain, read_plain
from parlour.tournament.control.status import RunnerStatus

_METRICS: tuple[tuple[str, str, str, str], ...] = (
    ("matches", "gauge", "Matches that are planned.", "matches"),
    ("matches_finished", "gauge", "Matches that are finished.", "finished"),
    ("matches_frozen", "gauge", "Matches that cannot be played on.", "frozen"),
    ("answers", "gauge", "Answers that are stored.", "answers"),
    ("answers_faulty", "gauge", "Answers among them that were faulty.", "faults"),
    ("calls", "gauge", "Calls of models.", "calls"),
    ("calls_failed", "gauge", "Calls among them that failed.", "failed_calls"),
    ("calls_in_flight", "gauge", "Calls that are under way.", "in_flight"),
    ("answers_per_second", "gauge", "Answers a second, lately.", "per_second"),
    ("dollars", "gauge", "US dollars that models have cost.", "dollars"),
    ("budget_dollars", "gauge", "The budget of all models, in US dollars.", "budget"),
    ("seconds_left", "gauge", "Forecast of the seconds to the end.", "left"),
)
"""Name, type, help and the field of the status; a field without a value is left out."""


def metrics_text(name: str, now: RunnerStatus, state: str, seconds: float) -> str:
    """The metrics of a run in the text format of Prometheus, at so many seconds of its clock."""
    return "".join(f"{line}\n" for line in _lines(name, now, state, seconds))


def _lines(name: str, now: RunnerStatus, state: str, seconds: float) -> Iterator[str]:
    label = f'save="{_escaped(name)}"'
    yield from _metric("up", "gauge", "1 while a process plays the save.", label, state != "ended")
    for metric, kind, words, field in _METRICS:
        if (value := getattr(now, field)) is not None:
            yield from _metric(metric, kind, words, label, value)
    yield from _metric("alarms", "gauge", "Alarms of the run.", label, len(now.alarms))
    waits = sum(wait.kind != "person" for wait in now.waits)
    yield from _metric("waits", "gauge", "Providers, budgets and disks waited for.", label, waits)
    yield from _metric("updated_seconds", "gauge", "When this was written.", label, seconds)


def _metric(name: str, kind: str, words: str, label: str, value: float) -> Iterator[str]:
    yield f"# HELP parlour_{name} {words}"
    yield f"# TYPE parlour_{name} {kind}"
    yield f"parlour_{name}{{{label}}} {float(value)!r}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def write_metrics(path: Path, text: str) -> None:
    """Replaces the file in one step, since a collector may read it at any time. OSError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with os.fdopen(open_plain(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w") as file:
            os.fchmod(file.fileno(), 0o644)  # the collector is another user
            file.write(text)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def refuse_place(path: Path) -> None:
    """BadInput for a place at which no metrics can be written, or that holds something else."""
    problem = ""
    try:
        if not read_plain(path).startswith(b"# HELP parlour_"):
            problem = "holds something else than metrics"
    except FileNotFoundError:
        if not os.access(path.parent, os.W_OK):
            problem = "cannot be written: its folder is missing or closed"
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
    if problem:
        raise BadInput("--metrics", f"{path} {problem}", "name a file such as run.prom")
