"""Addresses of pages: the words in them, the files of them, and links from one to another."""

import re
import unicodedata
from collections.abc import Iterable
from posixpath import relpath


def slug(words: str) -> str:
    """Words in lower-case ASCII with ``-`` between them."""
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-") or "x"


def slugs(names: Iterable[str]) -> dict[str, str]:
    """The word of each name in an address; of equals the second gets ``-2``.

    Names that are added at the end leave those before as they are.
    """
    made: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        wanted, number = slug(name), 2
        word = wanted
        while word in taken:
            word, number = f"{wanted}-{number}", number + 1
        taken.add(word)
        made[name] = word
    return made


def file_of(address: str) -> str:
    """The file of an address: a folder has an ``index.html``."""
    return f"{address}index.html" if address == "" or address.endswith("/") else address


def link(here: str, there: str) -> str:
    """The link from the page at one address to another address, which may have a ``#`` part."""
    target, sign, place = there.partition("#")
    folder = file_of(here).rpartition("/")[0] or "."
    return relpath(file_of(target), folder) + sign + place
