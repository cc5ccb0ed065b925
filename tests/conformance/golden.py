"""Golden histories: whole matches on file, which must come out the same for ever.

A difference means that saves of an earlier version no longer replay. If that is meant, raise
the game's ``version``, say so in CHANGELOG.md, and write the histories again::

    python -m tests.conformance.golden

It rewrites tests/conformance/golden/<game>.json for every game.
"""

import json
from pathlib import Path
from typing import Any

from parlour.games.engine.game import Game
from parlour.games.engine.moves import Fault, FaultKind, Seat
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import Played, opened, play, sampled, stumbling, variants

FOLDER = Path(__file__).parent / "golden"


def histories(game: Game) -> list[dict[str, Any]]:
    """One match of each variant without faults and one with, each on a setting of its own."""
    recorded = []
    for number, variant in enumerate(variants(game)):
        for faulty, choose in enumerate((sampled, stumbling)):
            record = game.shipped()[number % len(game.shipped())]
            recorded.append(
                _history(play(opened(game, record, variant, 2 * number + faulty), choose))
            )
    return recorded


def replayed(game: Game, history: dict[str, Any]) -> dict[str, Any]:
    """History of a new table that is fed a history's answers and faults."""
    given: dict[tuple[int, Seat], dict[str, Any]] = {}
    for event in history["events"]:
        if event["by"] is not None:
            given[event["ask"], event["by"]] = event

    def stored(at: Table, seat: Seat) -> object:
        assert at.pending is not None
        event = given[at.ask_number, seat]
        if event["fault"]:
            return Fault(FaultKind(event["fault"]))
        return at.pending.answer.model_validate(event["record"])

    setting = game.setting.model_validate_json(json.dumps(history["setting"]))
    return _history(play(Table(game, setting, game.seats(setting), history["seed"]), stored))


def _history(played: Played) -> dict[str, Any]:
    table = played.table
    history = {
        "version": table.game.version,
        "setting": table.setting.model_dump(mode="json"),
        "seed": table.seed,
        **played.transcript(),
    }
    return json.loads(json.dumps(history))


def on_file(game: Game) -> list[dict[str, Any]] | None:
    """The histories as they were written, None if there are none."""
    path = FOLDER / f"{game.name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _lines(history: dict[str, Any]) -> str:
    """A history with one event a line, so that a difference can be read."""
    parts = []
    for key, value in history.items():
        if key == "events":
            events = ",\n".join(f"   {json.dumps(event)}" for event in value)
            parts.append(f'  "events": [\n{events}\n  ]')
        else:
            parts.append(f'  "{key}": {json.dumps(value)}')
    return " {\n" + ",\n".join(parts) + "\n }"


def main() -> None:
    """Writes all histories again."""
    FOLDER.mkdir(exist_ok=True)
    for game in games().values():
        text = "[\n" + ",\n".join(map(_lines, histories(game))) + "\n]\n"
        (FOLDER / f"{game.name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
