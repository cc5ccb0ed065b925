"""The command `list`: what there is."""

import inspect
import json
from typing import Any, Literal

from parlour.agents.registry import STRATEGIES, strategies
from parlour.cli.console_tables import print_table
from parlour.cli.options import TableOrJson
from parlour.games.common.forms import COUNT, TEXT
from parlour.games.common.plugins import broken_plugins
from parlour.games.common.tables import ColumnTable, listed
from parlour.games.engine.registry import GAMES as GAME_POINTS
from parlour.games.engine.registry import games as all_games
from parlour.tournament.plan.expansion import PRESETS, preset_names
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.plan.schedule import match_count

Listing = tuple[list[dict[str, Any]], ColumnTable[Any], list[str]]
"""Records for programs, the same as a table for people, and the notes below it."""


def list_(
    what: Literal["games", "agents", "presets", "keys"], format: TableOrJson = "table"
) -> int:
    """List games and their keys, strategies of agents, presets, or keys of the screens."""
    lists = {"games": _games, "agents": _agents, "presets": _presets, "keys": _keys}
    records, table, notes = lists[what]()
    if format == "json":
        print(json.dumps(records, indent=2))
    else:
        print_table(table, notes)
    return 0


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


def _games() -> Listing:
    """Lists the games and their keys."""
    records: list[dict[str, Any]] = [
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
    return records, listed(GAMES, map(_row, records)), _left_out(GAME_POINTS)


def _left_out(group: str) -> list[str]:
    """Names what other packages bring in vain."""
    return [f"Left out: {problem}" for problem in broken_plugins(group).values()]


def _row(game: dict[str, Any]) -> list[object]:
    keys = ", ".join(f"{key}={json.dumps(value)}" for key, value in game["keys"].items())
    return [game["name"], game["seats"], game["settings"], keys, game["summary"]]


def _agents() -> Listing:
    """Lists the strategies of scripted agents."""
    records: list[dict[str, Any]] = []
    for name, strategy in strategies().items():
        summary = (inspect.getdoc(strategy) or "").partition("\n")[0]
        plays = sorted(all_games() if strategy.games is None else strategy.games)
        records.append({"kind": "scripted", "strategy": name, "games": plays, "summary": summary})
    rows = ([a["kind"], a["strategy"], ", ".join(a["games"]), a["summary"]] for a in records)
    return records, listed(AGENTS, rows), _left_out(STRATEGIES)


PAPERS: dict[str, str] = json.loads((PRESETS / "papers.json").read_text(encoding="utf-8"))
"""The paper whose experiment a preset follows."""


def _presets() -> Listing:
    """Lists the tournaments that ship with Parlour."""
    records: list[dict[str, Any]] = []
    for name in preset_names():
        preset = read_preset(name)
        records.append(
            {
                "name": name,
                "schedule": preset.schedule,
                "games": list(dict.fromkeys(entry.game.name for entry in preset.games)),
                "agents": [agent.name for agent in preset.agents],
                "matches": match_count(preset),
                "paper": PAPERS.get(name),
            }
        )
    rows = (
        [p["name"], p["schedule"], ", ".join(p["games"]), ", ".join(p["agents"]), p["matches"]]
        for p in records
    )
    notes = []
    for paper in dict.fromkeys(PAPERS.values()):
        names = ", ".join(name for name, followed in PAPERS.items() if followed == paper)
        notes.append(f"{names}: after {paper}.")
    return records, listed(LISTED_PRESETS, rows), notes


def _keys() -> Listing:
    """Lists the actions of the screens with their names and keys."""
    from parlour.tui.app import ParlourApp  # slow to load
    from parlour.tui.bindings import actions, check_keys
    from parlour.tui.settings import read_settings

    settings = read_settings()
    check_keys(ParlourApp, settings)
    rows = [
        [action.name, action.shown_keys(settings.keys), action.description, action.place]
        for action in actions(ParlourApp)
    ]
    names = ("action", "keys", "description", "place")
    records = [dict(zip(names, row, strict=True)) for row in rows]
    note = f"Own keys: the table [keys] of {settings.path}."
    return records, listed(KEYS, rows), [note]
