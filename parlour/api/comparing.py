"""Comparisons of the agents of a save."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from operator import itemgetter
from pathlib import Path

from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.ratings.comparison.comparison import Comparison, compare_pairs
from parlour.ratings.measures.conditions import condition_name, is_condition
from parlour.ratings.measures.role_counts import paired_counters
from parlour.ratings.statistics.corrections import Correction
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.growing.check import raise_if_damaged
from parlour.tournament.save.reader import Save


@dataclass(frozen=True, slots=True)
class Compared:
    """The sides of a comparison: two agents, two conditions of ``agent``, or pairs of agents.

    These are all pairs, or all agents ``against`` one. ``game`` and ``role`` are None for all.
    """

    one: str | None = None
    other: str | None = None
    agent: str | None = None
    against: str | None = None
    game: str | None = None
    role: str | None = None

    def pairs(self, agents: Sequence[str]) -> list[tuple[str, str]]:
        """The pairs of a tournament with these agents."""
        if self.one is not None and self.other is not None:
            return [(self.one, self.other)]
        if self.against is None:
            return list(combinations(agents, 2))
        return [(name, self.against) for name in agents if name != self.against]


def comparisons_of(
    path: Path, wanted: Compared, measures: Sequence[str] = (), correction: Correction = "holm"
) -> list[Comparison]:
    """Agents of a save compared, or two conditions of one, as one family.

    BadInput if they or a measure cannot be compared.
    """
    known = paired_counters()
    for measure in measures:
        if measure not in known:
            fix = suggestion(measure, known)
            raise BadInput("--measure", f"{measure!r} cannot be compared", fix)
    with Save(path) as save, raise_if_damaged(save):
        refuse_sides(save.tournament, str(path), wanted)
        records = [r for r in save.records() if wanted.game in {None, r.game}]
        pairs = wanted.pairs([config.name for config in save.tournament.agents])
    if wanted.role is not None:
        roles = sorted(set(chain.from_iterable(record.outcome.roles for record in records)))
        if wanted.role not in roles:
            raise BadInput("--role", f"nobody was {wanted.role!r}", suggestion(wanted.role, roles))
    compared = compare_pairs(records, pairs, measures, correction, wanted.agent, wanted.role)
    if any(comparison.differences for comparison in compared):
        return [comparison for comparison in compared if comparison.differences]
    of_agent = f" of {wanted.agent!r}" if wanted.agent is not None else ""
    named = f"{pairs[0][0]!r} and {pairs[0][1]!r}" if len(pairs) == 1 else "the agents"
    problem = f"{named}{of_agent} share no measured game, setting and role"
    if measures:
        played = ", ".join(sorted({record.game for record in records}))
        problem += f" that has {' or '.join(measures)} (games: {played or 'none'})"
    fix = "only counted seats of finished matches count: see `parlour plan`"
    raise BadInput(str(path), problem, fix)


def refuse_sides(tournament: Tournament, place: str, wanted: Compared) -> None:
    """BadInput for agents or conditions that the tournament has not, or that are the same."""
    one, other, agent = wanted.one, wanted.other, wanted.agent
    names = [config.name for config in tournament.agents]
    for name in (one, other, wanted.against) if agent is None else (agent,):
        if name is not None and name not in names:
            fix = f"the save has {', '.join(names)}"
            raise BadInput(place, f"there is no agent {name!r}", fix)
    if agent is None:
        if len(names) == 1 or (one is not None and one == other):
            raise BadInput(place, f"{one or names[0]!r} is one agent", "name two to compare")
        return
    named = [_named(tournament, side) for side in (one, other)]
    for text, conditions in zip((one, other), named, strict=True):
        if not conditions:
            known = dict.fromkeys(condition_name(each.condition) for each in tournament.games)
            raise BadInput(place, f"there is no condition {text!r}", f"it has {'; '.join(known)}")
    if named[0] & named[1]:
        raise BadInput(place, f"{one!r} and {other!r} are one condition", "name two to compare")


def games_left_out(tournament: Tournament, wanted: Compared) -> list[str]:
    """The games of a comparison of conditions that were not played under both."""
    sides = [_named(tournament, side) for side in (wanted.one, wanted.other)]
    one, other = (set(map(itemgetter(0), side)) for side in sides)
    played = dict.fromkeys(entry.game.name for entry in tournament.games)
    return [name for name in played if name not in one & other and wanted.game in {None, name}]


def _named(tournament: Tournament, text: str | None) -> set[tuple[str, str]]:
    """The games and conditions that a side names."""
    played = {(entry.game.name, entry.condition) for entry in tournament.games}
    return {each for each in played if is_condition(str(text), *each)}
