"""Parlour installed with pip, uv and pipx, as ``docs/install.md`` says, on each Python there is.

Dependencies come from the locked requirements where the installer takes them, so these tests need
a package index. What is missing here, a Python or the index, is skipped by name.
"""

import sys
from pathlib import Path

import pytest

from tests.packaging.installs import (
    PYTHONS,
    build,
    check_installed,
    foreign_wheels,
    interpreter,
    rooms_in,
    run,
    user_folder,
)
from tests.tournaments import ROOT

pytestmark = pytest.mark.soak

LOCK = ROOT / "requirements" / "run.txt"
EXTRAS = ("uv", "pipx")
"""Installers that are tried beside pip."""


def existing(version: str) -> Path:
    """The interpreter of that version; skips the test where there is none."""
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    return python


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with uv and pipx, from an environment of their own."""
    folder = tmp_path_factory.mktemp("tools")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    run(folder / "venv/bin/pip", "install", "--quiet", *EXTRAS, cwd=folder)
    return folder / "venv" / "bin"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return foreign_wheels(tmp_path_factory.mktemp("foreign"))


def with_dependencies(version: str, tools: Path, folder: Path) -> Path:
    """An environment for that Python with exactly the locked requirements."""
    venv = folder / "venv"
    run(tools / "uv", "venv", "--seed", "--python", existing(version), venv, cwd=folder)
    install(tools, venv, "--require-hashes", "-r", LOCK)
    return venv


def install(tools: Path, venv: Path, *what: object) -> None:
    """Installs something into an environment."""
    words = ("--quiet", "--python", venv / "bin/python", *what)
    run(tools / "uv", "pip", "install", *words, cwd=venv)


@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("version", PYTHONS)
def test_a_wheel_beside_foreign_packages_installed_before_or_after_it(
    version: str, order: str, tools: Path, wheel: Path, foreign: list[Path], tmp_path: Path
) -> None:
    venv = with_dependencies(version, tools, tmp_path)
    both = (foreign, [wheel]) if order == "before" else ([wheel], foreign)
    for distributions in both:
        install(tools, venv, "--no-deps", *distributions)
    check_installed(venv / "bin/parlour", tmp_path / "user")
    for room in rooms_in(venv / "bin/python", user_folder(tmp_path / "other")):
        assert room.is_relative_to(venv)


@pytest.mark.parametrize("version", PYTHONS)
def test_an_editable_install_beside_foreign_packages(
    version: str, tools: Path, foreign: list[Path], tmp_path: Path
) -> None:
    venv = with_dependencies(version, tools, tmp_path)
    install(tools, venv, "--require-hashes", "-r", ROOT / "requirements" / "build.txt")
    install(tools, venv, "--no-deps", "--no-build-isolation", "--editable", ROOT, *foreign)
    check_installed(venv / "bin/parlour", tmp_path / "user")
    for room in rooms_in(venv / "bin/python", user_folder(tmp_path / "other")):
        assert room.is_relative_to(ROOT)


@pytest.mark.parametrize("version", PYTHONS)
def test_pip_installs_the_wheel_and_the_locked_requirements(
    version: str, wheel: Path, tmp_path: Path
) -> None:
    venv = tmp_path / "venv"
    run(existing(version), "-m", "venv", venv, cwd=tmp_path)
    pip = (venv / "bin/pip", "install", "--quiet")
    run(*pip, "--require-hashes", "-r", LOCK, cwd=tmp_path)
    run(*pip, "--no-deps", wheel, cwd=tmp_path)
    check_installed(venv / "bin/parlour", tmp_path / "user")


@pytest.mark.parametrize("version", PYTHONS)
def test_pipx_installs_the_checkout(version: str, tools: Path, tmp_path: Path) -> None:
    places = {"PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(tmp_path / "bin")}
    run(tools / "pipx", "install", "--python", existing(version), ".", cwd=ROOT, env=places)
    check_installed(tmp_path / "bin/parlour", tmp_path / "user")


@pytest.mark.parametrize("version", PYTHONS)
def test_uv_installs_the_checkout_as_a_tool(version: str, tools: Path, tmp_path: Path) -> None:
    places = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}
    words = ("tool", "install", "--quiet", "--python", existing(version), ".")
    run(tools / "uv", *words, cwd=ROOT, env=places)
    check_installed(tmp_path / "bin/parlour", tmp_path / "user")


def test_an_sdist_installs_as_the_wheel_does(tools: Path, tmp_path: Path) -> None:
    venv = with_dependencies(f"3.{sys.version_info.minor}", tools, tmp_path)
    sdist = build(ROOT, "sdist", tmp_path / "dist")
    install(tools, venv, "--no-deps", sdist)
    check_installed(venv / "bin/parlour", tmp_path / "user")


def test_two_builds_to_publish_have_the_same_bytes_and_sound_metadata(tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv/bin/python"
    run(python, "-m", "pip", "install", "--quiet", "build", "twine", cwd=tmp_path)
    made = []
    for name in ("one", "two"):
        words = ("-m", "build", "--outdir", tmp_path / name, ROOT)
        run(python, *words, cwd=tmp_path, env={"SOURCE_DATE_EPOCH": "1700000000"})
        made.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert sorted(name.rpartition(".")[2] for name in made[0]) == ["gz", "whl"]
    assert made[0] == made[1]
    run(python, "-m", "twine", "check", "--strict", *(tmp_path / "one").iterdir(), cwd=tmp_path)
