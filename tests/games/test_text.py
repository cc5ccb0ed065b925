"""Text: nothing may steer a terminal or hide from a reader, and a word is known when named."""

import tomllib
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.common.errors import BadInput
from parlour.games.common.text import _folded, _naming, clean, clean_all, languages, names_word
from parlour.games.engine.transcript import counted
from tests.blocks import text_of

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates too

ATTACKS = {
    "colour, screen": ("\x1b[31mred\x1b[0m\x1b[2J\x1b[H", "[31mred[0m[2J[H"),
    "title, clipboard": ("\x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x1b\\", "]0;owned]52;c;cm0gLXJm\\"),
    "hyperlink": ("\x1b]8;;http://x.example\x1b\\a\x1b]8;;\x1b\\", "]8;;http://x.example\\a]8;;\\"),
    "8-bit sequences": ("\x9b31mred\x9d0;t\x9c\x90q\x9c", "31mred0;tq"),
    "bell, backspace, delete, null": ("a\x07b\x08c\x7fd\x00e\x05", "abcde"),
    "line ends": ("a\r\nb\rc\nd", "a\nb\nc\nd"),
    "other line ends": ("a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\x1eh", "abcdefgh"),
    "right to left": ("user\u202egnp.exe\u202c", "usergnp.exe"),
    "isolates and marks": ("\u2066a\u2067b\u2068c\u2069\u200e\u200f\u061c", "abc"),
    "zero width": ("gu\u200bi\u00adt\u200car\u200d\u2060\ufeff", "guitar"),
    "tags, notes": ("hi\U000e0001\U000e0068\U000e0069 a\ufff9b\ufffac\ufffb", "hi abc"),
    "lone surrogates": ("a\ud800b\udfffc", "abc"),
    "not composed": ("cafe\u0301 e\u200b\u0301", "café é"),
    "kept": ("naïve — “tab\there”\n日本 🎸", "naïve — “tab\there”\n日本 🎸"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_what_steers_a_terminal_is_dropped(name: str) -> None:
    attack, cleaned = ATTACKS[name]
    assert clean(attack) == cleaned


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT, st.integers(0, 60))
def test_clean_text_is_clean_and_stays_as_it_is(text: str, limit: int) -> None:
    cleaned = clean(text, limit)
    assert clean(cleaned, limit) == cleaned
    assert len(cleaned) <= limit
    assert unicodedata.is_normalized("NFC", cleaned)
    dropped = [c for c in cleaned if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
    assert set(dropped) <= {"\n", "\t"}
    cleaned.encode()  # can be written anywhere


@settings(deadline=None, max_examples=300)
@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])))
def test_plain_text_is_only_composed(text: str) -> None:
    assert clean(text) == unicodedata.normalize("NFC", text)


def test_a_text_is_cut_at_its_limit_even_if_it_grows_when_composed() -> None:
    assert clean("a" * 30, 20) == "a" * 20
    assert clean("\u0958" * 15, 20) == "\u0915\u093c" * 10  # one sign that NFC writes as two
    assert len(clean("é" * 30_000)) == 20_000


def test_plain_data_is_cleaned_all_through() -> None:
    dirty = {"k\x1b": ["a\x07", {"b": "c\u200b"}], "n": [1, 2.5, True, None]}
    assert clean_all(dirty) == {"k": ["a", {"b": "c"}], "n": [1, 2.5, True, None]}


def test_an_error_line_carries_no_control_characters_of_what_it_quotes() -> None:
    error = BadInput("a\x1b]0;t\x07.json", "field\nx\u202e", "fix\x9b it")
    assert str(error) == "a]0;t.json: field x; fix it"


@pytest.mark.parametrize("language", languages())
def test_a_text_names_the_word_by_its_forms_alone(language: str) -> None:
    by_kind = tomllib.loads(text_of("tests/data/named_words.toml"))[language]
    for kind, named in (("named", True), ("not_named", False)):
        for word, texts in by_kind[kind].items():
            judged = {text: names_word(clean(text), word, language) for text in texts}
            assert judged == dict.fromkeys(texts, named), word


def test_a_count_takes_the_noun_that_belongs_to_it() -> None:
    assert [counted(n, "match") for n in (0, 1, 2)] == ["0 matches", "1 match", "2 matches"]
    assert [counted(n, "credit") for n in (-1.0, 0.5)] == ["-1 credits", "0.5 credits"]


NEAR_WORDS = st.text("aey -_'.", max_size=6)


@given(NEAR_WORDS, NEAR_WORDS, NEAR_WORDS)
def test_a_text_without_the_beginning_of_a_word_does_not_name_it(
    before: str, word: str, after: str
) -> None:
    text = before + word + after
    _, pattern = _naming(word)
    assert names_word(text, word) == (pattern.search(_folded(text)) is not None)
    assert names_word(before, word) == (pattern.search(_folded(before)) is not None)
