"""Code blocks of a document: its files written out, its commands run as a reader would."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.forks.popen import shell_command
from tests.tournaments import called

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def text_of(document: str) -> str:
    """A document by its path from the root."""
    return (ROOT / document).read_text(encoding="utf-8")


def data_rows(name: str) -> list[tuple[str, ...]]:
    """The rows of a table of ``tests/data``, tab-separated, without its heading."""
    _, *lines = text_of(f"tests/data/{name}.tsv").splitlines()
    return [tuple(line.split("\t")) for line in lines]


def rows_by_game(name: str) -> list[tuple[str, ...]]:
    """The rows of such a table whose first column lists games: a row for each of them."""
    rows = []
    for games, *cells in data_rows(name):
        rows += [(game, *cells) for game in games.split(", ")]
    return rows


def blocks(document: str, language: str) -> list[str]:
    """All blocks in one language, in order."""
    return [body for marked, body in _BLOCK.findall(text_of(document)) if marked == language]


def write_files(document: str, folder: Path) -> list[str]:
    """Writes every block that a line of the form "`path`:" stands before; returns the paths."""
    files = _FILE.findall(text_of(document))
    for path, body in files:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(body, encoding="utf-8")
    return [path for path, _ in files]


def section(document: str, title: str) -> str:
    """The text under a heading, up to the next one of the same or a higher level."""
    text = text_of(document)
    match = re.search(rf"^(#+) {re.escape(title)}$", text, re.MULTILINE)
    assert match, f"{document} has no heading {title!r}"
    rest = text[match.end() :]
    end = re.search(rf"^#{{1,{len(match[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def table_rows(text: str) -> list[list[str]]:
    """The cells of every table row in a text, without headings and rules."""
    rows = [_cells(line) for line in text.splitlines() if line.startswith("|")]
    ruled = [i for i, row in enumerate(rows) if set("".join(row)) <= set("-:| ")]
    heads = {i - 1 for i in ruled}
    return [row for i, row in enumerate(rows) if i not in heads and i not in ruled]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def codes(text: str) -> list[str]:
    """Everything set in backticks."""
    return re.findall(r"`([^`\n]+)`", text)


def shell(script: str, folder: Path, *packages: Path) -> str:
    """Runs a block of commands, ``parlour`` being this checkout's; returns what it printed.

    ``packages`` are folders with other installed distributions. Any failing command fails it.
    """
    path = [str(ROOT), *map(str, packages), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = {"PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(filter(None, path))}
    inherited = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    parlour = f'parlour() {{ {shell_command()} -m parlour "$@"; }}\n'
    done = called("sh", "-eu", "-c", parlour + script, cwd=folder, env={**inherited, **environment})
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def install(project: Path, into: Path) -> None:
    """Builds the wheel of a project and unpacks it, which is all that installing it means."""
    wheels = project / "dist"
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)],
        cwd=project,
        check=True,
        capture_output=True,
    )
    (wheel,) = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(into)
