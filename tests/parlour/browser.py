"""A real Chromium, driven over its debugging protocol; tests with it are skipped without one."""

import asyncio
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
USUAL = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")


class Tab:
    """An open page. ``messages`` are what its console said."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket, self._numbers = socket, count(1)
        self.messages: list[str] = []

    async def send(self, method: str, **words: object) -> Any:
        """The result of a command."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": words})
        while True:
            reply = json.loads((await self._socket.receive(60)).data)
            if reply.get("id") == number:
                return reply["result"]
            if reply.get("method") in {"Log.entryAdded", "Runtime.exceptionThrown"}:
                self.messages.append(json.dumps(reply["params"]))

    async def open(self, address: str) -> None:
        """Opens an address and waits until it is there."""
        await self.send("Page.navigate", url="about:blank")
        await self.send("Page.navigate", url=address)
        await self.until("location.href !== 'about:blank' && document.readyState === 'complete'")

    async def value(self, script: str) -> Any:
        """The value of an expression in the page."""
        words = {"expression": script, "returnByValue": True}
        return (await self.send("Runtime.evaluate", **words))["result"].get("value")

    async def until(self, script: str, seconds: float = 30) -> None:
        """Waits until an expression is true."""
        async with asyncio.timeout(seconds):
            while not await self.value(script):
                await asyncio.sleep(0.1)

    async def press(self, key: str) -> None:
        """Presses a key."""
        await self.send("Input.dispatchKeyEvent", type="keyDown", key=key)
        await self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def width(self, pixels: int) -> None:
        """Makes the page as wide as that."""
        size = {"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": pixels < 700}
        await self.send("Emulation.setDeviceMetricsOverride", **size)


@asynccontextmanager
async def browser(folder: Path) -> AsyncIterator[Tab]:
    """Yields a tab of a browser with a profile of its own."""
    assert BROWSER is not None
    profile = folder / "profile"
    options = ("--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank")
    process = subprocess.Popen([BROWSER, *USUAL, *options], stderr=subprocess.DEVNULL)
    try:
        port = profile / "DevToolsActivePort"
        async with asyncio.timeout(60), aiohttp.ClientSession() as session:
            while not port.exists() or not port.read_text():
                await asyncio.sleep(0.1)
            base = f"http://127.0.0.1:{port.read_text().split()[0]}"
            async with session.get(f"{base}/json") as reply:
                pages = [each for each in await reply.json() if each["type"] == "page"]
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket,
        ):
            tab = Tab(socket)
            for domain in ("Page", "Runtime", "Log"):
                await tab.send(f"{domain}.enable")
            yield tab
    finally:
        process.terminate()
        process.wait(30)
