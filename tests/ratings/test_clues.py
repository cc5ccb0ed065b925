"""Covariates of clues, counted by hand."""

import pytest

from parlour.ratings.inference.clues import (
    HEDGES,
    HEDGING_PHRASES,
    NEGATIVE,
    POSITIVE,
    covariates,
    hedges,
    sentiment,
    words_of,
)


def test_words_are_counted_as_a_reader_does() -> None:
    words = words_of("It's LOUD, well-known; 88 keys!")
    assert words == ["it's", "loud", "well", "known", "88", "keys"]
    assert words_of("  …!") == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It has keys.", 0),
        ("Perhaps it is usually large.", 2),
        ("I think it is kind of loud.", 2),  # two phrases
        ("Sort of big, sort of maybe old", 3),  # a phrase twice, and a word
        ("Mightily perhapsed", 0),  # only whole words
        ("", 0),
    ],
)
def test_hedges(text: str, count: int) -> None:
    assert hedges(text) == count


@pytest.mark.parametrize(
    ("text", "tone"),
    [
        ("a beautiful sound", 1),
        ("not a beautiful sound", -1),
        ("it isn't dangerous", 1),
        ("not what anybody there calls beautiful", 1),  # too far away
        ("lovely, but sad and painful", -1),
        ("wooden", 0),
    ],
)
def test_sentiment(text: str, tone: int) -> None:
    assert sentiment(words_of(text)) == tone


def test_covariates_of_a_clue() -> None:
    # Ten words, one hedge, one positive word; likeness to "piano" is .4, to "guitar" unknown.
    def similarity(_text: str, word: str) -> float | None:
        return {"piano": 0.4}.get(word)

    said = "Perhaps it has a beautiful sound and is very heavy"
    measured = covariates(said, "guitar", "piano", similarity)
    assert (measured.words, measured.hedges, measured.sentiment) == pytest.approx((10, 0.1, 0.1))
    assert (measured.own_similarity, measured.majority_similarity) == (None, 0.4)
    empty = covariates("", None, "piano", similarity)
    assert (empty.words, empty.hedges, empty.own_similarity) == (0, 0, None)


def test_a_word_of_the_lexicon_has_one_meaning() -> None:
    assert not POSITIVE & NEGATIVE
    assert not HEDGES & (POSITIVE | NEGATIVE)
    assert all(phrase == " ".join(words_of(phrase)) for phrase in HEDGING_PHRASES)
    for words in (HEDGES, POSITIVE, NEGATIVE):
        assert all(words_of(word) == [word] for word in words)
