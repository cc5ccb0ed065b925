"""Serving the site of saves over HTTP: read-only, pages made on demand, an event stream a page.

A page is made from an address alone and never from a path of the file system.
"""

import asyncio
import hmac
import json
import time
from bisect import bisect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from aiohttp import web

from parlour.api.status import read_status
from parlour.api.store import read_store
from parlour.games.common.errors import ParlourError
from parlour.ratings.reports.standings_report import Entry, groups
from parlour.site.frame import PILLS, shared_files
from parlour.site.live import Now, first_line, live_body, live_page, pace
from parlour.site.site import STATES, Site, first_page, folders
from parlour.site.source import read_source
from parlour.tournament.control.client import ControlFailed, RunnerClient
from parlour.tournament.plan.schedule import MatchLength, match_lengths
from parlour.tournament.save.lock import holder
from parlour.tournament.save.outline import begun_matches
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.views.match_words import phase

MOST_STREAMS = 64
"""Event streams that are open at once."""
LEAST_AGE = 5.0
"""Seconds that figures are kept at least; they are kept longer where they take long to compute."""
FIRST_WAIT = 2.0
"""Seconds that a browser waits for the first figures before it is told that they come."""
SPEED_SECONDS, LEAST_SPAN = 120.0, 5.0
"""Seconds over which the speed is taken, and after which it is that of this server."""
PARTS = 24
"""The parts of these seconds of which each has a speed."""
MOVE_SECONDS = 60.0
"""Seconds for which the live page shows that an agent has changed its place."""
LOCAL = frozenset({"127.0.0.1", "localhost", "[::1]"})
COOKIE = "parlour-token"
GONE = "The save cannot be read any more."
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self';"
    " img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml",
         ".csv": "text/csv", ".json": "application/json", ".txt": "text/plain",
         ".toml": "text/plain"}  # fmt: skip


class Reading(Exception):
    """The figures of a save are computed for the first time, which takes long."""


