"""A folder with one finished tournament, played from the command line."""

from pathlib import Path

import pytest

from tests.tournaments import parlour, written


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder in which a user has played the small tournament; the tests only read there."""
    folder = tmp_path_factory.mktemp("user")
    written(folder, name="small.toml")
    done = parlour("run", "small.toml", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    (folder / "printed").write_text(done.stdout, encoding="utf-8")
    return folder
