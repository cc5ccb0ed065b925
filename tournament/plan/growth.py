"""Growth: the plan of a tournament that began smaller and got agents, games and repetitions.

Growth only appends: agents after the known agents, games after the known games, repetitions after
the known ones. Seeds do not depend on what else is planned: every match of the smaller tournament
is a match of the larger one, with the same seats and seed; it keeps its number and gets another
place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from parlour.games.engine.game import BUILT_IN
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import PlannedMatch, match_count, schedule


@dataclass(frozen=True, slots=True)
class Stage:
    """A tournament by then: its first agents, games (entries) and repetitions.

    ``against`` are the anchors of this stage's newcomers: the only earlier agents that these ever
    meet, None for all. ``pool`` is the number of agents, at the beginning, that have no matches
    among themselves; it is set in the first stage alone. ``matches`` is the most that an adaptive
    tournament plays.
    """

    agents: int
    games: int
    repetitions: int
    against: tuple[str, ...] | None = None
    pool: int = 0
    matches: int | None = None


def first_stage(
    tournament: Tournament, newcomers: Sequence[str] = (), against: Sequence[str] | None = None
) -> Stage:
    """Returns the stage of a tournament that is planned at once.

    With ``newcomers``, which must be its last agents, the others have no matches among themselves.
    """
    names = [agent.name for agent in tournament.agents]
    pool = len(names) - len(newcomers) if newcomers else 0
    assert names[len(names) - len(newcomers) :] == list(newcomers), "newcomers come last"
    anchors = None if against is None else tuple(against)
    games, most = len(tournament.games), tournament.most_matches
    return Stage(len(names), games, tournament.repetitions, anchors, pool, most)


def of_stage(tournament: Tournament, stage: Stage) -> Tournament:
    """The tournament as it was by then."""
    return replace(
        tournament,
        agents=tournament.agents[: stage.agents],
        games=tournament.games[: stage.games],
        repetitions=stage.repetitions,
        most_matches=stage.matches or tournament.most_matches,
    )


def grown(
    tournament: Tournament,
    stages: Sequence[Stage],
    planned: Sequence[int],
    taken_over: int | None = None,
) -> Iterator[tuple[int, PlannedMatch]]:
    """Yields place and match of the plan of a tournament that grew in these stages.

    Places count from 1 in canonical order, numbers by stage: ``planned`` has the number of matches
    before each stage. A later stage plans the matches that its newcomers, games and repetitions
    add. Line-ups of a file are played as they are, whomever newcomers may meet. If matches of other
    saves were ``taken_over`` instead of those of the first stage, the others stand after them.
    """
    if len(stages) == 1 and not stages[0].pool and taken_over is None:
        for match in schedule(tournament):
            yield match.number, match
        return
    names = [agent.name for agent in tournament.agents]
    joined = dict(zip(names, _firsts([stage.agents for stage in stages]), strict=True))
    joined |= dict.fromkeys(names[: stages[0].pool], -1)
    of_game = _firsts([stage.games for stage in stages])
    of_repetition = _firsts([stage.repetitions for stage in stages])
    in_a_repetition = match_count(tournament) // tournament.repetitions

    @lru_cache(maxsize=4096)  # a tournament repeats its seatings
    def of_agents(agents: tuple[str, ...], lineup: bool) -> int:
        """The stage in which the last of them joined, -1 if they never meet."""
        since = {name: joined[name] for name in agents if name != BUILT_IN}
        last = max(since.values())
        anchors = stages[last].against
        known = {name for name, stage in since.items() if stage < last}
        return -1 if anchors is not None and not lineup and known.difference(anchors) else last

    numbers, place = list(planned), taken_over or 0
    for match in schedule(tournament):
        met = of_agents(match.agents, tournament.games[match.entry].lineup is not None)
        if met < 0:
            continue
        repetition = (match.number - 1) // in_a_repetition
        stage = max(met, of_game[match.entry], of_repetition[repetition])
        if stage == 0 and taken_over is not None:
            continue
        place += 1
        numbers[stage] += 1
        yield place, replace(match, number=numbers[stage])


def _firsts(sizes: Sequence[int]) -> list[int]:
    """Returns for each of the things that were appended the stage that had it first."""
    firsts: list[int] = []
    for stage, size in enumerate(sizes):
        firsts += [stage] * (size - len(firsts))
    return firsts
