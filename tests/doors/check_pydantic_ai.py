"""The example of pydantic-ai."""

from pathlib import Path

import pytest

from tests.doors.frameworks import plays_twice


def test_the_example_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plays_twice("pydantic-ai", tmp_path, monkeypatch)
