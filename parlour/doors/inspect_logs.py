"""Inspect: the calls of a save as one of its logs, which its reader and Inspect View open.

    python -m parlour.doors.inspect_logs TABLES OUT.eval

TABLES is a folder of ``parlour export --format jsonl --prompts``. A sample is a seat of a match
for which models were called: what they were sent and answered, what the seat earned, and whether it
won. No part of Parlour that needs a package is imported: Inspect wants other versions of some.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

from parlour.games.common.errors import BadInput
from parlour.games.common.packages import require

Row = dict[str, Any]
TABLES = ("matches", "seats", "calls", "prompts")
STOPPED = {"length": "max_tokens", "content_filter": "content_filter", "refusal": "content_filter"}
"""Why a model stopped where it was not at its end, in Inspect's words."""


def log_of(folder: Path) -> Any:
    """The log of the tables in a folder. BadInput if Inspect or a table is missing."""
    require("inspect-ai", "0.3", "parlour.doors.inspect_logs")
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalResults, EvalSpec, EvalStats

    matches, seats, calls, prompts = (_rows(folder / f"{table}.jsonl") for table in TABLES)
    by_number = {row["match"]: row for row in matches}
    by_place = {(row["match"], row["seat"]): row for row in seats}
    messages = {row["seq"]: row["messages"] or () for row in prompts}
    of_place: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for call in calls:
        of_place[call["match"], call["seat"]].append(call | {"messages": messages[call["seq"]]})
    samples = [
        _sample(by_number[place[0]] | by_place[place], of_place[place])
        for place in sorted(of_place)
    ]
    models = {call["model"] for call in calls}
    begun, ended = min(map(_begun, calls), default=0.0), max(map(_ended, calls), default=0.0)
    spec = EvalSpec(
        created=_time(begun),
        task=folder.resolve().name,
        dataset=EvalDataset(name="parlour", samples=len(samples)),
        model=models.pop() if len(models) == 1 else "several",
        config=EvalConfig(),
    )
    count = len(samples)
    results = EvalResults(total_samples=count, completed_samples=count, scores=_means(samples))
    stats = EvalStats(started_at=_time(begun), completed_at=_time(ended))
    return EvalLog(status="success", eval=spec, samples=samples, results=results, stats=stats)


def _sample(seat: Row, calls: Sequence[Row]) -> Any:
    """A seat of a match: its calls as events, its last talk, its usage and its scores."""
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ModelOutput, ModelUsage
    from inspect_ai.scorer import Score

    events = [_event(call) for call in calls]
    answered = [event for event in events if event.error is None]
    usage: dict[str, Any] = defaultdict(ModelUsage)
    for event in answered:
        usage[event.model] += event.output.usage or ModelUsage()
    begun, ended = min(map(_begun, calls)), max(map(_ended, calls))
    last = answered[-1:]
    earned = {name: seat[name] for name in ("payoff", "won") if seat[name] is not None}
    return EvalSample(
        id=f"{seat['game']}-{seat['match']}-{seat['seat']}",
        epoch=1,
        input=events[0].input,
        target="",
        messages=[*last[0].input, last[0].output.message] if last else events[0].input,
        output=last[0].output if last else ModelOutput(),
        scores={name: Score(value=value) for name, value in earned.items()},
        metadata=seat,
        events=events,
        model_usage=dict(usage),
        started_at=_time(begun),
        completed_at=_time(ended),
        total_time=ended - begun,
        working_time=sum(call["latency"] for call in calls),
    )


def _event(call: Row) -> Any:
    """A call of a model, answered or failed."""
    from inspect_ai.event import ModelEvent
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        ContentReasoning,
        ContentText,
        GenerateConfig,
        ModelOutput,
        ModelUsage,
    )

    roles = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    said = [ContentText(text=call["text"] or "")]
    if call["thinking"]:
        said.insert(0, ContentReasoning(reasoning=call["thinking"]))
    stopped = STOPPED.get(call["finish"], "stop")
    output = ModelOutput.from_content(call["model"], said, stopped)
    output.time = call["latency"]
    sent, written = call["prompt_tokens"] or 0, call["completion_tokens"] or 0
    output.usage = ModelUsage(
        input_tokens=sent,
        output_tokens=written,
        total_tokens=sent + written,
        input_tokens_cache_read=call["cached_tokens"],
        input_tokens_cache_write=call["written_tokens"],
        reasoning_tokens=call["reasoning_tokens"],
        total_cost=call["dollars"],
    )
    failed = None if call["failure"] is None else f"{call['failure']}: {call['message']}"
    known = call["parameters"].keys() & GenerateConfig.model_fields.keys()
    return ModelEvent(
        timestamp=_time(_begun(call)),
        completed=_time(_ended(call)),
        working_time=call["latency"],
        model=call["model"],
        input=[roles[role](content=text) for role, text in call["messages"]],
        tools=[],
        tool_choice="none",
        config=GenerateConfig(**{name: call["parameters"][name] for name in known}),
        output=output,
        error=failed,
        cache=None if call["copy_of"] is None else "read",
        metadata={name: call[name] for name in ("ask", "try", "number", "attempt")},
    )


def _means(samples: Sequence[Any]) -> list[Any]:
    """The mean of each score, by game and agent."""
    from inspect_ai.log import EvalMetric, EvalScore

    values: dict[tuple[str, str], list[float]] = defaultdict(list)
    for sample in samples:
        for name, score in sample.scores.items():
            of = f"{sample.metadata['game']}, {sample.metadata['agent']}: {name}"
            values[of, name].append(float(score.value))
    return [
        EvalScore(name=of, scorer=name, metrics={"mean": EvalMetric(name="mean", value=fmean(its))})
        for (of, name), its in sorted(values.items())
    ]


def _begun(call: Row) -> float:
    """When a call was sent, in seconds since 1970; 0 in saves that do not have it."""
    return float(call["begun"] or 0)


def _ended(call: Row) -> float:
    return _begun(call) + float(call["latency"])


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _rows(path: Path) -> list[Row]:
    """The rows of a table. BadInput if it is not there or no JSON lines."""
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        fix = "write it: parlour export SAVE --format jsonl --prompts --out TABLES"
        raise BadInput(str(path), f"cannot be read ({type(error).__name__})", fix) from None


def main(arguments: Sequence[str]) -> int:
    """The command: 0, or 2 after a line on what is wrong."""
    try:
        if len(arguments) != 2 or not arguments[1].endswith(".eval"):
            raise BadInput("inspect_logs", f"cannot use {[*arguments]}", "give TABLES OUT.eval")
        log = log_of(Path(arguments[0]))
        from inspect_ai.log import write_eval_log

        write_eval_log(log, arguments[1])
    except BadInput as refusal:
        print(f"parlour: {refusal}", file=sys.stderr)
        return 2
    print(f"Written: {arguments[1]} ({len(log.samples)} samples)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
