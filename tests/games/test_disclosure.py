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
from tests.blocks import ROOT

study = pytest.mark.study("games")

every_game = pytest.mark.parametrize("game", [pytest.param(g, id=n) for n, g in games().items()])
GOSSIP = ("donation", "reciprocity", "investment")

LEAKS = [
    *(
        (name, "horizon.j2", "There are {{ players | length }} players.", "the number of players")
        for name in GOSSIP
    ),
    *(
        (
            name,
            "horizon.j2",
            "It ends after {{ (players | length) * (players | length - 1) // 2 }} rounds.",
            "the number of rounds",
        )
        for name in GOSSIP
    ),
    *((name, "memory.j2", "This is the last round.", "the number of rounds") for name in GOSSIP),
    *(
        (name, "strangers.j2", "Every pair meets once.", "how often every two players meet")
        for name in GOSSIP
    ),
    *(
        (name, "strangers.j2", "Nobody can repay you.", "nobody can return what it gained")
        for name in GOSSIP
    ),
    ("donation", "system.j2", "Player 4 is greedy.", "which players are played by the rules"),
    ("donation", "report.j2", "You held 10 units.", "both holdings, to the recipient that gossips"),
    ("impostor", "system.j2", "You are the impostor.", "who the impostor is"),
    ("impostor", "vote.j2", "Player 1 is the impostor.", "who the impostor is"),
    ("impostor", "system.j2", "A tie lets it win.", "who wins if the impostor declares itself"),
    ("impostor", "clue.j2", "At least two must name it.", "who wins by the votes"),
    (
        "impostor",
        "clue.j2",
        "In the vote you may declare yourself.",
        "a player may declare itself the impostor",
    ),
    ("impostor", "system.j2", "You have a team mate.", "there are two teams"),
    ("undercover", "vote.j2", "You are the undercover.", "who the undercover is"),
    ("undercover", "system.j2", "You are a civilian.", "who the undercover is"),
    ("undercover", "clue.j2", "Who is named most often loses.", "who wins"),
    ("chameleon", "clue.j2", "The chameleon wins if it gets away.", "who wins"),
    ("chameleon", "clue.j2", "Player 1 is the chameleon.", "which of the others is the chameleon"),
]
"""Game, template, a text that it must not tell, and the fact that this gives away."""

GAPS = [
    ("donation", "system.j2", "format(rules.benefit)", "format(rules.cost)", "the payoffs"),
    ("donation", "gossip.j2", "held.donor_resources", "held.recipient_resources", "both holdings"),
    ("donation", "selfish.j2", 'rules.discount_by == "appearance"', "false", "the discount of"),
    ("reciprocity", "system.j2", "if both defect, 0;", "", "the payoffs of both actions"),
    ("investment", "system.j2", "multiplied by {{", "multiplied by 1{{", "the multiplier"),
    ("investment", "tones.j2", "at most 150 words", "a text", "the five tones"),
    ("donation", "goal.j2", "which nobody else will read", "in short", "the justification comes"),
    ("donation", "horizon.j2", "infinite", "long", "the expected horizon is infinite"),
    *(
        (name, "system.j2", "players may act on", "players read", "players may act later on")
        for name in GOSSIP
    ),
    ("impostor", "system.j2", "blend in and go undetected", "win", "the goals of both sides"),
    ("impostor", "system.j2", ", and loses if not", "", "who wins if the impostor declares itself"),
    ("impostor", "vote.j2", "how sure you are", "your mood", "a vote has a suspect"),
    ("impostor", "beliefs.j2", "A private question", "A question", "nobody else sees the answer"),
    ("undercover", "system.j2", "If a civilian is, the undercover", "So", "who wins"),
    ("undercover", "said.j2", "{{ event.record.text | quoted }}", "...", "what was said"),
    ("chameleon", "system.j2", "a right one makes it level", "", "who wins"),
    ("chameleon", "system.j2", "chameleon: you do not", "one: you do not", "one's own role: the"),
    ("prisoners_dilemma", "system.j2", "(rules.lone_defector)", "(9999)", "the points if one"),
    ("prisoners_dilemma", "memory.j2", "chose to {{ action }}", "chose", "all earlier choices"),
    ("public_good", "system.j2", "multiplied by", "raised by", "the multiplier"),
    ("public_good", "contribute.j2", ".left[seat]", ".left[0]", "what one has left"),
    ("cost_sharing", "system.j2", "(rules.fee)", "(rules.fee // 2)", "the fee"),
    ("cost_sharing", "history.j2", "{{ share }} %", "a share", "all earlier proposals"),
]
"""Game, template, a text of it and its replacement, and the fact (its beginning) that is lost."""


def edited(folder: Path, name: str, template: str, old: str, new: str) -> Path:
    """A user's folder of templates with one of a game's that reads otherwise."""
    shipped = games()[name].folder / "prompts" / template
    shared = ROOT / "games" / "templates" / template
    text = (shipped if shipped.exists() else shared).read_text(encoding="utf-8")
    assert old in text
    (folder / name).mkdir()
    (folder / name / template).write_text(text.replace(old, new), encoding="utf-8")
    return folder


@pytest.mark.parametrize(("name", "template", "text", "fact"), LEAKS)
def test_a_prompt_that_tells_too_much_fails(
    tmp_path: Path, name: str, template: str, text: str, fact: str
) -> None:
    with pytest.raises(AssertionError, match=rf"{name}, .*: tells ['\"]{re.escape(fact)}"):
        check_disclosure(games()[name], _appended(tmp_path, name, template, text))


def _appended(folder: Path, name: str, template: str, text: str) -> Path:
    own = edited(folder, name, template, "", "")
    path = own / name / template
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{text}\n", encoding="utf-8")
    return own


@pytest.mark.parametrize(("name", "template", "old", "new", "fact"), GAPS)
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
