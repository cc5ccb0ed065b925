"""Sanitises untrusted text of players and files before it reaches a screen or a prompt."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import product
from os.path import commonprefix
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel

LONGEST_TEXT = 20_000
"""Maximum length of one text in characters; the rest is cut."""

# Controls, format characters (bidi overrides, zero-width joiners, tags), lone surrogates and
# the two separators that some programs take for a new line.
_DROPPED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_ORDINARY = re.compile(r"[\n\t -~]*")


def clean(text: str, limit: int = LONGEST_TEXT) -> str:
    """The text without characters that control a terminal or hide from a reader.

    Drops C0 and C1 controls (except newline and tab), DEL, bidi and other format
    characters and lone surrogates, composes to NFC and cuts at ``limit`` characters.
    Cleaning twice changes nothing.
    """
    if text.isascii() and (text.isprintable() or _ORDINARY.fullmatch(text)):
        return text[:limit]
    text = text[: 4 * limit].replace("\r\n", "\n").replace("\r", "\n")
    visible = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in _DROPPED)
    return unicodedata.normalize("NFC", visible)[:limit]


# What is drawn as nothing though it is no control: joiners, fillers, variation selectors.
_UNSEEN = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f"
_UNSEEN += "\U000e0100-\U000e01ef"
_ESCAPED = (
    "00[01][0-9a-f]|00[89][0-9a-f]|007f|00ad|034f|061c|115f|1160|180[b-f]|200[b-f]|202[89a-e]"
)
_ESCAPED += r"|20[67][0-9a-f]|3164|fe0[0-9a-f]|feff|db40\\+ud[cd][0-9a-f]{2}"
_INVISIBLE = re.compile(rf"[{_UNSEEN}]|\\+u(?:{_ESCAPED})", re.IGNORECASE)


def seen(text: str) -> str:
    """A clean text as its reader takes it: without letters that are drawn as nothing, in NFKC.

    Escapes of such letters are left out too. To compare and to search, not to show.
    """
    if text.isascii() and "\\u" not in text:
        return text
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))


def one_line(text: str) -> str:
    """Untrusted text on one line, without control characters."""
    return " ".join(clean(text).split())


def notification(text: str) -> str:
    """The bell and the escape sequences (OSC 9, OSC 777) by which terminals notify their user."""
    words = one_line(text).replace(";", ",")[:200]
    return f"\a\x1b]9;Parlour: {words}\x1b\\\x1b]777;notify;Parlour;{words}\x1b\\"


def clean_all(value: Any) -> Any:
    """Plain data with every text in it cleaned, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {
            clean(key) if isinstance(key, str) else key: clean_all(entry)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [clean_all(entry) for entry in value]
    return value


Text = Annotated[str, AfterValidator(clean)]
"""A text field of an answer, cleaned whenever the answer is made or read again."""

_GAP = r"[\s\-_]+"
ENGLISH: Final = "english"
"""The language of games that say nothing else."""


class _Language(BaseModel, frozen=True, extra="forbid"):
    """An entry of ``languages.toml``."""

    stems: tuple[tuple[str, str], ...] = ()
    endings: tuple[tuple[str, tuple[str, ...]], ...] = ()
    irregular: Mapping[str, tuple[str, ...]] = {}
    others: Mapping[str, str] = {}
    compounds: bool = False
    spaced: bool = True
    letters: Mapping[str, str] = {}
    articles: str
    inflections: str = ""
    no_clue: str
    answer: str
    fields: str
    form: str


@cache
def languages() -> dict[str, _Language]:
    """All languages by their English names, with what each has of its own."""
    text = (Path(__file__).parent / "languages.toml").read_text(encoding="utf-8")
    return {name: _Language.model_validate(own) for name, own in tomllib.loads(text).items()}


@lru_cache(maxsize=4096)
def _naming(word: str, language: str = ENGLISH) -> tuple[str, re.Pattern[str]]:
    """A pattern of the word and its forms. Before it the beginning that all of them share.

    Most texts do not have even that beginning, which is "" where it says nothing.
    """
    own, stem = languages()[language], _folded(word, language).strip()
    stems = {stem, *(re.sub(pattern, other, stem) for pattern, other in own.stems)}
    forms = stems.union(own.irregular.get(stem, ()))
    for each, (pattern, endings) in product(stems, own.endings):
        if re.search(pattern, each):
            forms.update(re.sub(pattern, ending, each, count=1) for ending in endings)
    if not own.spaced:
        return "", re.compile(r"[\s\-_]*".join(map(re.escape, re.sub(_GAP, "", stem))))
    bodies = "|".join(map(_with_any_gap, sorted(forms)))
    # A letter or digit on either side makes it another word; an underscore is only emphasis.
    body, beginning = rf"(?:{bodies})(?:'s?)?", commonprefix([*forms])  # noqa: RUF071
    if own.compounds:
        long = "|".join(re.escape(form) for form in sorted(forms) if len(form) >= _IN_COMPOUNDS)
        body = rf"(?:{body}|(?:{long})[^\W\d_]{{3,}}|[^\W\d_]{{3,}}(?:{long}))" if long else body
        beginning = ""
    others = rf"(?!(?:{own.others[stem]})(?![^\W_]))" if stem in own.others else ""
    return re.split(_GAP, beginning)[0], re.compile(rf"(?<![^\W_]){others}{body}(?![^\W_])")


_IN_COMPOUNDS = 5
"""The fewest letters of a form that is found within compounds."""


def _with_any_gap(form: str) -> str:
    """A pattern of a word's form, with any spaces, hyphens and underscores between its parts."""
    return _GAP.join(map(re.escape, re.split(_GAP, form)))


# Apostrophes and hyphens as models and word processors write them.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u02bc", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)


def _folded(text: str, language: str = ENGLISH) -> str:
    if text.isascii():  # the rest changes nothing in it
        return text.casefold()
    text = unicodedata.normalize("NFKC", text).casefold().translate(_PLAIN)
    for letter, other in languages()[language].letters.items():
        text = text.replace(letter, other)
    return text


def names_word(text: str, word: str, language: str = ENGLISH) -> bool:
    """True if the text names the word: whole word, any case, in any of its forms.

    ``languages.toml`` says what the forms are. In German a long word is found within compounds,
    too, and in Chinese, which has no spaces, a word is found anywhere.
    """
    beginning, pattern = _naming(word, language)
    folded = _folded(text, language)
    return beginning in folded and pattern.search(folded) is not None


def same_word(one: str, other: str) -> bool:
    """True if two texts are the same word; case, spaces and punctuation do not count."""
    return _bare(one) == _bare(other) != ""


def without_article(text: str, language: str = ENGLISH) -> str:
    """The text without an article of the language at its beginning."""
    return re.sub(rf"\A\W*(?:{languages()[language].articles})(?=\S)", "", text, flags=re.I)


def _bare(text: str) -> str:
    return "".join(c for c in _folded(text) if c.isalnum())
