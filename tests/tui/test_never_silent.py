"""No key is silent: where its action cannot work now, a line says why."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pytest

from parlour.games.engine.moves import Seat
from parlour.tournament.save.growing.fork import ForkChange, agent_for, fork_match
from parlour.tournament.save.reader import Save
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.screens.messages import FORK, PROMPTS, Show
from tests.tui.playing import Driven, driven, play, saved
from tests.tui.test_bindings import WAYS, Way, keys, ours

SAVE = Path("saves/small.db")
MOVES = ("list.", "text.", "fields.", "cards.", "app.", "board.pick", "seat.next_", "seat.option")
"""Actions that only move a cursor: at an edge they may do nothing."""
THERE = {
    *("live.jump1", "home.jump1", "new.games", "add.agents", "who.capabilities"),
    *("board.overall", "board.game", "board.role", "board.race", "board.networks"),
    *("board.conduct", "board.accused", "board.helped", "board.head_to_head"),
}
"""Actions that go where one is already."""
STARTING = {"home.demo", "new.play"}
"""Actions that start a runner, which other tests show."""


async def go_to_prompts(pilot: Driven) -> None:
    pilot.app.post_message(Show(PROMPTS, SAVE, 1))


async def go_to_fork(pilot: Driven) -> None:
    with Save(SAVE) as save:
        match = save.match(1)
        others = [agent.name for agent in save.tournament.agents if agent.name != match.agents[0]]
        change = ForkChange(Seat(0), agent=agent_for(save.tournament, others[0]))
    path = fork_match(SAVE, 1, 0, change, None)
    await play(path)
    pilot.app.post_message(Show(FORK, path))


SCREENS: dict[str, Way] = {
    **{name: way for name, way in WAYS.items() if name not in {"filter", "leaderboard"}},
    **{f"leaderboard {n}": keys("l", str(n), sees="Ada") for n in range(1, 7)},
    "prompts": go_to_prompts,
    "fork": go_to_fork,
}
SMALL_SIZE, LARGE_SIZE = (80, 24), (160, 48)
CASES = [
    *((name, SMALL_SIZE) for name in SCREENS),
    *((name, LARGE_SIZE) for name in ("live", "agent", "seat", "leaderboard 5", "fork")),
]


def seen(pilot: Driven) -> object:
    """Everything that a user can see, and where the keys go."""
    app = pilot.app
    strips = app.screen._compositor.render_strips()
    segments = [(segment.text, segment.style) for segment in chain.from_iterable(strips)]
    return app.screen, app.focused, segments, tuple(pilot.toasts)


async def changes(pilot: Driven, before: object) -> bool:
    """True if something is seen soon that was not before."""
    for _ in range(5):
        if seen(pilot) != before:
            return True
        await pilot.pause(0.1)
    return False


async def silent(pilot: Driven) -> Sequence[str]:
    """The actions of the screen whose keys do nothing and say nothing."""
    screen, names = pilot.app.screen, []
    assert isinstance(screen, ParlourScreen)
    focused = screen.focused
    for binding in dict.fromkeys(ours(screen)):
        if str(binding.id).startswith(MOVES) or binding.id in THERE | STARTING:
            continue
        pilot.app.clear_notifications()
        if focused is not None:
            screen.set_focus(focused)
        await pilot.pause()
        before = seen(pilot)
        await pilot.press(binding.key)
        if not await changes(pilot, before):
            names.append(f"{binding.id} ({binding.key})")
        while pilot.app.screen is not screen:
            if screen not in pilot.app.screen_stack:
                return names  # it is gone: nothing is left to try on it
            pilot.app.pop_screen()
            await pilot.pause()
    return names


@pytest.mark.parametrize(("name", "size"), CASES)
async def test_every_key_does_something_or_says_why_not(name: str, size: tuple[int, int]) -> None:
    async with driven(await saved(SAVE), size=size) as pilot:
        await SCREENS[name](pilot)
        await pilot.pause(0.3)
        assert await silent(pilot) == []
