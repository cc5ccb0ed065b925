"""Statistics of finished matches: measures and strengths of the impostor paper's experiment."""

import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time

from trueskill import Rating, TrueSkill

from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Frozen
from parlour.games.engine.moves import Fault, FaultKind
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.engine.table import Table
from parlour.games.impostor import GAME
from parlour.ratings.counting.book import CountBook
from parlour.ratings.counting.counted import Counted
from parlour.ratings.measures.measures import measures
from parlour.ratings.reports.ranking import leaderboard
from parlour.ratings.skill.strength_model import strengths
from parlour.ratings.skill.trueskill_ladders import net_shares
from parlour.ratings.statistics.simultaneous import RANK_DRAWS
from parlour.tournament.plan.schedule import schedule, setting_key
from tests.benchmarks.measuring import Reading, bench, clocked, sized
from tests.ratings.laddered import rate
from tests.ratings.records import drawn
from tests.tournaments import tournament

PAPER = 'name = "paper"\npreset = "impostor-paper"\n'
AGENT = '\n[[agents]]\nname = "Agent {}"\nstrategy = "random"\n'
PLAYED = 250
"""Matches really played for each seat of the impostor; they stand for all others."""
LINE_UPS = ("xxy", "xyz", "yyz")
WORDS = ("the", "it", "you", "of", "often", "with", *(f"word{chr(97 + n)}" for n in range(26)))


