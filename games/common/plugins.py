"""Plug-ins from other packages, found through entry points.

One that is broken is left out, so that saves which do not need it can be read and played. It is an
error where its name is asked for; the lists of games and agents and `parlour doctor` name it.
"""

from collections.abc import Callable, Container
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from parlour.games.common.errors import BadInput

_BROKEN: dict[str, dict[str, BadInput]] = {}


def brought(
    group: str,
    kind: str,
    fits: Callable[[Any], bool],
    known: Container[str],
    named: Callable[[EntryPoint, Any], str],
) -> dict[str, Any]:
    """The objects that the entry points of a group bring, by the name that ``named`` gives them.

    Those that cannot be loaded, that ``fits`` refuses as a ``kind``, or whose name is already
    ``known`` are left out.
    """
    good: dict[str, Any] = {}
    broken = _BROKEN[group] = {}
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        place, fix = f"entry point {point.name} = {point.value}", "fix or uninstall that package"
        try:
            loaded = point.load()
        except Exception as error:  # another package's module can fail in any way
            problem = f"cannot be loaded ({type(error).__name__}: {error})"
            broken[point.name] = BadInput(place, problem, fix)
            continue
        if not fits(loaded):
            broken[point.name] = BadInput(place, f"is not a {kind}", fix)
        elif (name := named(point, loaded)) in known or name in good:
            problem = f"brings a {kind} named {name!r}, which already exists"
            fix = f"uninstall one of the two or rename the {kind}"
            broken[point.name] = BadInput(place, problem, fix)
        else:
            good[name] = loaded
    return good


def broken_plugins(group: str) -> dict[str, BadInput]:
    """The errors of the plug-ins of a group that was looked at, by their names."""
    return _BROKEN.get(group, {})
