"""The identity of an installation: equal identities play the same tournament alike."""

import sys
from hashlib import blake2b
from importlib.metadata import entry_points, version
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import parlour

GROUPS = ("parlour.games", "parlour.agents")
"""The entry points through which other packages bring games and strategies."""


class WorkerIdentity(NamedTuple):
    """The versions of program and Python, plug-ins, and a fingerprint of rules and prompts."""

    program: str
    python: str
    plugins: tuple[str, ...]
    files: str

    def difference(self, other: "WorkerIdentity") -> str:
        """The first field that differs, with both values in words; "" for none."""
        words = ("Parlour", "Python", "plug-ins", "the files of Parlour")
        for name, here, there in zip(words, self, other, strict=True):
            if here != there:
                values = [
                    value if isinstance(value, str) else ", ".join(value) or "none"
                    for value in (there, here)
                ]
                return f"{name}: {values[0]} there, {values[1]} here"
        return ""


def own_identity() -> WorkerIdentity:
    """The identity of this installation. Reads all files of the program."""
    python = ".".join(map(str, sys.version_info[:2]))
    return WorkerIdentity(version("parlour"), python, tuple(_plugins()), _fingerprint())


def _plugins() -> list[str]:
    points = chain.from_iterable(entry_points(group=group) for group in GROUPS)
    return sorted(
        f"{point.group} {point.name} {point.dist.name} {point.dist.version}"
        for point in points
        if point.dist is not None
    )


def _fingerprint() -> str:
    """The fingerprint of the names and contents of all files, without compiled ones."""
    root, digest = Path(parlour.__file__).parent, blake2b(digest_size=8)
    # Sorted by text, since the rooms are links in a checkout and folders in a wheel.
    for path in sorted(_files(root), key=lambda path: path.relative_to(root).as_posix()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    files: list[Path] = []
    for path in folder.iterdir():
        if path.is_dir() and path.name != "__pycache__":
            files += _files(path)
        elif path.is_file() and path.suffix != ".pyc":
            files.append(path)
    return files
