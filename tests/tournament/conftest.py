"""Saves that several tests of this folder begin with."""

import shutil
from pathlib import Path

import pytest

from tests.tournaments import finished


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished save, which no test changes."""
    return finished(tmp_path_factory.mktemp("once"))


@pytest.fixture
def played(once: Path, tmp_path: Path) -> Path:
    """A finished save of its own for every test."""
    return Path(shutil.copy(once, tmp_path))
