"""The check of a whole save, by as many processes as there are cores."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

from parlour.tournament.save.growing.check import first_difference, ranges, replay_difference
from parlour.tournament.save.queries import newest_rows
from parlour.tournament.save.reader import Save

FEW = 4096
"""Matches that one process checks sooner than several begin."""
PROMPTS_OF = 10
"""Matches whose prompts are rebuilt unless all are asked for."""


def first_falsehood(save: Save, *, prompts: bool) -> str | None:
    """The first part of a save that does not follow from its answers, in words, or None."""
    finished = save.match_count().finished
    difference = _by_all_cores(save) if finished >= FEW else first_difference(save)
    if difference is None and finished:
        # Slow to load, and there are no counts without matches.
        from parlour.tournament.reports.counted_matches import first_false_count
        from parlour.tournament.reports.leaderboards import first_false_standing

        if finished < FEW:
            difference = first_false_count(save)
        difference = difference or first_false_standing(save)
    if difference is None and newest_rows(save)[1]:
        from parlour.tournament.reports.prompts import first_false_prompt

        difference = first_false_prompt(save, None if prompts else PROMPTS_OF)
    return difference


def _by_all_cores(save: Save) -> str | None:
    """The first difference of the replays, else of the stored counts."""
    from parlour.tournament.reports.counted_matches import first_false_count

    cores = os.cpu_count() or 1
    # Not forked, which would copy the locks of threads. Ctrl-C is for the process that waits.
    ignored = signal.SIGINT, signal.SIG_IGN
    pool = ProcessPoolExecutor(cores, get_context("spawn"), signal.signal, ignored)
    try:
        replays = pool.map(partial(_replay_difference, save.path), ranges(save))
        if difference := first_difference(save, replays):
            return difference
        # As few as possible: what is alike in many matches is counted once in a range.
        large = ranges(save, -(-save.match_count().matches // cores))
        return first_false_count(save, pool.map(partial(_count_difference, save.path), large))
    except BrokenProcessPool:  # such as for want of memory
        return first_difference(save) or first_false_count(save)
    finally:
        pool.shutdown(cancel_futures=True)


def _replay_difference(path: Path, numbers: range) -> str | None:
    return replay_difference(_opened(path), numbers)


def _count_difference(path: Path, numbers: range) -> tuple[str | None, bytes]:
    from parlour.tournament.reports.counted_matches import Recount

    return Recount(_opened(path)).difference(numbers)


@cache
def _opened(path: Path) -> Save:
    """The save of a process of the pool."""
    return Save(path)
