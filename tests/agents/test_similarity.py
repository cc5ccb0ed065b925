"""Similarity of words: by hand, and the shipped pairs by difficulty."""

from collections.abc import Mapping
from itertools import chain, combinations, pairwise
from math import log
from statistics import fmean, stdev

import pytest

from parlour.agents.scripted.similarity import (
    ClueSimilarity,
    TierSimilarity,
    clue_vectors,
    cosine,
    similarity_by_tier,
)
from parlour.games.engine.registry import find_game
from parlour.games.families.clues.clue_bank import ClueBank, shipped_bank
from parlour.games.impostor import GAME as IMPOSTOR
from tests.blocks import section, table_rows


def test_the_cosine_of_weighted_terms_by_hand() -> None:
    bank = ClueBank({"cat": ("Red fur",), "sea": ("red,", "wide"), "owl": ("It flies",)})
    vectors = clue_vectors(bank)
    # Of three words two have "red", and one each has any other term.
    common, own = log(4 / 3) + 1, log(4 / 2) + 1
    expected = common**2 / (common**2 + own**2)
    assert cosine(vectors["cat"], vectors["sea"]) == pytest.approx(expected)
    assert cosine(vectors["cat"], vectors["cat"]) == pytest.approx(1)
    assert cosine(vectors["cat"], vectors["owl"]) == 0


def test_the_similarity_of_a_clue_to_a_word_by_hand() -> None:
    bank = ClueBank({"cat": ("Red fur",), "sea": ("red,", "wide"), "owl": ("It flies",)})
    similarity = ClueSimilarity(bank)
    # "red" alone has its share of the vector of "cat"; unknown terms do not count.
    common, own = log(4 / 3) + 1, log(4 / 2) + 1
    expected = common / (common**2 + own**2) ** 0.5
    assert similarity("Red, RED, and something", "cat") == pytest.approx(expected)
    assert similarity("red fur", "cat") == pytest.approx(1)
    assert similarity("nothing known", "cat") == similarity("", "cat") == 0
    assert similarity("red", "dog") is None


def test_the_tiers_come_out_in_order_with_the_figures_of_the_page() -> None:
    tiers = list(similarity_by_tier(IMPOSTOR, shipped_bank()))
    assert [(tier.tier, tier.pairs) for tier in tiers] == [
        (name, 75) for name in ("easy", "medium", "hard", "expert")
    ]
    for easier, harder in pairwise(tiers):
        assert easier.se is not None
        assert harder.se is not None
        assert easier.mean + 1.96 * easier.se < harder.mean - 1.96 * harder.se
    rows = table_rows(section("docs/games/impostor.md", "How similar the words of a pair are"))
    assert rows == [as_row(tier) for tier in tiers]


def as_row(tier: TierSimilarity) -> list[str]:
    """The row of a tier in the game's page."""
    figures = (tier.mean, tier.se or 0, tier.least, tier.most)
    return [str(tier.tier), str(tier.pairs), *(f"{figure:.3f}" for figure in figures)]


def own_clues(pairs: Mapping[str, str]) -> ClueBank:
    """The shipped bank, where each of these words has only the clues that do not fit the other."""
    bank = shipped_bank()
    own: dict[str, list[str]] = {}
    for word, other in chain(pairs.items(), ((other, word) for word, other in pairs.items())):
        own[word] = [clue for clue in bank.clues[word] if clue not in bank.clues[other]]
    return ClueBank({**bank.clues, **own})


def test_by_their_own_clues_easy_pairs_are_as_similar_as_any_two_easy_words() -> None:
    pairs = {
        pair.majority_word: pair.impostor_word
        for pair in IMPOSTOR.shipped()
        if pair.difficulty == "easy"
    }
    vectors = clue_vectors(own_clues(pairs))

    def similarities(words: list[tuple[str, str]]) -> list[float]:
        return [cosine(vectors[one], vectors[other]) for one, other in words]

    paired = similarities(list(pairs.items()))
    any_two = similarities(list(combinations([*pairs, *pairs.values()], 2)))
    se = stdev(paired) / len(paired) ** 0.5
    assert fmean(paired) - 1.96 * se < fmean(any_two)
    assert max(paired) < 0.25, max(paired)


def test_a_game_without_tiers_has_one_row_and_one_without_pairs_has_none() -> None:
    bank = shipped_bank()
    (undercover,) = similarity_by_tier(find_game("undercover", "test"), bank)
    assert (undercover.tier, undercover.pairs) == (None, 20)
    for name in ("chameleon", "donation"):
        assert list(similarity_by_tier(find_game(name, "test"), bank)) == []
