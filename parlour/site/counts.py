"""All that a site counts match by match: cooperation, gossip, races, and the matches to tell."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from parlour.games.engine.game import BUILT_IN, Game
from parlour.games.engine.moves import Record
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.games.families.gossip_games import NEGATIVE
from parlour.ratings.counting.ties import KINDS, VOTE, Network, Tie, Ties
from parlour.ratings.skill.race import Race, Swing, add_to_races
from parlour.ratings.skill.trueskill_ladders import mean_payoffs
from parlour.ratings.statistics.intervals import Interval, clustered_wilson
from parlour.site.figures import number
from parlour.tournament.save.finished import last_answers, records_of
from parlour.tournament.save.reader import Save

AT_ONCE = 2000
"""Matches whose votes and choices are read together."""
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


# --- The matches to tell

Why = Literal["closest", "surprising", "swing", "example"]
MOST = 12
"""The most matches that are told."""


@dataclass(frozen=True, slots=True)
class ChosenMatch:
    """A match, and why it is told: each reason with a sentence that has its number."""

    match: int
    reasons: tuple[tuple[Why, str], ...]


class Closest:
    """The match of each game that was decided by the smallest margin."""

    def __init__(self) -> None:
        self._best: dict[str, tuple[float, int, str]] = {}
        self._examples: dict[str, int] = {}

    def add(self, record: MatchRecord, game: Game) -> None:
        """Compares one more match with the closest so far."""
        least = self._examples.get(record.game, record.number)
        self._examples[record.game] = min(least, record.number)
        margin = _of_ballot(record) or _of_payoffs(record, game)
        if margin is not None:
            closest = (margin[0], record.number, margin[1])
            self._best[record.game] = min(closest, self._best.get(record.game, closest))

    def by_game(self) -> dict[str, tuple[float, int, str]]:
        """Margin, number and words of the closest match of each game, the closest game first."""
        return dict(sorted(self._best.items(), key=lambda item: item[1]))

    def examples(self) -> dict[str, int]:
        """The first match of each game."""
        return dict(sorted(self._examples.items()))


def _of_ballot(record: MatchRecord) -> tuple[float, str] | None:
    """The lead in votes of the seat with most votes, as a share of the ballot; None if tied."""
    votes = [answer.value.get("suspect") for answer in record.decisions("vote")]
    named = Counter(vote for vote in votes if isinstance(vote, int))
    if len(named) < 2:
        return None
    (_, most), (_, second) = named.most_common(2)
    lead = most - second
    words = f"{most} votes against {second} in a ballot of {len(votes)}"
    return (lead / len(votes), words) if lead else None


def _of_payoffs(record: MatchRecord, game: Game) -> tuple[float, str] | None:
    """The lead in payoff of the best agent, as a share of the spread; None if it is shared."""
    if game.scoring.rated != "payoff":
        return None
    payoffs = sorted(mean_payoffs(record).values(), reverse=True)
    if len(payoffs) < 2 or payoffs[0] == payoffs[1]:
        return None
    words = f"The best two agents have {payoffs[0]:,.2f} and {payoffs[1]:,.2f} on average"
    return (payoffs[0] - payoffs[1]) / max(1.0, *map(abs, payoffs)), words


def chosen(
    surprises: Iterable[tuple[MatchRecord, float]], closest: Closest, swing: Swing | None
) -> Sequence[ChosenMatch]:
    """Returns the matches to tell: the most surprising, the biggest swing, the closest.

    Then for each other game its closest match, or its first one where none was close.
    """
    choices: dict[int, ChosenMatch] = {}
    games: set[str] = set()

    def choose(match: int, why: Why, words: str) -> None:
        before = choices[match].reasons if match in choices else ()
        choices[match] = ChosenMatch(match, (*before, (why, words)))

    ranked = max(surprises, key=lambda each: (each[1], -each[0].number), default=None)
    if ranked is not None:
        record, bits = ranked
        words = f"{bits:.2f} bits of surprise: the model gives such a result {100 * 2**-bits:.0f} %"
        choose(record.number, "surprising", words)
        games.add(record.game)
    if swing is not None:
        moved = f"μ moved from {number(swing.before)} to {number(swing.after)}"
        words = f"{swing.agent}: {moved}, {swing.size:.2f} of its σ"
        choose(swing.match, "swing", words)
        games.add(swing.game)
    by_game = closest.by_game()
    for game, (_, match, words) in by_game.items():
        choose(match, "closest", words)
        games.add(game)
        break  # the closest of all
    for game, first in closest.examples().items():
        if game in games:
            continue
        if game in by_game:
            choose(by_game[game][1], "example", f"The closest of its game: {by_game[game][2]}")
        else:
            choose(first, "example", "The first of its game")
    return list(choices.values())[:MOST]


# --- All of it


class SiteCounts:
    """All that is counted match by match, in the order in which the matches were over."""

    def __init__(self) -> None:
        self.races: dict[str | None, Race] = {}
        self.ties, self.gossip, self.rounds = Ties(), Gossip(), CooperationRounds()
        self.closest = Closest()

    @property
    def swing(self) -> Swing | None:
        """The largest move of a rating over all games."""
        return self.races[None].swing if self.races else None

    def networks(self) -> dict[str, Network]:
        """The ties of each kind."""
        networks: dict[str, Network] = {kind: self.ties.network(kind) for kind in KINDS}
        return networks | {"gossip": self.gossip.network()}

    def read(self, save: Save, numbers: Sequence[int]) -> None:
        """Counts these matches."""
        over = last_answers(save, 0)
        in_order = sorted(numbers, key=lambda number: over.get(number, 0))
        single = len({entry.game.name for entry in save.tournament.games}) == 1
        for begin in range(0, len(in_order), AT_ONCE):
            part = in_order[begin : begin + AT_ONCE]
            for record in records_of(save, part, [VOTE, *CHOICES]):
                self._count(record, single)

    def _count(self, record: MatchRecord, single: bool) -> None:
        add_to_races(self.races, record, single_game=single)
        self.ties.add(record)
        self.gossip.add(record)
        self.rounds.add(record)
        self.closest.add(record, find_game(record.game, f"match {record.number}"))
