"""Contents of the tournament's save after a run that nothing interrupts."""

from typing import Any

import pytest

from tests.crash.running import ANSWERS, MATCHES, TOURNAMENT
from tests.tournaments import contents, finished


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Its rows, the stored leaderboard included."""
    whole = contents(finished(tmp_path_factory.mktemp("undisturbed"), TOURNAMENT))
    assert (len(whole["matches"]), len(whole["answers"])) == (MATCHES, ANSWERS)
    assert len(whole["leaderboard"]) == 1
    return whole
