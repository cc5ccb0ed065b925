"""The site of a save: every page and file of it by address, each made when it is asked for.

That of several saves has a first page with a row a save, and the site of each in a folder.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from parlour.games.common.errors import ParlourError
from parlour.games.common.progress import tracked
from parlour.games.engine.transcript import counted
from parlour.ratings.reports.leaderboard_report import SETTINGS_ONLY, has_observations
from parlour.ratings.reports.standings_report import ComparableRatings
from parlour.site.addresses import slugs
from parlour.site.agents import Agents
from parlour.site.cards import agent_card, badges, tournament_card
from parlour.site.findings import finding
from parlour.site.frame import PageFrame, render, shared_files
from parlour.site.live import pace
from parlour.site.matches import Matches, index_page, list_address, list_page, list_pages
from parlour.site.meetings import meetings_address, meetings_page
from parlour.site.numbers import data_files, data_page, method_page
from parlour.site.repeat import FILE, repeat
from parlour.site.source import SiteSource, read_source
from parlour.site.standings import standings_page
from parlour.site.told import match_page
from parlour.site.views import Views

_MATCH = re.compile(r"match/([1-9]\d{0,9})/")
Maker = Callable[[], bytes]
STATES = {"running": "running", "pausing": "running", "paused": "paused", "finished": "finished"}


def frame_of(source: SiteSource, *, folder: str = "", live: bool = False) -> PageFrame:
    """The frame of the pages of a save."""
    count, over, status = source.count, source.board.matches, source.status
    state = STATES.get(status.state, "stopped")
    if state == "stopped" and status.run.failed:
        state = "failed"
    agents = counted(len(source.tournament.agents), "agent")
    games = counted(len({entry.game.name for entry in source.tournament.games}), "game")
    run = status.run
    of = "" if count.done else f" of {count.matches:,}"
    matches = "match" if count.matches == 1 else "matches"
    made = datetime.fromisoformat(status.created)
    return PageFrame(
        name=source.name,
        state=state,
        facts=(f"{over:,}", f"{of} {matches} · {agents} · {games}{pace(run)}"),
        done=over / max(1, count.matches),
        playing=len(run.waiting) / max(1, count.matches),
        repeat=repeat(source.tournament),
        version=source.version,
        time=f"{made:%-d %b %Y, %H:%M} UTC",
        caveat=SETTINGS_ONLY if has_observations(source.board) else "",
        live=live,
        folder=folder,
    )


class Site:
    """The pages of a save. A page is a function of the source alone, so it has the same bytes."""

    def __init__(
        self,
        source: SiteSource,
        *,
        folder: str = "",
        live: bool = False,
        all_told: bool = False,
        ratings: Sequence[ComparableRatings] = (),
    ) -> None:
        self.source, self.views, self.all_told = source, Views(source), all_told
        self.frame = frame_of(source, folder=folder, live=live)
        self.matches = Matches(source)
        self.agents = Agents(self.views, self.matches, self.frame, ratings)
        self._makers: dict[str, Maker] = dict(self._pages())

    def _pages(self) -> Iterator[tuple[str, Maker]]:
        views, frame, matches, agents = self.views, self.frame, self.matches, self.agents
        for view in views.all():
            yield views.address(view), partial(standings_page, views, frame, view)
        yield "agents/", agents.index_page
        for name in agents.names:
            yield agents.address(name), partial(agents.page, name)
            for other in agents.compared(name):
                yield agents.pair_address(name, other), partial(agents.page, name, other)
        for family in ("", *filter(views.played, views.families)):
            address = meetings_address(family)
            yield address, partial(meetings_page, views, agents, frame, family)
        yield "matches/", partial(index_page, views, matches, frame)
        for game, page in list_pages(views, matches):
            yield (
                list_address(game, page),
                partial(list_page, matches, frame, game, page, self.all_told),
            )
        yield "card.svg", partial(tournament_card, self.source, frame)
        yield "badge.svg", partial(badges, self.source, frame, None)
        for name in agents.names:
            word = agents.words[name]
            yield f"card/{word}.svg", partial(agent_card, self.source, frame, name)
            yield f"badge/{word}.svg", partial(badges, self.source, frame, name)
        yield "data/", partial(data_page, self.source, frame)
        yield "method/", partial(method_page, self.source, frame)
        yield from data_files(self.source)
        if frame.repeat.file:
            yield f"data/{FILE}", frame.repeat.file.encode
        if not frame.folder:
            for name, content in shared_files().items():
                yield name, partial(bytes, content)

    def addresses(self) -> list[str]:
        """The addresses that a static site has."""
        return [*self._makers, *(f"match/{number}/" for number in self._told())]

    def page(self, address: str) -> bytes | None:
        """The bytes at an address, None if there is nothing."""
        if address in self._makers:
            return self._makers[address]()
        match = _MATCH.fullmatch(address)
        if match is not None and (self.all_told or int(match[1]) in self.matches.told):
            with suppress(ParlourError):  # no such match
                return self._match(int(match[1]))
        return None

    def _match(self, number: int) -> bytes:
        return match_page(self.source, self.frame, number, self.matches.told.get(number, ""))

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yields the files of the static site, by address."""
        for address, make in tracked(self._makers.items(), "Writing pages", len(self._makers)):
            yield address, make()
        numbers = self._told()
        for number in tracked(numbers, "Writing matches", len(numbers)):
            yield f"match/{number}/", self._match(number)

    def _told(self) -> list[int]:
        """The matches that a static site tells."""
        records = self.source.counted.records
        return [each.number for each in records] if self.all_told else [*self.matches.told]


# --- Several saves


def files_of(
    paths: Sequence[Path], ratings: Sequence[ComparableRatings] = (), *, all_told: bool = False
) -> Iterator[tuple[str, bytes]]:
    """Yields every file of the static site of some saves, by address; ``ratings`` are a store's."""
    if len(paths) == 1:
        site = Site(read_source(paths[0]), ratings=ratings, all_told=all_told)
        yield from site.files()
        return
    rows = []
    for path, folder in folders(paths).items():
        site = Site(read_source(path), folder=folder, ratings=ratings, all_told=all_told)
        rows.append((folder, site))
        for address, content in site.files():
            yield folder + address, content
    yield "", first_page(rows)
    yield from shared_files().items()


def folders(paths: Sequence[Path]) -> dict[Path, str]:
    """The folder of each save in a site of several."""
    words = slugs(str(path) for path in paths)
    short = slugs(path.stem for path in paths)
    used = short if len(short) == len(paths) else words
    return {path: f"{word}/" for path, word in zip(paths, used.values(), strict=True)}


def first_page(rows: Sequence[tuple[str, Site]]) -> bytes:
    """The first page of several saves; ``rows`` has the folder and the site of each."""
    shown = []
    total = 0
    for folder, site in rows:
        source = site.source
        line = finding(source, source.board.by("overall"), source.decided).line
        total += source.board.matches
        shown.append((folder, site.frame, line))
    newest = max((site.frame for _, site in rows), key=lambda frame: frame.time)
    facts = (f"{len(rows)}", f" tournaments · {total:,} matches")
    frame = replace(newest, name="", facts=facts, done=1.0, folder="", home=True)
    return render("several.html.j2", frame, "", "", "Tournaments", rows=shown)
