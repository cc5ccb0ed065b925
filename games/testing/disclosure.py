"""Conformance of disclosure: each prompt tells the facts that it must tell, and no other."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.moves import player
from parlour.games.engine.prompts import render
from parlour.games.engine.table import Table
from parlour.games.engine.wordings import KEY, PLAIN, TEMPLATES, wordings_of
from parlour.games.testing.facts import EVERYWHERE, PromptFact, Reader, facts_of
from parlour.games.testing.playthrough import openings, play, saying, variants


def readings(
    game: Game, variant: Frozen, seed: int, own: Path | None = None
) -> list[tuple[Reader, str]]:
    """Reader and text of every prompt of a match in which every player gives reasons.

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
            texts.append((Reader(game, kind, sides[seat], table.setting, view), text))

    for table in openings(game, variant, seeds=[seed], disguise=True):
        play(table, saying("a note"), watch)
    return texts


def check_disclosure(game: Game, own: Path | None = None) -> None:
    """Every prompt tells the facts that it must and no others, in every wording too."""
    check_facts(game, facts_of(game), own)
    for wording in TEMPLATES.intersection(wordings_of(game)):
        worded = variants(game, {**game.testing.facts_variant, KEY: wording})
        for seed, variant in enumerate(worded):
            check_disclosed(game, facts_of(game), variant, seed, own)


def check_facts(game: Game, facts: Sequence[PromptFact], own: Path | None = None) -> None:
    """The same of these facts. Each is told somewhere, and withheld somewhere or told everywhere.

    So no fact holds whatever the prompts say. A game without facts has nothing to check.
    """
    occurred: set[tuple[str, bool]] = set()
    for seed, variant in enumerate(_variants(game) if facts else ()):
        occurred |= check_disclosed(game, facts, variant, seed, own)
    for fact in facts:
        if fact.where and (fact.name, True) not in occurred:
            raise AssertionError(f"{game.name}: {fact.name!r} is never told")
        if fact.where != EVERYWHERE and (fact.name, False) not in occurred:
            raise AssertionError(f"{game.name}: {fact.name!r} is never withheld")


def _variants(game: Game) -> Iterator[Frozen]:
    """Yields the variants of the game in its plain wording, in each of its languages."""
    key = game.variant.model_fields.get("language")
    for language in get_args(key.annotation) if key else (None,):
        own = {} if language is None else {"language": language}
        for variant in variants(game, {**game.testing.facts_variant, **own}):
            plain = getattr(variant, KEY, PLAIN) == PLAIN
            if plain and getattr(variant, "language", None) == language:
                yield variant


def check_disclosed(
    game: Game, facts: Sequence[PromptFact], variant: Frozen, seed: int, own: Path | None = None
) -> set[tuple[str, bool]]:
    """The same in one match; returns each fact's name with whether a prompt had to tell it."""
    occurred: set[tuple[str, bool]] = set()
    for reader, text in readings(game, variant, seed, own):
        for fact in facts:
            if problem := _problem(fact, reader, text):
                where = f"{game.name}, {game.condition(variant) or 'defaults'}"
                who = f"{player(reader.view.seat)} ({reader.side})"
                raise AssertionError(f"{where}, prompt {reader.kind!r} to {who}: {problem}")
            occurred.add((fact.name, fact.is_told(reader)))
    return occurred


def _problem(fact: PromptFact, reader: Reader, text: str) -> str | None:
    """The problem of a prompt that hides a fact that it must tell, or tells a hidden one."""
    pattern = re.compile(fact.pattern(reader), re.IGNORECASE)
    match = pattern.search(text)
    if fact.is_told(reader):
        return None if match else f"does not tell {fact.name!r} ({pattern.pattern!r})"
    if not fact.where and not pattern.search(fact.worded(reader).example):
        return f"{fact.name!r} is not noticed in its own example"
    return f"tells {fact.name!r} ({match[0]!r})" if match else None
