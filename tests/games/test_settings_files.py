"""Settings files: ours are whole, and a bad one is refused with place, record, field and value."""

import json
from collections import Counter
from collections.abc import Iterator
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
from parlour.games.undercover.rules import Pair, Variant

GOOD = {"civilian_word": "oak", "undercover_word": "elm", "undercover_seat": 1}
FIX = "fields: civilian_word, undercover_word, undercover_seat, openings"


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
        (records({"undercover_seat": None}), ", record 1, field undercover_seat", "got null"),
        (records({"civilian_word": 7}), ", record 1, field civilian_word", "got 7"),
        (records({"civilian_word": ""}), ", record 1, field civilian_word", "got ''"),
        (records({"undercover_word": "x" * 61}), ", record 1, field undercover_word", "got 'xxx"),
        (records({"colour": "red"}), ", record 1, field colour", "not a valid key here"),
        (records({"undercover_word": "OAK"}), ", record 1", "both words are 'oak'"),
        (records({"civilian_word": "oak "}), ", record 1", "the word 'oak ' has stray spaces"),
        (records({"civilian_word": "o\x1b[1mak"}), ", record 1", "the word 'o[1mak' has stray"),
        (records({}, {}, {"civilian_word": "a\tb"}), ", record 3", "has stray spaces or control"),
        ('[{"civilian_word": "oak"}]', ", record 1, field undercover_word", "is missing"),
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
        assert line.endswith(FIX)


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
    "undercover": FIX,
    "chameleon": "fields: topic, secret_word, chameleon_seat, openings",
    "cost_sharing": "fields: airlines, openings",
    "prisoners_dilemma": "fields: all_cooperate, all_defect, lone_defector, joint_defectors",
    "public_good": "fields: multiplier",
}


def airlines(**change: object) -> dict[str, object]:
    return {"airlines": ["Bluefinch", "Dovetail", {**FIGURES, **change}]}


@pytest.mark.parametrize(
    ("game", "change", "where", "problem"),
    [
        ("undercover", {"openings": ["my oak", None, None]}, "", "'my oak' names the word 'oak'"),
        ("undercover", {"openings": [None, "elms", None]}, "", "'elms' names the word 'elm'"),
        ("chameleon", {"chameleon_seat": 3}, "chameleon_seat", "got 3"),
        ("chameleon", {"chameleon_seat": True}, "chameleon_seat", "got True"),
        ("chameleon", {"chameleon_seat": "Player 2"}, "chameleon_seat", "got 'Player 2'"),
        ("chameleon", {"topic": ""}, "topic", "got ''"),
        ("chameleon", {"topic": "x" * 61}, "topic", "got 'xxx"),
        ("chameleon", {"topic": " Music"}, "topic", "the word ' Music' has stray spaces"),
        ("chameleon", {"secret_word": "gui\ttar"}, "secret_word", "has stray spaces"),
        ("chameleon", {"secret_word": None}, "secret_word", "got null"),
        ("chameleon", {"word": "guitar"}, "word", "is not a valid key here"),
        (
            "chameleon",
            {"topic": "Kinds of Guitars"},
            "",
            "the topic 'Kinds of Guitars' reveals the",
        ),
        ("chameleon", {"openings": [None, None]}, "openings[2]", "is missing"),
        ("chameleon", {"openings": [None, " ", None]}, "openings[1]", "an opening clue is blank"),
        ("chameleon", {"openings": ["x" * 301, None, None]}, "openings[0]", "got 'xxx"),
        ("chameleon", {"openings": ["a guitar", None, None]}, "", "names the word 'guitar'"),
        # The chameleon's, too: it would hand itself the word.
        ("chameleon", {"openings": [None, "a guitar", None]}, "", "names the word 'guitar'"),
        ("cost_sharing", {"airlines": ["Bluefinch", "Dovetail"]}, "airlines[2]", "is missing"),
        ("cost_sharing", {"airlines": ["Bluefinch"] * 4}, "airlines", "at most 3 items"),
        ("cost_sharing", {"airlines": "Bluefinch"}, "airlines", "got 'Bluefinch'"),
        (
            "cost_sharing",
            {"airlines": ["Bluefinch", "Dovetial", FIGURES]},
            "airlines[1]",
            "no airline of the pool is called 'Dovetial'; did you mean 'Dovetail'?",
        ),
        ("cost_sharing", airlines(flights=0), "airlines[2].flights", "got 0"),
        ("cost_sharing", airlines(flights=1.5), "airlines[2].flights", "got 1.5"),
        ("cost_sharing", airlines(passengers=-1), "airlines[2].passengers", "got -1"),
        ("cost_sharing", airlines(hours=0), "airlines[2].hours", "got 0"),
        ("cost_sharing", airlines(hours=25), "airlines[2].hours", "got 25"),
        ("cost_sharing", airlines(name=""), "airlines[2].name", "got ''"),
        ("cost_sharing", airlines(name="A\x1b[1m"), "airlines[2].name", "control characters"),
        ("cost_sharing", airlines(aircraft="jets\u202e"), "airlines[2].aircraft", "control"),
        ("cost_sharing", airlines(seats=9), "airlines[2].seats", "is not a valid key here"),
        ("cost_sharing", {"openings": [[50, 50, 1], None, None]}, "openings", "sum to 101"),
        ("cost_sharing", {"openings": [None, [101, -1, 0], None]}, "openings", "from 0 to 100"),
        ("cost_sharing", {"openings": [[50, 50], None, None]}, "openings[0][2]", "is missing"),
        ("cost_sharing", {"openings": [["50", 50, 0], None, None]}, "openings[0][0]", "got '50'"),
        ("prisoners_dilemma", {"all_defect": -1}, "all_defect", "got -1"),
        ("prisoners_dilemma", {"all_defect": 1001}, "all_defect", "got 1001"),
        ("prisoners_dilemma", {"lone_defector": "5"}, "lone_defector", "got '5'"),
        ("prisoners_dilemma", {"lone_defector": None}, "lone_defector", "got null"),
        ("prisoners_dilemma", {"lone_defector": float("nan")}, "lone_defector", "got nan"),
        ("prisoners_dilemma", {"sucker": 0}, "sucker", "is not a valid key here"),
        ("public_good", {"multiplier": 0}, "multiplier", "got 0"),
        ("public_good", {"multiplier": -1.5}, "multiplier", "got -1.5"),
        ("public_good", {"multiplier": 101}, "multiplier", "got 101"),
        ("public_good", {"multiplier": float("inf")}, "multiplier", "got inf"),
        ("public_good", {"multiplier": float("nan")}, "multiplier", "got nan"),
        ("public_good", {"multiplier": "1.5"}, "multiplier", "got '1.5'"),
        ("public_good", {"multiplier": [1, 2]}, "multiplier", "got [1, 2]"),
        ("public_good", {"rounds": 5}, "rounds", "is not a valid key here"),
    ],
)
def test_a_bad_record_of_any_game_is_refused_with_record_field_value_and_fix(
    tmp_path: Path, game: str, change: dict[str, object], where: str, problem: str
) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps([GOODS[game], {**GOODS[game], **change}]), encoding="utf-8")
    with pytest.raises(BadInput) as refused:
        find_game(game, "test").records(path)
    line = str(refused.value)
    assert line.startswith(f"{path}, record 2{f', field {where}' if where else ''}: ")
    assert problem.casefold() in line.casefold()
    assert line.isprintable()
    assert line.endswith(FIXES[game])


