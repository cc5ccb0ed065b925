"""Groups of agents that never met: no match tells how strong one group is beside another."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from parlour.games.common.text import one_line
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game

MOST_GROUPS, MOST_AGENTS = 4, 4
"""Groups that a sentence names, and agents of each."""
MOST_PLACES = 3
"""Games or conditions that have a sentence of their own."""


@dataclass(frozen=True, slots=True)
class NeverMet:
    """The groups of ranked agents that share no match, not even over common opponents.

    They are those of a game or of one of its conditions, or of all games together (None). The
    largest group comes first.
    """

    game: str | None
    groups: tuple[tuple[str, ...], ...]
    condition: str | None = None

    @property
    def sentence(self) -> str:
        """The groups in words; of many groups and agents, the first ones."""
        place = "" if self.game is None else f"In {self.game}, "
        if self.condition is not None:
            place = f"In {self.game} ({self.condition}), "
        shown = [_listed(group) for group in self.groups[:MOST_GROUPS]]
        more = len(self.groups) - len(shown)
        groups = " | ".join(shown) + (f" | and {more} more" if more else "")
        return (
            f"{place}{len(self.groups)} groups of agents have not met, not even over common"
            f" opponents: {groups}. Ranks, strengths and ratings compare within a group alone."
        )


def _listed(agents: Sequence[str]) -> str:
    shown = ", ".join(map(one_line, agents[:MOST_AGENTS]))
    more = len(agents) - MOST_AGENTS
    return f"{shown} and {more} more" if more > 0 else shown


def never_met(
    matches: Iterable[MatchRecord], ranked: Mapping[str | None, Collection[str]]
) -> tuple[NeverMet, ...]:
    """Returns the groups of all games together (None), and of games that are split further.

    ``ranked`` has the agents with a rank in each game, and overall by None. Seats that the rules
    play count as an opponent that all have in common.
    """
    met: dict[str | None, set[frozenset[str]]] = {game: set() for game in (None, *ranked)}
    for record in matches:
        game = find_game(record.game, f"match {record.number}")
        if record.game in ranked and game.scoring.rated != "none":
            line_up = frozenset(record.agents)
            met[None].add(line_up)
            met[record.game].add(line_up)
    overall = _groups(met.pop(None), ranked.get(None, ()))
    splits = [NeverMet(None, overall)] if len(overall) > 1 else []
    for name, line_ups in met.items():
        groups = _groups(line_ups, ranked[name])
        if groups != _groups([frozenset(group) for group in overall], ranked[name]):
            splits.append(NeverMet(name, groups))
    return tuple(splits)


def _groups(
    line_ups: Iterable[frozenset[str]], ranked: Collection[str]
) -> tuple[tuple[str, ...], ...]:
    """Returns the ranked agents that met, directly or not, in an order that names decide."""
    groups: list[frozenset[str]] = []
    for line_up in line_ups:
        known = [group for group in groups if group & line_up]
        apart = [group for group in groups if not group & line_up]
        groups = [*apart, line_up.union(*known)]
    named = [tuple(sorted(group.intersection(ranked))) for group in groups]
    return tuple(sorted(filter(None, named), key=lambda group: (-len(group), group)))


def never_met_sentences(splits: Sequence[NeverMet]) -> list[str]:
    """Returns a sentence on each of some groups, and one that counts the others."""
    more = len(splits) - MOST_PLACES
    sentences = [each.sentence for each in splits[:MOST_PLACES]]
    return sentences + [f"So it is {more} times more; --format json has all groups."] * (more > 0)
