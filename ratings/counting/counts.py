"""What is counted in each match: k of n, by game, condition, agent, role and counter.

Every measure is a function of these counts, so each can be checked by hand.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from parlour.games.engine.game import BUILT_IN, Game
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.gossip import Count, of_encounters
from parlour.ratings.counting.impostor import of_halves, of_impostor
from parlour.ratings.counting.magic import of_magic
from parlour.ratings.counting.teams import of_sequences
from parlour.ratings.counting.theory import of_theory
from parlour.ratings.statistics.clusters import Clusters


class Key(NamedTuple):
    """Where a count belongs."""

    game: str
    condition: str
    agent: str
    role: str
    counter: str


Counts = dict[Key, dict[str, tuple[float, float]]]
"""(k, n) by key and cluster."""


def count(
    records: Sequence[MatchRecord], clusters: Clusters | None = None, *, particular: bool = True
) -> Counts:
    """All counts of the finished matches, by cluster.

    Without what is ``particular`` to one game those are left out that no leaderboard shows: the
    votes and teams of the impostor game, half of the time that counting it takes.
    """
    # By game, condition and cluster; then by agent, role and counter: a match fills one of these.
    sums: dict[tuple[str, str, str], dict[tuple[str, str, str], list[float]]] = defaultdict(
        lambda: defaultdict(lambda: [0.0, 0.0])
    )
    clusters = clusters or Clusters.of(records)
    for record in records:
        place = sums[record.game, record.condition, clusters.name(record)]
        for agent, role, counter, k, n in of_match(record, particular=particular):
            cell = place[agent, role, counter]
            cell[0] += k
            cell[1] += n
    in_order = chain(of_sequences(records), of_halves(records)) if particular else ()
    for record, (agent, role, counter, k, n) in in_order:
        # Consecutive matches hang together, whatever their settings.
        cluster = f"{record.game} experiment {record.experiment}"
        cell = sums[record.game, record.condition, cluster][agent, role, counter]
        cell[0] += k
        cell[1] += n
    counts: Counts = defaultdict(dict)
    for (game, condition, cluster), place in sums.items():
        for what, (k, n) in place.items():
            counts[Key(game, condition, *what)][cluster] = (k, n)
    return dict(counts)


def of_match(record: MatchRecord, *, particular: bool = True) -> Iterable[Count]:
    """Everything that one match adds; with or without what is ``particular`` to its game."""
    game = find_game(record.game, f"match {record.number}")
    outcome = record.outcome
    agents = zip(record.agents, outcome.payoffs, strict=True)
    welfare = sum(payoff for agent, payoff in agents if agent != BUILT_IN)
    guessed = any(answer.kind == "guess" for answer in record.answers)
    held: dict[tuple[str, str], list[Seat]] = defaultdict(list)
    for seat in record.counted:
        held[record.agents[seat], outcome.roles[seat]].append(seat)
    for (agent, role), seats in held.items():
        own = sum(outcome.payoffs[seat] for seat in seats) / len(seats)
        # Several seats of one role share the match's result: it counts once.
        most = game.roles[role]
        if most is not None:
            yield agent, role, "credits", own, most
        elif game.wins:
            won = sum(seat in outcome.winners for seat in seats) / len(seats)
            yield agent, role, "won", won, 1
        yield agent, role, "payoff", own, 1
        yield agent, role, "welfare", welfare, 1
        if role == game.special:
            got_away = outcome.ending in game.deceived or any(s in outcome.winners for s in seats)
            yield agent, role, "deceived", got_away, 1
        elif guessed:  # the caught special one guessed the word: wrong, or it got away with it
            yield agent, role, "fooled", outcome.ending not in game.deceived, 1
    given: dict[Seat, list[bool]] = defaultdict(list)
    for answer in record.answers:
        given[answer.seat].append(answer.fault is not None)
    for seat, faults in given.items():
        if seat in record.counted:
            role = outcome.roles[seat]
            yield record.agents[seat], role, "faults", sum(faults), len(faults)
    if "encounters" in outcome.facts:
        yield from of_encounters(record)
        yield from of_theory(record)
    yield from of_magic(record)
    if particular:
        yield from of_impostor(record)
    if game.special is not None:
        yield from _of_deductions(record, game)


def _of_deductions(record: MatchRecord, game: Game) -> Iterable[Count]:
    """Votes, own roles and beliefs, held against the true roles and against each other.

    A faulted answer stays due and is not correct. What another player believed is not known
    where that player's own answer was faulty, so a belief about it is then not due. A seat that
    knows itself for the special one is not asked what it believes itself, so neither its own view
    nor a belief about it is due.
    """
    roles = record.outcome.roles
    special = Seat(roles.index(game.special or ""))
    believed: dict[int, dict[Seat, Answered]] = defaultdict(dict)
    for answer in record.answers:
        agent, role = record.agents[answer.seat], roles[answer.seat]
        if answer.kind == "beliefs":
            believed[answer.ask][answer.seat] = answer
        if answer.seat not in record.counted:
            continue
        if answer.kind == "vote" and role != game.special:
            yield agent, role, "judgment", answer.value["suspect"] == special, 1
        elif answer.kind == "own_role":
            truth = "special" if role == game.special else "ordinary"
            yield agent, role, "own_role", answer.value["role"] == truth, 1
    for at_once in believed.values():
        views = {
            seat: {belief["viewer"]: belief["suspect"] for belief in answer.value["beliefs"]}
            for seat, answer in at_once.items()
        }
        for seat, answer in at_once.items():
            if seat not in record.counted:
                continue
            agent, role = record.agents[seat], roles[seat]
            for viewer, other in at_once.items():
                knows = viewer == special and roles[viewer] in game.knowing
                if knows:
                    continue
                if viewer == seat:
                    correct = views[seat].get(seat) == special
                elif other.fault is None:
                    correct = answer.fault is None and views[seat][viewer] == views[viewer][viewer]
                else:
                    continue
                yield agent, role, "reasoning", correct, 1
