"""API keys: read from the environment or a private file, and removed from all texts of others.

Every text from outside goes one way (``from_outside``), whatever brought it: it is decoded and
cleaned, and only then rid of keys, which may come in pieces between letters that cleaning drops.
"""

import html
import os
import re
import tomllib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from traceback import format_exception
from typing import Any

from parlour.games.common.errors import BadInput
from parlour.games.common.text import clean, seen

_DECLARED: set[str] = set()
"""Known keys: those of the keys file, and those that an agent names."""
_SECRET_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_PRIVATE_NAMES = re.compile(r"PASS|AUTH|COOKIE|PRIVATE|BEARER|DSN|SESSION|CERT", re.IGNORECASE)
"""Further names of variables that no file may read, though they hide nothing in texts."""
_WITH_PASSWORD = re.compile(r"://[^/@\s]+@")
"""An address with a password, as of a database."""
_SPELLED = re.compile(r"\\u00[2-7]|%[2-7][0-9a-f]|&(?:#|amp|lt|gt|quot)", re.IGNORECASE)
"""Characters that begin an escape, in which a key could hide. They are rare, so most texts take
the fast path."""
_ODD = re.compile(r"[^\w.-]")
"""Characters of a key that are often escaped."""
LONGEST_TRACEBACK = 100_000
"""Characters of a traceback that are printed."""
SHORTEST_SECRET = 8
"""A shorter value is not treated as a secret: it would remove ordinary words."""


def keys_file() -> Path:
    """The keys file: below XDG_CONFIG_HOME, by default ~/.config."""
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "parlour" / "keys.toml"


def settings_file() -> Path:
    """The user's settings, beside the keys file."""
    return keys_file().with_name("config.toml")


HOSTS = "hosts"
"""The table of the keys file that lists hosts by key: no variable has a name in small letters."""


def read_keys(path: Path | None = None) -> dict[str, str]:
    """The names and keys of the file, which is a TOML table of texts; empty if there is none.

    Raises BadInput if others could read it, or if it is not such a table.
    """
    path = path or keys_file()
    keys = {name: key for name, key in _content(path).items() if name != HOSTS}
    if not all(isinstance(key, str) for key in keys.values()):
        raise BadInput(str(path), "has a value that is not a string", 'write NAME = "key"')
    return keys


def hosts_by_key(path: Path | None = None) -> dict[str, tuple[str, ...]]:
    """The hosts in small letters, some with a port, that the keys file lists for each key.

    Raises BadInput as ``read_keys`` does.
    """
    path = path or keys_file()
    listed = _content(path).get(HOSTS, {})
    texts = isinstance(listed, dict) and all(map(_is_texts, listed.values()))
    if not texts:
        fix = 'write lines of NAME = ["host"] under [hosts]'
        raise BadInput(f"{path}: {HOSTS}", "is not a table of lists of hosts", fix)
    return {name: tuple(map(str.lower, hosts)) for name, hosts in listed.items()}


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _content(path: Path) -> dict[str, Any]:
    """The content of the keys file, empty if there is none."""
    try:
        if path.stat().st_mode & 0o077:
            raise BadInput(str(path), "can be read by others", f"run: chmod 600 {path}")
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):  # the parser's message could quote a key
        raise BadInput(str(path), "cannot be read", 'write lines of NAME = "key"') from None


def load_keys() -> None:
    """Puts the file's keys into the environment, where the libraries look; set ones stay."""
    for name, key in read_keys().items():
        os.environ.setdefault(name, key)
        _declare(key)
    _secrets.cache_clear()


def is_secret(name: str, value: str) -> bool:
    """True if a variable of the environment may hold a key, a password or the like."""
    load_keys()
    named = _SECRET_NAMES.search(name) or _PRIVATE_NAMES.search(name) or name in read_keys()
    return bool(named) or _WITH_PASSWORD.search(value) is not None or _struck(value) != value


def _declare(key: str) -> None:
    if key and key not in _DECLARED:
        _DECLARED.add(key)
        _secrets.cache_clear()


