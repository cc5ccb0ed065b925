"""Fixtures of the tests on a real pty."""

from pathlib import Path

import pytest

from tests.tournaments import finished as played


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished save, only to be looked at."""
    return played(tmp_path_factory.mktemp("finished"))
