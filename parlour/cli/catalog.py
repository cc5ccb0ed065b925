"""What there is: the version, games, agents, presets."""

import inspect
import json
from typing import Any, Literal

from parlour.agents.registry import strategies
from parlour.cli.console_tables import print_table
from parlour.games.engine.registry import games as all_games
from parlour.tournament.plan.loader import preset_names, read_preset
from parlour.tournament.plan.schedule import match_count

Format = Literal["table", "json"]


def version() -> int:
    """The version that is installed."""
    from importlib.metadata import version as installed

    print(f"parlour {installed('parlour')}")
    return 0


def games(format: Format) -> int:
    """The games with their roles, keys and defaults."""
    listed = [
        {
            "name": game.name,
            "title": game.texts.title,
            "summary": game.texts.summary,
            "seats": game.seats(game.make_setting(game.shipped()[0], game.variant())),
            "roles": list(game.scoring.roles),
            "settings": len(game.shipped()),
            "setting_fields": list(game.record.model_fields),
            "keys": game.variant().model_dump(mode="json"),
            "endings": dict(game.texts.endings),
        }
        for game in all_games().values()
    ]
    if format == "json":
        print(json.dumps(listed, indent=2))
        return 0
    print_table(
        ["Game", "Seats", "Settings", "Keys and defaults", "What it is"],
        [
            [
                str(game["name"]),
                str(game["seats"]),
                str(game["settings"]),
                _pairs(game["keys"]),
                str(game["summary"]),
            ]
            for game in listed
        ],
    )
    return 0


def _pairs(keys: Any) -> str:
    return ", ".join(f"{key}={json.dumps(value)}" for key, value in keys.items())


def agents(format: Format) -> int:
    """The strategies of scripted agents, with what each does and which games it plays."""
    listed: list[dict[str, Any]] = []
    for name, strategy in strategies().items():
        summary = (inspect.getdoc(strategy) or "").partition("\n")[0]
        plays = sorted(strategy.games) if strategy.games is not None else sorted(all_games())
        listed.append({"kind": "scripted", "strategy": name, "games": plays, "summary": summary})
    if format == "json":
        print(json.dumps(listed, indent=2))
        return 0
    print_table(
        ["Kind", "Strategy", "Games", "What it does"],
        [
            [str(a["kind"]), str(a["strategy"]), ", ".join(a["games"]), str(a["summary"])]
            for a in listed
        ],
    )
    return 0


def presets(format: Format) -> int:
    """The tournaments that ship, with their size."""
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
            }
        )
    if format == "json":
        print(json.dumps(listed, indent=2))
        return 0
    print_table(
        ["Preset", "Schedule", "Games", "Agents", "Matches"],
        [
            [
                str(p["name"]),
                str(p["schedule"]),
                ", ".join(p["games"]),
                ", ".join(p["agents"]),
                str(p["matches"]),
            ]
            for p in listed
        ],
        right=[4],
    )
    return 0
