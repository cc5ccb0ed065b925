"""Matches in memory: validation, digests, rebuilding. No disk, no event loop."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from time import process_time
from typing import Any

from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Frozen
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.tournament.save.replay import feed
from parlour.tournament.save.rows import StoredAnswer
from tests.benchmarks.measuring import Reading, bench, clocked, sized

GAME = find_game("undercover", "benchmark")


@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played at random, with every answer as it was given and as it is stored."""

    setting: Frozen
    seed: int
    asks: list[dict[Seat, dict[str, Any]]]
    stored: list[StoredAnswer]
    outcome: Any

    def table(self) -> Table:
        return Table(GAME, self.setting, GAME.seats(self.setting), self.seed)


@cache
def played() -> list[Played]:
    """300 matches of undercover over the shipped settings, seats answering at random."""
    settings = [GAME.make_setting(record, GAME.variant()) for record in GAME.shipped()]
    return [_play(settings[seed % len(settings)], seed) for seed in range(sized(300, 20))]


def _play(setting: Frozen, seed: int) -> Played:
    table = Table(GAME, setting, GAME.seats(setting), seed)
    asks, stored = [], []
    while (ask := table.pending) is not None:
        number, digest = table.ask_number, table.digest()
        given = {seat: ask.sample(seat, Dice(seed, number, seat)) for seat in ask.seats}
        stored += [
            StoredAnswer(
                seed + 1,
                number,
                seat,
                ask.kind,
                ask.round,
                value.model_dump_json(),
                None,
                1,
                None,
                digest,
            )
            for seat, value in given.items()
        ]
        asks.append({seat: _plain(value.model_dump()) for seat, value in given.items()})
        table.answer(given)
    return Played(setting, seed, asks, stored, table.outcome)


def _plain(value: Any) -> Any:
    """An answer as a model writes it: every number in this game's answers names a seat."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return player(value) if isinstance(value, int) and not isinstance(value, bool) else value


@bench
def asks_in_memory(runs: int) -> Iterator[Reading]:
    """Plain data of recorded answers fed to tables: validated, recorded, the rules played on."""
    matches = played()
    answers = sum(len(match.stored) for match in matches)

    def seconds(digests: bool) -> float:
        with clocked(process_time) as clock:
            for match in matches:
                table = match.table()
                for given in match.asks:
                    if digests:
                        table.digest()
                    table.answer(given)
        return clock.seconds

    plain = tuple(answers / seconds(digests=False) for _ in range(runs))
    yield Reading("asks in memory, validated", "answers/s", plain, aim=150_000)
    full = tuple(answers / seconds(digests=True) for _ in range(runs))
    yield Reading("the same with digests", "answers/s", full)


@bench
def rebuilding(runs: int) -> Iterator[Reading]:
    """Stored answers fed to tables, as a resume, a replay and a check do."""
    matches = played()
    answers = sum(len(match.stored) for match in matches)
    rates = []
    for _ in range(runs):
        with clocked(process_time) as clock:
            for match in matches:
                table = match.table()
                for answer in match.stored:
                    feed(table, answer)
        rates.append(answers / clock.seconds)
    yield Reading("stored answers replayed", "answers/s", tuple(rates))
