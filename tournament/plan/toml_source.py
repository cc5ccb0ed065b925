"""A tournament file as it is written: its TOML, and the lines that a refusal is about."""

import re
import tomllib
from pathlib import Path
from shlex import quote
from typing import Any

from parlour.games.common.errors import BadInput
from parlour.tournament.save.database import is_database


def read_toml(path: Path, presets: list[str]) -> tuple[str, dict[str, Any]]:
    """The text of a file and what it says. BadInput if it cannot be read or is not TOML."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return text, tomllib.loads(text)
    except OSError as error:
        reason = error.strerror or str(error)
        fix = _fix_of_path(path, presets)
        raise BadInput(str(path), f"cannot be read ({reason})", fix) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _not_toml(path, str(error)) from None


def _fix_of_path(path: Path, presets: list[str]) -> str:
    """What to do where no tournament file is: name the one that may be meant."""
    if str(path) in presets:
        return f"did you mean --preset {path}? It is no file"
    longer = Path(f"{path}.toml")
    if longer.is_file():
        return f"did you mean {longer}?"
    return "give a tournament file, or --preset NAME (see `parlour presets`)"


SLIPS = (
    (r"=\s*(True|False|yes|no|on|off)\s*(#|$)", "write true or false"),
    (r"=\s*-?\d+,\d+\s*(#|$)", "numbers have a decimal point: 0.5"),
    (r"^\s*[\w-]+\s*:", "write name = value"),
    (r"=\s*[^\s\d\"'{\[]", 'a text stands in straight quotation marks: "text"'),
    (r"=\s*[\"'][^\"']*$", "a quotation mark is missing"),
    (
        r"^\s*[^=]*[^\x00-\x7f][^=]*=",
        "a key with other letters than a to z stands in quotation marks",
    ),
)
"""What a line looks like that is often written so, and what should stand there."""


def _line_of(path: Path, problem: str) -> str:
    """The line that the reader of TOML stumbled over, if it names one."""
    place = re.search(r"at line (\d+)", problem)
    if place is None:
        return ""
    lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    number = int(place[1])
    return lines[number - 1] if number <= len(lines) else ""


def _not_toml(path: Path, problem: str) -> BadInput:
    """The refusal of a file that is not TOML, with the fix by what its reader says."""
    fix = "fix it at that place"
    if is_database(path):
        fix = f"continue it with `parlour run --save {quote(str(path))}`"
        return BadInput(str(path), "is a save, not a tournament file", fix)
    if "codec" in problem:
        fix = "save it as UTF-8"
    line = _line_of(path, problem)
    fix += next((f" ({hint})" for form, hint in SLIPS if re.search(form, line)), "")
    if "Cannot declare" in problem:
        fix = "where there may be several, write [[games]] and [[agents]], not [games] or [agents]"
    return BadInput(str(path), f"is not TOML ({problem})", fix)


def with_line(refusal: BadInput, file: str, text: str) -> BadInput:
    """The refusal with the line of the file where its block, or the key in it, stands."""
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
    """The line of the nth block of a name, or of the last key on the way that is written there."""
    lines = text.splitlines()
    heads = [n for n, line in enumerate(lines) if re.match(rf"\s*\[\[\s*{name}\s*\]\]", line)]
    if number >= len(heads):
        return None
    head = heads[number]
    return _last_key(lines, head + 1, "[[", path) or head + 1


def _line_of_key(text: str, path: str) -> int | None:
    """The line of a key above all blocks, or of the last key on the way that is written there."""
    return _last_key(text.splitlines(), 0, "[", path)


def _last_key(lines: list[str], start: int, end: str, path: str) -> int | None:
    """The line of the last key on a way, from ``start`` to a line that begins with ``end``."""
    ends = (n for n, line in enumerate(lines[start:], start) if line.strip().startswith(end))
    inside = range(start, next(ends, len(lines)))
    for key in reversed(re.findall(r"[A-Za-z_][\w-]*", path.replace(", field ", "."))):
        for n in inside:
            if re.search(rf"(^|[{{,.\s])[\"']?{re.escape(key)}[\"']?\s*[.=]", lines[n]):
                return n + 1
    return None
