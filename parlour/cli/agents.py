"""The command `agents`."""

import inspect
import json
from typing import Any

from parlour.agents.registry import strategies
from parlour.cli.console_tables import print_table
from parlour.cli.options import TableOrJson
from parlour.games.engine.registry import games


def agents(format: TableOrJson = "table") -> int:
    """List the strategies of scripted agents."""
    listed: list[dict[str, Any]] = []
    for name, strategy in strategies().items():
        summary = (inspect.getdoc(strategy) or "").partition("\n")[0]
        plays = sorted(games() if strategy.games is None else strategy.games)
        listed.append({"kind": "scripted", "strategy": name, "games": plays, "summary": summary})
    if format == "json":
        print(json.dumps(listed, indent=2))
        return 0
    rows = [[a["kind"], a["strategy"], ", ".join(a["games"]), a["summary"]] for a in listed]
    print_table(["Kind", "Strategy", "Games", "What it does"], rows)
    return 0
