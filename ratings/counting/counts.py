"""Counts of each match: k of n, by game, condition, agent, role and counter.

Every measure is a function of these counts, so each can be checked by hand.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from parlour.games.engine.counting import Count
from parlour.games.engine.game import BUILT_IN, Game
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.networks import of_ballot
from parlour.ratings.statistics.intervals import Sums


class CountKey(NamedTuple):
    """Key of a count."""

    game: str
    condition: str
    agent: str
    role: str
    counter: str


class NamesClusters(Protocol):
    """Names the cluster of each match."""

    def name(self, record: MatchRecord) -> str:
        """Returns the name of the cluster, unique over all games."""


Counts = dict[CountKey, Sums]
"""(k, n) by key and cluster."""


def summed(counts: Counts, keys: Iterable[CountKey]) -> Sums:
    """Returns (k, n) by cluster, summed over several keys."""
    sums: Sums = {}
    for key in keys:
        for cluster, (k, n) in counts[key].items():
            sum_k, sum_n = sums.get(cluster, (0.0, 0.0))
            sums[cluster] = (sum_k + k, sum_n + n)
    return sums


def of_match(record: MatchRecord, *, details: bool = True) -> Iterator[Count]:
    """Yields everything that one match adds; without ``details`` only for a leaderboard."""
    counting = find_game(record.game, f"match {record.number}").counting
    yield from basic_counts(record)
    if details:
        yield from detailed_counts(record, counting.slices(record))
        yield from counting.texts(record)


def basic_counts(record: MatchRecord) -> Iterator[Count]:
    """Yields what a match adds for a leaderboard."""
    game = find_game(record.game, f"match {record.number}")
    outcome = record.outcome
    agents = zip(record.agents, outcome.payoffs, strict=True)
    welfare = sum(payoff for agent, payoff in agents if agent != BUILT_IN)
    deceived = outcome.ending in game.scoring.deception_endings
    guessed = game.scoring.special is not None and any(
        answer.kind == "guess" for answer in record.answers
    )
    for (agent, role), seats in record.seats_of().items():
        own = sum(outcome.payoffs[seat] for seat in seats) / len(seats)
        # Several seats of one role share the match's result: it counts once.
        most = game.scoring.roles[role]
        if most is not None:
            yield agent, role, "credits", own, most
        elif game.scoring.wins:
            won = sum(seat in outcome.winners for seat in seats) / len(seats)
            yield agent, role, "won", won, 1
        yield agent, role, "payoff", own, 1
        yield agent, role, "welfare", welfare, 1
        if role == game.scoring.special:
            got_away = deceived or any(seat in outcome.winners for seat in seats)
            yield agent, role, "deceived", got_away, 1
        elif guessed:  # the special one was found out and guessed: wrong, or it got away with it
            yield agent, role, "fooled", not deceived, 1
    faults_of: dict[Seat, list[bool]] = defaultdict(list)
    for answer in record.answers:
        faults_of[answer.seat].append(answer.fault is not None)
    for seat, faults in faults_of.items():
        if seat in record.counted:
            role = outcome.roles[seat]
            yield record.agents[seat], role, "faults", sum(faults), len(faults)
    yield from game.counting.match(record)
    if game.counting.deductions and game.scoring.special is not None:
        yield from _of_deductions(record, game)


def detailed_counts(record: MatchRecord, slices: Sequence[str]) -> Iterator[Count]:
    """Yields what a match adds for measures alone, but for what is read from texts."""
    counting = find_game(record.game, f"match {record.number}").counting
    for count in counting.details(record):
        yield count
        agent, _, counter, k, n = count
        if counter in counting.sliced:
            for each in slices:
                yield agent, each, f"{counter}_by_slice", k, n
    if counting.ballot is not None:
        yield from of_ballot(record, counting.ballot(record))


def _of_deductions(record: MatchRecord, game: Game) -> Iterator[Count]:
    """Votes, own roles and beliefs, compared with the true roles and with each other.

    A faulty answer counts in the denominator and is not correct. Where another player's own
    answer was faulty its belief is not known, so beliefs about it do not count. A seat that knows
    to be the special one is not asked for its own view, so neither that view nor beliefs about it
    count.

    The MAGIC release gives one point for the own view and one if all views of others are right.
    """
    roles = record.outcome.roles
    special = Seat(roles.index(game.scoring.special or ""))
    believed: dict[int, dict[Seat, Answered]] = defaultdict(dict)
    for answer in record.answers:
        agent, role = record.agents[answer.seat], roles[answer.seat]
        if answer.kind == "beliefs":
            believed[answer.ask][answer.seat] = answer
        if answer.seat not in record.counted:
            continue
        if answer.kind == "vote" and role != game.scoring.special:
            yield agent, role, "judgment", answer.value["suspect"] == special, 1
        elif answer.kind == "own_role":
            truth = "special" if role == game.scoring.special else "ordinary"
            yield agent, role, "own_role", answer.value["role"] == truth, 1
    knows = roles[special] in game.scoring.roles_told
    for at_once in believed.values():
        yield from _of_beliefs(record, at_once, special, knows)


def _of_beliefs(
    record: MatchRecord, at_once: Mapping[Seat, Answered], special: Seat, knows: bool
) -> Iterator[Count]:
    """Beliefs that were asked at once: a point for the own view, and one for all views of others.

    ``knows``: the special one knows itself, so its own view is not asked.
    """
    views = {seat: _suspects(answer) for seat, answer in at_once.items()}
    known = {
        seat: views[seat].get(seat)
        for seat, answer in at_once.items()
        if answer.fault is None and not (knows and seat == special)
    }
    for seat in at_once:
        if seat not in record.counted:
            continue
        agent, role = record.agents[seat], record.outcome.roles[seat]
        if not (knows and seat == special):
            yield agent, role, "reasoning", views[seat].get(seat) == special, 1
        others = [viewer for viewer in known if viewer != seat]
        if others:
            due = {viewer: known[viewer] for viewer in others}
            given = {viewer: view for viewer, view in views[seat].items() if viewer in due}
            yield agent, role, "reasoning", given == due, 1


def _suspects(answer: Answered) -> dict[Seat, Seat | None]:
    """The suspect of each viewer, as a player believes."""
    return {belief["viewer"]: belief["suspect"] for belief in answer.value["beliefs"]}
