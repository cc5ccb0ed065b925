"""Conformance of disclosure: each prompt tells the facts that it must tell, and no other."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from parlour.games.engine.disclosure import Fact, Reader, Where
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.moves import player
from parlour.games.engine.prompts import render
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import openings, play, saying, variants

SEEDS = 2
"""Matches of each variant whose prompts are read."""


def readings(game: Game, variant: Frozen, own: Path | None = None) -> Iterator[tuple[Reader, str]]:
    """Reader and text of every prompt of some matches, in which every player gives reasons.

    ``own`` is a folder of templates, as for ``render``.
    """
    texts: list[tuple[Reader, str]] = []

    def watch(table: Table) -> None:
        assert table.pending is not None
        sides = game.sides(table.setting)
        for seat in table.waiting:
            kind, view = table.pending.kind, table.view(seat)
            prompt = render(game, view, kind, own)
            text = " ".join(f"{prompt.system} {prompt.question}".split())
            texts.append((Reader(kind, sides[seat], table.setting, view), text))

    for table in openings(game, variant, SEEDS, disguise=True):
        play(table, saying("a note"), watch)
    return iter(texts)


def check_disclosure(game: Game, own: Path | None = None) -> None:
    """Every prompt tells the facts that it must, and none that it must not.

    Each fact is told somewhere, and withheld somewhere unless it is told in every prompt, so that
    no fact holds whatever the prompts say. A game without facts has nothing to check.
    """
    occurred: set[tuple[str, bool]] = set()
    for variant in variants(game, game.testing.facts_variant) if game.testing.facts else ():
        for reader, text in readings(game, variant, own):
            for fact in game.testing.facts:
                told = _hold_fact(game, variant, reader, text, fact)
                occurred.add((fact.name, told))
    for fact in game.testing.facts:
        never = "withheld" if (fact.name, True) in occurred else "told"
        bound = {(fact.name, True)} if fact.told else set()
        bound |= set() if Where() in fact.told else {(fact.name, False)}
        if not bound <= occurred:
            raise AssertionError(f"{game.name}: {fact.name!r} is never {never}")


def _hold_fact(game: Game, variant: Frozen, reader: Reader, text: str, fact: Fact) -> bool:
    """Whether the prompt must tell the fact; AssertionError if it does otherwise."""
    must = fact.is_told(reader)
    pattern = re.compile(fact.pattern(reader), re.IGNORECASE)
    match = pattern.search(text)
    where = (
        f"{game.name}, {game.condition(variant) or 'defaults'}, prompt {reader.kind!r} "
        f"to {player(reader.view.seat)} ({reader.side})"
    )
    if must and match is None:
        raise AssertionError(f"{where}: does not tell {fact.name!r} ({pattern.pattern!r})")
    if not must and match is not None:
        raise AssertionError(f"{where}: tells {fact.name!r} ({match[0]!r})")
    if not fact.told and not pattern.search(fact.example):
        raise AssertionError(f"{game.name}: {fact.name!r} is not noticed in its own example")
    return must


def disclosure_table(game: Game) -> str:
    """The game's facts as a Markdown table: which prompts tell them, to whom, under which keys."""
    lines = ["| Fact | Prompts | Players | Keys |", "| --- | --- | --- | --- |"]
    for fact in game.testing.facts:
        if not fact.told:
            lines.append(f"| {fact.name} | none | | |")
        for where in fact.told:
            prompts = ", ".join(f"`{kind}`" for kind in where.asks) or "all"
            players = ", ".join(f"`{side}`" for side in where.sides) or "all"
            keys = (
                ", ".join(f"`{key} = {json.dumps(where.keys[key])}`" for key in where.keys) or "any"
            )
            lines.append(f"| {fact.name} | {prompts} | {players} | {keys} |")
    return "\n".join(lines)
