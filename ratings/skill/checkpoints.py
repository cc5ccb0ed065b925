"""Checkpoints: the state of the TrueSkill ladders after every 1,000th match, kept with the counts.

Rating goes on from the last one, to the same result as from the first match. A checkpoint is made
where no earlier match is still to be played, and holds while the outcomes before it are the same.
"""

import json
from collections.abc import Iterator
from hashlib import blake2b
from math import isfinite
from typing import NamedTuple

import numpy as np
from pydantic import TypeAdapter

from parlour.ratings.counting.counted import Counted
from parlour.ratings.skill.trueskill_ladders import PSEUDO, Ladders, Skills, State
from parlour.ratings.statistics.intervals import Floats

EVERY = 1000
"""Matches from one checkpoint to the next."""
_LENGTHS = (1, 3, 2)
"""Length of the names of players in each ladder, in the order of ``Ladders.states``."""


class Checkpoint(NamedTuple):
    """The ladders after the first ``matches``; ``outcomes`` is the fingerprint of these."""

    matches: int
    outcomes: str
    skipped: int
    ladders: list[State]

    @property
    def is_sound(self) -> bool:
        """True if every player is named as those of its ladder, with a possible rating."""
        for state, length in zip(self.ladders, _LENGTHS, strict=False):
            for player, mu, sigma, matches in state:
                usual = length if player[:1] != (PSEUDO,) else 3
                if len(player) != usual or not isfinite(mu) or sigma <= 0 or matches < 0:
                    return False
        return len(self.ladders) in {2, 3} and self.skipped >= 0


_CHECKPOINT = TypeAdapter(Checkpoint)


def checkpoints(matches: Counted) -> Iterator[Checkpoint]:
    """Yields the checkpoints in the book of some matches that hold for them, the last one first."""
    outcomes, several = dict(_fingerprints(matches)), len(matches.games) > 1
    for text in reversed(matches.book.ladders):
        try:
            checkpoint = _CHECKPOINT.validate_python(json.loads(text))
        except (ValueError, RecursionError):
            continue
        holds = outcomes.get(checkpoint.matches) == checkpoint.outcomes
        if holds and checkpoint.is_sound and len(checkpoint.ladders) == 2 + several:
            yield checkpoint


def rated(matches: Counted) -> Skills:
    """Returns the ratings after some matches, and adds new checkpoints to their book."""
    records, kinds = matches.by_outcome
    ladders, begin = Ladders(several=len(matches.games) > 1), 0
    last = max(checkpoints(matches), default=None, key=lambda checkpoint: checkpoint.matches)
    if last is not None:
        ladders.go_on_from(last.ladders, last.skipped)
        begin = last.matches
    outcomes = dict(_fingerprints(matches))
    for done, kind in enumerate(kinds[begin:].tolist(), start=begin + 1):
        ladders.play(records[kind])
        if done in outcomes:
            new = Checkpoint(done, outcomes[done], ladders.skipped, ladders.states())
            matches.book.ladders.append(json.dumps(new))
    return ladders.skills(matches.games)


def first_false_checkpoint(stored: Counted, again: Counted) -> int | None:
    """Returns the number of matches at the first checkpoint that is not that of these matches.

    ``again`` has the same matches as ``stored``, counted again. None if all are right.
    """
    rated(again)
    right = {checkpoint.matches: checkpoint for checkpoint in checkpoints(again)}
    false = [each.matches for each in checkpoints(stored) if not _are_alike(each, right)]
    return min(false, default=None)


def _are_alike(checkpoint: Checkpoint, right: dict[int, Checkpoint]) -> bool:
    """True if a checkpoint is right but for the last bits, which depend on the machine."""
    other = right[checkpoint.matches]
    if checkpoint.skipped != other.skipped:
        return False
    for state, expected in zip(checkpoint.ladders, other.ladders, strict=True):
        names = [(player, matches) for player, _, _, matches in state]
        if names != [(player, matches) for player, _, _, matches in expected]:
            return False
        if not np.allclose(_ratings(state), _ratings(expected), rtol=1e-6, atol=1e-6):
            return False
    return True


def _ratings(state: State) -> Floats:
    return np.array([(mu, sigma) for _, mu, sigma, _ in state])


def _fingerprints(matches: Counted) -> Iterator[tuple[int, str]]:
    """Yields the numbers of matches where checkpoints stand, each with the fingerprint."""
    places = numbers = matches.column(matches.book.numbers).astype("<i8")
    checks = matches.column(matches.book.checks).astype("<i8")
    if matches.book.places:
        places = np.array(list(map(matches.book.place_of, numbers.tolist())))
    digest = blake2b(digest_size=8)
    for done in range(EVERY, len(places) + 1, EVERY):
        if places[done - 1] != done:
            return  # an earlier match is missing, which may be played later
        part = slice(done - EVERY, done)
        digest.update(checks[part].tobytes())
        if places is not numbers:  # before, other matches with the same outcomes may have been here
            digest.update(numbers[part].tobytes())
        yield done, digest.hexdigest()
