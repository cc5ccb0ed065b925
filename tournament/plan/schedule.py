"""The schedule: which match is played by whom, counted as the rules of counting say."""

import json
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

from parlour.games.engine.dice import Dice
from parlour.games.engine.game import BUILT_IN, Frozen
from parlour.games.engine.moves import Seat
from parlour.games.engine.table import Table
from parlour.tournament.plan.blocks import block_seatings
from parlour.tournament.plan.loader import GameEntry, Tournament


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
    pair. Three-seat payoff games: per setting and ordered pair three matches, the first agent in
    each seat and the other filling the rest; the defender is never that first one. Gossip games:
    per unordered pair, the seats shared out in turn and swapped at the next repetition. Impostor:
    experiments in blocks (``blocks.py``). A game with a line-up: one match a setting.
    """
    number = 0
    for repetition in range(tournament.repetitions):
        for index, entry in enumerate(tournament.games):
            condition = f" ({entry.condition})" if entry.condition else ""
            for experiment, agents, counted, setting in _matches(tournament, entry, repetition):
                number += 1
                yield PlannedMatch(
                    number,
                    index,
                    setting,
                    f"{entry.game.name}{condition}: {experiment}",
                    agents,
                    counted,
                    Dice(tournament.seed, "match seed", number, repetition).below(2**63),
                )


def _matches(
    tournament: Tournament, entry: GameEntry, repetition: int
) -> Iterator[tuple[str, tuple[str, ...], tuple[Seat, ...], int]]:
    """Experiment, agents by seat, counted seats and number of the setting of each match."""
    game = entry.game
    if game.seating.pairing == "blocks" and entry.lineup is None:
        for title, agents, place in block_seatings(tournament, entry, repetition):
            yield title, agents, _counted(agents, {tournament.defender}), place
        return
    left_out = {BUILT_IN, *([tournament.defender] if entry.lineup is None else [])}
    for number, setting in enumerate(entry.settings()):
        for title, played in _players(tournament, entry, setting, repetition):
            agents = played + (BUILT_IN,) * game.seating.built_in(setting)
            yield title, agents, _counted(agents, left_out), number


def _counted(agents: tuple[str, ...], left_out: Set[str | None]) -> tuple[Seat, ...]:
    return tuple(Seat(seat) for seat, agent in enumerate(agents) if agent not in left_out)


def _players(
    tournament: Tournament, entry: GameEntry, setting: Frozen, repetition: int
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The experiment and the agents of the seats that agents fill."""
    if entry.lineup is not None:
        shares = Counter(entry.lineup).items()
        yield " + ".join(f"{n} × {name}" if n > 1 else name for name, n in shares), entry.lineup
        return
    names = [agent.name for agent in tournament.agents]
    defender = tournament.defender
    if defender is None:
        pairs = list(combinations(names, 2))
    else:
        pairs = [(name, defender) for name in names if name != defender]
    sides = entry.game.sides(setting)
    for pair in pairs:
        title = f"{pair[0]} vs {pair[1]}"
        if entry.game.seating.pairing == "shared":
            # In turn; the next repetition begins with the other, who then has the odd seat.
            seats = range(len(sides) - entry.game.seating.built_in(setting))
            yield title, tuple(pair[(seat + repetition) % 2] for seat in seats)
            continue
        if entry.game.seating.pairing == "each_seat":
            for challenger, other in (pair, pair[::-1])[: 2 if defender is None else 1]:
                for seat in range(len(sides)):
                    yield (
                        title,
                        tuple(
                            challenger if place == seat else other for place in range(len(sides))
                        ),
                    )
            continue
        roles = tuple(entry.game.scoring.roles)
        for own_side, other_side in (roles, roles[::-1]):
            filled = {own_side: pair[0], other_side: pair[1]}
            yield title, tuple(filled[side] for side in sides)


def setting_key(record: Frozen) -> str:
    """A short name of a setting by its content; matches that share it form a cluster."""
    text = json.dumps(record.model_dump(mode="json"), sort_keys=True)
    return blake2b(text.encode(), digest_size=4).hexdigest()


def answers_of_a_match(entry: GameEntry) -> int:
    """How many answers one match takes, by playing one at random: exact where length is fixed."""
    setting = entry.setting(0)
    table = Table(entry.game, setting, entry.game.seats(setting), seed=0)
    answers = 0
    while table.pending is not None:
        ask, dice = table.pending, Dice("plan", table.ask_number)
        answers += len(ask.seats)
        table.answer({seat: ask.sample(seat, dice) for seat in ask.seats})
    return answers
