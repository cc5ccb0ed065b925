"""Hostile values, and files and messages with one of them in a place where another was."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import tomlkit
from hypothesis import strategies as st

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 10**6, 2**63, -(2**63), 10**30),
    *(0.0, -0.5, 1e-300, 1e300, float("inf"), float("nan")),
    *("", "x", "Ada", "donation", "-1", "a\x00b", "\x1b[2J", "../..", "/", "${HOME}", "9" * 400),
    *([], {}, [[]], [None], [1, "a"], {"a": 1}, {"": {}}, ["Ada", "Ada"], [0, -1], {"kind": "llm"}),
)
"""Plain data that is rarely right anywhere."""
DEEP = 3000
"""Levels of lists within one another, more than a parser that calls itself can bear."""


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every list or mapping within plain data, with each of its keys."""
    entries: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, list):
        entries = enumerate(value)
    elif isinstance(value, dict):
        entries = value.items()
    for key, inner in entries:
        yield value, key
        yield from places(inner)


def changed(data: Any, changes: Iterable[tuple[float, Any]]) -> Any:
    """A copy of plain data with other values in it; each place is a share of all places."""
    whole = json.loads(json.dumps(data))
    for share, value in changes:
        known = list(places(whole))
        inner, key = known[int(share * len(known))]
        inner[key] = json.loads(json.dumps(value))
    return whole


shares = st.floats(0, 1, exclude_max=True)
odd_values = st.sampled_from(ODD_VALUES)
changes = st.lists(st.tuples(shares, odd_values), min_size=1, max_size=2)
"""One or two changes of plain data, for ``changed``."""


def toml(data: Mapping[str, Any]) -> bytes:
    """Plain data as a TOML file; what TOML cannot say is left out."""
    return tomlkit.dumps(_sayable(data)).encode("utf-8", "surrogatepass")


def _sayable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sayable(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_sayable(inner) for inner in value if inner is not None]
    return value


@st.composite
def damaged_bytes(draw: st.DrawFn, body: bytes) -> bytes:
    """A file with some bytes replaced, or cut off."""
    whole = bytearray(body)
    for share, byte in draw(st.lists(st.tuples(shares, st.integers(1, 255)), max_size=3)):
        whole[int(share * len(whole))] ^= byte
    return bytes(whole[: int(draw(st.one_of(st.just(1.0), shares)) * len(whole))])
