"""A second game, for whatever is split or pooled over games."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from parlour.games.engine.registry import games
from parlour.games.undercover import GAME


@pytest.fixture
def other_game() -> Iterator[str]:
    """Undercover under another name, in the registry for one test."""
    games()["othercover"] = replace(
        GAME, name="othercover", counting=replace(GAME.counting, strict_profile=False)
    )
    yield "othercover"
    del games()["othercover"]
