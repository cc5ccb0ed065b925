"""The leaderboard of a save: the stored one while it is current, else computed again.

For a large save a separate process computes it, so that play and screens stay responsive and their
memory small. The process reads a JSON line per request and writes one per reply (``trouble`` if it
fails), and ends with its input. Before a reply come lists that say how far it is. It keeps the
counts of matches, so that each is counted once.
"""

import json
import os
import signal
import subprocess
import sys
from base64 import b64encode
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from parlour.agents.llm.keys import keyless_environment
from parlour.games.common.errors import BadInput, ParlourError
from parlour.games.common.progress import listening, tell
from parlour.games.common.suggestions import suggestion
from parlour.games.common.text import clean
from parlour.games.engine.game import BUILT_IN
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.rating import newcomers
from parlour.tournament.plan.validation import first_difference, in_short
from parlour.tournament.save.finished import fingerprint_of, state_of
from parlour.tournament.save.growing.fork import refuse_fork
from parlour.tournament.save.reader import Save

if TYPE_CHECKING:
    from parlour.ratings.reports.decided_ranks import DecidedRanks
    from parlour.ratings.reports.leaderboard import Leaderboard
    from parlour.tournament.reports.counted_matches import MatchCounter

FEW = 300
"""Finished matches up to which computing is quicker than starting a process."""
POLITE = 10
"""Niceness of the process: play and screens come first."""


def current_leaderboard(
    save: Save,
    *,
    without_faults: bool = False,
    counter: "MatchCounter | None" = None,
    again: bool = False,
) -> "Leaderboard":
    """Returns the stored leaderboard if it is current, else computes it.

    A leaderboard ``without_faults`` is never stored. ``counter`` may have counted earlier matches
    of the save. ``again``: it is computed in any case. BadInput for a fork.
    """
    from parlour.ratings.reports.leaderboard import Leaderboard

    refuse_fork(save)
    rated = newcomers(save.tournament)
    stored = None if without_faults or again else save.stored_leaderboard()
    if stored is not None and stored[0] == _input(save, stored[0]):
        with suppress(ValueError, RecursionError):  # a damaged one is computed again
            return replace(Leaderboard.from_json(stored[1]), newcomers=rated)
    # Loaded late, here and below: what computes it takes longer to load than most commands run.
    from parlour.ratings.reports.ranking import leaderboard
    from parlour.tournament.reports.counted_matches import MatchCounter, raise_if_false

    with raise_if_false(save):
        counted = (counter or MatchCounter(details=False)).counted(save)
        board = leaderboard(counted, without_faults=without_faults)
        return replace(board, newcomers=rated)


def first_false_standing(save: Save) -> str | None:
    """The first place where the stored leaderboard is not that of the matches; None if it is.

    One that is no longer current is not looked at, as nothing shows it.
    """
    stored = save.stored_leaderboard()
    if stored is None or stored[0] != _input(save, stored[0]):
        return None
    computed = current_leaderboard(save, again=True).to_json()
    try:
        both = [json.loads(text, parse_float=_to_digits) for text in (stored[1], computed)]
    except (ValueError, RecursionError):
        return None  # it is computed again wherever it is shown
    if both[0] == both[1]:
        return None
    place, there, here = first_difference(*both)
    return f"stored leaderboard, {place}: {in_short(there)}, computed again {in_short(here)}"


def _to_digits(number: str) -> float:
    return float(f"{float(number):.6g}")  # the last digits depend on the machine


def condition_leaderboard(save: Save, *, without_faults: bool = False) -> "Leaderboard":
    """Computes the leaderboard by condition, which is never stored. BadInput for a fork."""
    from parlour.ratings.reports.ranking import leaderboard_by_condition
    from parlour.tournament.reports.counted_matches import MatchCounter, raise_if_false

    refuse_fork(save)
    with raise_if_false(save):
        counted = MatchCounter(details=False).counted(save)
        return leaderboard_by_condition(counted, without_faults=without_faults)


def group_leaderboard(save: Save, key: str, *, without_faults: bool = False) -> "Leaderboard":
    """Computes the leaderboard of the values of a key of ``meta``, each with all its agents.

    BadInput for a fork, and for a key that no agent has.
    """
    from parlour.ratings.reports.ranking import leaderboard
    from parlour.tournament.reports.counted_matches import counted_by_group, raise_if_false

    refuse_fork(save)
    groups = groups_of(save.tournament, key)
    with raise_if_false(save):
        board = leaderboard(counted_by_group(save, groups), without_faults=without_faults)
    return replace(board, grouped_by=key)


def groups_of(tournament: Tournament, key: str) -> dict[str, str]:
    """Returns the value of a key of ``meta`` of each agent. BadInput if no agent has the key."""
    known = dict.fromkeys(chain.from_iterable(agent.meta for agent in tournament.agents))
    if key not in known:
        fix = suggestion(key, known) if known else "write meta = { ... } in the blocks of agents"
        raise BadInput(f"--by meta.{key}", "no agent has this key", fix)
    return {agent.name: _group(agent.meta.get(key), key) for agent in tournament.agents}


