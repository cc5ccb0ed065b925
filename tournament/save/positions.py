"""Positions of answers: who spoke first, second and so on."""

from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from parlour.tournament.save.rows import StoredAnswer


class Place(NamedTuple):
    """The place of a question: match, round, kind and number."""

    match: int
    round: int
    kind: str
    ask: int

    @classmethod
    def of(cls, answer: StoredAnswer) -> "Place":
        return cls(answer.match, answer.round, answer.kind, answer.ask)


def positions_of(answers: Iterable[StoredAnswer]) -> dict[Place, int]:
    """The order of the questions of one kind in a round, from 1, where one player is asked each.

    Questions that several players are asked at once have no position.
    """
    asked = Counter(map(Place.of, answers))
    positions: dict[Place, int] = {}
    for _, group in groupby(sorted(asked), key=lambda place: place[:3]):
        places = list(group)
        if all(asked[place] == 1 for place in places):
            positions |= {place: position for position, place in enumerate(places, start=1)}
    return positions