@cache
def _secrets() -> tuple[str, ...]:
    """Known keys, and variables of the environment with a secret's name; longest first."""
    secrets = {
        value
        for name, value in os.environ.items()
        if _SECRET_NAMES.search(name) and len(value) >= SHORTEST_SECRET
    } | _DECLARED
    return tuple(sorted(secrets, key=lambda value: (-len(value), value)))


@cache
def _spellings(secret: str) -> re.Pattern[str]:
    """A pattern of the secret with any letter escaped as in JSON, URLs or HTML."""
    letters = []
    for letter in secret:
        code = ord(letter)
        ways = {re.escape(letter), f"u{code:04x}", f"&#x0*{code:x};", f"&#0*{code};"}
        ways |= {re.escape(html.escape(letter)), f"%{code:02x}"}
        ways |= {r"\\"} if letter == "\\" else set()
        letters.append(rf"\\*(?:{'|'.join(sorted(ways))})")
    return re.compile("".join(letters), re.IGNORECASE)


@cache
def _forms(secret: str) -> tuple[str, ...]:
    """The secret, backwards, in hex and in base64 at any place of a longer text."""
    if len(secret) < SHORTEST_SECRET:
        return (secret,)
    raw = secret.encode()
    encoded = set(_in_base64(raw))
    return secret, secret[::-1], raw.hex(), raw.hex().upper(), *sorted(encoded)


def _in_base64(raw: bytes) -> Iterator[str]:
    for skipped, letters in ((0, 0), (1, 2), (2, 3)):
        whole = -(skipped + len(raw)) % 3  # what the last letters encode with what follows
        for encode in (b64encode, urlsafe_b64encode):
            text = encode(bytes(skipped) + raw).decode().rstrip("=")
            yield text[letters : -1 if whole else None]


def from_outside(text: str | bytes, limit: int | None = None) -> str:
    """A text from outside as it may be stored, shown and sent on: cleaned, with no known key in it.

    A key is found also where its letters are escaped or invisible ones stand between them. Cut at
    ``limit`` characters in the end, since half a key is not found.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    text = clean(text, 4 * len(text))  # NFC makes some texts longer
    plain = seen(text)
    if plain != text and _struck(plain) != plain:
        text = plain
    return _struck(text)[:limit]


def _struck(text: str) -> str:
    """The text with every known key replaced, also where its letters are escaped."""
    escaped = "\\" in text or "%" in text or "&" in text
    spelled = escaped and _SPELLED.search(text) is not None
    for secret in _secrets():
        for form in _forms(secret):
            if form in text:
                text = text.replace(form, "[key]")
        if spelled or (escaped and _ODD.search(secret)):
            text = _spellings(secret).sub("[key]", text)
    return text


def traceback_of(error: BaseException) -> str:
    """The traceback of an unexpected error, without keys and control characters.

    It has no values of variables, since one of them may be a key.
    """
    return from_outside("".join(format_exception(error)), LONGEST_TRACEBACK)


def keyless_environment() -> dict[str, str]:
    """The environment for a process of ours that needs no key: any user process could read it."""
    _secrets.cache_clear()  # a script may have set a key since
    secrets = frozenset(_secrets())
    return {name: value for name, value in os.environ.items() if value not in secrets}


def from_outside_all(value: Any) -> Any:
    """Plain data from outside, with every text in it as ``from_outside``, names included."""
    if isinstance(value, str):
        return from_outside(value)
    if isinstance(value, dict):
        return {from_outside_all(name): from_outside_all(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [from_outside_all(entry) for entry in value]
    return value


def key_named(name: str | None) -> str | None:
    """The key under a name of the environment; None for no name. BadInput if it is not set."""
    if name is None:
        return None
    if not os.environ.get(name):
        fix = f"set it in the environment, or in {keys_file()} (mode 0600)"
        raise BadInput(f"key {name}", "is not set", fix)
    _declare(os.environ[name])
    return os.environ[name]
