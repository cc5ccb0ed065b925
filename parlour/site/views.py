"""Views of the standings: all matches, or those of a family, game, role or condition.

Each has an address, and another one without the matches that had a fault.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parlour.ratings.counting.counted import Counted
from parlour.ratings.measures.conditions import condition_name
from parlour.ratings.reports.leaderboard import Leaderboard, Standing
from parlour.ratings.reports.ranking import leaderboard, leaderboard_by_condition
from parlour.site.addresses import slugs
from parlour.site.source import SiteSource
from parlour.tui.models import game_names

WITHOUT = "without-faults/"
ON_PAGE = 40
"""The most agents on a page of the standings."""


@dataclass(frozen=True, slots=True)
class StandingsView:
    """A choice of the standings.

    ``part`` is a role or a condition of the game, as ``kind`` says. ``page`` counts pages of
    ``ON_PAGE`` agents.
    """

    family: str = ""
    game: str = ""
    kind: str = ""
    part: str = ""
    sound: bool = False
    page: int = 1


class Views:
    """The views of a save and their standings, each computed when it is first asked for."""

    def __init__(self, source: SiteSource) -> None:
        self.source = source
        self._boards: dict[tuple[str, bool], Leaderboard] = {("", False): source.board}
        self._conditions: dict[bool, Leaderboard] = {}
        records = source.counted.records
        self.has_faults = any(source.counted.book.faulty[row] for row in source.counted.rows)
        self._counts: dict[str, int] = {}
        self._parts: dict[tuple[str, str], list[str]] = {}
        for record in records:
            self._counts[record.game] = self._counts.get(record.game, 0) + 1
        for standing in source.board.by("role"):
            self._add("role", standing.game, standing.role)
        self._parts = {key: roles for key, roles in self._parts.items() if len(roles) > 1}
        pairs = sorted({(record.game, record.condition) for record in records})
        played = [game for game, _ in pairs]
        if any(played.count(game) > 1 for game in played):
            for game, condition in pairs:
                if played.count(game) > 1:
                    self._add("condition", game, condition_name(condition))
        names = dict.fromkeys(entry.game.name for entry in source.tournament.games)
        self.planned = sorted(names, key=lambda game: game_names.family_place(family_of(game)))

    def _add(self, kind: str, game: str | None, part: str | None) -> None:
        parts = self._parts.setdefault((kind, game or ""), [])
        if part and part not in parts:
            parts.append(part)

    @property
    def families(self) -> list[str]:
        """The families of the games of the tournament."""
        return list(dict.fromkeys(family_of(game) for game in self.planned))

    def matches(self, game: str) -> int:
        """The number of finished matches of a game."""
        return self._counts.get(game, 0)

    def played(self, family: str) -> bool:
        """True if a match of the family is finished."""
        return any(self.matches(game) for game in self.planned if family_of(game) == family)

    def parts(self, kind: str, game: str) -> dict[str, str]:
        """The roles or conditions of a game, each with its word in addresses."""
        return slugs(self._parts.get((kind, game), ()))

    def all(self) -> Iterator[StandingsView]:
        """Yields every view that has matches, page by page."""
        for view in self._first_pages():
            yield view
            for page in range(2, self.pages(view) + 1):
                yield replace(view, page=page)

    def pages(self, view: StandingsView) -> int:
        """The number of pages of a view."""
        if len(self.source.tournament.agents) <= ON_PAGE:
            return 1  # without the standings, which may take long
        return max(1, -(-len(self.standings(view)) // ON_PAGE))

    def _first_pages(self) -> Iterator[StandingsView]:
        for sound in (False, True) if self.has_faults else (False,):
            yield StandingsView(sound=sound)
            if len(self.families) > 1:
                for family in filter(self.played, self.families):
                    yield StandingsView(family, sound=sound)
            for game in filter(self.matches, self.planned):
                family = family_of(game)
                yield StandingsView(family, game, sound=sound)
                for kind in ("role", "condition"):
                    for part in self.parts(kind, game):
                        yield StandingsView(family, game, kind, part, sound)

    def address(self, view: StandingsView) -> str:
        """The address of a view."""
        if view.page > 1:
            return f"{self.address(replace(view, page=1))}page/{view.page}/"
        start = WITHOUT if view.sound else ""
        if view.part:
            word = self.parts(view.kind, view.game)[view.part]
            return f"{start}game/{view.game}/{view.kind}/{word}/"
        if view.game:
            return f"{start}game/{view.game}/"
        return f"{start}by/{view.family}/" if view.family else start

    def board(self, view: StandingsView) -> Leaderboard:
        """The leaderboard of the matches of a view's family, or of all."""
        whole = len(self.families) == 1 or view.game
        key = "" if whole else view.family, view.sound
        if key not in self._boards:
            counted = self._counted(*key)
            self._boards[key] = leaderboard(counted)
        return self._boards[key]

    def _counted(self, family: str, sound: bool) -> Counted:
        counted = self.source.counted
        if sound:
            counted = counted.without_faults()
        pairs = zip(counted.rows, counted.records, strict=True)
        rows = [row for row, record in pairs if family in ("", family_of(record.game))]
        return Counted(counted.book, rows)

    def conditions(self, sound: bool) -> Leaderboard:
        """The leaderboard by condition."""
        if sound not in self._conditions:
            counted = self._counted("", sound)
            self._conditions[sound] = leaderboard_by_condition(counted)
        return self._conditions[sound]

    def standings(self, view: StandingsView) -> Sequence[Standing]:
        """The standings of a view, best first."""
        if view.kind == "condition":
            rows = self.conditions(view.sound).by("condition")
            return [row for row in rows if (row.game, row.condition) == (view.game, view.part)]
        board = self.board(view)
        if view.kind == "role":
            return [
                row for row in board.by("role") if (row.game, row.role) == (view.game, view.part)
            ]
        if view.game:
            return [row for row in board.by("game") if row.game == view.game]
        return board.by("overall")


def family_of(game: str) -> str:
    """The family of a game, which every one has here."""
    return game_names.family_of(game) or "other"
