"""Reads the locks: the pinned distributions, their hashes, and the distributions that need them."""

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import NormalizedName, canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
_PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Pin:
    """One pinned distribution: the SHA-256 of each of its files, and the names that need it."""

    name: NormalizedName
    version: str
    hashes: tuple[str, ...]
    needed_by: tuple[NormalizedName, ...]


def read_lock(path: Path) -> list[Pin]:
    """The pins of a lock, in its order. ValueError for a line that is no pin."""
    pins = []
    for block in re.split(r"\n(?=\S)", path.read_text(encoding="utf-8").strip()):
        pin = _PIN.match(block)
        if pin is None:
            raise ValueError(f"{path}: not a pinned distribution: {block.splitlines()[0]!r}")
        via = re.findall(r"# via (.*)", block)
        needed_by = [name.strip() for name in ",".join(via).split(",") if name]
        names = [canonicalize_name(name) for name in needed_by if not name.startswith("-")]
        pins.append(
            Pin(
                canonicalize_name(pin["name"]),
                pin["version"],
                tuple(_HASH.findall(block)),
                tuple(names),
            )
        )
    return pins
