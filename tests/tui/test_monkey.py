"""Random keys on every screen, beside a run, in windows of any size: nothing fails."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path

import pytest
from textual.app import App
from textual.css.query import NoMatches
from textual.events import Key, Paste
from textual.keys import key_to_character
from textual.pilot import Pilot

from parlour.tui.app import ParlourApp
from parlour.tui.bindings import actions
from parlour.tui.screens import match_base, starting, steering
from parlour.tui.screens.messages import SEAT, Show
from tests.people import ONE
from tests.tui.playing import driven, new_save, running, saved

LEAVES = {"q", "ctrl+q", "ctrl+c"}
CLOSES = {"escape", "ctrl+r"}
TYPED = [
    *"abeghjklmnprstxyAFMNPX12345/?+-[]",
    "backspace",
    "left",
    "right",
    "delete",
    "home",
    "end",
]
MORE = ["enter", "tab", "up", "down", "pageup", "pagedown", "space", "ctrl+p", "shift+tab"]
SIZES = [(60, 20), (80, 24), (110, 30), (160, 48), (30, 8)]
BURST = 12
"""The most keys that come at once."""
PEOPLE = ONE.replace("seed = 5", "seed = 5\nrepetitions = 60")
MATCHES = Path("saves/played.db")
LIVE = Path("saves/live.db")
EVERY = {
    *("LiveScreen", "HomeScreen", "NewScreen", "AddScreen", "LeaderboardScreen", "AgentScreen"),
    *("ReplayScreen", "WallScreen", "ThoughtsScreen", "PromptsScreen"),
    *("SeatScreen", "CommandList", "Help", "ChoiceDialog", "LinePrompt", "Leaving"),
}
"""The screens and dialogs that a monkey comes to."""


class Monkey:
    """Presses keys, the same ones for the same seed; ``been`` counts them by screen."""

    def __init__(self, seed: int, keys: int) -> None:
        self.dice, self.left = random.Random(seed), keys
        self.been: Counter[str] = Counter()
        self.last: list[str] = []
        bound = set(chain.from_iterable(action.keys for action in actions(ParlourApp)))
        self._keys = sorted(bound - LEAVES - CLOSES - {"T"})

    def _key(self) -> str:
        throw = self.dice.random()
        if throw < 0.002:
            return self.dice.choice(sorted(LEAVES))
        if throw < 0.05:
            return self.dice.choice(sorted(CLOSES))
        return self.dice.choice(self.dice.choice((self._keys, TYPED, MORE)))

    async def plays(self, pilot: Pilot[None]) -> None:
        """Presses keys until it has left or has no more of them."""
        app = pilot.app
        while self.left > 0 and app.return_code is None:
            self.been[type(app.screen).__name__] += 1
            throw = self.dice.random()
            if throw < 0.01:
                size = self.dice.choice(SIZES)
                self._notes(f"size {size}")
                # A window that is closed meanwhile takes the last screen with it.
                with suppress(NoMatches):
                    await pilot.resize_terminal(*size)
            elif throw < 0.02:
                app.post_message(Paste("strange\x1b[31m\n投票 {'a': 1}" * 3))
            elif throw < 0.025:
                app.post_message(Show(SEAT, LIVE, "Ann"))
            for _ in range(self.dice.randint(1, BURST)):
                key = self._key()
                self._notes(key)
                self.left -= 1
                app.post_message(Key(key, key_to_character(key)))
            await self._waits(app)

    def _notes(self, key: str) -> None:
        self.last = [*self.last[-60:], key]

    async def _waits(self, app: App[None]) -> None:
        """Now and then as long as it takes to draw; else until the keys have been taken."""
        await asyncio.sleep(self.dice.choice((0, 0, 0, 0.002, 0.02, 0.05)))
        while app.message_queue_size and app.return_code is None:
            await asyncio.sleep(0)


@contextmanager
def no_processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Starts no runner, wherever a screen starts one."""
    for module in (steering, starting, match_base):
        monkeypatch.setattr(module, "start_detached", lambda *_: 0)
    for name in ("TMUX", "PAGER", "EDITOR", "VISUAL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "linux")  # copies go into files
    yield


async def let_loose(monkey: Monkey) -> None:
    """A monkey beside a run in which a person has a seat, until it has pressed all its keys."""
    await saved(MATCHES)
    new_save(LIVE, PEOPLE)
    async with running(LIVE, concurrency=8, pace=30.0):
        while monkey.left > 0:
            path = monkey.dice.choice((None, MATCHES, LIVE, LIVE))
            async with driven(path, size=monkey.dice.choice(SIZES)) as pilot:
                await monkey.plays(pilot)


def told(monkey: Monkey) -> None:
    """Lets a monkey loose; an error says which keys led to it."""
    before = monkey.left
    try:
        asyncio.run(let_loose(monkey))
    except Exception as error:
        keys = f"key {before - monkey.left}, the last ones: {' '.join(monkey.last)}"
        raise AssertionError(f"{error!r} after {keys}") from error


def test_a_monkey_at_the_keys_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with no_processes(monkeypatch):
        monkey = Monkey(1, 1500)
        told(monkey)
    assert len(monkey.been) > 4, monkey.been


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_two_hundred_thousand_keys_break_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    been: Counter[str] = Counter()
    with no_processes(monkeypatch):
        for seed in range(2, 22):
            monkey = Monkey(seed, 10_000)
            told(monkey)
            been += monkey.been
    assert been.keys() >= EVERY, EVERY - been.keys()
