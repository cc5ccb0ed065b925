"""Settings files: ours are whole, and a bad one is refused with place, record, field and value."""

import json
from collections import Counter
from pathlib import Path

import pytest

from agents.bank import shipped_bank
from games.errors import BadInput
from games.near import suggestion
from games.text import names_word
from games.undercover import GAME
from games.undercover.rules import Pair, Variant

GOOD = {"civilian_word": "oak", "undercover_word": "elm", "undercover_seat": 1}
MEND = "fields: civilian_word, undercover_word, undercover_seat, openings"


def records(*changes: dict[str, object]) -> str:
    """A file of good records, each with some fields changed."""
    return json.dumps([{**GOOD, **change} for change in changes])


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("[{", "", "is not JSON (Expecting property name"),
        ("", "", "is not JSON (Expecting value: line 1 column 1"),
        ("[" * 100_000, "", "is not JSON (maximum recursion depth"),
        ("\ufeff[]", "", "is not JSON (Unexpected UTF-8 BOM"),
        ("{}", "", "holds no settings; give a JSON array of at least one record"),
        ("[]", "", "holds no settings"),
        ("null", "", "holds no settings"),
        (records({}, {"undercover_seat": 3}), ", record 2, field undercover_seat", "got 3"),
        (records({"undercover_seat": "1"}), ", record 1, field undercover_seat", "got '1'"),
        (records({"undercover_seat": 1.0}), ", record 1, field undercover_seat", "got 1.0"),
        (records({"undercover_seat": None}), ", record 1, field undercover_seat", "got None"),
        (records({"civilian_word": 7}), ", record 1, field civilian_word", "got 7"),
        (records({"civilian_word": ""}), ", record 1, field civilian_word", "got ''"),
        (records({"undercover_word": "x" * 61}), ", record 1, field undercover_word", "got 'xxx"),
        (records({"colour": "red"}), ", record 1, field colour", "not permitted (got 'red')"),
        (records({"undercover_word": "OAK"}), ", record 1", "both words are 'oak'"),
        (records({"civilian_word": "oak "}), ", record 1", "the word 'oak ' has stray spaces"),
        (records({"civilian_word": "o\x1b[1mak"}), ", record 1", "the word 'o[1mak' has stray"),
        (records({}, {}, {"civilian_word": "a\tb"}), ", record 3", "has stray spaces or control"),
        ('[{"civilian_word": "oak"}]', ", record 1, field undercover_word", "field required"),
        ('["oak"]', ", record 1", "got 'oak'"),
        ("[[]]", ", record 1", "got []"),
        ("[NaN]", ", record 1", "nan"),
        (r'[{"civilian_word": "\ud800"}]', ", record 1", "invalid JSON"),
        (r'[{"\u001b]0;x": 1}]', ", record 1, field", ""),
    ],
)
def test_a_bad_file_is_refused_in_one_line(
    tmp_path: Path, text: str, where: str, problem: str
) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as refused:
        GAME.records(path)
    line = str(refused.value)
    assert line.startswith(f"{path}{where}")
    assert problem.casefold() in line.casefold()
    assert line.isprintable()
    if where:
        assert line.endswith(MEND)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    latin = tmp_path / "latin.json"
    latin.write_bytes(b'[{"civilian_word": "caf\xe9"}]')
    for path, problem in (
        (tmp_path / "none.json", "cannot be read ([Errno 2]"),
        (tmp_path, "cannot be read ([Errno 21]"),
        (latin, "cannot be read ('utf-8' codec can't decode"),
    ):
        with pytest.raises(BadInput) as refused:
            GAME.records(path)
        assert str(refused.value).startswith(f"{path}: {problem}")


def test_a_good_file_gives_its_settings(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(records({}, {"civilian_word": "crème brûlée"}), encoding="utf-8")
    assert GAME.records(path) == (
        Pair(civilian_word="oak", undercover_word="elm", undercover_seat=1),
        Pair(civilian_word="crème brûlée", undercover_word="elm", undercover_seat=1),
    )


def test_twenty_settings_ship_with_the_odd_seat_shared_out() -> None:
    shipped = GAME.shipped()
    assert len(shipped) == 20
    seats = Counter(pair.undercover_seat for pair in shipped)
    assert sorted(seats.values()) == [6, 7, 7]
    words = [word for pair in shipped for word in (pair.civilian_word, pair.undercover_word)]
    assert len(set(words)) == 40


def test_every_shipped_word_has_six_clues_or_more_and_none_names_a_word_of_its_pair() -> None:
    bank = shipped_bank()
    for pair in GAME.shipped():
        for word in (pair.civilian_word, pair.undercover_word):
            clues = bank.clues[word]
            assert len(set(clues)) == len(clues) >= 6
            assert max(map(len, clues)) <= 300
            named = [
                (clue, other)
                for clue in clues
                for other in (pair.civilian_word, pair.undercover_word)
                if names_word(clue, other)
            ]
            assert not named
        # Close words: some clues fit both, and each has some of its own.
        shared = set(bank.clues[pair.civilian_word]) & set(bank.clues[pair.undercover_word])
        assert (
            1
            <= len(shared)
            < min(len(bank.clues[pair.civilian_word]), len(bank.clues[pair.undercover_word]))
        )


def test_a_condition_names_the_keys_that_differ_from_the_defaults() -> None:
    for keys, condition in (
        ({}, ""),
        ({"clue_rounds": 2, "probes": "per_round"}, ""),
        ({"clue_rounds": 3}, "clue_rounds=3"),
        ({"probes": "off", "clue_rounds": 1}, "clue_rounds=1,probes=off"),
    ):
        assert GAME.condition(Variant.model_validate(keys)) == condition


def test_a_misspelt_name_gets_the_nearest_one_and_all_of_them() -> None:
    names = ["undercover", "chameleon", "impostor"]
    everything = "known: chameleon, impostor, undercover"
    assert suggestion("undercovr", names) == f"did you mean 'undercover'? {everything}"
    assert suggestion("zzz", names) == everything
    assert suggestion("", []) == "known: "
