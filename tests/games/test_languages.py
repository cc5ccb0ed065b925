"""Languages of the word games: forms of words, pairs, clues, prompts, and matches in each."""

from collections import Counter
from collections.abc import Iterable
from itertools import chain, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

import pytest

import parlour
from parlour.agents.base import Call
from parlour.agents.llm.agent import LLMAgent
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.agents.scripted.similarity import clue_vectors, cosine
from parlour.games.common.errors import BadInput
from parlour.games.common.text import (
    ENGLISH,
    clean,
    languages,
    names_word,
    same_word,
    without_article,
)
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Game
from parlour.games.engine.prompts import render
from parlour.games.engine.registry import games
from parlour.games.engine.wordings import Language
from parlour.games.families.clues.clue_bank import FEWEST_CLUES, shipped_bank
from parlour.games.families.clues.evidence import LENGTH, Meanings
from parlour.games.families.group_sizes import LARGER
from parlour.games.families.languages import Spoken, word_pairs
from parlour.games.testing.facts import own_facts
from parlour.games.testing.playthrough import openings, play, saying
from tests.blocks import ROOT, section, table_rows, text_of
from tests.models import config
from tests.tournaments import scripted

LANGUAGES = get_args(Language)
OTHERS = [language for language in LANGUAGES if language != ENGLISH]
GAMES = list(games().values())
WORD_GAMES = [game for game in GAMES if issubclass(game.variant, Spoken)]
every_language = pytest.mark.parametrize("language", LANGUAGES)
every_other = pytest.mark.parametrize("language", OTHERS)
every_game = pytest.mark.parametrize("game", [pytest.param(g, id=g.name) for g in GAMES])
every_word_game = pytest.mark.parametrize("game", [pytest.param(g, id=g.name) for g in WORD_GAMES])


@pytest.mark.parametrize(
    ("language", "text", "bare"),
    [
        (ENGLISH, "the apple", "apple"),
        ("german", "Der Apfel", "Apfel"),
        ("german", "Einen Apfel", "Apfel"),
        ("german", "Derby", "Derby"),
        ("spanish", "la manzana", "manzana"),
        ("spanish", "un león", "león"),
        ("french", "l’éléphant", "éléphant"),
        ("french", "les chats", "chats"),
        ("french", "lait", "lait"),
        ("chinese", "一个苹果", "苹果"),
        ("chinese", "台风", "台风"),
    ],
)
def test_an_article_is_left_out(language: str, text: str, bare: str) -> None:
    assert same_word(without_article(text, language), bare)
    assert without_article(bare, language) == bare


def test_every_language_has_its_words_and_forms() -> None:
    assert {*languages()} == {*LANGUAGES}
    files = (ROOT / "games" / "families" / "words").glob("*.toml")
    assert {path.stem for path in files} == {*LANGUAGES}


@every_language
def test_thirty_pairs_in_three_tiers_and_ten_topics(language: str) -> None:
    pairs = word_pairs(language)
    assert len(pairs) == 30
    assert {*Counter(pair.tier for pair in pairs).values()} == {10}
    assert {*Counter(pair.topic for pair in pairs).values()} == {3}
    words = [*chain.from_iterable(pair.words for pair in pairs)]
    assert len({*words}) == 60
    usual = word_pairs(ENGLISH)
    assert [pair.tier for pair in pairs] == [pair.tier for pair in usual]


@every_language
def test_every_clue_is_usable(language: str) -> None:
    """Six for each word or more, some for both, and none that names a word of its pair."""
    for pair in word_pairs(language):
        for word, clues in pair.clues.items():
            assert len({*clues}) == len(clues) >= FEWEST_CLUES, word
            for clue in clues:
                assert clean(clue) == clue.strip() == clue
                assert len(clue) <= 300
                for each in pair.words:
                    assert not names_word(clue, each, language), (clue, each)
        assert pair.both
        assert pair.first
        assert pair.second


TIERS = ("easy", "medium", "hard")


