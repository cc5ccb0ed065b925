"""A real Chromium, driven over its DevTools protocol."""

import asyncio
import contextlib
import itertools
import json
import shutil
import subprocess
from base64 import b64decode
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")


class Tab:
    """A tab. ``requests`` are the addresses that it asked for, ``messages`` its errors."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.requests: list[str] = []
        self.messages: list[str] = []

    async def call(self, method: str, **options: Any) -> Any:
        """The result of a command of the protocol."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": options})
        while True:
            reply = await self._socket.receive_json(timeout=30)
            if reply.get("id") == number:
                assert "error" not in reply, reply
                return reply["result"]
            self._note(reply)

    def _note(self, event: dict[str, Any]) -> None:
        if event["method"] == "Network.requestWillBeSent":
            self.requests.append(event["params"]["request"]["url"])
        if event["method"] in ("Log.entryAdded", "Runtime.exceptionThrown"):
            self.messages.append(json.dumps(event["params"]))

    async def open(self, address: str, *, width: int = 1280, script: bool = True) -> None:
        """Opens an address in a window of a width."""
        phone = {"deviceScaleFactor": 1, "mobile": width < 700}
        await self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, **phone)
        await self.call("Emulation.setScriptExecutionDisabled", value=not script)
        await self.call("Page.navigate", url=address)
        for _ in range(200):
            if await self.value("document.readyState") == "complete":
                return
            await asyncio.sleep(0.02)

    async def value(self, expression: str) -> Any:
        """The value of an expression in the page."""
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    async def press(self, key: str) -> None:
        """Presses a key."""
        for kind in ("keyDown", "keyUp"):
            await self.call("Input.dispatchKeyEvent", type=kind, key=key)

    async def pdf(self) -> bytes:
        """The page as it is printed."""
        return b64decode((await self.call("Page.printToPDF", printBackground=True))["data"])


@contextlib.asynccontextmanager
async def tab(folder: Path) -> AsyncIterator[Tab]:
    """A tab of a browser with a profile of its own."""
    assert BROWSER is not None
    profile = folder / "profile"
    words = [BROWSER, *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-port=0"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([*words, "about:blank"], **quiet)
    try:
        port = profile / "DevToolsActivePort"
        for _ in range(1000):
            if port.is_file() and len(port.read_text().split()) == 2:
                break
            await asyncio.sleep(0.02)
        base = f"http://127.0.0.1:{port.read_text().split()[0]}"
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{base}/json") as reply:
                pages = [each for each in await reply.json() if each["type"] == "page"]
            address = pages[0]["webSocketDebuggerUrl"]
            async with session.ws_connect(address, max_msg_size=0) as socket:
                it = Tab(socket)
                for domain in ("Page", "Network", "Log", "Runtime"):
                    await it.call(f"{domain}.enable")
                yield it
    finally:
        process.terminate()
        process.wait(10)
