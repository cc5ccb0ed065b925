"""Scripted listeners take a clue as graded evidence, the same on every machine.

What their understanding is worth is measured in matches, see tests/agents/listeners.py.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import pairwise
from statistics import fmean, stdev

import numpy as np
import pytest

from parlour.games.families.clues.clue_bank import UNIT, ClueBank, shipped_bank
from parlour.games.families.clues.evidence import FILE, WEIGHTS, Meanings, forms, tokens
from parlour.ratings.statistics.intervals import wilson
from tests.agents.listeners import (
    ROLES,
    Speech,
    evidence_of,
    in_other_words,
    left_out,
    other_words,
    results,
)

EVIDENCE = shipped_bank().evidence


def test_all_evidence_has_the_hash_on_file() -> None:
    """Whole numbers alone: on every Python, NumPy and processor the same."""
    said = [*shipped_bank().words_by_clue]
    for row in other_words().values():
        said += row[1:]
    together = blake2b(digest_size=8)
    for clue, before in pairwise(said):
        together.update(EVIDENCE(clue, (before,)).astype("<i8").tobytes())
    assert together.hexdigest() == "59457378d82f9040"


def test_evidence_is_shared_among_the_words_and_a_text_without_meaning_says_nothing() -> None:
    for clue in ("Four strings", "xqz vrrb", "", "?!", "(no clue)", "это не по-английски"):
        evidence = EVIDENCE(clue)
        assert evidence.min() >= 0
        assert evidence.mean() == pytest.approx(UNIT, rel=1e-3)
    for clue in ("xqz vrrb", "", "?!", "(no clue)", "это не по-английски"):
        assert set(EVIDENCE(clue)) == {UNIT}, clue


def test_the_first_bytes_are_no_model() -> None:
    assert FILE.stat().st_size < 1_500_000
    assert {"apache-2.0.txt", "NOTICE.txt"} <= {path.name for path in FILE.parent.iterdir()}


def test_a_clue_in_other_words_finds_its_word() -> None:
    assert fmean(in_other_words("topic", 1, 2)) >= 0.85  # of six
    assert fmean(in_other_words("topic", 3)) >= 0.85
    for group in ("undercover", "medium"):  # of two, close in meaning
        assert fmean(in_other_words(group, 1, 2)) >= 0.85
        assert fmean(in_other_words(group, 3)) >= 0.75


def test_a_clue_that_no_list_has_finds_its_word_more_often_than_chance() -> None:
    hits = left_out("topic")  # of six
    assert wilson(sum(hits), len(hits)).low > 1 / 4
    for group in ("undercover", "easy", "medium", "hard", "expert"):
        hits = left_out(group)
        assert wilson(sum(hits), len(hits)).low > 1 / 2, group


def paraphrase_of(word: str) -> str:
    """The last clue of the bank in other words."""
    return other_words()[word].last


def test_evidence_falls_from_the_exact_clue_to_gibberish() -> None:
    def mean_log(clue: Callable[[str], str]) -> float:
        return fmean(np.log(max(evidence_of(clue(word), word), 1e-3)) for word in other_words())

    def half(word: str) -> str:
        words = paraphrase_of(word).split()
        return " ".join("xqzv" if n % 2 else each for n, each in enumerate(words))

    exact = mean_log(lambda word: shipped_bank().clues[word][-1])
    tailed = mean_log(lambda word: shipped_bank().clues[word][-1] + ", I would say")
    paraphrase = mean_log(paraphrase_of)
    assert exact >= tailed > paraphrase > mean_log(half) > 0


def test_of_a_repetition_only_what_it_adds_counts() -> None:
    clue, word = "A flying one carried Aladdin", "carpet"
    assert evidence_of(clue, word) > 50
    for echo in (clue, clue.upper() + "!", "As was said, a flying one carried Aladdin"):
        assert evidence_of(echo, word, [clue]) == pytest.approx(1), echo
    other = "Celebrities walk on a red one"
    assert evidence_of(other, word, [clue]) == evidence_of(other, word)
    partly = evidence_of(
        "A flying one carried Aladdin over the red floor of a mosque", word, [clue]
    )
    assert (
        1
        <= partly
        < evidence_of("A flying one carried Aladdin over the red floor of a mosque", word)
    )


def test_a_clue_that_names_a_word_is_none_of_it_since_nobody_may_say_its_own() -> None:
    for clue in ("not a lion", "Like lions, but with stripes", "It is no lion!"):
        assert evidence_of(clue, "lion") == 0, clue
    assert evidence_of("Like lions, but with stripes", "tiger") > 10


def test_a_list_of_words_fits_a_word_as_its_worst_part_does() -> None:
    for clue in ("cheetah, tiger, lion", "cheetah tiger lion", "a cheetah or a tiger or a lion"):
        parts = [evidence_of(part, "leopard") for part in ("cheetah", "tiger", "lion")]
        assert evidence_of(clue, "leopard") == min(parts)
    assert evidence_of("spotted cat in the trees", "leopard") > 10 * evidence_of(
        "cheetah, tiger, lion", "leopard"
    )


def test_words_are_found_by_their_base_forms() -> None:
    assert tokens("The Queen’s 2 COATS, well-worn") == [
        "the",
        "queen's",
        "2",
        "coats",
        "well",
        "worn",
    ]
    for token, base in {
        "queen's": "queen",
        "coats": "coat",
        "berries": "berry",
        "swimming": "swim",
        "baked": "bake",
        "fastest": "fast",
        "bigger": "big",
    }.items():
        assert base in forms(token), token
    assert list(forms("is")) == ["is"]
    vectors = Meanings()
    one, clear = vectors("stallion")
    assert list(one) == list(vectors("Stallions")[0])
    assert clear == WEIGHTS
    assert vectors("stallion xqzv")[1] < 0.6 * WEIGHTS
    assert vectors("of the")[1] < 0.2 * WEIGHTS  # common words alone are not clear


def test_a_bank_in_another_language_is_heard_to_the_letter() -> None:
    bank = ClueBank(
        {"lóng": ("fēi zài tiānkōng", "pēnhuǒ guài"), "māo": ("zhuō lǎoshǔ", "miāo miāo jiào")}
    )
    evidence = bank.evidence("pēnhuǒ guài")
    assert evidence[0] > 3 * evidence[1]
    assert set(bank.evidence("yāzi yóuyǒng")) == {UNIT}


def higher(one: Sequence[float], other: Sequence[float], errors: float) -> bool:
    """True if a mean is higher by this many standard errors of the paired difference."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    return fmean(differences) > errors * stdev(differences) / len(differences) ** 0.5


