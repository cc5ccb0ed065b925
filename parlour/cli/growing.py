"""The commands `add` and `retire`: ask for consent, add, print what is planned."""

import json
from pathlib import Path
from shlex import quote

from parlour.agents.llm.config import LLMConfig
from parlour.api.saves import addition
from parlour.cli.options import TableOrJson
from parlour.cli.output import find_save, program, safe_print
from parlour.cli.planned import PlanEstimate, estimate_of, print_estimate
from parlour.cli.playing import play
from parlour.cli.trust import settle
from parlour.games.common.errors import BadInput
from parlour.games.engine.transcript import counted
from parlour.tournament.control.changes import grow_save
from parlour.tournament.plan.additions import BLOCKS, Addition, grown_by, shared_parameters
from parlour.tournament.plan.schedule import meetings_of
from parlour.tournament.plan.toml_source import is_sqlite_file
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.growing.grow import Growth
from parlour.tournament.save.growing.retire import retire as retire_agent
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions


def add(
    save: Path | None = None,
    more: Path | None = None,
    against: list[str] | None = None,
    repetitions: int | None = None,
    matches: int | None = None,
    run: bool = False,
    format: TableOrJson = "table",
) -> int:
    """Add agents, games, repetitions or matches to a tournament, also while it is played."""
    is_more = repetitions is None and matches is None
    if more is None and save is not None and (is_more or save.suffix == ".toml"):
        save, more = None, save  # SAVE was left out
    if more is None and is_more:
        fix = f"give a file with {BLOCKS}, or --repetitions N"
        raise BadInput("add", "nothing to add", fix)
    if more is not None:
        _refuse_order(save, more)
    wanted = addition(more, against, repetitions, matches)
    return add_to(find_save(save), wanted, format, run=run)


def _refuse_order(save: Path | None, more: Path) -> None:
    """BadInput for a save in the place of the file."""
    if not is_sqlite_file(chosen(more)):
        return
    if save is None:
        fix = f"write `parlour add {quote(str(more))} FILE.toml`"
        raise BadInput("add", f"names no file with {BLOCKS}", fix)
    if save.suffix == ".toml" and not is_sqlite_file(chosen(save)):
        fix = f"write `parlour add {quote(str(more))} {quote(str(save))}`"
        raise BadInput("add", "SAVE comes first", fix)


def retire(save: Path | None = None, *, agent: str) -> int:
    """Close the open matches of an agent, so that the rest can finish."""
    path = find_save(save)
    closed = retire_agent(path, agent)
    with Save(path) as opened:
        left = opened.match_count()
    safe_print(f"{path}: {agent} retired, {counted(closed, 'open match')} closed; its answers stay")
    if not left.done:
        safe_print(f"Continue with: {program()} run {quote(str(path))}")
    return 0


def add_to(path: Path, addition: Addition, format: str, *, run: bool) -> int:
    """Adds to a save and prints the new matches; plays them if that is asked for."""
    with Save(path) as save:
        stored = save.tournament
        settle(grown_by(stored, addition).added)
    growth = grow_save(path, addition)
    if format == "json":
        print(json.dumps(_body(path, growth), indent=2))
    elif growth.is_same:
        safe_print(f"{path}: has all of it; nothing was added")
    else:
        _print(path, growth)
        new = [each.name for each in growth.grown.added.agents if isinstance(each, LLMConfig)]
        if new and (shared := shared_parameters(stored)):
            words = f"unless set otherwise: {json.dumps(shared)}"
            safe_print(f"{', '.join(new)}: parameters as all models of the save, {words}")
    if run and holder(path) is None:
        return play(path, False, RunOptions(), detach=False)
    return 0


def _body(path: Path, growth: Growth) -> dict[str, object]:
    added, stage = growth.grown.added, growth.grown.stage
    asked: dict[str, object] = {
        "agents": [agent.name for agent in added.agents],
        "against": stage.against,
        "games": [entry.game.name for entry in added.games],
        "repetitions": stage.repetitions,
    }
    if stage.matches is not None:
        asked["matches"] = stage.matches
    return {"save": str(path), "added": asked} | _estimate(path, growth).body()


def _estimate(path: Path, growth: Growth) -> PlanEstimate:
    """The estimate of the new matches; of an adaptive tournament that of a round of all agents."""
    matches = meetings_of(growth.expected)
    wanted, options = growth.grown.tournament, growth.options
    with Save(path) as save:
        return estimate_of(wanted, matches, options, save, len(growth.next_round))


def _print(path: Path, growth: Growth) -> None:
    named, most = quote(str(path)), growth.grown.stage.matches
    if growth.next_round:
        print_estimate(_estimate(path, growth), f"{path}, a round of all agents")
        safe_print("Evidence on ranks begins again with all agents and games (docs/adaptive.md).")
    elif most is not None:
        safe_print(f"{path}: plays at most {counted(most, 'match')}")
    else:
        print_estimate(_estimate(path, growth), f"{path}, added")
    if holder(path) is not None:
        safe_print(f"They are being played. Watch with: {program()} attach {named}")
    else:
        safe_print(f"Play with: {program()} run {named}")