def _group(value: object, key: str) -> str:
    """Returns the name of a group: a value as text, as TOML writes it."""
    text = clean(value if isinstance(value, str) else json.dumps(value)).strip()
    if value is None or not text:
        return f"no {key}"
    return repr(text) if text == BUILT_IN else text


def _input(save: Save, known: str) -> str:
    """The input of the leaderboard of a save: layout, fingerprint and state, or ``known``.

    ``known`` is current while the state is the same; else if the fingerprint is, which takes a look
    at every match.
    """
    from parlour.ratings.reports.leaderboard import layout

    head, state = f"{layout()} ", state_of(save)
    before = known.removeprefix(head).split()
    if before[1:] == [state]:
        return known
    fingerprint = fingerprint_of(save)
    return known if before[:1] == [fingerprint] else f"{head}{fingerprint} {state}"


def decided_ranks(save: Save) -> "DecidedRanks | None":
    """The decided ranks of a save so far, None for one whose schedule is not adaptive."""
    if save.tournament.schedule != "adaptive":
        return None
    from parlour.tournament.save.growing.decisions import followed, ranks_of  # imports numpy

    return ranks_of(followed(save))


@dataclass(frozen=True, slots=True)
class LeaderboardRequest:
    """A request for the leaderboard of a save.

    ``known`` is the input of the leaderboard that the caller has. ``counts``: the caller stores
    what was newly counted.
    """

    path: str
    known: str
    without_faults: bool = False
    counts: bool = False


@dataclass(frozen=True, slots=True)
class ComputedLeaderboard:
    """The input and the JSON of a leaderboard, both "" if the known one is current.

    ``counts`` are new blocks of counts, in Base64, of a ``version`` of their definitions.
    ``trouble`` says why the save cannot be read.
    """

    input: str = ""
    board: str = ""
    version: str = ""
    counts: tuple[str, ...] = ()
    trouble: str = ""


class _Counters:
    """The counters of saves, by path: each counts the matches of its save once."""

    def __init__(self) -> None:
        self._by_path: dict[tuple[str, bool], MatchCounter] = {}

    def computed(self, request: LeaderboardRequest) -> ComputedLeaderboard:
        """Returns the leaderboard of a save, unless the known one is current, and new counts."""
        from parlour.tournament.reports.counted_matches import MatchCounter, raise_if_false

        key = request.path, request.counts
        counter = self._by_path.get(key) or MatchCounter(details=request.counts)
        with Save(Path(request.path)) as save:
            made_from = _input(save, request.known)
            current = made_from == request.known
            if current and not request.counts:
                return ComputedLeaderboard()
            board, blocks = "", list[bytes]()
            try:
                if not current:
                    board = current_leaderboard(
                        save, without_faults=request.without_faults, counter=counter
                    ).to_json()
                if request.counts:
                    with raise_if_false(save):
                        counter.counted(save)
                    blocks = counter.new_blocks()  # with the ratings of the leaderboard
            except BaseException:
                self._by_path.pop(key, None)  # it may have counted half of a match
                raise
            self._by_path[key] = counter
            encoded = tuple(b64encode(block).decode() for block in blocks)
            return ComputedLeaderboard(
                "" if current else made_from, board, counter.version, encoded
            )


class Computer:
    """Computes leaderboards; starts the separate process when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._one_by_one = Lock()
        self._counters = _Counters()

    def computed(
        self, path: Path, known: str, *, without_faults: bool = False, counts: bool = False
    ) -> ComputedLeaderboard:
        """Returns a save's leaderboard, empty if the known one is current.

        Also empty if the process was ended meanwhile. Raises ParlourError if the save cannot be
        read.
        """
        with Save(path) as save:
            few = save.match_count().finished <= FEW
        request = LeaderboardRequest(str(path.absolute()), known, without_faults, counts)
        with self._one_by_one:
            compute = self._counters.computed if few else self._elsewhere
            reply = compute(request)
        if reply.trouble:
            raise ParlourError(reply.trouble)
        return reply

    def _elsewhere(self, request: LeaderboardRequest) -> ComputedLeaderboard:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "parlour.tournament.reports.leaderboards"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                # Not the user's folder, which may hold a package with the name of a library.
                cwd=Path(__file__).parents[3],
                env=keyless_environment(),
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(asdict(request)) + "\n")
            process.stdin.flush()
            while isinstance(reply := json.loads(process.stdout.readline()), list):
                tell(*reply)
        except (OSError, ValueError):
            return ComputedLeaderboard()
        return ComputedLeaderboard(**reply)

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def main() -> None:
    """Serves requests until the input ends."""
    os.nice(POLITE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    counters = _Counters()
    for line in sys.stdin:
        try:
            with listening(lambda *how_far: print(json.dumps(how_far), flush=True)):
                reply = counters.computed(LeaderboardRequest(**json.loads(line)))
        except ParlourError as error:
            reply = ComputedLeaderboard(trouble=str(error))
        print(json.dumps(asdict(reply)), flush=True)


if __name__ == "__main__":
    main()