@cache
def experiment() -> tuple[MatchRecord, ...]:
    """90,720 finished matches of nine agents, with descriptions of 25 words."""
    agents = "".join(map(AGENT.format, range(sized(9, 2))))
    with TemporaryDirectory() as folder:
        plan = tournament(Path(folder), PAPER + agents)
    settings = [entry.settings() for entry in plan.games]
    keys = [list(map(setting_key, entry.records)) for entry in plan.games]
    covariates = [[*map(entry.covariates, range(len(entry.settings())))] for entry in plan.games]
    spread = len(GAME.settings_file.expand_settings(GAME.variant()))
    random = Random(1)
    records = []
    for match in schedule(plan):
        setting = settings[match.entry][match.setting].model_dump()
        number = match.number % PLAYED
        one = _played(setting["impostor_seat"], number)
        texts = (" ".join(random.choices(WORDS, k=25)) for _ in range(4))
        records.append(
            replace(
                one,
                number=match.number,
                condition=plan.games[match.entry].condition,
                setting=keys[match.entry][match.setting // spread],
                agents=match.agents,
                counted=match.counted,
                answers=tuple(
                    replace(answer, value={"text": next(texts)})
                    if answer.kind == "clue"
                    else answer
                    for answer in one.answers
                ),
                experiment=match.experiment,
                covariates=covariates[match.entry][match.setting],
            )
        )
    return tuple(records)


@cache
def _played(impostor_seat: int, seed: int) -> MatchRecord:
    """A match at random, one answer in fifty a fault."""
    variant = GAME.variant.model_validate({"probes": "off"})
    setting: Frozen = GAME.make_setting(GAME.shipped()[0], variant, impostor_seat)
    table = Table(GAME, setting, 4, seed)
    while (ask := table.pending) is not None:
        for seat in ask.seats:
            dice = Dice(seed, "bench", table.ask_number, seat)
            faulty = dice.chance(0.02)
            table.answer({seat: Fault(FaultKind.EMPTY) if faulty else ask.sample(seat, dice)})
    answers = tuple(
        Answered(event.ask, event.kind, event.round, event.by, event.record, event.fault)
        for event in table.events
        if event.by is not None
    )
    assert table.outcome is not None
    return MatchRecord(1, GAME.name, "", "", (), table.seats, table.outcome, answers)


@bench
def measures_of_the_paper(runs: int) -> Iterator[Reading]:
    """Every measure of 90,720 matches of impostor, from records in memory."""
    records = experiment()
    seconds = []
    for _ in range(runs):
        with clocked(process_time) as clock:
            measures(records)
        seconds.append(clock.seconds)
    what = f"measures of {len(records):,} matches of impostor"
    yield Reading(what, "s", tuple(seconds), aim=10, better="less")


@bench
def strength(runs: int) -> Iterator[Reading]:
    """Strengths of the same matches with all draws; beside it counting alone, and the memory."""
    records = experiment()
    strengths(records[:100])  # the first time loads scipy
    seconds, counted = [], []
    for _ in range(runs):
        with clocked(process_time) as clock:
            strengths(records)
        seconds.append(clock.seconds)
        with clocked(process_time) as clock:
            Counter((record.agents, record.outcome.winners) for record in records)
        counted.append(clock.seconds)
    what = f"strengths of {len(records):,} matches of impostor, {RANK_DRAWS:,} draws"
    yield Reading(what, "s", tuple(seconds), aim=5, better="less")
    what = "yardstick: counting who sat where and who won"
    yield Reading(what, "s", tuple(counted), better="less")
    tracemalloc.start()
    strengths(records)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    yield Reading("memory of it beyond the matches", "MB", (peak,), aim=1000, better="less")


@bench
def trueskill_ladders(runs: int) -> Iterator[Reading]:
    """TrueSkill ratings of the same matches, in two ladders; beside it the package alone."""
    records = [record for record in experiment() if any(net_shares(record).values())]
    rates, packages = [], []
    for _ in range(runs):
        with clocked(process_time) as clock:
            rate(records)
        rates.append(2 * len(records) / clock.seconds)
        packages.append(_package_updates(records[: sized(2000, 100)]))
    what = f"TrueSkill of {len(records):,} matches of impostor, two ladders"
    yield Reading(what, "updates/s", tuple(rates), aim=200_000)
    yield Reading("yardstick: the package trueskill", "updates/s", tuple(packages))


def _package_updates(records: Sequence[MatchRecord]) -> float:
    """Updates a second by the package, of the same sides and weights without further work."""
    package = TrueSkill(tau=0, draw_probability=GAME.scoring.draw_probability)
    ratings: defaultdict[str, Rating] = defaultdict(package.create_rating)
    with clocked(process_time) as clock:
        for record in records:
            shares = net_shares(record)
            names = [[side, *agents] for side, agents in shares.items()]
            after = package.rate(
                [[*map(ratings.__getitem__, group)] for group in names],
                ranks=[side not in _winning(record) for side in shares],
                weights=[[1.0, *agents.values()] for agents in shares.values()],
            )
            for group, rated in zip(names, after, strict=True):
                ratings.update(zip(group, rated, strict=True))
    return len(records) / clock.seconds


def _winning(record: MatchRecord) -> set[str]:
    """The sides that won; all of them where nobody did."""
    sides = record.outcome.sides
    return {sides[seat] for seat in record.outcome.winners} or {*sides}


@bench
def board_of_a_million(runs: int) -> Iterator[Reading]:
    """Leaderboard and measures of a million counted matches of the dilemma, with their memory.

    A thousand were played; the others repeat them, each an observation of its own.
    """
    size = sized(1_000_000, 2000)
    played = [drawn("prisoners_dilemma", LINE_UPS[seed % 3], seed) for seed in range(1000)]
    book = CountBook()
    for number in range(size):
        book.add(replace(played[number % len(played)], number=number + 1))
    leaderboard(Counted.in_book(book))  # rates all matches once, which is kept with the counts
    tracemalloc.start()
    leaderboard(Counted.in_book(book))
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    boards, rows = [], []
    for _ in range(runs):
        with clocked(process_time) as clock:
            leaderboard(Counted.in_book(book))
        boards.append(clock.seconds)
        with clocked(process_time) as clock:
            measures(Counted.in_book(book))
        rows.append(clock.seconds)
    what = f"leaderboard of {size:,} counted matches of the dilemma, rated from the last checkpoint"
    yield Reading(what, "s", tuple(boards), aim=10, better="less")
    yield Reading("measures of the same matches", "s", tuple(rows), aim=10, better="less")
    held = sum(column.itemsize * len(column) for column in book.columns) / 1e6
    yield Reading("memory of the counts", "MB", (held,), better="less")
    yield Reading("memory of the leaderboard beyond them", "MB", (peak,), aim=300, better="less")
    with clocked(process_time) as clock:
        sorted(book.transcripts)
    yield Reading("yardstick: a column of them sorted", "s", (clock.seconds,), better="less")
