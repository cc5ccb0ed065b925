"""The clue bank: its queries, and the errors of bad bank files."""

import json
from itertools import chain, pairwise, permutations, product
from pathlib import Path
from statistics import fmean

import pytest

from parlour.games.common.errors import BadInput
from parlour.games.common.text import names_word, same_word
from parlour.games.engine.game import Game
from parlour.games.engine.registry import games
from parlour.games.families.clues.clue_bank import ClueBank, extended_bank, shipped_bank
from parlour.games.impostor import GAME as IMPOSTOR
from parlour.games.impostor.rules import Variant
from tests.agents.playing import TINY
from tests.tournaments import ROOT

SIX = ["one", "two", "three", "four", "five", "six"]


def test_a_bank_knows_which_words_a_clue_fits_and_which_words_share_clues() -> None:
    assert TINY.words_by_clue["fur"] == ["cat", "cow", "dog"]
    assert TINY.similar_words("cat") == {"dog": 2, "cow": 1}
    assert TINY.similar_words("cow") == {"cat": 1, "dog": 1}
    assert TINY.missing(["cow", "elm", "cat", "oak", "elm"]) == ["elm", "oak"]
    assert ClueBank({}).missing(["cat"]) == ["cat"]
    assert ClueBank({"cat": ("purrs",)}).similar_words("cat") == {}


def shipped_words(game: Game) -> list[str]:
    """The words of all its settings, each once."""
    settings = (game.make_setting(record, game.variant()) for record in game.shipped())
    return list(dict.fromkeys(chain.from_iterable(map(game.hints.words, settings))))


def test_the_shipped_files_pass_the_checks_of_a_users_file() -> None:
    paths = sorted((ROOT / "games" / "families" / "clues" / "data").glob("*.json"))
    assert paths
    for path in paths:
        assert extended_bank(path).clues.items() >= {
            (word, tuple(clues)) for word, clues in json.loads(path.read_text())["words"].items()
        }


def test_the_shipped_bank_has_six_clues_or_more_for_every_word_that_ships() -> None:
    bank = shipped_bank()
    words = {name: shipped_words(game) for name, game in games().items()}
    assert {name: len(of) for name, of in words.items() if of} == {
        "chameleon": 20,
        "impostor": 600,
        "undercover": 40,
    }
    shipped = list(chain(*words.values(), *bank.topics.values()))
    assert bank.missing(shipped) == []
    for word in shipped:
        assert len(set(bank.clues[word])) == len(bank.clues[word]) >= 6, word
        assert max(map(len, bank.clues[word])) <= 300, word
        assert not [clue for clue in bank.clues[word] if names_word(clue, word)]


def test_no_clue_of_an_impostor_pair_names_either_word() -> None:
    bank = shipped_bank()
    for pair in IMPOSTOR.shipped():
        words = (pair.majority_word, pair.impostor_word)
        for one, other in (words, words[::-1]):
            assert not [clue for clue in bank.clues[one] if names_word(clue, other)], words


def test_no_word_of_impostor_is_one_of_another_game() -> None:
    others = [shipped_words(game) for game in games().values() if game is not IMPOSTOR]
    elsewhere = list(chain(*others, *shipped_bank().topics.values()))
    pairs = product(shipped_words(IMPOSTOR), elsewhere)
    assert not [(word, other) for word, other in pairs if same_word(word, other)]


def overlaps(difficulty: str) -> list[float]:
    """For each pair: clues that both words share, of all that either has."""
    clues, shares = shipped_bank().clues, []
    variant = Variant(difficulty=difficulty)
    for pair in IMPOSTOR.settings_file.select_records(IMPOSTOR.shipped(), variant):
        one, other = ({*clues[word]} for word in (pair.majority_word, pair.impostor_word))
        shares.append(len(one & other) / len(one | other))
    return shares


def test_the_clues_of_a_pair_overlap_the_more_the_harder_it_is() -> None:
    tiers = [overlaps(tier) for tier in ("easy", "medium", "hard", "expert")]
    assert [len(tier) for tier in tiers] == [75] * 4
    for easier, harder in pairwise(tiers):
        assert max(easier) < min(harder)
    # Some clues fit both words, and each word has some of its own: what the page says.
    assert min(tiers[0]) > 0
    assert 1 / 13 <= fmean(tiers[0]) < 1 / 12
    assert 1 / 2 < min(tiers[3]) <= max(tiers[3]) < 1


def test_shared_clues_are_more_general_than_unshared_ones() -> None:
    # Where in the list of a word its shared clues stand and its own, from 0 (first) to 1 (last).
    bank = shipped_bank()
    shared, own = [], []
    for pair in IMPOSTOR.shipped():
        for one, other in permutations((pair.majority_word, pair.impostor_word)):
            for place, clue in enumerate(bank.clues[one]):
                share = place / (len(bank.clues[one]) - 1)
                (shared if clue in bank.clues[other] else own).append(share)
    assert fmean(shared) < 0.4
    assert fmean(own) > 0.6


def test_a_users_bank_adds_words_and_takes_precedence(tmp_path: Path) -> None:
    path = tmp_path / "clues.json"
    path.write_text(json.dumps({"words": {"elm": SIX, "guitar": SIX}}), encoding="utf-8")
    bank = extended_bank(path)
    assert bank.clues["elm"] == bank.clues["guitar"] == tuple(SIX)
    assert bank.clues["banjo"] == shipped_bank().clues["banjo"]
    assert bank.similar_words("guitar") == {"elm": 6}
    assert "elm" not in shipped_bank().clues


def words(**clues: object) -> str:
    return json.dumps({"words": clues})


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("{", "", "is not JSON (Expecting property name"),
        ("[]", "", "(got [])"),
        ("{}", ", field words", "is missing"),
        ('{"words": {}, "more": 1}', ", field more", "is not a valid key here"),
        ('{"words": []}', ", field words", "must be an object (got [])"),
        (words(elm="leaves"), ", field words.elm", "must be a list (got 'leaves')"),
        (words(elm=[*SIX, 7]), ", field words.elm[6]", "must be a text (got 7)"),
        (words(elm=[*SIX[:5], "one"]), ", field words", "'elm' needs at least 6 different clues"),
        (words(elm=[*SIX, "one"]), ", field words", "'elm' needs at least 6 different clues"),
        (words(elm=[*SIX, "Elms grow"]), ", field words", "'Elms grow' names its word 'elm'"),
        (words(elm=[*SIX, " "]), ", field words", "a clue of 'elm' is blank or has control"),
        (words(elm=[*SIX, "a\x1b[1m"]), ", field words", "a clue of 'elm' is blank or has control"),
        (words(**{"e\x1b]0;lm": 7}), ", field words.e]0;lm", "(got 7)"),
        ("\udce9", "", "cannot be read ("),
    ],
)
def test_a_bad_bank_is_refused_in_one_line(
    tmp_path: Path, text: str, where: str, problem: str
) -> None:
    path = tmp_path / "clues.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadInput) as refused:
        extended_bank(path)
    line = str(refused.value)
    assert line.startswith(f"{path}{where}: ")
    assert problem in line
    assert line.isprintable()
    for unread in (tmp_path / "none.json", tmp_path):
        with pytest.raises(BadInput, match="cannot be read"):
            extended_bank(unread)
