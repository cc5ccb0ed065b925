"""Tables of the facts that prompts tell, for the page of each game.

``python -m tests.docs.disclosure`` writes them into docs/games/ again.
"""

import json
import re
from collections.abc import Iterable

from parlour.games.engine.game import Game
from parlour.games.engine.registry import games
from parlour.games.testing.facts import facts_of
from tests.blocks import ROOT

TITLE = "What the prompts tell"
INTRODUCTION = (
    "Each fact stands in the prompts of its row, for these players and under these keys, and in no "
    "other prompt. The conformance suite reads matches under several values of each key."
)


def disclosure_table(game: Game) -> str:
    """The game's facts as a Markdown table: which prompts tell them, to whom, under which keys."""
    lines = ["| Fact | Prompts | Players | Keys |", "| --- | --- | --- | --- |"]
    for fact in facts_of(game):
        keys_by_prompts: dict[str, list[str]] = {} if fact.where else {"none | none": ["-"]}
        for where in fact.where:
            prompts = f"{_codes(where.asks) or 'all'} | {_codes(where.sides) or 'all'}"
            keys = _codes(f"{key} = {json.dumps(where.keys[key])}" for key in where.keys)
            keys_by_prompts.setdefault(prompts, []).append(keys or "any")
        for prompts, alternatives in keys_by_prompts.items():
            lines.append(f"| {fact.name} | {prompts} | {' or '.join(alternatives)} |")
    return "\n".join(lines)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def disclosure_page(game: Game, text: str) -> str:
    """The text of a game's page with its section of facts as it must be, before the settings."""
    section = f"## {TITLE}\n\n{INTRODUCTION}\n\n{disclosure_table(game)}\n\n"
    without = re.sub(rf"^## {TITLE}\n.*?(?=^## )", "", text, flags=re.MULTILINE | re.DOTALL)
    before, heading, after = without.partition("## Settings\n")
    return f"{before}{section}{heading}{after}"


def main() -> None:
    """Writes the section of each game that has a page."""
    for name, game in games().items():
        path = ROOT / "docs" / "games" / f"{name}.md"
        if path.exists():
            path.write_text(
                disclosure_page(game, path.read_text(encoding="utf-8")), encoding="utf-8"
            )


if __name__ == "__main__":
    main()
