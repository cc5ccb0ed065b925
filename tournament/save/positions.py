"""Positions of answers: who spoke first, second and so on."""

from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from parlour.tournament.save.rows import StoredAnswer


def positions_of(answers: Iterable[StoredAnswer]) -> dict[tuple[int, int], int]:
    """The order of the questions of one kind in a round, from 1, where one player is asked each.

    A question is its match and its number there. Questions that several players are asked at once
    have no position.
    """
    asked = Counter((answer.match, answer.round, answer.kind, answer.ask) for answer in answers)
    positions: dict[tuple[int, int], int] = {}
    for (match, *_), group in groupby(sorted(asked), key=lambda place: place[:3]):
        places = list(group)
        if all(asked[place] == 1 for place in places):
            positions |= {(match, ask): n for n, (*_, ask) in enumerate(places, start=1)}
    return positions
