"""Calibration: the settings of a game on which its roles have the most even chances.

The MAGIC paper found its games biased towards one role, and kept the settings on which self-play
came out even (appendix A.1). This does the same with any agents and any candidates.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from parlour.agents.registry import refuse_unable
from parlour.cli.console_tables import print_table
from parlour.cli.progress import session
from parlour.cli.run import asked_for, not_finished, prepared
from parlour.games.common.errors import BadInput
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.plan.schedule import setting_key
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions

MATCHES, KEPT = 10, 20
"""Matches of each agent on each candidate, and settings kept, unless the user says otherwise."""


@dataclass(frozen=True, slots=True)
class Evenness:
    """How a setting came out: the share of the possible credits that each role took, of n matches.

    ``gap`` is the difference between the best and the worst role: 0 is even.
    """

    record: Frozen
    shares: dict[str, float]
    matches: int

    @property
    def gap(self) -> float:
        """How far the roles are apart."""
        return max(self.shares.values()) - min(self.shares.values())


def calibrate(
    game: str,
    tournament: Path | None,
    preset: str | None,
    candidates: Path | None,
    matches: int,
    keep: int,
    seed: int | None,
    save: Path,
    out: Path,
    concurrency: int | None,
) -> int:
    """Plays every candidate in self-play and writes the most even ones. Returns the exit code."""
    if out.exists():
        raise BadInput(f"--out {out}", "exists already", "name a file that is not there yet")
    found = find_game(game, "calibrate GAME")
    wanted = asked_for(tournament, preset, seed)
    if wanted is None:
        fix = "give a TOURNAMENT.toml or --preset NAME whose agents play"
        raise BadInput("calibrate", "does not know who plays", fix)
    plan = self_play(found, wanted, candidates, matches)
    prepared(save, plan)
    ended = asyncio.run(session(save, RunOptions(concurrency)))
    if not ended.progress.done:
        return not_finished(save, ended)
    with Save(save) as played:
        ranked = evenness(found, plan.games[0].records, played.records())
    kept = ranked[:keep]
    out.write_text(
        json.dumps([each.record.model_dump(mode="json") for each in kept], indent=2) + "\n",
        encoding="utf-8",
    )
    roles = list(kept[0].shares)
    rows = [
        [
            _named(each.record),
            *(f"{n:.3f}" for n in (each.gap, *each.shares.values())),
            str(each.matches),
        ]
        for each in kept
    ]
    print_table(["Setting", "Gap", *roles, "Matches"], rows, right=range(1, len(roles) + 3))
    print(f"{len(kept)} of {len(ranked)} settings, the most even first: {out}")
    return 0


def self_play(game: Game, wanted: Tournament, candidates: Path | None, matches: int) -> Tournament:
    """The tournament in which each agent of another plays every candidate alone in all seats.

    Of the other's ``[[games]]`` the block of this game gives the variant, and the candidates where
    no file does. Raises BadInput for a game of one role, and for agents that cannot play it.
    """
    if game.scoring.special is None:
        fix = "only games with a special role can be uneven between roles"
        raise BadInput("calibrate GAME", f"{game.name!r} has one role: nothing to even out", fix)
    own = next((entry for entry in wanted.games if entry.game is game), None)
    variant = own.variant if own else game.variant()
    records = game.records(candidates) if candidates else own.records if own else game.shipped()
    entry = GameEntry(game, variant, records)
    for agent in wanted.agents:
        refuse_unable(agent, game, entry.settings(), f"agent {agent.name!r}")
    seats = game.seats(entry.setting(0))
    entries = tuple(
        GameEntry(game, variant, records, (agent.name,) * seats) for agent in wanted.agents
    )
    name = f"calibrate {game.name}"
    return replace(
        Tournament(name, wanted.seed, "round_robin", None, matches, entries, wanted.agents),
        limits=wanted.limits,
        budget=wanted.budget,
    )


def evenness(
    game: Game, records: Sequence[Frozen], played: Sequence[MatchRecord]
) -> list[Evenness]:
    """How every candidate came out, the most even first; of equals the earlier in the file."""
    shares: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    matches: dict[str, int] = defaultdict(int)
    for match in played:
        matches[match.setting] += 1
        for role in game.scoring.roles:
            most = game.scoring.roles[role] or 1
            of = zip(match.outcome.roles, match.outcome.payoffs, strict=True)
            taken = [payoff / most for held, payoff in of if held == role]
            shares[match.setting][role].append(fmean(taken))
    found = []
    for record in records:
        key = setting_key(record)
        means = {role: fmean(of) for role, of in shares[key].items()}
        found.append(Evenness(record, means, matches[key]))
    return sorted(found, key=lambda each: each.gap)


def _named(record: Frozen) -> str:
    """A setting in a few words: its texts."""
    return ", ".join(str(value) for value in record.model_dump().values() if isinstance(value, str))