@pytest.mark.parametrize("name", GOODS)
def test_a_good_file_of_any_game_plays(tmp_path: Path, name: str) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps([GOODS[name]] * 2), encoding="utf-8")
    game: Game = find_game(name, "test")
    read = game.records(path)
    assert len(read) == 2
    assert play(opened(game, read[0], game.variant(), 1)).table.outcome is not None


def fields() -> Iterator[tuple[str, str]]:
    """Every game with each field of its settings."""
    for name, good in GOODS.items():
        for field in good:
            yield name, field


@pytest.mark.parametrize(("name", "field"), fields())
def test_a_field_that_is_not_there_is_named(tmp_path: Path, name: str, field: str) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps([{k: v for k, v in GOODS[name].items() if k != field}]))
    with pytest.raises(BadInput) as refused:
        find_game(name, "test").records(path)
    assert str(refused.value).startswith(f"{path}, record 1, field {field}: is missing")


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


@pytest.mark.parametrize(
    ("game", "wrong"),
    [
        (
            "impostor",
            [
                *({"assignment": "teams"}, {"difficulty": "Hard"}, {"false_declaration": True}),
                *({"probes": "on"}, {"impostor_seat": 1}),
            ],
        ),
        (
            "undercover",
            [{"clue_rounds": 0}, {"clue_rounds": 11}, {"clue_rounds": "2"}, {"probes": "on"}],
        ),
        (
            "cost_sharing",
            [{"rounds": 0}, {"rounds": 21}, {"rounds": "5"}, {"sequential_votes": 1}, {"fee": 1}],
        ),
        ("prisoners_dilemma", [{"rounds": 0}, {"rounds": 51}, {"rounds": 2.0}, {"x": 1}]),
        (
            "public_good",
            [{"rounds": 0}, {"rounds": 51}, {"endowment": 0}, {"endowment": 1.5}, {"x": 1}],
        ),
    ],
)
def test_a_variant_that_means_nothing_is_refused(game: str, wrong: list[dict[str, Any]]) -> None:
    for keys in wrong:
        with pytest.raises(ValidationError):
            find_game(game, "test").variant.model_validate(keys)


def test_a_misspelt_name_gets_the_nearest_one_and_all_of_them() -> None:
    names = ["undercover", "chameleon", "impostor"]
    everything = "known: chameleon, impostor, undercover"
    assert suggestion("undercovr", names) == f"did you mean 'undercover'? {everything}"
    assert suggestion("zzz", names) == everything
    assert suggestion("", []) == "known: "
