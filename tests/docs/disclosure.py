"""Tables of the facts that prompts tell, for the page of each game.

``python -m tests.docs.disclosure`` writes them into docs/games/ again.
"""

import json
import re
from collections.abc import Iterable

from parlour.games.engine.game import Game
from parlour.games.engine.registry import games
from parlour.games.testing.facts import PromptFact, mechanism_facts, own_facts
from tests.blocks import ROOT

TITLE = "What the prompts tell"
INTRODUCTION = (
    "Each fact stands in the prompts of its row, for these players and under these keys, and in no "
    "other prompt. The conformance suite reads matches under several values of each key."
)


def disclosure_table(facts: Iterable[PromptFact]) -> str:
    """Facts as a Markdown table: which prompts tell them, to whom, under which keys."""
    lines = ["| Fact | Prompts | Players | Keys |", "| --- | --- | --- | --- |"]
    for fact in facts:
        everywhere = "all" if fact.part == "system" else "all of the game"
        keys_by_prompts: dict[str, list[str]] = {} if fact.where else {"none | none": ["-"]}
        for where in fact.where:
            prompts = f"{_codes(where.asks) or everywhere} | {_codes(where.sides) or 'all'}"
            keys = _codes(f"{key} = {json.dumps(where.keys[key])}" for key in where.keys)
            keys_by_prompts.setdefault(prompts, []).append(keys or "any")
        for prompts, alternatives in keys_by_prompts.items():
            lines.append(f"| {fact.name} | {prompts} | {' or '.join(alternatives)} |")
    return "\n".join(lines)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def disclosure_page(game: Game, text: str) -> str:
    """The text of a game's page with its section of facts as it must be, before the settings."""
    section = f"## {TITLE}\n\n{INTRODUCTION}\n\n{disclosure_table(own_facts(game))}\n\n"
    without = re.sub(rf"^## {TITLE}\n.*?(?=^## )", "", text, flags=re.MULTILINE | re.DOTALL)
    before, heading, after = without.partition("## Settings\n")
    return f"{before}{section}{heading}{after}"


def mechanisms_page(text: str) -> str:
    """The text of the page of mechanisms with its section of facts as it must be, at its end."""
    before, _, _ = text.partition(f"## {TITLE}\n")
    return f"{before}## {TITLE}\n\n{INTRODUCTION}\n\n{disclosure_table(mechanism_facts())}\n"


def main() -> None:
    """Writes the section of each game that has a page, and of mechanisms."""
    page = ROOT / "docs" / "mechanisms.md"
    page.write_text(mechanisms_page(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name, game in games().items():
        path = ROOT / "docs" / "games" / f"{name}.md"
        if path.exists():
            path.write_text(
                disclosure_page(game, path.read_text(encoding="utf-8")), encoding="utf-8"
            )


if __name__ == "__main__":
    main()
