"""Disclosure: a prompt that gives away what it must hide, or lacks what it must tell, fails."""

import re
from itertools import chain, product
from pathlib import Path

import pytest

from parlour.games.common.text import ENGLISH
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.registry import games
from parlour.games.mechanisms.over import MECHANISMS
from parlour.games.testing.disclosure import (
    check_disclosed,
    check_disclosure,
    check_facts,
    readings,
)
from parlour.games.testing.facts import EVERYWHERE, PromptFact, facts_of
from parlour.games.testing.playthrough import variants
from tests.blocks import ROOT, rows_by_game

study = pytest.mark.study("games")

every_game = pytest.mark.parametrize("game", [pytest.param(g, id=n) for n, g in games().items()])


def edited(folder: Path, name: str, template: str, old: str, new: str, wording: str = "") -> Path:
    """A user's folder of templates with one of a game's that reads otherwise."""
    shipped = games()[name].folder / "prompts" / wording / template
    shared = ROOT / "games" / "templates" / wording / template
    text = (shipped if shipped.exists() else shared).read_text(encoding="utf-8")
    assert old in text
    (folder / name).mkdir()
    text = text.replace(old, new) if old else f"{text}\n{new}\n"
    (folder / name / template).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("name", "template", "text", "fact"), rows_by_game("prompts_that_leak"))
def test_a_prompt_that_tells_too_much_fails(
    tmp_path: Path, name: str, template: str, text: str, fact: str
) -> None:
    with pytest.raises(AssertionError, match=rf"{name}, .*: tells ['\"]{re.escape(fact)}"):
        check_disclosure(games()[name], edited(tmp_path, name, template, "", text))


@pytest.mark.parametrize(
    ("name", "template", "old", "new", "fact"), rows_by_game("prompts_with_gaps")
)
def test_a_prompt_that_tells_too_little_fails(
    tmp_path: Path, name: str, template: str, old: str, new: str, fact: str
) -> None:
    with pytest.raises(AssertionError, match=rf"{name}, .*: does not tell ['\"]{re.escape(fact)}"):
        check_disclosure(games()[name], edited(tmp_path, name, template, old, new))


@every_game
def test_no_item_of_a_list_runs_on_from_the_line_before(game: Game) -> None:
    for variant in variants(game, game.testing.facts_variant):
        for reader, text in readings(game, variant, seed=0):
            assert not re.search(r"\S- [A-Z]", text), (reader.kind, text)


@every_game
def test_every_game_declares_its_facts_once_each(game: Game) -> None:
    names = [fact.name for fact in facts_of(game)]
    assert len(names) == len(set(names)) > 10
    for fact in facts_of(game):
        assert bool(fact.where) == bool(fact.said) != bool(fact.example), fact.name


def numbers(variant: Frozen) -> list[object]:
    """The values of a variant that are numbers."""
    return [value for value in variant.model_dump().values() if type(value) in {int, float}]


@study
@pytest.mark.slow
@every_game
def test_the_facts_hold_under_every_two_keys(game: Game) -> None:
    """Keys with numbers keep theirs, since there are many and a number decides no fact.

    Languages other than English are checked with every other key by ``check_disclosure``.
    """
    usual, *others = variants(game, game.testing.facts_variant)
    pairs = {}
    for first in others:
        for second in variants(game, first.model_dump()):
            if numbers(second) == numbers(usual) and getattr(second, "language", "") in {
                "",
                ENGLISH,
            }:
                pairs[second.model_dump_json()] = second
    for seed, variant in enumerate(pairs.values()):
        check_disclosed(game, facts_of(game), variant, seed)


@study
@every_game
def test_a_sentence_that_tells_a_fact_is_noticed_where_it_must_not_stand(game: Game) -> None:
    checked = enumerate(variants(game, game.testing.facts_variant))
    matches = [readings(game, variant, seed) for seed, variant in checked]
    prompts = list(chain.from_iterable(matches))
    for fact in facts_of(game):
        sentences: set[str] = set()
        forbidden: set[str] = set()
        for reader, text in prompts:
            if not fact.is_told(reader):
                forbidden.add(fact.pattern(reader))
            elif match := re.search(fact.pattern(reader), text, re.IGNORECASE):
                sentences.add(match[0])
        pairs = product(forbidden, sentences)
        noticed = any(re.search(pattern, said, re.IGNORECASE) for pattern, said in pairs)
        assert noticed or fact.where in (EVERYWHERE, ()), fact.name


SEAT = "Player {{ seat + 1 }}"
ASKED = ["choose", *chain.from_iterable(each.asks for each in MECHANISMS)]


@pytest.mark.parametrize(
    ("fact", "problem"),
    [
        ({"said": SEAT, "where": {"asks": ["sing"]}, "hint": "song"}, "'seat' is never told"),
        ({"said": SEAT, "where": {"asks": ASKED}}, "'seat' is never withheld"),
        ({"where": [], "hint": "song", "example": "a tune"}, "not noticed in its own"),
        ({"said": SEAT, "where": [], "example": "You are Player 1"}, r"tells 'seat' \('Player"),
        ({"said": "You are Player 9"}, "to Player 1 .*: does not tell 'seat'"),
    ],
)
def test_a_fact_that_cannot_fail_fails_itself(fact: dict[str, object], problem: str) -> None:
    declared = PromptFact.model_validate({"name": "seat", **fact})
    with pytest.raises(AssertionError, match=problem):
        check_facts(games()["prisoners_dilemma"], [declared])


def test_a_game_without_facts_has_nothing_to_check() -> None:
    check_facts(games()["prisoners_dilemma"], ())
