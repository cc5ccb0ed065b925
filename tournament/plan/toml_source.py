"""The TOML text of a tournament file, and the line numbers for its error messages."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import Any

from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import read_plain
from parlour.games.common.suggestions import nearest


def read_toml(path: Path, presets: list[str]) -> tuple[str, dict[str, Any]]:
    """Returns a file's text and content. BadInput if it cannot be read or is not TOML."""
    return parsed(path, _fix_of_path(path, presets), path.read_bytes)


def parsed(
    path: Path, fix: str = "put a tournament file there", read: Callable[[], bytes] | None = None
) -> tuple[str, dict[str, Any]]:
    """The same of a file that another file names, which must be a regular one."""
    try:
        text = (read() if read else read_plain(path)).decode("utf-8-sig")
        return text, tomllib.loads(text)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(str(path), f"cannot be read ({reason})", fix) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _not_toml(path, str(error)) from None


def is_sqlite_file(path: Path) -> bool:
    """True if a file begins with the header of SQLite."""
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def _fix_of_path(path: Path, presets: list[str]) -> str:
    """The fix for a missing tournament file: the file or preset that was probably meant."""
    if str(path) in presets:
        return f"did you mean --preset {path}? There is no such file"
    longer = Path(f"{path}.toml")
    if longer.is_file():
        return f"did you mean {longer}?"
    files = [*path.parent.glob("*.toml"), *Path().glob("*.toml")]
    by_name = {file.stem: file for file in files}
    if meant := nearest(path.stem, by_name):
        return f"did you mean {by_name[meant]}?"
    return "give a tournament file, or --preset NAME (see `parlour list presets`)"


SLIPS = (
    (r"=\s*(True|False|yes|no|on|off)\s*(#|$)", "write true or false"),
    (r"=\s*-?\d+,\d+\s*(#|$)", "write numbers with a decimal point: 0.5"),
    (r"^\s*[\w-]+\s*:", "write name = value"),
    (r"=\s*[^\s\d\"'{\[]", 'put the text in straight quotation marks: "text"'),
    (r"=\s*[\"'][^\"']*$", "a quotation mark is missing"),
    (r"^\s*[^=]*[^\x00-\x7f][^=]*=", "put a key with letters other than a to z in quotation marks"),
)
"""Common mistakes: the pattern of a line, and the hint for it."""


def _line_of(path: Path, problem: str) -> str:
    """The line that the TOML parser complains about, or "" if it names none."""
    position = re.search(r"at line (\d+)", problem)
    if position is None:
        return ""
    lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    number = int(position[1])
    return lines[number - 1] if number <= len(lines) else ""


def _not_toml(path: Path, problem: str) -> BadInput:
    """The error for a file that is not TOML, with a fix that follows from the parser's message."""
    fix = "correct that line"
    if is_sqlite_file(path):
        fix = f"continue it with `parlour run {quote(str(path))}`"
        return BadInput(str(path), "is a save, not a tournament file", fix)
    if "codec" in problem:
        fix = "save it as UTF-8"
    line = _line_of(path, problem)
    fix += next((f" ({hint})" for form, hint in SLIPS if re.search(form, line)), "")
    if "Cannot declare" in problem:
        fix = "write [[games]] and [[agents]] with double brackets, not [games] or [agents]"
    return BadInput(str(path), f"is not TOML ({problem})", fix)


def with_line(refusal: BadInput, file: str, text: str) -> BadInput:
    """Returns the error with the line of its block, or of the key in it, added to its place."""
    place = refusal.place.removeprefix(file)
    block = re.search(r"(games|agents|limits)\[(\d+)\](.*)", place)
    if block:
        line = _line_of_block(text, block[1], int(block[2]), block[3])
    else:
        line = _line_of_key(text, place)
    if line is None or place == refusal.place:
        return refusal
    return BadInput(f"{file}:{line}{place}", refusal.problem, refusal.fix)


def _line_of_block(text: str, name: str, number: int, path: str) -> int | None:
    """The line of the last key of ``path`` in the nth block of that name, else of the block."""
    lines = text.splitlines()
    heads = [n for n, line in enumerate(lines) if re.match(rf"\s*\[\[\s*{name}\s*\]\]", line)]
    if number >= len(heads):
        return None
    head = heads[number]
    return _last_key(lines, head + 1, "[[", path) or head + 1


def _line_of_key(text: str, path: str) -> int | None:
    """The line of the last key of ``path``: in a table of its own, or above all blocks."""
    lines, parts = text.splitlines(), path.removeprefix(": ").split(".")
    for length in range(len(parts), 0, -1):
        table = r"\s*\.\s*".join(map(re.escape, parts[:length]))
        for number, line in enumerate(lines, start=1):
            if re.match(rf"\s*\[\s*{table}\s*\]", line):
                return _last_key(lines, number, "[", ".".join(parts[length:])) or number
    return _last_key(lines, 0, "[", path)


def _last_key(lines: list[str], start: int, end: str, path: str) -> int | None:
    """The line of the last key of ``path``, between ``start`` and a line that begins with ``end``.

    Line numbers count from 1; None if no key of the path is written there.
    """
    ends = (n for n, line in enumerate(lines[start:], start) if line.strip().startswith(end))
    inside = range(start, next(ends, len(lines)))
    for key in reversed(re.findall(r"[A-Za-z_][\w-]*", path)):
        for n in inside:
            if re.search(rf"(^|[{{,.\s])[\"']?{re.escape(key)}[\"']?\s*[.=]", lines[n]):
                return n + 1
    return None
