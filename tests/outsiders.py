"""Hides games and strategies of other packages that are installed beside Parlour."""

import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import parlour.games.common.plugins

FOLDERS = tuple(sys.path)
"""Search path before any test added a package."""


def hide(folders: tuple[str, ...] = FOLDERS) -> None:
    """From now on games and strategies of packages in these folders are not found."""
    hidden = {Path(folder).resolve() for folder in folders}

    def seen(*, group: str) -> list[EntryPoint]:
        return [
            point
            for point in entry_points(group=group)
            if point.dist is None or Path(str(point.dist.locate_file(""))).resolve() not in hidden
        ]

    parlour.games.common.plugins.entry_points = seen  # type: ignore[attr-defined]
