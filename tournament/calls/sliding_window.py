"""What may be used in any minute: requests, or tokens."""

from collections import deque
from dataclasses import dataclass

MINUTE_SECONDS = 60.0


@dataclass(slots=True)
class Used:
    """So much was used at a moment; the amount may be corrected once it is known."""

    moment: float
    amount: int


class Window:
    """At most ``most`` in any 60 seconds (None: any amount).

    Something larger than that alone goes where nothing else was used.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._used: deque[Used] = deque()
        self._sum = 0

    def use(self, amount: int, now: float) -> Used:
        """Takes so much of this minute."""
        used = Used(now, amount)
        if self._most is not None:
            self._used.append(used)
            self._sum += amount
        return used

    def correct(self, used: Used, amount: int) -> None:
        """What was taken turned out to be more, or less."""
        if self._used and used.moment >= self._used[0].moment:
            self._sum += amount - used.amount
        used.amount = amount

    def wait(self, amount: int, now: float) -> float:
        """Seconds until so much may be used; 0 if it may now."""
        if self._most is None:
            return 0.0
        while self._used and self._used[0].moment <= now - MINUTE_SECONDS:
            self._sum -= self._used.popleft().amount
        too_much = self._sum + amount - self._most
        wait = 0.0
        for used in self._used:
            if too_much <= 0:
                break
            too_much -= used.amount
            wait = used.moment + MINUTE_SECONDS - now
        return wait
