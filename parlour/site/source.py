"""Source of a site: a save, read once and at one moment, with everything computed from it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

from parlour.api.status import SaveStatus, read_status
from parlour.games.engine.table import Table
from parlour.ratings.counting.counted import Counted
from parlour.ratings.counting.ties import Network
from parlour.ratings.measures.measures import Row, measures
from parlour.ratings.reliability.reliability import Reliability, reliability
from parlour.ratings.reports.decided_ranks import DecidedRanks
from parlour.ratings.reports.leaderboard import Leaderboard
from parlour.ratings.skill.race import RaceChart
from parlour.ratings.skill.strength_model import surprises
from parlour.site.counts import ChosenMatch, CooperationRounds, SiteCounts, chosen
from parlour.site.steps import ToldStep, steps_of
from parlour.tournament.plan.model import Tournament
from parlour.tournament.reports.conduct import Conduct, conduct
from parlour.tournament.reports.counted_matches import MatchCounter, raise_if_false
from parlour.tournament.reports.growth_history import AddedStage as Growth
from parlour.tournament.reports.growth_history import growth_history
from parlour.tournament.reports.leaderboards import current_leaderboard, decided_ranks
from parlour.tournament.reports.thoughts import Thought, thoughts
from parlour.tournament.save.provenance.alarms import Alarm, alarms_of
from parlour.tournament.save.provenance.remarks import Remark, remarks_of
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import Diverged
from parlour.tournament.save.rows import MatchCount, RunOptions, Spent, StoredMatch
from parlour.tui.look.cast import Cast
from parlour.tui.look.palette import DAY

BARRED = "people play in it, and it opens when it is over"
POINTS = 120
"""The most points of a line of the race."""
CLASSES = replace(DAY, people=tuple(f"p{n}" for n in range(12)), soft="p-other", faint="p-rules")
"""A palette of classes in place of colours: the page sets these by theme."""


@dataclass(frozen=True, slots=True)
class ToldMatch:
    """A match that the site tells in full.

    ``table`` is None where the match cannot be replayed; ``problem`` then says why.
    """

    match: StoredMatch
    table: Table | None
    steps: Sequence[ToldStep]
    thoughts: Sequence[Thought]
    problem: str = ""


@dataclass(frozen=True)
class SiteSource:
    """All that the pages of a save are made of.

    ``count`` and everything else are of the same moment. ``decided`` is None where the schedule is
    not adaptive. ``counted`` are the finished matches; what takes long is computed from them when
    it is first asked for.
    """

    path: Path
    name: str
    status: SaveStatus
    counted: Counted
    tournament: Tournament
    count: MatchCount
    options: RunOptions
    history: tuple[Growth, ...]
    spent: Spent
    board: Leaderboard
    decided: DecidedRanks | None
    conducts: Sequence[Conduct]
    cast: Cast
    version: str
    remarks: Sequence[Remark]
    alarms: Sequence[Alarm]

    @contextmanager
    def _opened(self) -> Iterator[Save]:
        """The save, for work on its counts: BadSave if they are false."""
        with Save(self.path) as save, raise_if_false(save):
            yield save

    @cached_property
    def rows(self) -> Sequence[Row]:
        """All measures."""
        with self._opened():
            return measures(self.counted)

    @cached_property
    def reliability(self) -> Reliability:
        """The agreement that another tournament would show."""
        with self._opened():
            return reliability(self.counted, details=False)

    @cached_property
    def _counts(self) -> SiteCounts:
        counts = SiteCounts()
        with self._opened() as save:
            counts.read(save, [record.number for record in self.counted.records])
        return counts

    @property
    def rounds(self) -> CooperationRounds:
        """Cooperation over the rounds."""
        return self._counts.rounds

    @cached_property
    def races(self) -> Mapping[str | None, RaceChart]:
        """The ratings over the matches, of all games and of each."""
        return {game: race.chart(POINTS) for game, race in self._counts.races.items()}

    @cached_property
    def networks(self) -> Mapping[str, Network]:
        """The ties of each kind."""
        return self._counts.networks()

    @cached_property
    def choices(self) -> Sequence[ChosenMatch]:
        """The matches to tell."""
        clusters = self.counted.clusters
        counts = self._counts
        with self._opened():
            return chosen(surprises(self.counted, clusters), counts.closest, counts.swing)

    @property
    def games(self) -> list[str]:
        """The names of the games that were played, in the order of the tournament."""
        played = {standing.game for standing in self.board.standings}
        names = dict.fromkeys(entry.game.name for entry in self.tournament.games)
        return [name for name in names if name in played]

    @property
    def agents(self) -> list[str]:
        """The agents in the order of the leaderboard."""
        return [standing.agent for standing in self.board.by("overall")]


def read_source(path: Path) -> SiteSource:
    """Reads a save."""
    status = read_status(path)
    with Save(path) as save, save.one_moment(), raise_if_false(save):
        return SiteSource(
            path=path,
            name=save.name,
            status=status,
            counted=MatchCounter().counted(save),
            tournament=save.tournament,
            count=save.match_count(),
            options=save.control(),
            history=growth_history(save),
            spent=save.spent(),
            board=current_leaderboard(save),
            decided=decided_ranks(save),
            conducts=conduct(save),
            cast=Cast([agent.name for agent in save.tournament.agents], CLASSES),
            version=version("parlour"),
            remarks=[_without_hosts(remark) for remark in remarks_of(save)],
            alarms=alarms_of(save),
        )


def _without_hosts(remark: Remark) -> Remark:
    """A remark without the addresses of servers, which are on no page."""
    if remark.kind != "hosts":
        return remark
    return replace(remark, sentence=remark.sentence.partition(":")[0])


def read_told(path: Path, number: int) -> ToldMatch:
    """A match with its steps. BadInput for a match that the save lacks."""
    with Save(path) as save, save.one_moment():
        match = save.match(number)
        answers = save.answers_of(number)
        private = thoughts(answers, len(match.agents))
        if match.outcome is None and not set(save.tournament.people).isdisjoint(match.agents):
            return ToldMatch(match, None, (), (), BARRED)
        try:
            table, steps = steps_of(save.tournament, match, answers)
        except Diverged as difference:
            return ToldMatch(match, None, (), private, str(difference))
        return ToldMatch(match, table, steps, private)