class ServedSave:
    """A save with its site, computed again when the save has grown, and what its run does now."""

    def __init__(self, path: Path, folder: str = "", store: Path | None = None) -> None:
        self.path, self.folder, self._store = path, folder, store
        self._ratings: list[Entry] = []
        self._now_lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._site: Site | None = None
        self._seq, self._until = -1, 0.0
        self._now, self._now_until = Now("stopped", read_status(path).run, {}), 0.0
        self._at_table: dict[int, StoredMatch] = {}
        self._over: list[tuple[StoredMatch, float]] = []
        self._answers: list[tuple[float, int]] = []
        self._lengths: list[MatchLength] = []
        self._orders: list[tuple[float, list[str]]] = []

    async def site(self) -> Site:
        """The site of the save, a few seconds old at most where it grows.

        While it is computed again, the one before is given.
        """
        if self._task is None or (self._task.done() and time.monotonic() >= self._until):
            self._task = asyncio.create_task(asyncio.to_thread(self._refresh))
        if self._site is None:
            done, _ = await asyncio.wait({self._task}, timeout=FIRST_WAIT)
            if not done:
                raise Reading
            self._task.result()
        elif self._task.done() and self._task.exception() is not None:
            self._until = time.monotonic() + LEAST_AGE  # the save may be gone: kept as it was
        assert self._site is not None
        return self._site

    def _refresh(self) -> None:
        begun = time.monotonic()
        with Save(self.path) as save:
            seq = save.last_seq()
        is_running = holder(self.path) is not None
        ratings = read_store(self._store)[0] if self._store else []
        known, now = (self._seq, self._ratings), (seq, ratings)
        if self._site is None or known != now or is_running != self._site.frame.live:
            self._site = Site(
                read_source(self.path),
                folder=self.folder,
                live=is_running,
                all_told=True,
                ratings=groups(ratings),
            )
            self._seq, self._ratings = seq, ratings
            self._orders.append((begun, self._site.source.agents))
            for address in ("matches/", "data/"):  # that no reader waits for what takes long
                self._site.page(address)
        took = time.monotonic() - begun
        self._until = time.monotonic() + max(LEAST_AGE, 10 * took)

    async def now(self) -> Now:
        """The state of the run, half a second old at most."""
        async with self._now_lock:
            if time.monotonic() >= self._now_until:
                self._now = await asyncio.to_thread(self._read_now)
                self._now_until = time.monotonic() + 0.5
            return self._now

    def _read_now(self) -> Now:
        if holder(self.path) is None:
            status = read_status(self.path)
            state = STATES.get(status.state, "stopped")
            return Now(state, status.run, {}, self._just_over())
        with suppress(ControlFailed):
            run, read_at = RunnerClient(self.path, 1.0).status(), time.monotonic()
            with Save(self.path) as save:
                matches = {number: save.match(number) for number in sorted(run.waiting)[-60:]}
                gone = [each for each in self._at_table if each not in run.waiting]
                over = [match for each in gone if (match := save.match(each)).outcome is not None]
                tournament = save.tournament
                if len(self._lengths) != len(tournament.games):
                    self._lengths = match_lengths(tournament)
                begun: dict[int, tuple[str, float]] = {}
                for number, each in begun_matches(save).items():
                    if number in matches:
                        entry = matches[number].entry
                        game, length = tournament.games[entry].game, self._lengths[entry]
                        words = phase(game, each.kind, each.round, length.rounds)
                        begun[number] = words, each.answers / length.answers
            self._at_table = matches
            self._over = [*((match, read_at) for match in reversed(over)), *self._over][:5]
            before = [each for each in self._answers if each[0] > read_at - SPEED_SECONDS]
            self._answers = [*before, (read_at, run.answers)]
            first, answers = self._answers[0]
            span = read_at - first
            return Now(
                STATES.get(run.state, "stopped"),
                run,
                matches,
                self._just_over(),
                frozenset(tournament.people),
                begun,
                (run.answers - answers) / span if span >= LEAST_SPAN else run.per_second,
                self._speeds(),
                self._moves(),
            )
        return self._now

    def _just_over(self) -> list[tuple[StoredMatch, float]]:
        """The matches that were over last, each with the seconds since."""
        return [(match, time.monotonic() - at) for match, at in self._over]

    def _speeds(self) -> list[float]:
        """Answers a second over each of the last seconds, oldest first."""
        times, part = [at for at, _ in self._answers], SPEED_SECONDS / PARTS
        ends = [times[-1] - part * back for back in range(PARTS, -1, -1)]
        counts = [self._answers[max(0, bisect(times, end) - 1)][1] for end in ends]
        return [(after - before) / part for before, after in pairwise(counts)]

    def _moves(self) -> dict[str, int]:
        """The places that each agent has won since the order of a minute ago."""
        while len(self._orders) > 1 and self._orders[1][0] < time.monotonic() - MOVE_SECONDS:
            del self._orders[0]
        if not self._orders:
            return {}
        before, now = self._orders[0][1], self._orders[-1][1]
        return {each: before.index(each) - place
                for place, each in enumerate(now) if each in before}  # fmt: skip

    def page(self, site: Site, now: Now, address: str) -> bytes | None:
        """The bytes at an address of the save, None if there is nothing."""
        if address == "live/":
            return live_page(site.source, site.frame, now)
        return site.page(address)


def event(site: Site, now: Now) -> dict[str, object]:
    """The data of an event: the state, and the live page."""
    (sign, colour), run = PILLS[now.state], now.run
    return {
        "over": run.finished,
        "done": 100 * run.finished / max(1, run.matches),
        "playing": 100 * (run.finished + len(run.waiting)) / max(1, run.matches),
        "facts": f" of {run.matches:,} matches{pace(run)}",
        "pill": f"{sign} {now.state}",
        "colour": colour,
        "finding": first_line(now),
        "body": live_body(site.source, now),
        "end": now.state not in ("running", "paused"),
    }


