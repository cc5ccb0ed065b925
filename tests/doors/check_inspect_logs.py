"""Inspect's own reader on the log of a save that models have played."""

import json
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log

from parlour.api.export import write_tables
from tests.models import models, played_by
from tests.tournaments import ROOT

MODES = ("good", "prose", "thinking", "server_error", "good")
TEXT = """
name = "seats"
seed = 3
[[games]]
name = "undercover"
limit = 1
"""
COMMAND = (sys.executable, "-m", "parlour.doors.inspect_logs")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of a save with faults, failures and thinking."""
    folder = tmp_path_factory.mktemp("inspect")
    keys = {"Ada": "parameters = { temperature = 0.7 }", "Bob": ""}
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        save = played_by(
            folder, lambda server: TEXT + models(server.base, keys), lambda n: MODES[n % len(MODES)]
        )
    write_tables(save, "jsonl", folder / "tables", prompts=True)
    return folder / "tables"


def rows(tables: Path, name: str) -> list[dict[str, Any]]:
    text = (tables / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def log(tables: Path) -> EvalLog:
    """The log that the command wrote, as Inspect reads it."""
    out = tables.parent / "out.eval"
    done = subprocess.run(
        [*COMMAND, tables, out], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return read_eval_log(str(out), resolve_attachments=True)


def test_a_sample_is_a_seat_with_its_payoff(tables: Path, log: EvalLog) -> None:
    assert log.status == "success"
    assert log.samples is not None
    seats = {f"undercover-{row['match']}-{row['seat']}": row for row in rows(tables, "seats")}
    assert {str(sample.id) for sample in log.samples} == seats.keys()
    for sample in log.samples:
        assert sample.scores is not None
        seat = seats[str(sample.id)]
        assert sample.scores["payoff"].value == seat["payoff"]
        assert sample.scores["won"].value == seat["won"]
        assert sample.metadata["agent"] == seat["agent"]


def as_exported(call: dict[str, Any], messages: list[tuple[str, str]]) -> tuple[Any, ...]:
    """A call as the tables have it."""
    return (
        [text for _role, text in messages],
        call["text"] or "",
        call["prompt_tokens"] or 0,
        call["thinking"] or "",
        call["failure"] is not None,
        pytest.approx(call["begun"], abs=1e-3),
        call["parameters"].get("temperature"),
    )


def as_read(event: Any) -> tuple[Any, ...]:
    """The same call as Inspect has it."""
    parts = event.output.message.content
    return (
        [message.text for message in event.input],
        event.output.completion,
        event.output.usage.input_tokens,
        "".join(part.reasoning for part in parts if part.type == "reasoning"),
        event.error is not None,
        event.timestamp.timestamp(),
        event.config.temperature,
    )


def test_events_are_the_calls_with_prompts_usage_and_times(tables: Path, log: EvalLog) -> None:
    prompts = {row["seq"]: row["messages"] for row in rows(tables, "prompts")}
    calls = rows(tables, "calls")
    calls.sort(key=lambda call: (call["match"], call["seat"], call["seq"]))
    assert log.samples is not None
    events = list(chain.from_iterable(sample.events for sample in log.samples))
    assert [*map(as_read, events)] == [as_exported(call, prompts[call["seq"]]) for call in calls]
    assert any(event.error for event in events)
    used = chain.from_iterable(sample.model_usage.values() for sample in log.samples)
    assert sum(use.input_tokens for use in used) == sum(
        call["prompt_tokens"] or 0 for call in calls
    )
    assert all(sample.total_time for sample in log.samples)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["nowhere", "a.eval"], "parlour: nowhere/matches.jsonl: cannot be read (FileNotFound"),
        (["tables"], "parlour: inspect_logs: cannot use ['tables']; give TABLES OUT.eval"),
    ],
)
def test_a_mistake_is_one_line(words: list[str], problem: str) -> None:
    done = subprocess.run([*COMMAND, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(problem)
    assert done.stderr.count("\n") == 1