def tier_means(pairs: Iterable[tuple[str, float]]) -> list[float]:
    """The mean of each tier, of values by tier."""
    tiers: dict[str, list[float]] = {}
    for tier, value in pairs:
        tiers.setdefault(tier, []).append(value)
    assert min(map(len, tiers.values())) >= 9
    return [fmean(tiers[tier]) for tier in TIERS]


def similarities(language: str) -> list[float]:
    """Mean similarity of the words of each tier, as `parlour similarity` takes it."""
    vectors = clue_vectors(shipped_bank(language))
    similar = []
    for pair in word_pairs(language):
        one, other = pair.words
        similar.append((pair.tier, cosine(vectors[one], vectors[other])))
    return tier_means(similar)


@every_language
def test_the_words_of_a_pair_are_the_more_similar_the_harder_it_is(language: str) -> None:
    means = similarities(language)
    assert all(easier < harder for easier, harder in pairwise(means)), means
    rows = table_rows(section("docs/languages.md", "Similarity of the words"))
    assert [language, *(f"{mean:.2f}" for mean in means)] in rows


def test_the_english_words_are_so_by_their_vectors_too() -> None:
    """By vectors that know nothing of the clues."""
    meanings, known = Meanings(), []
    for pair in word_pairs(ENGLISH):
        (one, clear), (other, also_clear) = map(meanings, pair.words)
        if clear and also_clear:  # words that the file has
            known.append((pair.tier, int(one @ other) / LENGTH**2))
    means = tier_means(known)
    assert all(easier < harder for easier, harder in pairwise(means)), means
    shown = "{:.2f}, {:.2f} and {:.2f}".format(*means)
    assert f"a mean cosine of {shown}" in text_of("docs/languages.md")
    assert len(known) == 28


