"""Dice: the same key gives the same draws on every Python, and every draw is fair."""

from collections import Counter
from hashlib import blake2b
from itertools import product

import pytest

from parlour.games.engine import dice as dice_module
from parlour.games.engine.dice import Dice


def test_the_same_key_gives_these_very_draws_for_ever() -> None:
    draws = Dice(7, "match")
    assert [draws.below(100) for _ in range(12)] == [7, 97, 65, 11, 17, 61, 17, 49, 22, 33, 55, 5]
    draws = Dice("seat", 0, 3)
    assert "".join(draws.shuffled("abcdefgh")) == "chabefdg"
    assert draws.choice([10, 20, 30, 40, 50]) == 10
    assert [draws.chance(0.5) for _ in range(8)] == [True, True, False, False, False, True] + [
        False
    ] * 2
    assert draws.below(10**9) == 239284709


def test_a_draw_is_keyed_blake2b_in_counter_mode_read_from_the_end() -> None:
    secret = blake2b(b"(7, 'match')", digest_size=32).digest()
    blocks = [blake2b(bytes([n, 0, 0, 0, 0, 0, 0, 0]), key=secret).digest() for n in (0, 1)]
    words = [
        int.from_bytes(block[start : start + 8], "little")
        for block, start in product(blocks, (56, 48, 40, 32, 24, 16, 8, 0))
    ]
    draws = Dice(7, "match")
    assert [draws.below(2**64) for _ in range(16)] == words


@pytest.mark.parametrize(
    "other", [(1, "ab"), ("1", "a", "b"), (1, "a"), (1, "a", "b", 0), ("1ab",)]
)
def test_different_keys_give_different_draws(other: tuple[int | str, ...]) -> None:
    assert Dice(*other).below(2**64) != Dice(1, "a", "b").below(2**64)


def test_each_number_below_n_is_met_by_equally_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    # With words of 4 bits all of them can be tried. A word too many is passed over for the
    # next one, which is made recognisable by being the last that is left.
    monkeypatch.setattr(dice_module, "_WORDS", 16)
    for n in range(1, 17):
        met: Counter[int] = Counter()
        for word in range(16):
            dice = Dice("any")
            dice._left = [0, word]
            drawn = dice.below(n)
            if dice._left:  # the word was taken
                met[drawn] += 1
        assert met == dict.fromkeys(range(n), 16 // n)


@pytest.mark.parametrize("n", [0, -1, 2**64 + 1])
def test_there_is_no_draw_below_nothing_or_beyond_a_word(n: int) -> None:
    with pytest.raises(ValueError, match="cannot draw below"):
        Dice("any").below(n)


def test_every_order_is_equally_likely() -> None:
    # 24 orders of 4 in 4,800 shuffles: 200 each; 5.5 standard deviations are 76.
    orders = Counter(Dice("order", seed).shuffled((0, 1, 2, 3)) for seed in range(4800))
    assert len(orders) == 24
    assert all(124 <= count <= 276 for count in orders.values())


def test_a_shuffle_keeps_every_item_and_leaves_the_original_alone() -> None:
    items = [3, 1, 4, 1, 5, 9, 2, 6]
    assert sorted(Dice("any").shuffled(items)) == [1, 1, 2, 3, 4, 5, 6, 9]
    assert items == [3, 1, 4, 1, 5, 9, 2, 6]
    assert Dice("any").shuffled([]) == ()


def test_a_choice_is_fair() -> None:
    # 5 items in 5,000 draws: 1,000 each; 5 standard deviations are 141.
    dice = Dice("choice")
    chosen = Counter(dice.choice("abcde") for _ in range(5000))
    assert all(859 <= chosen[item] <= 1141 for item in "abcde")


def test_a_chance_comes_true_as_often_as_it_says() -> None:
    dice = Dice("chance")
    assert not any(dice.chance(0.0) for _ in range(1000))
    assert all(dice.chance(1.0) for _ in range(1000))
    # 4,000 draws at 1/4: 1,000; 5 standard deviations are 137.
    assert 863 <= sum(dice.chance(0.25) for _ in range(4000)) <= 1137
