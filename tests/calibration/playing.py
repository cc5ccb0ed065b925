"""One tournament of a plan, played by the real runner, and what was printed of it."""

import asyncio
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from parlour.agents.registry import strategies
from parlour.ratings.comparison.comparison import compare
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.papers.inferring import lines_of
from parlour.ratings.papers.paper import read_paper
from parlour.ratings.papers.seats import seat_table
from parlour.ratings.reference.placing import placed
from parlour.ratings.reference.scale import shipped_scale
from parlour.ratings.reports.leaderboard import Leaderboard, Standing
from parlour.tournament.plan.rating import newcomers, pool_names
from parlour.tournament.reports import leaderboards
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import run_session
from tests.calibration.plans import NO_MEMORY, PLAYERS, Plan

MEMORY = Path("/dev/shm")
"""A folder in memory, used if there is one."""
TESTS = ("appendix B.2d", "appendix B.3a", "appendix B.3b")
"""Tables of tests whose hypotheses hold for players without memory."""
Result = dict[str, Any]
"""The figures printed of one tournament, as plain data: a line of the file of a study.

``boards`` says of each board of a kind whether it has a false rank, ``strength`` of each interval
whether it contains the truth. ``cells`` have value, n, low and high of each measure by game, role
and measure; ``differences`` the low end, high end and p of each two agents by measure and game,
and the p values of the tests of the impostor paper.
"""


def played(plan: Plan, seed: int) -> Result:
    """Plays a plan with this seed and returns what is printed of it."""
    begun = time.process_time()
    with (
        tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder,
        patch.dict(strategies(), PLAYERS),
        patch.object(leaderboards, "FEW", 1_000_000),  # boards are computed in this process
    ):
        path = Path(folder, "save.db")
        tournament = plan.tournament(seed)
        if plan.newcomer:
            create_save(path, tournament, newcomers=newcomers(tournament), against=pool_names())
        else:
            create_save(path, tournament)
        ended = asyncio.run(run_session(path, RunOptions(workers=1)))
        assert ended.progress.done, ended.stopped_because
        with Save(path) as save:
            printed = _rating(save, plan) if plan.newcomer else _board(save)
            if plan.player == NO_MEMORY and not plan.newcomer:
                printed["differences"] |= _tests(save)
    seconds = round(time.process_time() - begun, 3)
    return {"plan": plan.name, "seed": seed, "seconds": seconds, **printed}


def _rating(save: Save, plan: Plan) -> Result:
    """Returns whether the intervals of a newcomer contain the strength of its like in the pool."""
    records, scale = list(save.records()), shipped_scale()
    (name,) = newcomers(save.tournament)
    places = placed(records, name, scale).by_game.values()
    truths = {place.game: scale.games[str(place.game)].strength(plan.newcomer) for place in places}
    covered = {place.game: place.low <= truths[place.game] <= place.high for place in places}
    return {"matches": len(records), "rated": covered}


def _board(save: Save) -> Result:
    """Returns what the leaderboard says, and the comparisons of agents, two by two."""
    board = leaderboards.current_leaderboard(save)
    boards, strength, cells = defaultdict(list), defaultdict(list), defaultdict(list)
    for kind, standings in _boards(board):
        known = [each.strength for each in standings if each.strength is not None]
        if len(known) > 1:
            # A defender is ranked with the others, but has no line on the boards of roles.
            ranked = max(len(known), *(each.last_rank for each in known))
            boards[kind].append(any((s.rank, s.last_rank) != (1, ranked) for s in known))
            strength[kind] += [s.low <= 0 <= s.high for s in known if s.low is not None]
        for standing in standings:
            for measure, cell in standing.measures.items():
                key = f"{standing.game or ''}|{standing.role or ''}|{measure}"
                cells[key].append([cell.value, cell.n, cell.low, cell.high])
    defender = save.tournament.defender
    names = [agent.name for agent in save.tournament.agents if agent.name != defender]
    differences, records = defaultdict(list), list(save.records())
    for one, other in zip(names[::2], names[1::2], strict=False):
        family = ("win_rate", *CAPABILITIES)
        for each in compare(records, one, other, family).differences:
            differences[f"{each.game or ''}|{each.measure}"].append([each.low, each.high, each.p])
    return {
        "matches": board.matches,
        "boards": boards,
        "strength": strength,
        "cells": cells,
        "differences": differences,
    }


def _tests(save: Save) -> dict[str, list[list[float | None]]]:
    """Returns the tests of the impostor paper by halves, of the order of speakers, and by it.

    Not how long clues are: that hangs on their words.
    """
    seats = seat_table(save.records(), {}).where({"game": "impostor"})
    tests = defaultdict(list)
    for table in read_paper("impostor").inferences if seats.rows else ():
        for line in lines_of(table, seats, lambda *_: {}) if table.name in TESTS else ():
            if line.p is not None and line.figure != "Cohen's d":
                tests[f"impostor|{line.row}"].append([line.low, line.high, line.p])
    return tests


def _boards(board: Leaderboard) -> Iterator[tuple[str, list[Standing]]]:
    """Yields the standings of each board with its kind: overall, of a game, of a role.

    Of boards that say the same, such as those of the only game and its only role, the first.
    """
    games, roles = defaultdict(list), defaultdict(list)
    for standing in board.standings:
        if standing.role is None:
            games[standing.game].append(standing)
        else:
            roles[standing.game, standing.role].append(standing)
    if len(games) == 2:
        games.pop(None)
    single = len(games) == 1
    for game, standings in games.items():
        yield "overall" if game is None or single else "game", standings
    for (game, _), standings in roles.items():
        if sum(game == other for other, _ in roles) > 1:
            yield "role", standings
