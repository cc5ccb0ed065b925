"""Packages that are no part of every installation, imported where they are needed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version

from parlour.games.common.errors import BadInput


@contextmanager
def needing(package: str, place: str, otherwise: str = "") -> Iterator[None]:
    """Context of a late import: BadInput with the line that installs a missing package.

    ``place`` is what needs it; ``otherwise`` is the way without it.
    """
    try:
        yield
    except ImportError:
        fix = f"install it: {sys.executable} -m pip install {package}{otherwise}"
        raise BadInput(place, f"missing package {package}", fix) from None


def require(package: str, wanted: str, door: str) -> None:
    """BadInput with the line that installs a package unless the wanted version is installed.

    ``wanted`` is how its version begins, such as "1.27"; ``door`` is what needs it.
    """
    try:
        installed = version(package)
    except PackageNotFoundError:
        problem = f"missing package {package} {wanted}"
    else:
        if f"{installed}.".startswith(f"{wanted}."):
            return
        problem = f"needs {package} {wanted}, and {installed} is installed"
    fix = f"install it: {sys.executable} -m pip install '{package}=={wanted}.*'"
    raise BadInput(door, problem, fix)
