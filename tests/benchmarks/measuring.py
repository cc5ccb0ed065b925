"""Benches, their readings, and the lines of the table made from them."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Literal, TypeVar

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Reading:
    """One number that was measured, in several runs."""

    what: str
    unit: str
    runs: tuple[float, ...]
    aim: float | None = None
    better: Literal["more", "less"] = "more"

    @property
    def value(self) -> float:
        """The median of the runs."""
        return median(self.runs)

    @property
    def met(self) -> bool | None:
        """True if the aim is reached; None where there is none."""
        if self.aim is None:
            return None
        return self.value >= self.aim if self.better == "more" else self.value <= self.aim

    def row(self) -> tuple[str, ...]:
        """The line of the table."""
        sign = "≥" if self.better == "more" else "≤"
        aim = "" if self.aim is None else f"{sign} {figure(self.aim)}"
        verdict = {True: "met", False: "missed", None: ""}[self.met]
        spread = f"{figure(min(self.runs))} – {figure(max(self.runs))}"
        return self.what, figure(self.value), self.unit, spread, aim, verdict

    def as_json(self) -> dict[str, object]:
        """The same for a program."""
        return asdict(self) | {"value": self.value, "met": self.met}


def figure(value: float) -> str:
    """A number with as many places as it can bear."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


_small = False


def use_small_sizes() -> None:
    """From now on benches are run to see that they run: the numbers mean nothing."""
    global _small  # noqa: PLW0603
    _small = True


def sized(full: Number, small: Number) -> Number:
    """Amount of work of a bench: the full amount, unless ``use_small_sizes`` was called."""
    return small if _small else full


Bench = Callable[[int], Iterable[Reading]]
"""Takes the number of runs, gives readings."""
BENCHES: dict[str, Bench] = {}


def bench(function: Bench) -> Bench:
    """Marks a bench; it is known by its function's name."""
    BENCHES[function.__name__] = function
    return function


@dataclass(slots=True)
class Clock:
    """Seconds that a ``with`` block took."""

    seconds: float = field(default=0.0)


@contextmanager
def clocked(clock_of: Callable[[], float] = time.perf_counter) -> Iterator[Clock]:
    """Times a block on the wall's clock, or on that of this process (``time.process_time``).

    The latter is for work that neither waits nor shares: other processes disturb it less.
    """
    clock = Clock()
    begun = clock_of()
    yield clock
    clock.seconds = clock_of() - begun
