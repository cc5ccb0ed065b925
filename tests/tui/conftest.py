"""Every test of the screens has a folder, and settings, of its own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder while a test runs; what is remembered stays below it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm-256color")
    return tmp_path


@pytest.fixture(autouse=True)
def shorter_naps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual's pilot looks more often whether all is at rest: half the time of these tests."""
    monkeypatch.setattr("textual._wait.SLEEP_GRANULARITY", 1 / 200)
    monkeypatch.setattr("textual._wait.SLEEP_IDLE", 1 / 4000)


@pytest.fixture(autouse=True)
def patient_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A runner may take its time to start where other processes are busy."""
    monkeypatch.setattr("parlour.tournament.control.launch.START_SECONDS", 120.0)
