"""Block schedules: in each experiment the special role sits equally often in every seat.

Source: the impostor paper, appendix A.3. Cross-play: each block of four matches has the impostor
once in each seat, in a random order. Team modes: each block of eight has the impostor on the first
team in seats 0 to 3, then on the second; the teams sit AABB, or BBAA where that puts the impostor
on the right team. With one agent in all seats, the impostor's seat rotates. Other groups likewise:
a block has a match for each seat, or two in team modes. Of several impostors, this is the first;
the others are those of the setting.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, permutations

from parlour.games.engine.dice import Dice
from parlour.tournament.plan.model import GameEntry, Tournament


def block_length(entry: GameEntry) -> int:
    """Number of matches in a block."""
    return _seats(entry) * (2 if _assignment(entry) in entry.game.seating.teams else 1)


def matches_of_an_experiment(entry: GameEntry) -> int:
    """The file's ``matches``, or as many whole blocks as play every pair of words at least once."""
    length = block_length(entry)
    blocks = -(-len(entry.records) // length)  # rounded up
    return entry.matches or blocks * length


def matches_in_blocks(tournament: Tournament, entry: GameEntry) -> int:
    """Number of matches of all experiments of one game, in one repetition."""
    return len(list(_experiments(tournament, entry))) * matches_of_an_experiment(entry)


def block_seatings(
    tournament: Tournament, entry: GameEntry, repetition: int
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Yields experiment, agents by seat and number of the setting, for each match in order.

    Words are dealt from a shuffled deck of all pairs; a used-up deck is shuffled again. With common
    seeding, experiments of one assignment and length have the same deck and order of seats, whoever
    plays them under whatever condition.
    """
    common = None
    if tournament.seeding == "common":
        common = _dealt(entry, Dice(tournament.seed, "blocks", repetition))
    for title, agents in _experiments(tournament, entry):
        own = tournament.seed, "blocks", entry.condition, title, repetition
        for places, number in common or _dealt(entry, Dice(*own)):
            yield title, _seated(agents, places), number


@lru_cache(maxsize=4096)  # the same seats recur in every block
def _seated(agents: tuple[str, ...], places: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(agents[place] for place in places)


def _dealt(entry: GameEntry, dice: Dice) -> list[tuple[tuple[int, ...], int]]:
    """Returns the agents of an experiment by seat, as 0 and 1, and the setting of each match."""
    count = matches_of_an_experiment(entry)
    blocks: list[tuple[int, tuple[int, ...]]] = []
    while len(blocks) < count:
        blocks += _block(entry, dice)
    pairs: list[int] = []
    while len(pairs) < count:
        pairs += dice.shuffled(range(len(entry.records)))
    seats = _seats(entry)
    dealt = [
        (places, pair * seats + seat)
        for (seat, places), pair in zip(blocks[:count], pairs[:count], strict=True)
    ]
    if _assignment(entry) == "cross_play" and _special(entry) > 1:
        return [(_by_side(entry, number), number) for _, number in dealt]
    return dealt


def _special(entry: GameEntry) -> int:
    """Number of seats of the special role."""
    return entry.game.sides(entry.setting(0)).count(entry.game.scoring.special or "")


def _by_side(entry: GameEntry, number: int) -> tuple[int, ...]:
    """The agents of a cross-play by seat: the first has the special role."""
    sides = entry.game.sides(entry.setting(number))
    return tuple(int(side != entry.game.scoring.special) for side in sides)


def _seats(entry: GameEntry) -> int:
    """Number of seats: each setting of a record puts the special role into another one."""
    return entry.settings_of_a_record


def _assignment(entry: GameEntry) -> str:
    assignment: str = entry.variant.model_dump()["assignment"]
    return assignment


def _experiments(tournament: Tournament, entry: GameEntry) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields each experiment's title and its one or two agents: (impostor, majority) or (A, B)."""
    names = [agent.name for agent in tournament.agents]
    seats = _seats(entry)
    defender, assignment = tournament.defender, _assignment(entry)
    if defender is not None:
        names.remove(defender)
    if assignment == "homogeneous":
        for name in names:
            yield f"{seats} × {name}", (name,)
    elif assignment == "cross_play":
        special = _special(entry)
        several = f"{special} × " if special > 1 else ""
        for impostor, other in permutations([*names, *([defender] if defender else [])], 2):
            if defender in {None, impostor, other}:
                title = f"{several}{impostor} vs {seats - special} × {other}"
                yield title, (impostor, other)
    else:
        pairs = [(n, defender) for n in names] if defender else list(combinations(names, 2))
        for one, other in pairs:
            yield f"{one} + {other}", (one, other)


def _block(entry: GameEntry, dice: Dice) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yields the special role's seat and the agents by seat, for each match of one block.

    The agents are the first of an experiment (0) and the second (1).
    """
    assignment, seats = _assignment(entry), _seats(entry)
    if assignment == "homogeneous":
        for seat in range(seats):
            yield seat, (0,) * seats
    elif assignment == "cross_play":
        for impostor_seat in dice.shuffled(range(seats)):
            yield impostor_seat, tuple(int(seat != impostor_seat) for seat in range(seats))
    else:
        # The special role's team has the first half of the seats, or the second if it sits there.
        for team, other in ((0, 1), (1, 0)):
            for seat in range(seats):
                team_first = (*(team,) * (seats // 2), *(other,) * (seats // 2))
                yield seat, team_first if seat < seats // 2 else team_first[::-1]


def unbalanced(tournament: Tournament) -> list[str]:
    """Sentences on the blocks of a file that favour agents, each with the number that does not."""
    if tournament.schedule == "adaptive" or tournament.fork is not None:
        return []
    entries = enumerate(tournament.games)
    problems = [(f"games[{index}], {e.game.name}", _problem(tournament, e)) for index, e in entries]
    return [f"{place}: {problem}" for place, problem in problems if problem]


def repeated(tournament: Tournament) -> list[str]:
    """Sentences on blocks of a file that play the matches of another one again."""
    games = list(tournament.games)
    again = dict.fromkeys(each.title for n, each in enumerate(games) if each in games[:n])
    return [
        f"two blocks of {title} are the same, so its matches are played twice; `repetitions` plays"
        " all matches more often"
        for title in again
    ]


def _problem(tournament: Tournament, entry: GameEntry) -> str:
    """Why the matches of an entry are not balanced, and what would be; "" if they are."""
    if entry.lineup is not None:
        return ""
    pairing = entry.game.seating.pairing
    if pairing == "blocks" and (length := block_length(entry)) and (entry.matches or 0) % length:
        whole = matches_of_an_experiment(entry) // length * length + length
        return (
            f"{entry.matches} matches an experiment are no whole blocks of {length}, so some have"
            f" the special role more often; matches = {whole} would balance them"
        )
    # A pair shares an odd seat by turns. Among an odd number of agents all have as many in sum.
    turns = entry.setting_count * tournament.repetitions
    odd = pairing == "shared" and tournament.defender is None and entry.agent_seats % 2
    if odd and turns % 2 and len(tournament.agents) % 2 == 0:
        return (
            "some agents have a seat more than others; an even number of settings, or repetitions ="
            f" {tournament.repetitions + 1}, would balance them"
        )
    return ""
