"""Schedules in blocks: an experiment visits the impostor's seats equally often.

Source: the impostor paper, appendix A.3. Cross-play: each block of four games has the impostor once
in each seat, in a drawn order. Team modes: each block of eight has it on the first team in seats 0
to 3, then on the second; the teams sit AABB, or BBAA where that seats the impostor on the right
team. With one agent in all seats the impostor's seat goes round.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import TYPE_CHECKING

from parlour.games.engine.dice import Dice

if TYPE_CHECKING:
    from parlour.tournament.plan.loader import GameEntry, Tournament

SEATS = 4


def block_length(entry: "GameEntry") -> int:
    """Matches of a block."""
    return 2 * SEATS if _assignment(entry) in entry.game.seating.teams else SEATS


def matches_of_an_experiment(entry: "GameEntry") -> int:
    """As many as the file says, else as many whole blocks as play every pair of words once."""
    length = block_length(entry)
    return entry.matches or -(-len(entry.records) // length) * length


def matches_in_blocks(tournament: "Tournament", entry: "GameEntry") -> int:
    """The matches of all experiments of one game, in one repetition."""
    return len(list(_experiments(tournament, entry))) * matches_of_an_experiment(entry)


def block_seatings(
    tournament: "Tournament", entry: "GameEntry", repetition: int
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Experiment, agents by seat and number of the setting, for each match in order.

    Words are dealt from the whole deck of pairs, which is shuffled anew when it is used up.
    """
    for title, agents in _experiments(tournament, entry):
        dice = Dice(tournament.seed, "blocks", entry.condition, title, repetition)
        count, length = matches_of_an_experiment(entry), block_length(entry)
        placings = [p for _ in range(0, count, length) for p in _block(entry, agents, dice)]
        pairs: list[int] = []
        while len(pairs) < count:
            pairs += dice.shuffled(range(len(entry.records)))
        for (seat, seated), pair in zip(placings[:count], pairs[:count], strict=True):
            yield title, seated, pair * SEATS + seat


def _assignment(entry: "GameEntry") -> str:
    assignment: str = entry.variant.model_dump()["assignment"]
    return assignment


def _experiments(
    tournament: "Tournament", entry: "GameEntry"
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The title of each experiment, with its one or two agents: (impostor, majority), (A, B)."""
    names = [agent.name for agent in tournament.agents]
    defender, assignment = tournament.defender, _assignment(entry)
    if defender is not None:
        names.remove(defender)
    if assignment == "homogeneous":
        for name in names:
            yield f"4 × {name}", (name,)
    elif assignment == "cross_play":
        for impostor, other in permutations([*names, *([defender] if defender else [])], 2):
            if defender in {None, impostor, other}:
                yield f"{impostor} vs 3 × {other}", (impostor, other)
    else:
        pairs = [(n, defender) for n in names] if defender else list(combinations(names, 2))
        for one, other in pairs:
            yield f"{one} + {other}", (one, other)


def _block(
    entry: "GameEntry", agents: Sequence[str], dice: Dice
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The impostor's seat and the agents by seat in each match of one block."""
    assignment = _assignment(entry)
    if assignment == "homogeneous":
        for seat in range(SEATS):
            yield seat, tuple(agents) * SEATS
    elif assignment == "cross_play":
        impostor, other = agents
        for seat in dice.shuffled(range(SEATS)):
            yield seat, tuple(impostor if place == seat else other for place in range(SEATS))
    else:
        for team, other in (agents, agents[::-1]):
            for seat in range(SEATS):
                own_first = (team, team, other, other)
                yield seat, own_first if seat < SEATS // 2 else own_first[::-1]
