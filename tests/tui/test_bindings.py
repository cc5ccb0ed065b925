"""Whatever a key does: in the help, in the palette, by an id that a user can rebind."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.binding import Binding

from parlour.tui.screens.base import ParlourScreen
from parlour.tui.screens.messages import SEAT, Show
from parlour.tui.settings import Settings
from parlour.tui.widgets.dialogs import Help
from parlour.tui.widgets.footer import KeyFooter
from tests.tui.playing import Driven, driven, pane_text, saved

SAVE = Path("saves/small.db")


Way = Callable[[Driven], Awaitable[None]]


def keys(*pressed: str, sees: str = "") -> Way:
    """The way of some keys from the live screen; ``sees`` are words that the first one brings."""

    async def go(pilot: Driven) -> None:
        await pilot.press(*pressed[:1], sees=sees or ())
        await pilot.press(*pressed[1:])

    return go


async def go_to_seat(pilot: Driven) -> None:
    pilot.app.post_message(Show(SEAT, SAVE, "Ada"))
    await pilot.sees("is finished")


WAYS: dict[str, Way] = {
    "live": keys(),
    "transcript": keys("2"),
    "filter": keys("1", "slash"),
    "wall": keys("g"),
    "home": keys("escape"),
    "form": keys("escape", "n"),
    "add": keys("A"),
    "leaderboard": keys("l", sees="Ada"),
    "agent": keys("l", "enter", sees="Ada"),
    "head to head": keys("l", "m", sees="Ada"),
    "replay": keys("r"),
    "seat": go_to_seat,
    "thoughts": keys("t"),
}
every_screen = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def ours(screen: ParlourScreen) -> list[Binding]:
    """The bindings that work on a screen now and are of our own making.

    Told by the module of the class that declares them, not by their ids.
    """
    active = []
    for node, bindings in screen._modal_binding_chain:
        keys: set[str] = set()
        for owner in type(node).__mro__:
            if owner.__module__.startswith("parlour.tui."):
                declared = Binding.make_bindings(vars(owner).get("BINDINGS", []))
                keys |= {binding.key for binding in declared}
        active += [binding for key, binding in bindings if key in keys]
    return active


@every_screen
def test_every_key_has_an_id_and_a_line_in_help_and_palette_and_an_action(way: Way) -> None:
    """And of the keys at most six are in the footer, which fits into 80 columns."""

    async def scenario() -> None:
        async with driven(await saved(SAVE), size=(80, 60)) as pilot:
            await way(pilot)
            screen = pilot.at(ParlourScreen)
            footer = screen.query_one(KeyFooter)
            assert 0 < len(footer.keys) <= 6
            last = pilot.shown.splitlines()[-1]
            line = "".join(f" {key.display} {key.description}  " for key in footer.keys)
            assert last == (footer.lead.plain + line).rstrip()
            bindings = ours(screen)
            assert len(bindings) >= 8
            assert all(binding.id and binding.description for binding in bindings)
            for active, _keys in screen.all_keys():
                target, name, _ = pilot.app._parse_action(active.binding.action, active.node)
                assert callable(getattr(target, f"action_{name}", None)), active.binding
            offered = [command.title for command in pilot.app.get_system_commands(screen)]
            in_force = {id(active.binding) for active in screen.active_bindings.values()}
            await pilot.press("f1", at=Help)
            text = pane_text(pilot.app.screen, "#lines")
            for binding in bindings:
                if id(binding) in in_force:  # not hidden by the same key of a nearer pane
                    key = pilot.app.get_key_display(binding)
                    lines = [line for line in text.splitlines() if binding.description in line]
                    assert any(key in line.split() for line in lines), binding
                    assert binding.description in offered

    asyncio.run(scenario())


async def test_no_two_actions_share_an_id() -> None:
    actions: dict[str, set[tuple[str, str]]] = {}
    async with driven(await saved(SAVE)) as pilot:
        for name in ("live", "transcript", "leaderboard"):
            await WAYS[name](pilot)
            screen = pilot.at(ParlourScreen)
            for binding in ours(screen):
                actions.setdefault(str(binding.id), set()).add(
                    (binding.action, binding.description)
                )
    assert not {id: group for id, group in actions.items() if len(group) > 1}


# --- Rebinding


async def test_a_key_is_rebound_by_its_id_and_help_and_footer_show_the_new_one() -> None:
    keys = {"live.leaderboard": "f5", "app.help": "f6", "list.down": "ctrl+n"}
    settings = Settings(Path("config.toml"), keys=keys)
    async with driven(await saved(SAVE), settings=settings) as pilot:
        assert "f5 leaderboard" in pilot.shown
        assert "f6 help" in pilot.shown
        screen = pilot.app.screen
        await pilot.press("l", "question_mark", "j")
        assert pilot.app.screen is screen  # the old keys do nothing now
        await pilot.press("f6")
        assert "f5" in pane_text(pilot.app.screen, "#lines")
        await pilot.press("escape", "f5", sees="1  Overall")


async def test_a_key_that_is_a_sign_of_the_markup_is_only_a_key() -> None:
    settings = Settings(Path("config.toml"), keys={"live.export": "left_square_bracket"})
    async with driven(await saved(SAVE), settings=settings) as pilot:
        await pilot.press("ctrl+p", *"export", sees="Export")
        await pilot.press("escape", "question_mark", sees="Keys: Live")
        (line,) = (line for line in pilot.shown.splitlines() if "Export" in line)
        assert "[ " in line


# --- The footer


async def test_a_click_on_a_key_of_the_footer_presses_it_and_the_mouse_highlights_it() -> None:
    async with driven(await saved(SAVE)) as pilot:
        footer = pilot.app.screen.query_one(KeyFooter)
        (key,) = (key for key in footer.keys if key.description == "leaderboard")
        last = pilot.shown.splitlines()[-1]
        assert last[key.start : key.end] == f" {key.display} leaderboard  "
        await pilot.hover(KeyFooter, offset=(key.end - 1, 0))
        assert footer.hovered == key
        await pilot.hover(KeyFooter, offset=(79, 0))
        assert footer.hovered is None
        await pilot.click(KeyFooter, offset=(79, 0))
        assert pilot.app.screen is footer.screen
        await pilot.click(KeyFooter, offset=(key.start, 0))
        await pilot.sees("1  Overall")


async def test_the_footer_follows_the_focus_without_a_new_widget() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("1", "slash")
        footer = pilot.app.screen.query_one(KeyFooter)
        assert not footer.children
        # In the filter letters are text, so their keys are not offered.
        assert "leaderboard" not in pilot.shown.splitlines()[-1]
        await pilot.press("escape")
        assert "leaderboard" in pilot.shown.splitlines()[-1]