def templates(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.j2")}


@every_other
@every_game
def test_every_prompt_is_there_in_every_language(game: Game, language: str) -> None:
    folder = game.folder / "prompts"
    shared = templates(ROOT / "games" / "templates" / language)
    of_mechanisms = {"defecting.j2", "settled.j2"}
    assert templates(folder) - shared - of_mechanisms <= templates(folder / language)
    assert templates(folder / language) <= templates(folder)
    assert (folder / language / "disclosure.toml").exists()


@every_game
def test_every_fact_has_a_pattern_in_every_language(game: Game) -> None:
    for fact in own_facts(game):
        # These keys refuse other languages.
        in_english_alone = any(word in fact.name for word in ("generation", "jester"))
        assert in_english_alone or {*OTHERS} <= fact.in_language.keys(), fact.name


@every_other
@every_game
def test_no_english_template_fills_in(game: Game, language: str) -> None:
    """Every template of a prompt, those that it includes too, is one of the language."""
    base = {"language": language, **game.testing.test_variant}
    larger = [{**base, **keys} for keys in (LARGER if game in WORD_GAMES else ())]
    tables = (openings(game, game.variant.model_validate(keys), 2) for keys in (base, *larger))
    for table in chain.from_iterable(tables):

        def watch(at: Any) -> None:
            assert at.pending is not None
            for seat in at.waiting:
                prompt = render(at.game, at.view(seat), at.pending.kind)
                for name, text in prompt.templates:
                    paths = [
                        ROOT / "games" / "templates" / language / name,
                        game.folder / "prompts" / language / name,
                    ]
                    assert text in [p.read_text("utf-8") for p in paths if p.exists()], name

        play(table, saying("a note"), watch)


def tournament(game: str, language: str, folder: Path, **keys: object) -> Path:
    """The file of a tournament of two scripted players."""
    words = issubclass(games()[game].variant, Spoken)
    block = {"name": game, "language": language, **({"limit": 6} if words else {}), **keys}
    own = "".join(f"{key} = {value!r}\n" for key, value in block.items())
    players = (
        scripted(Ada="bayesian", Bob="cautious") if words else scripted(Ada="random", Bob="random")
    )
    path = folder / f"{game}.toml"
    path.write_text(f'name = "here"\n[[games]]\n{own}{players}', encoding="utf-8")
    return path


@every_other
@every_game
def test_scripted_players_play_in_every_language(game: Game, language: str, tmp_path: Path) -> None:
    """Offline and without a fault; all that they say in word games is of the language's clues."""
    limit = {"matches": 8} if game.seating.pairing == "blocks" else {}
    path = tournament(game.name, language, tmp_path, **limit)
    played = parlour.run(path, tmp_path / "played.db", workers=1)
    matches = range(1, len(played.matches()) + 1)
    events = [*chain.from_iterable(played.match(number).table.events for number in matches)]
    said = [event.record["text"] for event in events if event.kind == "said"]
    assert {*said} <= {*shipped_bank(language).words_by_clue}
    assert len(said) >= 20 or game not in WORD_GAMES
    assert not [event for event in events if event.fault]


@every_language
def test_a_clue_is_evidence_for_its_word(language: str) -> None:
    """No word of the bank is likelier than its own, heard letter by letter."""
    bank = shipped_bank(language)
    for word, clues in bank.clues.items():
        evidence = bank.evidence(clues[-1])
        assert evidence[bank.evidence.place[word]] == evidence.max(), (word, clues[-1])


@pytest.mark.parametrize(
    ("language", "clue", "word", "other"),
    [
        ("german", "Auf dem Fell sieht man schwarze Streifen", "Tiger", "Löwe"),
        ("german", "Einen Apfelbaum dafür hat fast jeder", "Birne", "Apfel"),
        ("spanish", "Con unas rayas negras en el pelaje", "tigre", "león"),
        ("french", "On voit une rayure noire sur le pelage", "tigre", "lion"),
        ("chinese", "黑色条纹在身上", "老虎", "狮子"),
    ],
)
def test_a_paraphrase_is_heard_by_its_words(
    language: str, clue: str, word: str, other: str
) -> None:
    evidence = shipped_bank(language).evidence
    assert evidence.of(word, clue) > evidence.of(other, clue)


@every_game
def test_an_unknown_language_names_those_that_there_are(game: Game, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as refused:
        parlour.load(tournament(game.name, "italian", tmp_path))
    assert "games[0].language" in str(refused.value)
    assert all(language in str(refused.value) for language in LANGUAGES)


@pytest.mark.parametrize(
    ("name", "key", "value", "problem"),
    [
        ("undercover", "first_moves", "shipped", "needs the usual group, in english"),
        ("chameleon", "first_moves", "shipped", "needs the usual group, in english"),
        ("impostor", "difficulty", "expert", "is there in english alone"),
        ("donation", "mechanism", "contract", "needs mechanism = 'none'"),
        ("public_good", "wording", "neutral", "needs language = 'english'"),
    ],
)
def test_what_is_there_in_english_alone_is_refused(
    name: str, key: str, value: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=problem):
        parlour.load(tournament(name, "french", tmp_path, **{key: value}))


def test_a_users_templates_are_those_of_their_language(tmp_path: Path) -> None:
    game = games()["undercover"]
    for folder, text in (("undercover/german", "Wähle."), ("undercover", "Choose.")):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "clue.j2").write_text(text, encoding="utf-8")
    for language, text in (("german", "Wähle."), (ENGLISH, "Choose.")):
        (table,) = openings(game, game.variant.model_validate({"language": language}), seeds=1)
        view = table.view(table.waiting[0])
        assert render(game, view, "clue", tmp_path).question == text
    (table,) = openings(game, game.variant.model_validate({"language": "french"}), seeds=1)
    assert "C'est à toi" in render(game, table.view(table.waiting[0]), "clue", tmp_path).question


@every_other
def test_a_model_is_asked_in_the_language(language: str) -> None:
    game, own = games()["undercover"], config("http://127.0.0.1:1/v1")
    (table,) = openings(game, game.variant.model_validate({"language": language}), seeds=1)
    assert table.pending is not None
    asker = LLMAgent(own, OpenAIClient(own))  # nothing is sent
    request = asker.request(table.pending, table.view(table.waiting[0]), Call(Dice("any")))
    assert languages()[language].answer in request.messages[1][1]
    assert languages()[ENGLISH].answer not in request.messages[1][1]
