"""The wheel and the sdist: what they hold, and that the wheel runs where it is installed."""

import os
import sys
import sysconfig
import tarfile
import zipfile
from collections import Counter
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import pytest

from tests.packaging.installs import (
    ROOMS,
    build,
    check_installed,
    foreign_wheels,
    rooms_in,
    run,
    user_folder,
)
from tests.tournaments import ROOT

pytestmark = pytest.mark.slow

KINDS = (
    ".csv",
    ".py",
    ".j2",
    ".json",
    ".toml",
    ".sql",
    ".tcss",
    ".npz",
    ".txt",
    ".css",
    ".js",
    ".R",
    ".md",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_every_file_of_the_rooms_once(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert max(Counter(names).values()) == 1
    packed = {name for name in names if not name.startswith("parlour-")}
    in_rooms = chain.from_iterable((ROOT / room).rglob("*") for room in ROOMS)
    around = [ROOT / "parlour" / name for name in ("__init__.py", "__main__.py", "py.typed")]
    for inner in ("cli", "site"):
        around += (ROOT / "parlour" / inner).rglob("*")
    expected = {f"parlour/{path.relative_to(ROOT)}" for path in in_rooms if packable(path)}
    expected |= {str(path.relative_to(ROOT)) for path in around if packable(path)}
    assert expected <= packed
    assert all(packable(Path(name)) for name in packed)
    for kind in KINDS:
        assert any(name.endswith(kind) for name in packed), f"the wheel has no {kind} file"


def packable(path: Path) -> bool:
    """Code or data of the program."""
    return path.name == "py.typed" or path.suffix in KINDS


def test_the_sdist_holds_no_links_and_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    sdist = build(ROOT, "sdist", tmp_path)
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
        assert not [member.name for member in members if member.issym() or member.islnk()]
        archive.extractall(tmp_path, filter="data")
    (source,) = (path for path in tmp_path.iterdir() if path.is_dir())
    for path in ("README.md", "LICENSE", "tests/conftest.py", "docs/rooms.md", "Makefile"):
        assert (source / path).is_file(), path
    assert build(source, "wheel", tmp_path / "again").read_bytes() == wheel.read_bytes()


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel, foreign packages, and this environment's dependencies."""
    folder = tmp_path_factory.mktemp("environment")
    venv = folder / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv, cwd=folder)
    python = venv / "bin" / "python"
    # A folder that a .pth file names is searched for packages, but its own .pth files are not
    # read, so the checkout that is installed there stays out.
    site = Path(run(python, "-c", "import site; print(site.getsitepackages()[0])", cwd=folder)[:-1])
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    wheels = [*foreign_wheels(folder), wheel]
    installer: list[object] = [sys.executable, "-m", "pip", "--python", python, "install"]
    if find_spec("pip") is None:  # an environment that uv made
        installer = [os.environ.get("UV", "uv"), "pip", "install", "--python", python]
    run(*installer, "--quiet", "--no-deps", "--no-index", *wheels, cwd=folder)
    return venv


def test_an_installed_wheel_plays_beside_packages_of_the_same_names(
    environment: Path, tmp_path: Path
) -> None:
    check_installed(environment / "bin" / "parlour", tmp_path / "user")
    for room in rooms_in(environment / "bin" / "python", user_folder(tmp_path / "other")):
        assert room.is_relative_to(environment), room


def test_the_doctor_names_a_room_that_has_lost_its_files(environment: Path, tmp_path: Path) -> None:
    parlour = environment / "bin" / "parlour"
    well = run(parlour, "doctor", cwd=tmp_path)
    assert "FIX" not in well
    (lost,) = environment.glob("lib/*/site-packages/parlour/agents/__init__.py")
    text = lost.read_bytes()
    lost.unlink()
    try:
        with pytest.raises(AssertionError, match=r"FIX   .*'parlour\.agents'"):
            run(parlour, "doctor", cwd=tmp_path)
    finally:
        lost.write_bytes(text)
