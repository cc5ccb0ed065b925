"""Settings of a game that balance its roles best.

The MAGIC paper (arXiv:2311.08562, appendix A.1) found games biased towards one role, and kept the
settings on which self-play came out even. This does the same with any agents and any candidates.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from parlour.agents.registry import refuse_unable
from parlour.games.common.errors import BadInput
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.record import MatchRecord
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.plan.schedule import setting_key


@dataclass(frozen=True, slots=True)
class Evenness:
    """The share of the possible credits that each role earned on a setting, over its matches."""

    record: Frozen
    shares: dict[str, float]
    matches: int

    @property
    def gap(self) -> float:
        """The difference between the best and the worst role; 0 is even."""
        return max(self.shares.values()) - min(self.shares.values())


def self_play(game: Game, wanted: Tournament, candidates: Path | None, matches: int) -> Tournament:
    """The tournament in which each agent of ``wanted`` plays every candidate in all seats.

    The block of this game in ``wanted`` gives the variant, and the candidates if no file does.
    BadInput for a game with one role, and for agents that cannot play it.
    """
    if game.scoring.special is None:
        fix = "name a game with a special role"
        raise BadInput("calibrate GAME", f"{game.name!r} has only one role", fix)
    own = next((entry for entry in wanted.games if entry.game is game), None)
    variant = own.variant if own else game.variant()
    if candidates:
        records = game.records(candidates)
    else:
        records = own.records if own else game.shipped()
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
    """The candidates, the most even first; ties in the order of the file."""
    shares: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    matches: dict[str, int] = defaultdict(int)
    for match in played:
        matches[match.setting] += 1
        for role in sorted({*match.outcome.roles}, key=[*game.scoring.roles].index):
            shares[match.setting][role].append(_share(game, match, role))
    candidates = []
    for record in records:
        key = setting_key(record)
        means = {role: fmean(of_matches) for role, of_matches in shares[key].items()}
        candidates.append(Evenness(record, means, matches[key]))
    return sorted(candidates, key=lambda each: each.gap)


def _share(game: Game, match: MatchRecord, role: str) -> float:
    """The share of the possible credits that the seats of a role earned in a match."""
    most = game.scoring.roles[role] or 1
    seats = zip(match.outcome.roles, match.outcome.payoffs, strict=True)
    return fmean(payoff / most for held, payoff in seats if held == role)
