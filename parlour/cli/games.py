"""The command `games`."""

import json
from typing import Any

from parlour.cli.console_tables import print_table
from parlour.cli.options import TableOrJson
from parlour.games.engine.registry import games as all_games


def games(format: TableOrJson = "table") -> int:
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
            "keys": game.variant().model_dump(mode="json"),
            "endings": dict(game.texts.endings),
        }
        for game in all_games().values()
    ]
    if format == "json":
        print(json.dumps(listed, indent=2))
        return 0
    titles = ["Game", "Seats", "Settings", "Keys and defaults", "What it is"]
    print_table(titles, list(map(_row, listed)), right=[1, 2])
    return 0


def _row(game: dict[str, Any]) -> list[str]:
    keys = ", ".join(f"{key}={json.dumps(value)}" for key, value in game["keys"].items())
    return [game["name"], str(game["seats"]), str(game["settings"]), keys, game["summary"]]
