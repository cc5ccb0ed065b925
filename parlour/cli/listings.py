"""The command `list`: what there is."""

import inspect
import json
from typing import Any, Literal

from parlour.agents.registry import STRATEGIES, strategies
from parlour.cli.console_tables import print_list, print_note
from parlour.cli.options import TableOrJson
from parlour.games.common.forms import COUNT, TEXT
from parlour.games.common.plugins import broken_plugins
from parlour.games.engine.registry import GAMES as GAME_POINTS
from parlour.games.engine.registry import games as all_games
from parlour.tournament.plan.expansion import PRESETS, preset_names
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.plan.schedule import match_count


def list_(
    what: Literal["games", "agents", "presets", "keys"],
    format: TableOrJson = "table",
) -> int:
    """List games and their keys, strategies of agents, presets, or keys of the screens."""
    lists = {"games": _games, "agents": _agents, "presets": _presets, "keys": _keys}
    return lists[what](format)


def _games(format: str) -> int:
    """List the games and their keys."""
    listed: list[dict[str, Any]] = [
        {
            "name": game.name,
            "title": game.texts.title,
            "summary": game.texts.summary,
            "seats": game.seats(game.make_setting(game.shipped()[0], game.variant())),
            "roles": list(game.scoring.roles),
            "settings": len(game.shipped()),
            "setting_fields": list(game.record.model_fields),
            "keys": game.defaults(),
            "endings": dict(game.texts.endings),
        }
        for game in all_games().values()
    ]
    if format == "json":
        print(json.dumps(listed, indent=2))
        return 0
    print_list(GAMES, map(_row, listed))
    _print_broken(GAME_POINTS)
    return 0


def _print_broken(group: str) -> None:
    """Names what other packages bring in vain."""
    for problem in broken_plugins(group).values():
        print_note(f"Left out: {problem}")


GAMES = {
    **{"Game": TEXT, "Seats": COUNT, "Settings": COUNT},
    **{"Keys and defaults": TEXT, "What it is": TEXT},
}
AGENTS = dict.fromkeys(("Kind", "Strategy", "Games", "What it does"), TEXT)
LISTED_PRESETS = {
    **{"Preset": TEXT, "Schedule": TEXT, "Games": TEXT, "Agents": TEXT},
    "Matches": COUNT,
}
KEYS = dict.fromkeys(("Action", "Keys", "Description", "Place"), TEXT)


def _row(game: dict[str, Any]) -> list[object]:
    keys = ", ".join(f"{key}={json.dumps(value)}" for key, value in game["keys"].items())
    return [game["name"], game["seats"], game["settings"], keys, game["summary"]]


def _agents(format: str) -> int:
    """List the strategies of scripted agents."""
    listed: list[dict[str, Any]] = []
    for name, strategy in strategies().items():
        summary = (inspect.getdoc(strategy) or "").partition("\n")[0]
        plays = sorted(all_games() if strategy.games is None else strategy.games)
        listed.append({"kind": "scripted", "strategy": name, "games": plays, "summary": summary})
    if format == "json":
        print(json.dumps(listed, indent=2))
        return 0
    rows = ([a["kind"], a["strategy"], ", ".join(a["games"]), a["summary"]] for a in listed)
    print_list(AGENTS, rows)
    _print_broken(STRATEGIES)
    return 0


PAPERS: dict[str, str] = json.loads((PRESETS / "papers.json").read_text(encoding="utf-8"))
"""The paper whose experiment a preset follows."""


def _presets(format: str) -> int:
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
    rows = (
        [p["name"], p["schedule"], ", ".join(p["games"]), ", ".join(p["agents"]), p["matches"]]
        for p in listed
    )
    print_list(LISTED_PRESETS, rows)
    for paper in dict.fromkeys(PAPERS.values()):
        names = ", ".join(name for name, followed in PAPERS.items() if followed == paper)
        print_note(f"{names}: after {paper}.")
    return 0


def _keys(format: str) -> int:
    """List the actions of the screens with their names and keys."""
    from parlour.tui.app import ParlourApp  # slow to load
    from parlour.tui.bindings import actions, check_keys
    from parlour.tui.settings import read_settings

    settings = read_settings()
    check_keys(ParlourApp, settings)
    own = settings.keys
    rows = [
        [action.name, action.shown_keys(own), action.description, action.place]
        for action in actions(ParlourApp)
    ]
    if format == "json":
        names = ("action", "keys", "description", "place")
        print(json.dumps([dict(zip(names, row, strict=True)) for row in rows], indent=2))
        return 0
    print_list(KEYS, rows)
    print_note(f"Own keys: the table [keys] of {settings.path}.")
    return 0
