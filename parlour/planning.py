"""The plan: what a tournament would play, counted before anything is played."""

import json
from collections import Counter
from pathlib import Path
from typing import Literal

from games.errors import BadInput
from games.telling import counted
from parlour.running import asked_for
from parlour.screen import print_table
from tournament.schedule import answers_of_a_match, schedule


def plan(
    tournament: Path | None, preset: str | None, seed: int | None, format: Literal["table", "json"]
) -> int:
    """Counts matches, experiments and asks, and shows who meets whom."""
    wanted = asked_for(tournament, preset, seed)
    if wanted is None:
        mend = "give a TOURNAMENT.toml or --preset NAME"
        raise BadInput("plan", "does not know what to plan", mend)
    asks = [answers_of_a_match(entry) for entry in wanted.games]
    experiments: Counter[str] = Counter()
    as_agent: Counter[str] = Counter()
    total = 0
    for match in schedule(wanted):
        experiments[match.experiment] += 1
        as_agent.update(match.agents)
        total += asks[match.entry]
    matches = sum(experiments.values())
    body = {
        "name": wanted.name,
        "seed": wanted.seed,
        "schedule": wanted.schedule,
        "matches": matches,
        "experiments": len(experiments),
        "asks": total,
        "seats": dict(as_agent),
        "matches_by_experiment": dict(experiments),
    }
    if format == "json":
        print(json.dumps(body, indent=2))
        return 0
    counts = f"{counted(matches, 'match')} in {counted(len(experiments), 'experiment')}"
    print(f"{wanted.name}: {counts}, {counted(total, 'ask')}")
    print_table(
        ["Experiment", "Matches"], [[name, str(n)] for name, n in experiments.items()], right=[1]
    )
    print_table(["Agent", "Seats"], [[name, str(n)] for name, n in as_agent.items()], right=[1])
    return 0
