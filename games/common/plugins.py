"""Plug-ins from other packages, found through entry points."""

from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from parlour.games.common.errors import BadInput


def brought(group: str, kind: str, fits: Callable[[Any], bool]) -> Iterator[tuple[EntryPoint, Any]]:
    """Yields the name and the object of every entry point of a group.

    Raises BadInput for one that cannot be loaded or that ``fits`` refuses as a ``kind``.
    """
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        place = f"entry point {point.name} = {point.value}"
        try:
            loaded = point.load()
        except Exception as error:  # another package's module can fail in any way
            problem = f"cannot be loaded ({type(error).__name__}: {error})"
            raise BadInput(place, problem, "fix or uninstall that package") from None
        if not fits(loaded):
            raise BadInput(place, f"is not a {kind}", "fix or uninstall that package")
        yield point, loaded


def taken(point: EntryPoint, kind: str, name: str) -> BadInput:
    """The error for a name that is already taken."""
    return BadInput(
        f"entry point {point.value}",
        f"brings a {kind} named {name!r}, which already exists",
        f"uninstall one of the two or rename the {kind}",
    )
