"""Random draws that are the same for the same key, on every machine and every Python."""

from collections.abc import Sequence
from hashlib import blake2b
from struct import Struct
from typing import TypeVar

T = TypeVar("T")

_WORDS = 1 << 64
_unpack = Struct("<8Q").unpack


class Dice:
    """A stream of fair draws made from a key, such as (match seed, ask, seat).

    Built on BLAKE2b in counter mode rather than on ``random``, whose ``shuffle`` and
    ``choice`` are not promised to stay the same between versions. Dice that are
    never used cost nothing. The key cannot be read back from the draws.
    """

    __slots__ = ("_counter", "_key", "_left", "_secret")

    def __init__(self, *key: int | str) -> None:
        self._key = key
        self._secret: bytes | None = None
        self._counter = 0
        self._left: list[int] = []

    def _word(self) -> int:
        """The next 64 bits."""
        if not self._left:
            if self._secret is None:
                # repr keeps 1 and "1" apart, and ("a", "b") apart from ("ab",).
                self._secret = blake2b(repr(self._key).encode(), digest_size=32).digest()
            block = blake2b(self._counter.to_bytes(8, "little"), key=self._secret).digest()
            self._counter += 1
            self._left = [*_unpack(block)]
        return self._left.pop()

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1, each equally likely. ValueError unless 1 ≤ n ≤ 2^64."""
        if not 1 <= n <= _WORDS:
            raise ValueError(f"cannot draw below {n}")
        # Rejection sampling: words past this limit would favour small numbers.
        fair = _WORDS - _WORDS % n
        while (word := self._word()) >= fair:
            pass
        return word % n

    def chance(self, p: float) -> bool:
        """True with probability p."""
        return (self._word() >> 11) * 2.0**-53 < p

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, each equally likely."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> tuple[T, ...]:
        """The items in a random order, each order equally likely."""
        deck = list(items)
        for i in range(len(deck) - 1, 0, -1):
            j = self.below(i + 1)
            deck[i], deck[j] = deck[j], deck[i]
        return tuple(deck)
