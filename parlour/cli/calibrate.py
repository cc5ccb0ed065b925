"""The command `calibrate`."""

import asyncio
import json
from pathlib import Path

from parlour.api.calibrating import Evenness, evenness, self_play
from parlour.api.playing import prepare_save
from parlour.cli.console_tables import print_list
from parlour.cli.output import safe_print
from parlour.cli.playing import not_finished, refuse_python_agents
from parlour.cli.progress import session
from parlour.cli.source import asked_for
from parlour.cli.trust import settle
from parlour.games.common.errors import BadInput
from parlour.games.common.forms import COUNT, TEXT, decimals
from parlour.games.engine.registry import find_game
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions


def calibrate(
    game: str,
    tournament: Path | None = None,
    preset: str | None = None,
    candidates: Path | None = None,
    matches: int = 10,
    keep: int = 20,
    seed: int | None = None,
    save: Path = Path("calibration.db"),
    out: Path = Path("calibrated.json"),
    concurrency: int | None = None,
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


def _row(each: Evenness) -> list[object]:
    texts = [value for value in each.record.model_dump().values() if isinstance(value, str)]
    return [", ".join(texts), each.gap, *each.shares.values(), each.matches]
