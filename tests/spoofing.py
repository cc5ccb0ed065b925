"""Fifty texts by which a player may try to be more than a player: what it says is what it says."""

import tomllib
from itertools import chain

from tests.blocks import text_of

SPOOFS = (*chain.from_iterable(tomllib.loads(text_of("tests/data/spoofs.toml")).values()),)
HARMLESS = "quite so"
"""Harmless text said in their place, to see what they change."""