def suspicion(game: str, special: bool, form: str, matches: int) -> list[float]:
    """The share of the listeners' votes for one who speaks of the common word, match by match."""
    speech = Speech(game, special, form, common=True, alone=True)
    return [result.suspicion for result in results(speech, matches)]


@pytest.mark.study("games", "agents/scripted", "tests/agents/listeners.py")
@pytest.mark.parametrize(("game", "special"), ROLES)
def test_suspicion_rises_from_the_exact_clue_to_gibberish(game: str, special: bool) -> None:
    rises_with_its_loss(game, special, 240, errors=0)


@pytest.mark.soak
@pytest.mark.parametrize(("game", "special"), ROLES)
def test_suspicion_rises_clearly_from_the_exact_clue_to_gibberish(game: str, special: bool) -> None:
    rises_with_its_loss(game, special, 1600, errors=2)


def rises_with_its_loss(game: str, special: bool, matches: int, errors: float) -> None:
    exact, paraphrase, half, gibberish, echo, listing = (
        suspicion(game, special, form, matches)
        for form in ("exact", "paraphrase", "half gibberish", "gibberish", "echo", "list")
    )
    assert not higher(exact, paraphrase, 3)
    assert higher(half, paraphrase, errors)
    assert higher(gibberish, half, errors)
    # Neither gains more than an honest clue in other words.
    assert not higher(paraphrase, echo, 3)
    assert higher(listing, paraphrase, errors)
