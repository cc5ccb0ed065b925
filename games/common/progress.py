"""Signs of life: long work tells how far it is to whoever listens, mostly nobody."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Listener = Callable[[str, int, int], None]
"""Called with the name of the work, and the numbers of steps done and of all."""
STEPS = 500
"""Steps of a long work that are told."""
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Context in which long work is told to a listener, or to nobody."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def tracked(items: Iterable[T], work: str, total: int) -> Iterator[T]:
    """Yields the items of some work while it tells how many of all are done."""
    listener = _listener.get()
    if listener is None:
        yield from items
        return
    every = max(1, total // STEPS)
    for done, item in enumerate(items):
        if done % every == 0:
            listener(work, min(done, total), total)
        yield item
    listener(work, total, total)


def tell(work: str, done: int, total: int) -> None:
    """The same for work that something else does, which says how far it is."""
    listener = _listener.get()
    if listener is not None:
        listener(work, done, total)
