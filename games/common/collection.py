"""The cyclic garbage collector, held off while many lasting or acyclic objects are made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_lock = Lock()
_held: list[bool] = []
"""For each open ``uncollected`` whether the collector was on when the first of them began."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Context without cyclic garbage collection, for millions of rows that hold no cycle.

    The collector would look through all of them again and again: a third of the time of reading a
    large save. The last context that ends restores the former state, on an error too; contexts of
    several threads may overlap.
    """
    with _lock:
        _held.append(_held[0] if _held else gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            if _held.pop() and not _held:
                gc.enable()


@contextmanager
def imported() -> Iterator[None]:
    """Context for imports: their objects live to the end, so the collector never looks at them.

    It looks at all others less often, too, which saves a seventh of the time of drawing screens.
    """
    with uncollected():
        yield
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
