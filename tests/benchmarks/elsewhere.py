"""Calls of a model by another framework, in the environment that its door is tested in.

    .doors/NAME/bin/python -m tests.benchmarks.elsewhere NAME ADDRESS AT_ONCE EACH

Prints what they cost as JSON. inspect_ai evaluates a task, with its log, and each of its samples is
one call; an agent of TextArena answers in threads, as many as there are calls at once.
"""

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

WARM = 20
"""Calls before the clock runs: libraries load, connections open."""


def inspect_logs(base: str, at_once: int) -> Callable[[int], None]:
    """A task of so many samples."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.model import get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate

    model = get_model("openai-api/bench/test", base_url=base, api_key="not-needed")

    def call(number: int) -> None:
        samples = [Sample(input=f"Who is it? {each}", target="2") for each in range(number)]
        task = Task(dataset=samples, solver=[generate()], scorer=includes())
        options = {"max_samples": at_once, "max_connections": at_once, "display": "none"}
        with tempfile.TemporaryDirectory() as folder:
            [log] = evaluate(task, model=model, log_dir=folder, **options)
        assert log.status == "success", log.error

    return call


def textarena(base: str, at_once: int) -> Callable[[int], None]:
    """An agent, asked by so many threads."""
    from openai import OpenAI
    from textarena.agents import OpenRouterAgent

    os.environ["OPENROUTER_API_KEY"] = "not-needed"
    agent = OpenRouterAgent("test")
    agent.client = OpenAI(base_url=base, api_key="not-needed")
    pool = ThreadPoolExecutor(at_once)

    def call(number: int) -> None:
        assert all(pool.map(agent, [f"Who is it? {each}" for each in range(number)]))

    return call


if __name__ == "__main__":
    name, base, at_once, each = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    call = {"inspect_logs": inspect_logs, "textarena": textarena}[name](base, at_once)
    call(WARM)
    before, begun = time.process_time(), time.perf_counter()
    call(at_once * each)
    wall, cpu = time.perf_counter() - begun, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"wall": wall, "cpu": cpu, "start": before, "peak": peak}))
