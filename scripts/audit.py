"""Checks the locks against known vulnerabilities, without a network.

.venv/bin/python scripts/audit.py DATABASE [--ignore ID ...] [LOCK ...]

DATABASE is in the OSV format: the zip of an ecosystem that osv.dev offers for download, a folder
with its files, or a JSON file with one record or a list of them. Prints a line for each known
vulnerability. Exit code 0: none, 1: some, 2: the database or a lock cannot be read.
"""

import argparse
import json
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from locks import ROOT, read_lock
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

LOCKS = [ROOT / "requirements" / f"{name}.txt" for name in ("run", "dev", "ray", "local", "build")]

Pinned = tuple[str, str]
"""The name and version of a pinned distribution."""


def records(database: Path) -> Iterator[dict[str, Any]]:
    """Yields the records of a database. OSError or ValueError if it cannot be read."""
    if database.is_dir():
        for file in sorted(database.rglob("*.json")):
            yield from _read(file.read_bytes())
    elif zipfile.is_zipfile(database):
        with zipfile.ZipFile(database) as archive:
            for name in sorted(archive.namelist()):
                if name.endswith(".json"):
                    yield from _read(archive.read(name))
    else:
        yield from _read(database.read_bytes())


def _read(text: bytes) -> list[dict[str, Any]]:
    content = json.loads(text)
    content = content.get("vulns", [content]) if isinstance(content, dict) else content
    if not isinstance(content, list) or not all(isinstance(one, dict) for one in content):
        raise ValueError("not a record of OSV")
    return content


def is_affected(version: str, affected: dict[str, Any]) -> bool:
    """True if a version is among those that a record names, one by one or as ranges."""
    if version in affected.get("versions", ()):
        return True
    ranges = affected.get("ranges", ())
    return any(_in_range(version, each) for each in ranges if each.get("type") == "ECOSYSTEM")


def _in_range(version: str, its: dict[str, Any]) -> bool:
    """True if a version lies between the events of a range: introduced, fixed, last_affected."""
    pinned, inside = Version(version), False
    events = chain.from_iterable(event.items() for event in its.get("events", ()))
    for kind, text in sorted(events, key=_place_of_event):
        at = Version(text)  # "0" stands for the first version there ever was
        if kind == "introduced" and (text == "0" or pinned >= at):
            inside = True
        elif (kind == "fixed" and pinned >= at) or (kind == "last_affected" and pinned > at):
            inside = False
    return inside


def _place_of_event(event: tuple[str, str]) -> tuple[Version, bool]:
    """The version of an event; at the same version the end of a range comes last."""
    kind, text = event
    return Version(text), kind == "last_affected"


def fixed_in(affected: dict[str, Any]) -> list[str]:
    """The versions in which a vulnerability is fixed."""
    versions = []
    for its in affected.get("ranges", ()):
        versions += [event["fixed"] for event in its.get("events", ()) if "fixed" in event]
    return versions


def audit(pins: Iterable[Pinned], database: Path, ignored: set[str]) -> list[str]:
    """A line for each known vulnerability of the pins, by name."""
    lines: set[str] = set()
    by_name: dict[str, list[Pinned]] = defaultdict(list)
    for pin in pins:
        by_name[pin[0]].append(pin)
    for record in records(database):
        names = {record.get("id"), *record.get("aliases", ())}
        if record.get("withdrawn") or names & ignored:
            continue
        for affected in record.get("affected", ()):
            package = affected.get("package", {})
            if package.get("ecosystem") != "PyPI":
                continue
            for pin in by_name.get(canonicalize_name(package.get("name", "")), ()):
                if is_affected(pin[1], affected):
                    lines.add(_line(pin, record, affected))
    return sorted(lines)


def _line(pin: Pinned, record: dict[str, Any], affected: dict[str, Any]) -> str:
    fixes = ", ".join(fixed_in(affected))
    summary = " ".join(str(record.get("summary") or "no summary").split())
    aliases = f" ({', '.join(record['aliases'])})" if record.get("aliases") else ""
    fix = f"fixed in {fixes}" if fixes else "no fix is known"
    return f"{pin[0]} {pin[1]}: {record.get('id')}{aliases}: {summary}; {fix}"


def main(words: list[str]) -> int:
    """Prints the vulnerabilities; returns the exit code."""
    parser = argparse.ArgumentParser(description="Check the locks against known vulnerabilities.")
    parser.add_argument("database", type=Path)
    parser.add_argument("locks", type=Path, nargs="*", default=LOCKS)
    parser.add_argument("--ignore", action="append", default=[], metavar="ID")
    given = parser.parse_args(words)
    try:
        locked = chain.from_iterable(map(read_lock, given.locks))
        pins = {(pin.name, pin.version) for pin in locked}
        lines = audit(pins, given.database, set(given.ignore))
    except (OSError, ValueError, InvalidVersion, zipfile.BadZipFile) as error:
        print(f"audit: {given.database}: cannot be used: {error}", file=sys.stderr)
        return 2
    for line in lines:
        print(line)
    print(f"{len(pins)} pinned distributions, {len(lines)} known vulnerabilities")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
