"""A key comes back in every way that a server can give it, and is seen nowhere."""

import asyncio
import io
import logging
import re
import traceback
from base64 import b64encode
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.agents.llm import keys
from parlour.agents.llm.keys import from_outside
from parlour.agents.model_calls import Completion, ProviderFailure
from parlour.games.common.text import clean, seen
from parlour.tournament.calls.dispatch import storable
from tests.echoes import every
from tests.models import CLIENTS, QUESTION, config

PLAIN = "sk-zebra-7f3a9921bbcc"
ODD = 'sk-zebra/7f+9"<\\>&=bb'
"""A key with everything that is written otherwise in an address, in JSON or in HTML."""
CASES = list(product(CLIENTS, every(PLAIN)))
pieces = st.one_of(st.text(max_size=5), st.sampled_from([PLAIN, *"sk-zebra", "\\u200b", "%7a"]))
texts = st.lists(pieces, max_size=30).map("".join)


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 2 * 50


async def answered(carrier: str, key: str, raw: str) -> Completion | ProviderFailure | Exception:
    """Result of a client for one raw response; the server expects the key in the request."""
    shown: list[bool] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        shown.append(f"Bearer {key}".encode() in head)
        writer.write(raw.encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    own = config(f"http://127.0.0.1:{port}/v1", carrier, api_key_env="WHERE_IT_IS", timeout=20.0)
    client = CLIENTS[carrier](own)
    try:
        result: Completion | ProviderFailure = await client.complete(QUESTION)
    except ProviderFailure as failure:
        result = failure
    finally:
        await client.close()
        server.close()
    assert shown
    assert all(shown)
    return result


def left(carrier: str, key: str, name: str, returned: str | None = None) -> str:
    """All that is left of one such response: stored, printed, logged, or shown in a crash.

    ``returned`` is the key as the server gives it back.
    """
    out, log = io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(log)
    root = logging.getLogger()
    root.addHandler(handler)
    before = root.level
    root.setLevel(logging.DEBUG)
    try:
        with redirect_stdout(out), redirect_stderr(out):
            result = asyncio.run(answered(carrier, key, every(returned or key)[name]))
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
    if isinstance(result, Completion):
        stored = repr(asdict(storable(result)))
    else:
        stored = "".join(traceback.format_exception(result)) + repr(result) + result.message
    return stored + out.getvalue() + log.getvalue()


@pytest.fixture(autouse=True)
def _no_key_is_known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(keys, "_DECLARED", set())
    keys._secrets.cache_clear()
    yield
    monkeypatch.undo()
    keys._secrets.cache_clear()


@pytest.mark.parametrize(("carrier", "name"), CASES)
def test_no_way_of_giving_it_back_leaves_it_anywhere(
    carrier: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in (PLAIN, ODD):
        monkeypatch.setenv("WHERE_IT_IS", key)
        leftovers = left(carrier, key, name)
        assert "zebra" not in leftovers, leftovers
        assert "u0065" not in leftovers.lower()  # nor spelled out


BETWEEN = "\u200b\u00ad\0\x1b\u202e\ufeff\u2028\u034f\u3164\ufe0f\U000e0100\U000e0041\u2066\x85\x7f"
DISGUISED = {
    **{f"{ord(sign):04x}": sign.join(PLAIN) for sign in BETWEEN},
    **{f"{ord(sign):04x} once": PLAIN.replace("zebra", f"ze{sign}bra") for sign in BETWEEN},
    "wide": "".join(chr(ord(sign) + 0xFEE0) for sign in PLAIN),
    "backwards": PLAIN[::-1],
    "hex": PLAIN.encode().hex(),
    "HEX": PLAIN.encode().hex().upper(),
    **{f"base64 at {n}": b64encode(b"key="[:n] + PLAIN.encode()).decode() for n in range(4)},
}
BODIES = [
    "body of 500",
    "words of 401",
    "text",
    "JSON",
    "thinking",
    "id",
    "model",
    "finish",
    "tools",
]


@pytest.mark.parametrize("carrier", CLIENTS)
@pytest.mark.parametrize("disguise", DISGUISED)
def test_no_disguise_of_it_leaves_it_anywhere(
    carrier: str, disguise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHERE_IT_IS", PLAIN)
    returned = DISGUISED[disguise]
    for name in BODIES if carrier == "openai" else BODIES[:4]:
        leftovers = seen(clean(left(carrier, PLAIN, name, returned), 10**6))
        for form in (PLAIN[3:], seen(returned)[6:-6]):
            assert form not in re.sub(r"\\x[0-9a-f]{2}", "", leftovers), (name, leftovers)


@given(text=texts, limit=st.integers(0, 300))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_what_comes_from_outside_is_clean_and_keyless_and_stays_so(text: str, limit: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(keys, "_DECLARED", {PLAIN})
        keys._secrets.cache_clear()
        for whole in (from_outside(text), from_outside(text.encode("utf-8", "surrogatepass"))):
            assert clean(whole, len(whole)) == whole == from_outside(whole)
            assert PLAIN not in seen(whole)
        assert from_outside(text, limit) == from_outside(text)[:limit]
    keys._secrets.cache_clear()


def test_without_striking_out_it_would_be_left_by_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHERE_IT_IS", PLAIN)
    monkeypatch.setattr(keys, "_secrets", cache(lambda: ()))
    leaks = [name for name in every(PLAIN) if "zebra" in left("openai", PLAIN, name)]
    assert len(leaks) >= 30, leaks
