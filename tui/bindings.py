"""Every action that has a key: its name, keys and places; and the check of a user's own keys."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules

from textual.binding import Binding
from textual.keys import Keys, format_key

from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import nearest
from parlour.tui import screens
from parlour.tui.screens.base import ParlourScreen, declared, key_names
from parlour.tui.settings import Settings
from parlour.tui.widgets.fields_pane import FieldsPane
from parlour.tui.widgets.panes import Pane

EVERYWHERE = "everywhere"
SEARCHING = frozenset({"talk.next", "talk.previous", "talk.end_search"})
"""Actions that have their keys only while something is searched for: they take none from others."""
SIGNS = ",".join(chr(code) for code in range(33, 127) if chr(code) != ",")
NAMED_KEYS = {*(key.value for key in Keys), *key_names(SIGNS), "comma"}


@dataclass(frozen=True, slots=True)
class KeyAction:
    """An action with its default keys, as Textual names them, and where it works."""

    name: str
    keys: tuple[str, ...]
    description: str
    place: str

    def shown_keys(self, own: Mapping[str, str]) -> str:
        """The keys as written on a keyboard, with the user's own in place of the defaults."""
        keys = key_names(own[self.name]) if self.name in own else self.keys
        return " ".join(format_key(key) for key in keys)


def actions(app: type) -> list[KeyAction]:
    """All actions: of the screens, of their panes, and of the app, in the order of their names."""
    known: dict[str, tuple[Binding, tuple[str, ...]]] = {}
    places: dict[str, list[str]] = {}
    owners = [(EVERYWHERE, app), (EVERYWHERE, ParlourScreen), *_screens(), *_panes()]
    for place, owner in owners:
        for name, binding, keys in declared(owner):
            known.setdefault(name, (binding, keys))
            own = places.setdefault(name, [])
            if EVERYWHERE not in own and place not in own:
                own.append(place)
    return [
        KeyAction(name, keys, binding.description, ", ".join(sorted(places[name])))
        for name, (binding, keys) in sorted(known.items())
    ]


def check_keys(app: type, settings: Settings) -> None:
    """Raises BadInput if the user's keys name no action, no key, or take another action's key."""
    place = f"{settings.path}: keys"
    names = [action.name for action in actions(app)]
    for name, keys in settings.keys.items():
        if name not in names:
            meant = nearest(name, names)
            hint = f"did you mean {meant!r}? " if meant else ""
            fix = f"{hint}`parlour list keys` lists all actions"
            raise BadInput(place, f"unknown action {name!r}", fix)
        unknown = next((key for key in key_names(keys) if not _is_key(key)), None)
        if unknown is not None:
            fix = 'write a character, or a name such as "space", "f5" or "ctrl+s"'
            raise BadInput(place, f"{name}: unknown key {unknown!r}", fix)
    everywhere = list(declared(app))
    for _place, screen in _screens():
        panes = list(chain.from_iterable(map(declared, _panes_of(screen))))
        _refuse_taken(place, [*declared(screen), *panes, *everywhere], settings.keys)


def _refuse_taken(
    place: str, bound: Iterable[tuple[str, Binding, tuple[str, ...]]], own: Mapping[str, str]
) -> None:
    """BadInput where a key of the user's is also that of another action of the same screen."""
    holders: dict[str, set[str]] = {}
    words: dict[str, str] = {}
    for name, binding, keys in bound:
        if name in SEARCHING:
            continue
        words[name] = binding.description
        in_force = key_names(own[name]) if name in own else keys
        for key in in_force:
            holders.setdefault(key, set()).add(name)
    for key, names in holders.items():
        changed = sorted(names & own.keys())
        others = sorted(names - set(changed[:1]))
        if changed and others:
            reason = f"{changed[0]}: the key {key!r} is that of {others[0]} ({words[others[0]]})"
            raise BadInput(place, reason, f"choose another key, or give {others[0]} another one")


def _screens() -> Iterator[tuple[str, type]]:
    """Yields each screen with its title. Imports them all, which the app does one by one."""
    for module in iter_modules(screens.__path__):
        import_module(f"{screens.__name__}.{module.name}")
    for screen in _subclasses(ParlourScreen):
        if "TITLE" in vars(screen):
            yield str(vars(screen)["TITLE"]).casefold(), screen


def _panes() -> Iterator[tuple[str, type]]:
    """Yields each kind of pane with the word for it."""
    for pane in _subclasses(Pane):
        if vars(pane).get("BINDINGS"):
            word = "forms" if issubclass(pane, FieldsPane) else "texts"
            yield "lists" if "list" in pane.__name__.casefold() else word, pane


def _panes_of(screen: type) -> Iterator[type]:
    """Yields the kinds of panes that a screen can have: those that its modules import."""
    owners = [base.__module__ for base in screen.__mro__ if base.__module__.startswith("parlour.")]
    names = [vars(sys.modules[module]).values() for module in dict.fromkeys(owners)]
    imported = list(chain.from_iterable(names))
    for _place, pane in _panes():
        if pane in imported:
            yield pane


def _subclasses(base: type) -> list[type]:
    """All subclasses of a class that are part of the program, each once."""
    classes: dict[type, None] = {}
    waiting = [base]
    while waiting:
        each = waiting.pop()
        waiting += each.__subclasses__()
        if each is not base and each.__module__.startswith("parlour."):
            classes[each] = None
    return list(classes)


def _is_key(key: str) -> bool:
    """True for a character, or a key that Textual names, with modifiers or without."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    if not set(modifiers) <= {"ctrl", "shift", "alt", "super"}:
        return False
    return len(last) == 1 or last in NAMED_KEYS
