"""A folder with one finished tournament, played from the command line, and all nine games."""

from pathlib import Path

import pytest

from parlour.tournament.plan.loader import read_preset
from parlour.tournament.save.growing.create import create_save
from tests.tournaments import parlour, play, written


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder in which a user has played the small tournament; the tests only read there."""
    folder = tmp_path_factory.mktemp("user")
    written(folder, name="small.toml")
    done = parlour("run", "small.toml", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    (folder / "printed").write_text(done.stdout, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished save of all nine games; the tests only read it."""
    save = tmp_path_factory.mktemp("demo") / "demo.db"
    create_save(save, read_preset("demo"))
    assert play(save).progress.done
    return save
