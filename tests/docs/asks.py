"""The table of what games ask, for the page on agents of one's own.

``python -m tests.docs.asks`` prints it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from parlour.games.engine.game import Game
from parlour.games.engine.moves import REASONS
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import openings, play, variants
from parlour.tui.models.form import player_number


def rows() -> Iterator[list[str]]:
    """Yields a row for each kind of ask and form of its answer: the kind, the games, the fields."""
    by_form: dict[tuple[str, str], list[str]] = {}
    for name, game in games().items():
        for kind, form in sorted(_forms(game)):
            by_form.setdefault((kind, form), []).append(name)
    for (kind, form), asking in sorted(by_form.items()):
        yield [f"`{kind}`", ", ".join(asking), form]


def _forms(game: Game) -> set[tuple[str, str]]:
    """The kinds of asks of a game under each value of its keys, each with the answer's form."""
    forms = set[tuple[str, str]]()

    def watch(table: Table) -> None:
        if table.pending is not None:
            schema = table.pending.schema(table.waiting[0])
            forms.add((table.pending.kind, _fields(schema, schema)))

    for variant in variants(game):
        for table in openings(game, variant, 1):
            play(table, watch=watch)
    return forms


def _fields(part: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """The fields of an object; those that only models must give are left out."""
    fields = []
    for name, its in part["properties"].items():
        if name not in REASONS:
            optional = "" if name in part["required"] else " (may be left out)"
            fields.append(f"`{name}`: {_legal(its, whole)}{optional}")
    return ", ".join(fields)


def _legal(part: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """A part of a schema in words. Bounds of numbers change from ask to ask."""
    if "$ref" in part:
        return _legal(whole["$defs"][part["$ref"].rpartition("/")[2]], whole)
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(_legal(each, whole) for each in part["anyOf"]))
    if (options := part.get("enum")) is not None:
        is_player = all(player_number(str(option)) is not None for option in options)
        return "a player" if is_player else " or ".join(f"`{option}`" for option in options)
    match part.get("type"):
        case "string":
            return "a player" if "pattern" in part else "a text"
        case "array":
            return f"a list, each {_legal(part['items'], whole)}"
        case "object":  # a field for each player
            return f"for each player {_legal(next(iter(part['properties'].values())), whole)}"
    return {"integer": "a whole number", "number": "a number", "boolean": "true or false"}.get(
        str(part.get("type")), "null"
    )


if __name__ == "__main__":
    for row in rows():
        print(f"| {' | '.join(row)} |")
