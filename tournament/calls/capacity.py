"""The number of requests that an endpoint answers at once, found from the time of its answers.

By Little's law, an endpoint that is sent n requests at once and answers each in s seconds answers
n / s a second. Two such rates, at two numbers of requests, tell what it can carry: where the
rate does not grow with the number, requests only wait for each other. Netflix's
concurrency-limits compares latencies in the same way, but with the shortest one seen; answers of
models differ too much in length for that.
"""

from collections import deque
from math import ceil, inf, sqrt
from statistics import fmean
from typing import NamedTuple

FEWEST_ANSWERS = 8
"""Answers that a rate is measured from, at least; as many as requests at once if those are more."""
MOSTLY = 0.7
"""Part of the limit that must be in flight for a rate to say something on it."""
SMALLEST_BURST, FIRST, LATER, IN_QUEUE = 16, 1 / 32, 6, 0.2
"""The signs of a queue: of so many requests that were sent together, the first part is answered,
and after so many times as long at most the last part. Without a queue it would be more by then."""
FULL, IDLE = 0.25, 0.6
"""Growth of the rate over growth of the requests: below, the fewer requests kept the endpoint
busy; above, even the more requests did not."""
SMALLEST_HALVED = 4
"""No trial with fewer than half of these: a short queue costs less."""
MOST_ANSWERS = 1000
"""Answers of a window, at most."""
LONGEST_REST = 32
"""The most windows without a trial of another number."""


class _TimedAnswer(NamedTuple):
    beside: int
    seconds: float


class _AnswerRate(NamedTuple):
    """Requests at once and answers a second."""

    at_once: float
    rate: float


class Capacity:
    """``limit`` requests at once are sent; inf while nothing shows that they queue.

    Each window of answers gives one rate. A trial compares the rates of two windows, at one
    number and at its double or half, and goes on in that direction while it pays. After it the
    limit stays for a while, twice as long each time.
    """

    def __init__(self, slots: int | None = None) -> None:
        self.limit = with_queue(slots) if slots else inf
        self.carries = slots
        """Requests at once that it answers without a queue, as far as that was found out."""
        self._answers: list[_TimedAnswer] = []
        self.window = 0
        """Number of the window: an answer counts in the one that its request was sent in."""
        self._sent = self._burst = 0
        self._begun = self._first = 0.0
        self._answered_at: deque[float] = deque(maxlen=MOST_ANSWERS)
        self._before: _AnswerRate | None = None
        self._upward = True
        self._rest, self._next_rest = 0, 2
        self._carried = 1.0
        """Requests at once that certainly did not queue."""

    def sent(self, now: float) -> int:
        """Counts a request; returns the number of its window."""
        if self._sent == 0:
            self._begun = now
        self._sent += 1
        return self.window

    def answered(self, window: int, beside: int, seconds: float, now: float) -> None:
        """Counts an answer. ``beside`` were in flight when its request was sent, with itself."""
        self._answered_at.append(now)
        if window != self.window:
            return
        answers = self._answers
        answers.append(_TimedAnswer(beside, seconds))
        if len(answers) == 1:
            self._burst = self._sent
        if len(answers) == ceil(FIRST * self._burst) and self._burst >= SMALLEST_BURST:
            self._first = now - self._begun
        if len(answers) >= max(FEWEST_ANSWERS, min(self.limit, MOST_ANSWERS)):
            self._judge()
        elif self._first and now - self._begun >= LATER * self._first:
            self._first = 0.0  # once in a window
            if len(answers) <= IN_QUEUE * self._burst:
                self._found(len(answers) / LATER, upward=False)

    def timed_out(self, window: int, sent: float) -> None:
        """Counts a request without an answer: at most as many are sent as half its time allows."""
        if window != self.window:
            return
        wanted = max(1.0, sum(at > sent for at in self._answered_at) / 2)
        if wanted >= self.limit:
            return
        if wanted < self._carried and self._carried > 1:  # slow by nature; unless it has changed
            self._carried /= 2
            self._set(self.limit)
        else:
            self.carries = round(wanted)
            self._begin(wanted, upward=False)

    def begin_again(self) -> None:
        """Starts with a few requests: the endpoint was down."""
        self._begin(min(self.limit, 2.0), upward=True)

    def _judge(self) -> None:
        """Ends a window: begin a trial, go on with it, end it, or rest."""
        at_once = fmean(answer.beside for answer in self._answers)
        if at_once < MOSTLY * self.limit:  # fewer than may be sent
            self._set(self.limit)
            return
        measured = _AnswerRate(at_once, at_once / fmean(answer.seconds for answer in self._answers))
        before, self._before = self._before, measured
        if before is None and self._rest > 0:
            self._rest, self._before = self._rest - 1, None
            self._set(self.limit)
            return
        if before is None:
            self._upward = self._upward or self.limit < SMALLEST_HALVED
            self._try_another()
            return
        fewer, more = sorted((before, measured))
        grown = more.rate / fewer.rate
        gain = (grown - 1) / max(0.01, more.at_once / fewer.at_once - 1)
        if gain > IDLE:
            self._carried = max(self._carried, more.at_once)
        elif gain < FULL:
            self._carried = min(self._carried, fewer.at_once)
        can_halve = gain < FULL and self.limit >= SMALLEST_HALVED
        if gain > IDLE if self._upward else can_halve:
            self._next_rest = 2
            self._try_another()
            return
        knee = min(more.at_once, max(fewer.at_once, fewer.at_once * grown))
        self._found(knee, upward=not self._upward)
        self._rest, self._next_rest = self._next_rest, min(LONGEST_REST, 2 * self._next_rest)

    def _try_another(self) -> None:
        limit = int(self.limit)
        self._set(2.0 * limit if self._upward else max(1.0, limit // 2))

    def _found(self, knee: float, upward: bool) -> None:
        """Keeps what the endpoint was found to carry; the next trial goes the other way."""
        self.carries = max(1, round(knee))
        self._begin(with_queue(knee), upward)

    def _begin(self, limit: float, upward: bool) -> None:
        self._before, self._upward, self._rest = None, upward, 0
        self._set(limit)

    def _set(self, limit: float) -> None:
        self.limit, self.window = limit, self.window + 1
        self._answers.clear()
        self._sent, self._first = 0, 0.0


def with_queue(carried: float) -> float:
    """As many as are carried, and a short queue, so that nothing is idle between two answers."""
    return float(ceil(carried) + round(sqrt(carried)))
