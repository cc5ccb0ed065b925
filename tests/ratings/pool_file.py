"""The file of a reference pool: its outcomes as counts, and the parameters fitted to them.

Outcomes are whole numbers: how often which party was above which. Parameters are rounded, so that
the file is the same on every machine.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from parlour.ratings.skill.paired_outcomes import GameOutcomes, PairedOutcome, Party
from parlour.ratings.skill.strength_model import StrengthModel

DIGITS = 5
"""Decimals of a parameter: a hundredth of the standard errors of the pool."""
Points = dict[PairedOutcome, tuple[int, int]]
"""Points won and lost of the first party, by paired outcome."""


def points_of(game: GameOutcomes) -> Points:
    """Returns the points of all matches of a game together."""
    sums: dict[PairedOutcome, list[int]] = {}
    for kind in game.clusters:
        for outcome, (won, lost) in game.kinds[kind].items():
            total = sums.setdefault(outcome, [0, 0])
            total[0] += won
            total[1] += lost
    return {outcome: (won, lost) for outcome, (won, lost) in sorted(sums.items())}


def fingerprint(points: Points) -> str:
    """Returns a fingerprint of points."""
    return blake2b(json.dumps(written(points)).encode(), digest_size=8).hexdigest()


def fitted(name: str, game: GameOutcomes) -> list[list[str | float]]:
    """Returns the parameters of the strength model of one game, each with its value."""
    model = StrengthModel({name: game})
    mode, _covariance = model.fit(model.all_matches())
    return [
        [*parameter, round(float(mode[index]), DIGITS)]
        for parameter, index in sorted(model.index.items())
    ]


def written(points: Points) -> list[Any]:
    """Returns points as plain data: both parties, pairs, won, lost."""
    return [
        [_party(outcome.first), _party(outcome.second), outcome.pairs, won, lost]
        for outcome, (won, lost) in points.items()
    ]


def _party(party: Party) -> list[Any]:
    seats = [[role, agent, count] for (role, agent), count in party.seats]
    return [party.position, seats, party.size]


def outcomes_on_file(game: Mapping[str, Any]) -> GameOutcomes:
    """Returns the outcomes of a game in a pool's file, as one cluster; matches are not counted."""
    points = {
        PairedOutcome(_read(first), _read(second), pairs): (won, lost)
        for first, second, pairs, won, lost in game["outcomes"]
    }
    return GameOutcomes(
        tuple(sorted(points)),
        (points,),
        (0,),
        {},
        tuple(game["roles"]),
        tuple(game["positions"]),
        tuple(sorted(game["players"])),
    )


def _read(party: list[Any]) -> Party:
    position, seats, size = party
    return Party(position, tuple(((role, agent), count) for role, agent, count in seats), size)
