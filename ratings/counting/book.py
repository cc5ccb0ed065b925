"""A book of counts: each finished match is told once, and becomes a row of numbers.

What matches share, such as line-ups, outcomes and the counts of a shape, stands in tables. Rows and
tables only grow, so a save can store what was added last (``blocks.py``).
"""

import json
from array import array
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from parlour.games.engine.counting import Count, Counting
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.counts import basic_counts, detailed_counts
from parlour.ratings.counting.shapes import Flags, Ints, Shapes, number_of, place

NONE = -1
"""The number of a shape that a match has not."""


class CountBook:
    """Finished matches as rows of numbers, added in any order.

    ``details``: also what no leaderboard shows, which takes longer to count than all the rest.
    ``checks`` has for each match a number of the caller, such as a checksum of its outcome.
    ``places`` has the place of each match that does not stand at its number; it is not stored with
    the rows, since places change when a tournament grows.
    """

    def __init__(self, *, details: bool = True) -> None:
        self.details = details
        self.places: dict[int, int] = {}
        self.names: dict[str, int] = {}
        self.groups: dict[tuple[str, str, str, str], int] = {}
        """Game, condition, setting and experiment."""
        self.kinds: dict[tuple[Any, ...], int] = {}
        """Agents, counted seats, ending, payoffs, roles, sides and winners."""
        self._parts: list[dict[Any, Any]] = [{} for _ in range(7)]
        # Told with places for names, and as they are: matches of games without shapes, and texts.
        self.shaped, self.exact = Shapes(self.names), Shapes(self.names)
        self.answers: list[str] = []
        """JSON of the answers that sequences follow."""
        self.ladders: list[str] = []
        """JSON of the states of rating ladders (``skill/checkpoints.py``)."""
        self.numbers, self.checks = array("q"), array("I")
        self.of_group, self.of_kind, self.faulty = array("i"), array("i"), array("b")
        self.of_shaped, self.of_exact, self.of_answers = array("i"), array("i"), array("i")
        self.seeds, self.transcripts = array("q"), array("q")
        """Those of the records, ``NONE`` for None."""
        self.name_ends, self.in_places = array("i"), array("i")
        self._known: dict[Hashable, tuple[int, int]] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    def place_of(self, number: int) -> int:
        """Returns the place of a match in the order of ratings."""
        return self.places.get(number, number)

    def latest(self) -> tuple[Ints, Ints]:
        """The counted matches in order of their numbers, and the row of each.

        It is the last one where a match was counted again.
        """
        numbers = np.asarray(self.numbers)
        rows = np.argsort(numbers, kind="stable")
        known = numbers[rows]
        is_last = np.append(known[1:] != known[:-1], True)[: len(known)]
        return (known, rows) if is_last.all() else (known[is_last], rows[is_last])

    def holds(self, numbers: Sequence[int], checks: Sequence[int]) -> Flags:
        """True for each match that is counted with this check."""
        known, rows = self.latest()
        if not len(known):
            return np.zeros(len(numbers), np.bool_)
        wanted = np.asarray(numbers)
        places = np.searchsorted(known, wanted)
        np.minimum(places, len(known) - 1, out=places)
        held: Flags = known[places] == wanted
        held &= np.asarray(self.checks)[rows[places]] == np.asarray(checks)
        return held

    def add(self, record: MatchRecord, check: int = 0) -> None:
        """Counts a match."""
        game = find_game(record.game, f"match {record.number}")
        counting = game.counting
        outcome, groups = record.outcome, self.groups
        group = record.game, record.condition, record.setting, record.experiment
        kind = (
            *(record.agents, record.counted, outcome.ending, outcome.payoffs),
            *(outcome.roles, outcome.sides, outcome.winners),
        )
        shaped, exact, answers = NONE, NONE, NONE
        places: tuple[int, ...] = ()
        texts: tuple[Count, ...] = ()
        if counting.shape is None:
            exact, answers = self._add_exact(record, counting)
        else:
            distinct = list(dict.fromkeys(record.agents))
            slices = counting.slices(record) if self.details else ()
            ruled = distinct.index(BUILT_IN) if BUILT_IN in distinct else None
            known = (
                *(record.game, record.counted, tuple(map(distinct.index, record.agents)), ruled),
                *(counting.shape(record), *kind[2:], len(slices), self.details),
            )
            if known not in self._known:
                self._known[known] = self._add_shape(record, counting, distinct, len(slices))
            shaped, answers = self._known[known]
            names = self.names
            places = tuple(number_of(names, name) for name in (*slices, *distinct))
            texts = tuple(counting.texts(record)) if self.details else ()
            if texts:
                exact = self._shape_of_counts((), texts)
        self.numbers.append(record.number)
        if record.place is not None:
            self.places[record.number] = record.place
        self.checks.append(check)
        self.of_group.append(groups.setdefault(group, len(groups)))
        self.of_kind.append(self.number_of_kind(kind))
        self.faulty.append(record.is_faulty(game.probes))
        self.of_shaped.append(shaped)
        self.of_exact.append(exact)
        self.of_answers.append(answers)
        self.seeds.append(NONE if record.seed is None else record.seed)
        self.transcripts.append(NONE if record.transcript is None else record.transcript)
        self.in_places.extend(places)
        self.name_ends.append(len(self.in_places))

    def number_of_kind(self, kind: tuple[Any, ...]) -> int:
        """Returns the number of a kind, a new one where it has none; equal parts are one object."""
        if (number := self.kinds.get(kind)) is None:
            parts = zip(self._parts, kind, strict=True)
            kind = tuple(known.setdefault(part, part) for known, part in parts)
            number = self.kinds[kind] = len(self.kinds)
        return number

    def _add_shape(
        self, record: MatchRecord, counting: Counting, distinct: Sequence[str], slices: int
    ) -> tuple[int, int]:
        """Adds a shape, told of its first match with places for names; and its answers."""
        named = {
            agent: agent if agent == BUILT_IN else place(number)
            for number, agent in enumerate(distinct, start=slices)
        }
        anonymous = replace(record, agents=tuple(named[agent] for agent in record.agents))
        in_places = list(map(place, range(slices)))
        details = detailed_counts(anonymous, in_places) if self.details else ()
        number = self.shaped.add(*map(self.shaped.numbered, (basic_counts(anonymous), details)))
        return number, self._add_answers(record, counting)

    def _add_exact(self, record: MatchRecord, counting: Counting) -> tuple[int, int]:
        """Adds the counts of a match with its names, and its answers."""
        details: Iterable[Count] = ()
        if self.details:
            slices = counting.slices(record)
            details = chain(detailed_counts(record, slices), counting.texts(record))
        number = self._shape_of_counts(basic_counts(record), details)
        return number, self._add_answers(record, counting)

    def _shape_of_counts(self, basic: Iterable[Count], details: Iterable[Count]) -> int:
        of_leaderboard, others = map(self.exact.numbered, (basic, details))
        known = of_leaderboard.tobytes(), others.tobytes()
        if known not in self._known:
            self._known[known] = self.exact.add(of_leaderboard, others), NONE
        return self._known[known][0]

    def _add_answers(self, record: MatchRecord, counting: Counting) -> int:
        """Adds the answers that sequences of the game follow, if there are any."""
        if not self.details or not counting.followed:
            return NONE
        followed = [
            (answer.ask, answer.kind, answer.round, answer.seat, answer.value, answer.fault)
            for answer in record.answers
            if answer.kind in counting.followed
        ]
        self.answers.append(json.dumps(followed))
        return len(self.answers) - 1

    @property
    def columns(self) -> "list[array[int] | array[float]]":
        """All columns, which stored blocks continue."""
        return [
            *(self.numbers, self.checks, self.of_group, self.of_kind, self.faulty),
            *(self.of_shaped, self.of_exact, self.of_answers, self.seeds, self.transcripts),
            *(self.name_ends, self.in_places),
            *self.shaped.columns,
            *self.exact.columns,
        ]

    @property
    def tables(self) -> list[Collection[Any]]:
        """All tables, which stored blocks continue."""
        cells = self.shaped.cells, self.exact.cells
        return [self.names, self.groups, self.kinds, *cells, self.answers, self.ladders]