class Server:
    """The answers to requests: of a known host, from the same origin, and with the token if any."""

    def __init__(
        self,
        paths: Sequence[Path],
        host: str = "127.0.0.1",
        token: str = "",
        store: Path | None = None,
    ) -> None:
        several = len(paths) > 1
        named = folders(paths) if several else {paths[0]: ""}
        self._saves = {folder: ServedSave(path, folder, store) for path, folder in named.items()}
        self._hosts = LOCAL | {host, f"[{host}]"}
        self._any_host = bool(token)  # a name that leads here is not known; the token decides
        self._token, self._streams = token, 0
        self._shared = shared_files()

    def app(self) -> web.Application:
        """The application: one handler for every address."""
        app = web.Application(middlewares=[self._guard], client_max_size=0)
        app.router.add_get("/{address:.*}", self._answer)
        app.on_response_prepare.append(_add_headers)
        return app

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        host = request.headers.get("Host", "")
        name = host[: host.rindex("]") + 1] if "]" in host else host.partition(":")[0]
        if not self._any_host and name not in self._hosts:
            return _words(403, "This name is not the name of this server.")
        origin = request.headers.get("Origin")
        foreign = request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}
        opened = request.headers.get("Sec-Fetch-Mode") == "navigate"
        if (origin is not None and origin.partition("://")[2] != host) or (foreign and not opened):
            return _words(403, "Pages of other sites may not read this one.")
        if self._token:
            given = request.query.get("token", "")
            if _same(given, self._token):
                onward = web.Response(status=302, headers={"Location": "index.html"})
                onward.set_cookie(COOKIE, self._token, httponly=True, samesite="Strict")
                return onward
            if not _same(request.cookies.get(COOKIE, ""), self._token):
                return _words(403, "Open the address with the token that the server printed.")
        try:
            return await handler(request)
        except web.HTTPException as problem:
            return _words(problem.status, problem.reason)
        except Reading:
            answer = _words(503, "The save is read; this page comes by itself.")
            answer.headers.update({"Refresh": "2", "Retry-After": "2"})
            return answer
        except (ParlourError, OSError):
            return _words(503, GONE)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        address = request.match_info["address"]
        address = address.removesuffix("index.html")
        if address in self._shared:
            return _page(address, self._shared[address])
        if address == "" and "" not in self._saves:
            rows = [
                (folder, await served_save.site()) for folder, served_save in self._saves.items()
            ]
            return _page("", await asyncio.to_thread(first_page, rows))
        for folder, served_save in self._saves.items():
            if address.startswith(folder):
                own = address[len(folder) :]
                if own == "events":
                    return await self._stream(request, served_save)
                site = await served_save.site()
                page = await asyncio.to_thread(served_save.page, site, await served_save.now(), own)
                if page is not None:
                    return _page(own, page)
        return _words(404, "There is no page at this address.")

    async def _stream(self, request: web.Request, served_save: ServedSave) -> web.StreamResponse:
        if self._streams >= MOST_STREAMS:
            return _words(503, "Too many pages are open; this one loads again by hand.")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        self._streams += 1
        try:
            await response.prepare(request)
            async for words in _events(served_save):
                await response.write(f"data: {words}\n\n".encode())
        except ConnectionError:
            pass
        finally:
            self._streams -= 1
        return response


async def _events(served_save: ServedSave) -> AsyncIterator[str]:
    """Yields what is new, at most once a second, until the run is over or the save is gone."""
    while True:
        try:
            data = await asyncio.to_thread(event, await served_save.site(), await served_save.now())
        except (ParlourError, OSError):
            return
        except Reading:
            continue
        yield json.dumps(data)
        if data["end"]:
            return
        await asyncio.sleep(1.0)


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
    response.headers.pop("Server", None)


def _page(address: str, content: bytes) -> web.Response:
    suffix = Path(address).suffix if not address.endswith("/") else ""
    kind = TYPES.get(suffix, "text/html")
    return web.Response(body=content, content_type=kind, charset="utf-8")


def _words(status: int, words: str) -> web.Response:
    return web.Response(status=status, text=f"{words}\n")


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())


async def serve(server: Server, host: str, port: int, ready: Callable[[int], None]) -> None:
    """Serves until it is cancelled; ``ready`` is called with the port. OSError if it is taken."""
    runner = web.AppRunner(server.app(), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, shutdown_timeout=1).start()
        ready(int(runner.addresses[0][1]))
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
