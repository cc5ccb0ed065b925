"""Settings files: ours are whole, and a bad one is refused with place, record, field and value."""

import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.games.common.text import names_word
from parlour.games.engine.game import Game
from parlour.games.engine.registry import find_game
from parlour.games.families.clues.clue_bank import shipped_bank
from parlour.games.testing.playthrough import opened, play
from parlour.games.undercover import GAME
from parlour.games.undercover.rules import Variant
from tests.blocks import data_rows

GOOD = {"civilian_word": "oak", "undercover_word": "elm", "undercover_seat": 1}


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
        (records({}, {"undercover_seat": 3}), ", record 2, field undercover_seat", "got 3"),
        (records({"undercover_seat": 1.0}), ", record 1, field undercover_seat", "got 1.0"),
        (records({"civilian_word": ""}), ", record 1, field civilian_word", "got ''"),
        (records({"undercover_word": "x" * 61}), ", record 1, field undercover_word", "got 'xxx"),
        (records({"undercover_word": "OAK"}), ", record 1", "both words are 'oak'"),
        (records({"civilian_word": "o\x1b[1mak"}), ", record 1", "the word 'o[1mak' has stray"),
        (records({}, {}, {"civilian_word": "a\tb"}), ", record 3", "has stray spaces or control"),
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
    line = refusal(path)
    assert line.startswith(f"{path}{where}")
    assert problem.casefold() in line.casefold()
    if where:
        assert line.endswith(FIXES["undercover"])


def refusal(path: Path, game: str = "undercover") -> str:
    with pytest.raises(BadInput) as refused:
        find_game(game, "test").records(path)
    assert str(refused.value).isprintable()
    return str(refused.value)


SECRET = {"topic": "Music", "secret_word": "guitar", "chameleon_seat": 1}
FIGURES = {"name": "A", "flights": 1, "passengers": 1, "hours": 1, "aircraft": "jets"}
TRIPLE = {"airlines": ["Bluefinch", "Dovetail", FIGURES]}
POINTS = {"all_cooperate": 3, "all_defect": 1, "lone_defector": 5, "joint_defectors": 2.5}
GROWTH = {"multiplier": 1.5}
GOODS = {
    "undercover": GOOD,
    "chameleon": SECRET,
    "cost_sharing": TRIPLE,
    "prisoners_dilemma": POINTS,
    "public_good": GROWTH,
}
FIXES = {
    "undercover": "fields: civilian_word, undercover_word, undercover_seat, openings",
    "chameleon": "fields: topic, secret_word, chameleon_seat, openings",
    "cost_sharing": "fields: airlines, openings",
    "prisoners_dilemma": "fields: all_cooperate, all_defect, lone_defector, joint_defectors",
    "public_good": "fields: multiplier",
}


@pytest.mark.parametrize(("game", "change", "where", "problem"), data_rows("bad_records"))
def test_a_bad_record_of_any_game_is_refused_with_record_field_value_and_fix(
    tmp_path: Path, game: str, change: str, where: str, problem: str
) -> None:
    path, changed = tmp_path / "own.json", json.loads(change)
    if "figures" in changed:  # of the airline that is in no pool
        changed = {"airlines": ["Bluefinch", "Dovetail", {**FIGURES, **changed["figures"]}]}
    path.write_text(json.dumps([GOODS[game], {**GOODS[game], **changed}]), encoding="utf-8")
    line = refusal(path, game)
    assert line.startswith(f"{path}, record 2{f', field {where}' if where else ''}: ")
    assert problem.casefold() in line.casefold()
    assert line.endswith(FIXES[game])


@pytest.mark.parametrize("name", GOODS)
def test_a_good_file_of_any_game_plays_and_a_field_that_is_not_there_is_named(
    tmp_path: Path, name: str
) -> None:
    path, good = tmp_path / "own.json", GOODS[name]
    path.write_text(json.dumps([good] * 2), encoding="utf-8")
    game: Game = find_game(name, "test")
    read = game.records(path)
    assert read == (game.record.model_validate_json(json.dumps(good)),) * 2
    assert play(opened(game, read[0], game.variant(), 1)).table.outcome is not None
    for field in good:
        short = tmp_path / f"{field}.json"
        short.write_text(json.dumps([{k: v for k, v in good.items() if k != field}]))
        assert refusal(short, name).startswith(f"{short}, record 1, field {field}: is missing")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    latin = tmp_path / "latin.json"
    latin.write_bytes(b'[{"civilian_word": "caf\xe9"}]')
    for path, problem in (
        (tmp_path / "none.json", "cannot be read ([Errno 2]"),
        (tmp_path, "cannot be read ([Errno 21]"),
        (latin, "cannot be read ('utf-8' codec can't decode"),
    ):
        assert refusal(path).startswith(f"{path}: {problem}")


def test_twenty_settings_ship_with_the_odd_seat_shared_out() -> None:
    shipped = GAME.shipped()
    assert len(shipped) == 20
    seats = Counter(pair.undercover_seat for pair in shipped)
    assert sorted(seats.values()) == [6, 7, 7]
    words = {pair.civilian_word for pair in shipped} | {pair.undercover_word for pair in shipped}
    assert len(words) == 40


def test_every_shipped_word_has_six_clues_or_more_and_none_names_a_word_of_its_pair() -> None:
    bank = shipped_bank()
    for pair in GAME.shipped():
        words = (pair.civilian_word, pair.undercover_word)
        for word in words:
            clues = bank.clues[word]
            assert len(set(clues)) == len(clues) >= 6
            assert max(map(len, clues)) <= 300
            assert not [pair for pair in product(clues, words) if names_word(*pair)]
        # Close words: some clues fit both, and each has some of its own.
        one, other = ({*bank.clues[word]} for word in words)
        assert one & other
        assert one - other
        assert other - one


def test_a_condition_names_the_keys_that_differ_from_the_defaults() -> None:
    for keys, condition in (
        ({}, ""),
        ({"clue_rounds": 2, "probes": "per_round"}, ""),
        ({"clue_rounds": 3}, "clue_rounds=3"),
        ({"probes": "off", "clue_rounds": 1}, "clue_rounds=1,probes=off"),
    ):
        assert GAME.condition(Variant.model_validate(keys)) == condition


WRONG: dict[str, list[dict[str, Any]]] = {
    "impostor": [{"assignment": "teams"}, {"false_declaration": True}, {"impostor_seat": 1}],
    "undercover": [{"clue_rounds": 0}, {"clue_rounds": 11}, {"clue_rounds": "2"}, {"probes": "on"}],
    "cost_sharing": [{"rounds": 0}, {"rounds": 21}, {"sequential_votes": 1}, {"fee": 1}],
    "prisoners_dilemma": [{"rounds": 0}, {"rounds": 51}, {"rounds": 2.0}, {"x": 1}],
    "public_good": [{"rounds": 51}, {"endowment": 0}, {"endowment": 1.5}, {"x": 1}],
}


@pytest.mark.parametrize("game", WRONG)
def test_a_variant_that_means_nothing_is_refused(game: str) -> None:
    for keys in WRONG[game]:
        with pytest.raises(ValidationError):
            find_game(game, "test").variant.model_validate(keys)


def test_a_misspelt_name_gets_the_nearest_one_and_all_of_them() -> None:
    names = ["undercover", "chameleon", "impostor"]
    everything = "known: chameleon, impostor, undercover"
    assert suggestion("undercovr", names) == f"did you mean 'undercover'? {everything}"
    assert suggestion("zzz", names) == everything
    assert suggestion("", []) == "known: "
