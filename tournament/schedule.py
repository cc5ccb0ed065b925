"""The schedule: which match is played by whom, counted as the rules of counting say."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

from games.dice import Dice
from games.game import Frozen
from games.moves import Seat
from games.table import Table
from tournament.config import GameEntry, Tournament


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """One match to be played; ``number`` counts from 1 and is its canonical place.

    ``experiment`` names the pairing under one condition of one game. ``counted`` are the seats
    that enter capabilities and win rates.
    """

    number: int
    entry: int
    setting: int
    experiment: str
    agents: tuple[str, ...]
    counted: tuple[Seat, ...]
    seed: int


def schedule(tournament: Tournament) -> Iterator[PlannedMatch]:
    """All matches of a tournament in canonical order: repetition, game, setting, pairing.

    Word games: per setting and unordered pair two matches with the sides swapped, each agent
    filling its side. ``challenger``: the same with the defender as the other agent of every
    pair. A game with a line-up: one match a setting.
    """
    number = 0
    for repetition in range(tournament.repetitions):
        for index, entry in enumerate(tournament.games):
            for setting_index, setting in enumerate(entry.settings()):
                for experiment, agents, counted in _pairings(tournament, entry, setting):
                    number += 1
                    yield PlannedMatch(
                        number,
                        index,
                        setting_index,
                        _named(entry, experiment),
                        agents,
                        counted,
                        Dice(tournament.seed, "match seed", number, repetition).below(2**63),
                    )


def _named(entry: GameEntry, experiment: str) -> str:
    condition = f" ({entry.condition})" if entry.condition else ""
    return f"{entry.game.name}{condition}: {experiment}"


def _pairings(
    tournament: Tournament, entry: GameEntry, setting: Frozen
) -> Iterator[tuple[str, tuple[str, ...], tuple[Seat, ...]]]:
    """Experiment, agent of each seat and counted seats, for every match of one setting."""
    everyone = tuple(Seat(i) for i in range(entry.game.seats))
    if entry.lineup is not None:
        yield " + ".join(entry.lineup), entry.lineup, everyone
        return
    names = [agent.name for agent in tournament.agents]
    defender = tournament.defender
    if defender is None:
        pairs = list(combinations(names, 2))
    else:
        pairs = [(name, defender) for name in names if name != defender]
    sides = entry.game.sides(setting)
    for pair in pairs:
        for own_side, other_side in (tuple(entry.game.roles), tuple(entry.game.roles)[::-1]):
            filled = {own_side: pair[0], other_side: pair[1]}
            agents = tuple(filled[side] for side in sides)
            counted = tuple(s for s in everyone if defender is None or agents[s] != defender)
            yield f"{pair[0]} vs {pair[1]}", agents, counted


def setting_key(record: Frozen) -> str:
    """A short name of a setting by its content; matches that share it form a cluster."""
    text = json.dumps(record.model_dump(mode="json"), sort_keys=True)
    return blake2b(text.encode(), digest_size=4).hexdigest()


def answers_of_a_match(entry: GameEntry) -> int:
    """How many answers one match takes, by playing one at random: exact where length is fixed."""
    table = Table(entry.game, entry.settings()[0], entry.game.seats, seed=0)
    answers = 0
    while table.pending is not None:
        ask, dice = table.pending, Dice("plan", table.ask_number)
        answers += len(ask.seats)
        table.answer({seat: ask.sample(seat, dice) for seat in ask.seats})
    return answers
