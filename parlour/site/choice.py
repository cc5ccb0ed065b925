"""Choice of the matches that a report tells in full."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from parlour.games.engine.game import Game
from parlour.games.engine.record import MatchRecord
from parlour.ratings.skill.race import Swing
from parlour.ratings.skill.trueskill_ladders import mean_payoffs
from parlour.site.figures import number

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
