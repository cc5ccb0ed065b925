"""The command `calibrate`: the settings of a game that balance its roles best.

The MAGIC paper (arXiv:2311.08562, appendix A.1) found games biased towards one role, and kept the
settings on which self-play came out even. This does the same with any agents and any candidates.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Annotated, Optional

import typer

from parlour.agents.registry import refuse_unable
from parlour.api.playing import prepare_save
from parlour.cli.console_tables import print_list
from parlour.cli.options import Concurrency, Preset, Seed, TournamentFile
from parlour.cli.output import safe_print
from parlour.cli.playing import not_finished, refuse_python_agents
from parlour.cli.progress import session
from parlour.cli.source import asked_for
from parlour.cli.trust import settle
from parlour.games.common.errors import BadInput
from parlour.games.common.forms import COUNT, TEXT, decimals
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.plan.schedule import setting_key
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions


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


def calibrate(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game with a special role.")],
    tournament: TournamentFile = None,
    preset: Preset = None,
    candidates: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="The settings to try. Default: those of the tournament."),
    ] = None,
    matches: Annotated[
        int, typer.Option(min=1, metavar="N", help="Matches of each agent on each setting.")
    ] = 10,
    keep: Annotated[int, typer.Option(min=1, metavar="N", help="Settings to keep.")] = 20,
    seed: Seed = None,
    save: Annotated[
        Path, typer.Option(metavar="FILE", help="The save of the matches; continued if it exists.")
    ] = Path("calibration.db"),
    out: Annotated[Path, typer.Option(metavar="FILE", help="The settings file to write.")] = Path(
        "calibrated.json"
    ),
    concurrency: Concurrency = None,
) -> int:
    """Find the settings of a game that balance its roles best."""
    if out.exists():
        raise BadInput(f"--out {out}", "already exists", "name a file that does not exist")
    calibrated = find_game(game, "calibrate GAME")
    wanted = asked_for(tournament, preset, seed)
    if wanted is None:
        fix = "name a tournament file or --preset NAME whose agents play"
        raise BadInput("calibrate", "no agents to play", fix)
    plan = self_play(calibrated, wanted, candidates, matches)
    refuse_python_agents(plan)
    settle(wanted)
    prepare_save(save, plan)
    ended = asyncio.run(session(save, RunOptions(concurrency)))
    if not ended.progress.done:
        return not_finished(save, ended)
    with Save(save) as played:
        ranked = evenness(calibrated, plan.games[0].records, played.records())
    most_even = ranked[:keep]
    records = [each.record.model_dump(mode="json") for each in most_even]
    out.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")
    roles = list(most_even[0].shares)
    shares = dict.fromkeys(("Gap", *roles), decimals())
    print_list({"Setting": TEXT, **shares, "Matches": COUNT}, map(_row, most_even))
    safe_print(f"{len(most_even)} of {len(ranked)} settings, the most even first: {out}")
    return 0


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
        for role in game.scoring.roles:
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


def _row(each: Evenness) -> list[object]:
    texts = [value for value in each.record.model_dump().values() if isinstance(value, str)]
    return [", ".join(texts), each.gap, *each.shares.values(), each.matches]
