"""Packages that are no part of every installation, imported where they are needed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

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
