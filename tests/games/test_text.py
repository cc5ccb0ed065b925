"""Text: nothing may steer a terminal or hide from a reader, and a word is known when named."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.common.errors import BadInput
from parlour.games.common.text import _folded, _naming, clean, clean_all, names_word
from parlour.games.engine.transcript import counted

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates too

ATTACKS = {
    "colour": ("\x1b[31mred\x1b[0m", "[31mred[0m"),
    "clear the screen": ("a\x1b[2J\x1b[Hb", "a[2J[Hb"),
    "window title": ("\x1b]0;owned\x07", "]0;owned"),
    "clipboard": ("\x1b]52;c;cm0gLXJm\x1b\\", "]52;c;cm0gLXJm\\"),
    "hyperlink": (
        "\x1b]8;;http://x.example\x1b\\here\x1b]8;;\x1b\\",
        "]8;;http://x.example\\here]8;;\\",
    ),
    "8-bit sequences": ("\x9b31mred\x9d0;t\x9c\x90q\x9c", "31mred0;tq"),
    "device status": ("\x1b[6n\x05", "[6n"),
    "bell, backspace, delete, null": ("a\x07b\x08c\x7fd\x00e", "abcde"),
    "overwrite the line": ("safe\rEVIL", "safe\nEVIL"),
    "line ends": ("a\r\nb\rc\nd", "a\nb\nc\nd"),
    "vertical tab, form feed": ("a\x0bb\x0cc\x1cd\x1ee", "abcde"),
    "other line ends": ("a\u2028b\u2029c\u0085d", "abcd"),
    "right to left": ("user\u202egnp.exe\u202c", "usergnp.exe"),
    "isolates and marks": ("\u2066a\u2067b\u2068c\u2069\u200e\u200f\u061c", "abc"),
    "zero width": ("gu\u200bit\u200car\u200d\u2060\ufeff", "guitar"),
    "soft hyphen": ("gui\u00adtar", "guitar"),
    "invisible tags": ("hi\U000e0001\U000e0068\U000e0069", "hi"),
    "interlinear notes": ("a\ufff9b\ufffac\ufffb", "abc"),
    "lone surrogates": ("a\ud800b\udfffc", "abc"),
    "not composed": ("cafe\u0301", "café"),
    "hidden within a composition": ("e\u200b\u0301", "é"),
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


NAMED = [
    # (text, word)
    ("I play the guitar at night", "guitar"),
    ("GUITAR!", "guitar"),
    ("guitar", "Guitar"),
    ("many guitars", "guitar"),
    ("the guitar's neck", "guitar"),
    ("the guitar’s neck", "guitar"),
    ("the guitar\u02bcs neck", "guitar"),
    ("all the guitars' strings", "guitar"),
    ("guitaring, guitared", "guitar"),
    ("(guitar)", "guitar"),
    ("**guitar**", "guitar"),
    ("_guitar_", "guitar"),
    ("bass_guitar", "guitar"),
    ("guitar-like", "guitar"),
    ("gui\u00adtar", "guitar"),  # a soft hyphen; clean() has dropped it by then
    ("two boxes", "box"),
    ("they danced", "dance"),
    ("dancing", "dance"),
    ("dances", "dance"),
    ("parties", "party"),
    ("partied", "party"),
    ("partying", "party"),
    ("drumming", "drum"),
    ("drummed", "drum"),
    ("ice cream", "ice cream"),
    ("ice-cream", "ice cream"),
    ("ice  \n cream", "ice cream"),
    ("ice\u2011cream", "ice cream"),  # the hyphen that does not break
    ("ice – cream", "ice cream"),
    ("ice_cream", "ice cream"),
    ("ice creams", "ice-cream"),
    ("cat’s eye", "cat's eye"),
    ("CAFÉ", "café"),
    ("cafe\u0301s", "café"),
    ("\uff27\uff35\uff29\uff34\uff21\uff32", "guitar"),  # full width
    ("Strasse", "Straße"),
    ("a ﬁsh", "fish"),  # the ligature fi
    ("日本", "日本"),
    ("C++ code", "C++"),
    ("what about .*", ".*"),
]
NOT_NAMED = [
    ("a guitarist", "guitar"),
    ("sitar", "guitar"),
    ("subguitar", "guitar"),
    ("guitar2", "guitar"),
    ("gui tar", "guitar"),
    ("cafe", "café"),
    ("icecream", "ice cream"),
    ("ice and cream", "ice cream"),
    ("cream ice", "ice cream"),
    ("cat", "cats"),
    ("ally", "all"),
    ("a trainer", "train"),
    ("rain", "train"),
    ("anything at all", ".*"),
    ("", "guitar"),
]


@pytest.mark.parametrize(("text", "word"), NAMED)
def test_a_text_names_the_word(text: str, word: str) -> None:
    assert names_word(clean(text), word)


@pytest.mark.parametrize(("text", "word"), NOT_NAMED)
def test_a_text_does_not_name_the_word(text: str, word: str) -> None:
    assert not names_word(clean(text), word)


def test_a_count_takes_the_noun_that_belongs_to_it() -> None:
    assert [counted(n, "match") for n in (0, 1, 2)] == ["0 matches", "1 match", "2 matches"]
    assert [counted(n, "credit") for n in (-1.0, 0.5, 1.0)] == [
        "-1 credits",
        "0.5 credits",
        "1 credit",
    ]


NEAR_WORDS = st.text("aey -_'.", max_size=6)


@given(NEAR_WORDS, NEAR_WORDS, NEAR_WORDS)
def test_a_text_without_the_beginning_of_a_word_does_not_name_it(
    before: str, word: str, after: str
) -> None:
    text = before + word + after
    _, pattern = _naming(word)
    assert names_word(text, word) == (pattern.search(_folded(text)) is not None)
    assert names_word(before, word) == (pattern.search(_folded(before)) is not None)
