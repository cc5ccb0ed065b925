"""Ties between agents: who accuses and who helps whom, of the times it could have."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from parlour.games.engine.game import BUILT_IN, Game
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.statistics.intervals import Interval, wilson

Kind = Literal["accused", "helped"]
KINDS: tuple[Kind, ...] = ("accused", "helped")
VOTE = "vote"
"""The kind of ask that ``Counting.deductions`` declares; its answer names a suspect."""
FEWEST = 3
"""Chances from which on a share says something."""


@dataclass(frozen=True, slots=True)
class Tie:
    """``agent`` acted so toward ``other`` in ``times`` of ``chances``."""

    agent: str
    other: str
    times: int
    chances: int

    @property
    def share(self) -> float:
        """The share of chances in which it acted so."""
        return self.times / self.chances

    @property
    def interval(self) -> Interval:
        """The Wilson interval of the share."""
        return wilson(self.times, self.chances)

    @property
    def sound(self) -> bool:
        """True if there were chances enough for the share to say something."""
        return self.chances >= FEWEST


@dataclass(frozen=True, slots=True)
class Network:
    """All ties of one kind, by agent and other."""

    ties: Mapping[tuple[str, str], Tie] = field(default_factory=dict)

    def received(self, agent: str) -> Tie | None:
        """Returns what all others together did to an agent; None if nobody had a chance."""
        own = [tie for tie in self.ties.values() if tie.other == agent]
        chances = sum(tie.chances for tie in own)
        return Tie("", agent, sum(tie.times for tie in own), chances) if chances else None

    def strongest(self, count: int) -> list[Tie]:
        """Returns the sound ties that occurred, the most frequent first."""
        sound = [tie for tie in self.ties.values() if tie.sound and tie.times]
        return sorted(sound, key=_strength)[:count]

    def one_sided(self, count: int) -> list[tuple[Tie, Tie]]:
        """Returns the pairs whose shares differ most: the tie that is stronger, and that back."""
        pairs = []
        for (agent, other), tie in self.ties.items():
            back = self.ties.get((other, agent))
            if back is not None and tie.sound and back.sound and tie.share > back.share:
                pairs.append((tie, back))
        pairs.sort(key=lambda pair: (pair[1].share - pair[0].share, *_strength(pair[0])))
        return pairs[:count]


def _strength(tie: Tie) -> tuple[float, int, str, str]:
    return -tie.share, -tie.chances, tie.agent, tie.other


class Ties:
    """Counts of ties; matches are added as they are over.

    An accusation is a vote; its chances are the votes that an agent cast at a table where the
    other sat too. Help is an action in a meeting that could help. Fallbacks and seats that the
    rules play are left out.
    """

    def __init__(self) -> None:
        self._counts: dict[Kind, dict[tuple[str, str], list[int]]] = {
            kind: defaultdict(lambda: [0, 0]) for kind in KINDS
        }

    def add(self, record: MatchRecord) -> None:
        """Counts one more match; of its answers it reads the votes alone."""
        game = find_game(record.game, f"match {record.number}")
        if game.counting.deductions:
            self._add("accused", _accusations(record))
        if game.hints.encounter is not None:
            self._add("helped", _help(record, game))

    def _add(self, kind: Kind, actions: Iterator[tuple[str, str, bool]]) -> None:
        for agent, other, acted in actions:
            if agent != other and BUILT_IN not in (agent, other):
                counts = self._counts[kind][agent, other]
                counts[0] += acted
                counts[1] += 1

    def network(self, kind: Kind) -> Network:
        """Returns the ties counted so far."""
        counts = self._counts[kind]
        return Network({pair: Tie(*pair, *numbers) for pair, numbers in counts.items()})


def _accusations(record: MatchRecord) -> Iterator[tuple[str, str, bool]]:
    """Yields for each vote the voter, each other agent at the table, and True if it is named."""
    for answer in record.answers:
        if answer.kind != VOTE or answer.fault is not None:
            continue
        suspect = answer.value.get("suspect")
        named = None  # nobody, or no seat
        if isinstance(suspect, int) and 0 <= suspect < len(record.agents):
            named = record.agents[suspect]
        for other in sorted({*record.agents}):
            yield record.agents[answer.seat], other, other == named


def _help(record: MatchRecord, game: Game) -> Iterator[tuple[str, str, bool]]:
    """Yields for each action of a meeting who acted, toward whom, and True if it helped."""
    faulty = {
        (answer.kind, answer.round, answer.seat)
        for answer in record.answers
        if answer.fault is not None
    }
    read = game.hints.encounter
    assert read is not None
    for step, met in enumerate(record.outcome.facts.get("encounters", ()), start=1):
        for action in read(met).actions:
            if action.helped is not None and (action.kind, step, action.by) not in faulty:
                yield record.agents[action.by], record.agents[action.to], action.helped
