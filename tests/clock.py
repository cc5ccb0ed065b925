"""An event loop whose clock goes on only when nothing is left to do, and then at once."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class _Hurried(selectors.SelectSelector):
    loop: "FakeLoop"

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout > 0:
            self.loop.now += timeout
        return super().select(0)


class FakeLoop(asyncio.SelectorEventLoop):
    """``now`` is its time."""

    def __init__(self) -> None:
        selector = _Hurried()
        selector.loop = self
        self.now = 1000.0
        super().__init__(selector)

    def time(self) -> float:
        """Seconds, as long as nobody waits for them."""
        return self.now


def hurried(story: Coroutine[Any, Any, None]) -> None:
    """Runs a story on such a clock."""
    with asyncio.Runner(loop_factory=FakeLoop) as runner:
        runner.run(story)
