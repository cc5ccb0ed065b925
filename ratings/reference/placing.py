"""The place of a newcomer on the frozen scale.

The strength model of `ratings/skill`, with every parameter of the pool held at its frozen value:
only the newcomer's skill is estimated, from its matches against the pool. That is the linking of
item response theory by fixed anchors (fixed parameter calibration): Kim 2006. Games are estimated
one by one; a newcomer's overall strength is the mean over the games that it played.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from parlour.games.engine.game import BUILT_IN
from parlour.ratings.counting.counted import Counted, Finished, counted
from parlour.ratings.reference.scale import GameScale, Scale
from parlour.ratings.skill.paired_outcomes import paired_outcomes
from parlour.ratings.skill.strength_model import Fit
from parlour.ratings.statistics.clusters import Clusters
from parlour.ratings.statistics.intervals import Spread, combined

Level = tuple[str, float]
"""A player of the pool and its strength."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A newcomer's strength above the anchor, with its error, in a game, a role or overall.

    ``se``, ``low`` and ``high`` (the 95 % interval) are None with too few clusters. ``matches`` are
    those that rate it. ``pool`` are the players of the pool, the strongest first.
    """

    game: str | None
    role: str | None
    value: float
    spread: Spread
    matches: int
    pool: tuple[Level, ...]

    @property
    def se(self) -> float | None:
        """The standard error."""
        return max(self.spread.se, self.spread.least) if self.spread.enough else None

    @property
    def low(self) -> float | None:
        """The lower end of the interval."""
        return None if self.spread.half is None else self.value - self.spread.half

    @property
    def high(self) -> float | None:
        """The upper end of the interval."""
        return None if self.spread.half is None else self.value + self.spread.half

    @property
    def stronger(self) -> str | None:
        """The weakest player of the pool above it; None if it is above all."""
        return next((name for name, value in reversed(self.pool) if value > self.value), None)

    @property
    def weaker(self) -> str | None:
        """The strongest player of the pool that is not above it; None if all are."""
        return next((name for name, value in self.pool if value <= self.value), None)

    @property
    def alike(self) -> tuple[str, ...]:
        """The players of the pool whose strength is in the interval."""
        half = self.spread.half or 0.0
        return tuple(name for name, value in self.pool if abs(value - self.value) <= half)


@dataclass(frozen=True, slots=True)
class FaultCount:
    """The number of a newcomer's answers in its matches against the pool, and of the faulty ones
    of them."""

    faults: int
    answers: int


@dataclass(frozen=True, slots=True)
class Rating:
    """The strengths of a newcomer: overall, by game and by role. ``overall`` is None before its
    first match against the pool. ``faults`` are by game, overall by None."""

    newcomer: str
    scale: Scale
    overall: Placement | None
    by_game: dict[str, Placement] = field(default_factory=dict)
    by_role: dict[tuple[str, str], Placement] = field(default_factory=dict)
    faults: dict[str | None, FaultCount] = field(default_factory=dict)

    def all(self) -> Iterator[Placement]:
        """Yields the overall strength, then each game followed by its roles if it has several."""
        if self.overall is not None:
            yield self.overall
        for name, placed in self.by_game.items():
            yield placed
            yield from (role for (game, _), role in self.by_role.items() if game == name)


def placed(matches: Finished, newcomer: str, scale: Scale) -> Rating:
    """Returns the strengths of an agent from its matches against the pool; no others count."""
    every = counted(matches, details=False)
    pool = {newcomer, BUILT_IN, *scale.agents}
    of_game: dict[str, list[int]] = {name: [] for name in scale.games}
    for row, record in zip(every.rows, every.records, strict=True):
        if record.game in of_game and newcomer in record.agents and pool.issuperset(record.agents):
            of_game[record.game].append(row)
    rating = Rating(newcomer, scale, None)
    for name, rows in of_game.items():
        own = Counted(every.book, rows)
        for place in _in_game(own, newcomer, scale.games[name]):
            if place.role is None:
                rating.by_game[name] = place
                rating.faults[name] = _faults(own, newcomer)
            else:
                rating.by_role[name, place.role] = place
    if not rating.by_game:
        return rating
    faults = sum(each.faults for each in rating.faults.values())
    rating.faults[None] = FaultCount(faults, sum(each.answers for each in rating.faults.values()))
    # Games are independent, so the variance of their mean is that of their sum over n².
    places, n = rating.by_game.values(), len(rating.by_game)
    whole = combined([place.spread for place in places])
    spread = whole._replace(se=whole.se / n, least=whole.least / n)
    value, rated = sum(place.value for place in places) / n, sum(place.matches for place in places)
    overall = Placement(None, None, value, spread, rated, pool_over(scale, list(rating.by_game)))
    return replace(rating, overall=overall)


def _faults(matches: Counted, newcomer: str) -> FaultCount:
    """Counts the answers of a newcomer in some matches."""
    faults = answers = 0.0
    for key, by_cluster in matches.counts(details=False).items():
        if key.counter == "faults" and key.agent == newcomer:
            faults += sum(k * each.times for each, (k, _) in by_cluster.items())
            answers += sum(n * each.times for each, (_, n) in by_cluster.items())
    return FaultCount(round(faults), round(answers))


def _in_game(matches: Counted, newcomer: str, scale: GameScale) -> Iterator[Placement]:
    """Yields the strength in a game, and in each role if it has several."""
    # The scale is that of the pool's settings, so these are no sample: clusters are observations.
    clusters = Clusters(dict.fromkeys([scale.game], "observation"))
    for name, game in paired_outcomes(matches, clusters).items():
        fit = Fit({name: game}, scale.held)
        skill = fit.model.overall_skills()[newcomer]
        value, spread = fit.estimate(skill)
        anchor = sum(scale.skill(scale.anchor, role) for role in game.roles) / len(game.roles)
        yield Placement(name, None, value - anchor, spread, game.matches[newcomer], levels(scale))
        for role in game.roles if len(game.roles) > 1 else ():
            if rated := game.matches.get((role, newcomer)):
                value, spread = fit.estimate(fit.model.role_skills(name, role)[newcomer])
                value -= scale.skill(scale.anchor, role)
                yield Placement(name, role, value, spread, rated, levels(scale, role))


def levels(scale: GameScale, role: str | None = None) -> tuple[Level, ...]:
    """Returns the players of the pool in a game or role with their strengths, strongest first."""
    known = [(label, scale.strength(agent, role)) for agent, label in scale.players.items()]
    return tuple(sorted(known, key=lambda level: (-level[1], level[0])))


def pool_over(scale: Scale, games: Sequence[str]) -> tuple[Level, ...]:
    """Returns the agents of the pool with their mean strengths over some games."""
    means = []
    for agent in scale.agents:
        strengths = [scale.games[game].strength(agent) for game in games]
        means.append((agent, sum(strengths) / len(strengths)))
    return tuple(sorted(means, key=lambda level: (-level[1], level[0])))
