"""The clue bank: what it knows, and how a bad file of it is refused."""

import json
from pathlib import Path

import pytest

from agents.bank import ClueBank, extended_bank, shipped_bank
from games.dice import Dice
from games.errors import BadInput
from games.undercover import GAME
from tests.agents.playing import TINY

SIX = ["one", "two", "three", "four", "five", "six"]


def test_a_bank_knows_which_words_a_clue_fits_and_which_words_share_clues() -> None:
    assert TINY.fits("pet", "cat")
    assert not TINY.fits("pet", "cow")
    assert not TINY.fits("(no clue)", "cat")
    assert TINY.words_by_clue["fur"] == ["cat", "cow", "dog"]
    assert TINY.cousins("cat") == {"dog": 2, "cow": 1}
    assert TINY.cousins("cow") == {"cat": 1, "dog": 1}
    assert TINY.missing(["cow", "elm", "cat", "oak", "elm"]) == ["elm", "oak"]


def test_a_shuffled_bank_has_the_same_words_and_clues_under_other_labels() -> None:
    bank = shipped_bank()
    shuffled = bank.shuffled(Dice("shuffle"))
    assert list(shuffled.clues) == list(bank.clues)
    assert sorted(shuffled.clues.values()) == sorted(bank.clues.values())
    moved = [word for word in bank.clues if shuffled.clues[word] != bank.clues[word]]
    assert len(moved) >= 30
    assert bank.shuffled(Dice("shuffle")).clues == shuffled.clues


def test_the_shipped_bank_has_every_shipped_word() -> None:
    words = [word for pair in GAME.shipped() for word in GAME.words(pair)]
    assert shipped_bank().missing(words) == []


def test_a_users_bank_adds_words_and_goes_before_ours(tmp_path: Path) -> None:
    path = tmp_path / "clues.json"
    path.write_text(json.dumps({"words": {"elm": SIX, "guitar": SIX}}), encoding="utf-8")
    bank = extended_bank(path)
    assert bank.clues["elm"] == bank.clues["guitar"] == tuple(SIX)
    assert bank.clues["banjo"] == shipped_bank().clues["banjo"]
    assert bank.cousins("guitar") == {"elm": 6}
    assert "elm" not in shipped_bank().clues


def words(**clues: object) -> str:
    return json.dumps({"words": clues})


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("{", "", "is not JSON (Expecting property name"),
        ("[" * 100_000, "", "is not JSON (maximum recursion depth"),
        ("[]", "", "(got [])"),
        ("{}", ", field words", "field required"),
        ('{"words": {}, "more": 1}', ", field more", "not permitted (got 1)"),
        ('{"words": []}', ", field words", "should be a valid dictionary (got [])"),
        (words(elm="leaves"), ", field words.elm", "should be a valid list (got 'leaves')"),
        (words(elm=[*SIX, 7]), ", field words.elm.6", "should be a valid string (got 7)"),
        (words(elm=SIX[:5]), ", field words", "'elm' needs at least 6 different clues"),
        (words(elm=[*SIX[:5], "one"]), ", field words", "'elm' needs at least 6 different clues"),
        (words(elm=[*SIX, "one"]), ", field words", "'elm' needs at least 6 different clues"),
        (
            words(oak=SIX, elm=[*SIX, "Elms grow"]),
            ", field words",
            "'Elms grow' names its word 'elm'",
        ),
        (words(elm=[*SIX, " "]), ", field words", "a clue of 'elm' is blank or has control"),
        (words(elm=[*SIX, "a\x1b[1m"]), ", field words", "a clue of 'elm' is blank or has control"),
        (words(**{"e\x1b]0;lm": 7}), ", field words.e]0;lm", "(got 7)"),
    ],
)
def test_a_bad_bank_is_refused_in_one_line(
    tmp_path: Path, text: str, where: str, problem: str
) -> None:
    path = tmp_path / "clues.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as refused:
        extended_bank(path)
    line = str(refused.value)
    assert line.startswith(f"{path}{where}: ")
    assert problem in line
    assert line.isprintable()


def test_a_bank_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b'{"words": "\xe9"}')
    for name in ("none.json", "latin.json", "."):
        path = tmp_path / name
        with pytest.raises(BadInput) as refused:
            extended_bank(path)
        assert str(refused.value).startswith(f"{path}: cannot be read (")


def test_a_bank_made_of_no_words_or_of_foreign_ones_is_no_error() -> None:
    assert ClueBank({}).missing(["cat"]) == ["cat"]
    assert ClueBank({"cat": ("purrs",)}).cousins("cat") == {}
