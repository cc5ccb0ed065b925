"""The command `presets`, with the papers that presets follow."""

import json
from typing import Any

from parlour.cli.console_tables import print_note, print_table
from parlour.cli.options import TableOrJson
from parlour.tournament.plan.loader import PRESETS, preset_names, read_preset
from parlour.tournament.plan.schedule import match_count

PAPERS: dict[str, str] = json.loads((PRESETS / "papers.json").read_text(encoding="utf-8"))
"""The paper whose experiment a preset follows."""


def presets(format: TableOrJson = "table") -> int:
    """List the tournaments that ship with Parlour."""
    listed: list[dict[str, Any]] = []
    for name in preset_names():
        preset = read_preset(name)
        listed.append(
            {
                "name": name,
                "schedule": preset.schedule,
                "games": list(dict.fromkeys(entry.game.name for entry in preset.games)),
                "agents": [agent.name for agent in preset.agents],
                "matches": match_count(preset),
                "paper": PAPERS.get(name),
            }
        )
    if format == "json":
        print(json.dumps(listed, indent=2))
        return 0
    rows = [
        [p["name"], p["schedule"], ", ".join(p["games"]), ", ".join(p["agents"]), str(p["matches"])]
        for p in listed
    ]
    print_table(["Preset", "Schedule", "Games", "Agents", "Matches"], rows, right=[4])
    for paper in dict.fromkeys(PAPERS.values()):
        names = ", ".join(name for name, followed in PAPERS.items() if followed == paper)
        print_note(f"{names}: after {paper}.")
    return 0
