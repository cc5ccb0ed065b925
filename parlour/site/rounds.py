"""Cooperation over the rounds of a match, and gossip in its meetings: who speaks ill of whom."""

from collections import defaultdict
from collections.abc import Iterator

from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import Record
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.games.families.gossip_games import NEGATIVE
from parlour.ratings.counting.ties import Network, Tie
from parlour.ratings.statistics.intervals import Interval, clustered_wilson

CHOICES = ("choose",)
"""Kinds of asks whose answer is to cooperate or to defect."""
MOST_POINTS = 12
"""The most points of a line; longer matches are cut into so many parts."""
_COOPERATES = {"cooperate": True, "defect": False}

Share = tuple[int, int, float, float, Interval | None]
"""The first and the last round of a part, k, n, and the interval of k / n."""


class CooperationRounds:
    """Counts of cooperation by game, agent and round. Fallbacks are left out."""

    def __init__(self) -> None:
        # k and n by match: the matches are the clusters of the intervals.
        self._counts: dict[tuple[str, str], dict[int, dict[int, list[int]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(lambda: [0, 0]))
        )

    def add(self, record: MatchRecord) -> None:
        """Counts one match."""
        for agent, round, cooperated in _decisions(record):
            if agent != BUILT_IN:
                counts = self._counts[record.game, agent][round][record.number]
                counts[0] += cooperated
                counts[1] += 1

    def games(self) -> list[str]:
        """The games with any such decision."""
        return sorted({game for game, _ in self._counts})

    def agents(self, game: str) -> list[str]:
        """The agents that decided in a game."""
        return sorted(agent for of_game, agent in self._counts if of_game == game)

    def unit(self, game: str) -> str:
        """The word for a round: players meet in some games."""
        meets = find_game(game, "report").hints.encounter is not None
        return "meeting" if meets else "round"

    def course(self, game: str, agent: str) -> list[Share]:
        """The shares of an agent by round, or by part of a match with many rounds."""
        by_round = self._counts[game, agent]
        last = max(max(self._counts[game, other]) for other in self.agents(game))
        size = -(-last // MOST_POINTS)
        shares = []
        for first in range(1, last + 1, size):
            clusters: dict[int, list[int]] = defaultdict(lambda: [0, 0])
            for round in range(first, first + size):
                for match, (k, n) in by_round.get(round, {}).items():
                    clusters[match][0] += k
                    clusters[match][1] += n
            if clusters:
                pairs = [(float(k), float(n)) for k, n in clusters.values()]
                k, n = (sum(column) for column in zip(*pairs, strict=True))
                end = min(first + size - 1, last)
                shares.append((first, end, k, n, clustered_wilson(pairs)))
        return shares


def _decisions(record: MatchRecord) -> Iterator[tuple[str, int, bool]]:
    """Yields the decisions of counted seats: agent, round, and True if it cooperated."""
    read = find_game(record.game, f"match {record.number}").hints.encounter
    if read is None:
        for kind in CHOICES:
            for answer in record.decisions(kind):
                cooperated = _COOPERATES.get(str(answer.value.get("action")))
                if cooperated is not None:
                    yield record.agents[answer.seat], answer.round, cooperated
        return
    faulty = _faulty(record)
    for step, met in enumerate(record.outcome.facts.get("encounters", ()), start=1):
        for action in read(met).actions:
            decided = action.helped is not None and (action.kind, step, action.by) not in faulty
            if decided and action.by in record.counted:
                yield record.agents[action.by], step, bool(action.helped)


class Gossip:
    """Counts of the messages of agents about each other.

    Fallbacks and seats that the rules play are left out.
    """

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])

    def add(self, record: MatchRecord) -> None:
        """Counts one match."""
        read = find_game(record.game, f"match {record.number}").hints.encounter
        if read is None:
            return
        faulty = _faulty(record)
        for step, met in enumerate(record.outcome.facts.get("encounters", ()), start=1):
            encounter = read(met)
            for speaker, message in encounter.messages.items():
                about = next(seat for seat in encounter.pair if seat != speaker)
                pair = record.agents[speaker], record.agents[about]
                published = message.get("tone") is not None or message.get("signal") is not None
                played = pair[0] != pair[1] and BUILT_IN not in pair
                if published and played and ("gossip", step, speaker) not in faulty:
                    self._counts[pair][0] += _is_ill(message)
                    self._counts[pair][1] += 1

    def network(self) -> Network:
        """Returns the ties counted so far."""
        return Network({pair: Tie(*pair, *numbers) for pair, numbers in self._counts.items()})


def _is_ill(message: Record) -> bool:
    return message.get("tone") in NEGATIVE or message.get("signal") == 0


def _faulty(record: MatchRecord) -> set[tuple[str, int, int]]:
    """The answers with a fault, by kind, round and seat."""
    return {(a.kind, a.round, a.seat) for a in record.answers if a.fault is not None}
