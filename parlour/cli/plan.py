"""The command `plan`."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from parlour.cli.console_tables import print_note, print_table
from parlour.cli.options import TableOrJson
from parlour.cli.output import safe_print
from parlour.cli.planned import estimate_of, print_costs, print_planned
from parlour.cli.source import asked_for, understood
from parlour.games.common import forms
from parlour.games.common.errors import BadInput
from parlour.games.common.tables import Column, ColumnTable
from parlour.ratings.measures.conditions import condition_name
from parlour.ratings.reliability.power import Pilot, Power, pilot_variances, power_of
from parlour.tournament.plan.blocks import repeated, unbalanced
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import meetings, meetings_of
from parlour.tournament.reports.power import designs_of
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.growing.check import raise_if_damaged
from parlour.tournament.save.growing.create import merge_options
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions


def plan(
    tournament: Path | None = None,
    preset: str | None = None,
    model: str | None = None,
    seed: int | None = None,
    set_: list[str] | None = None,
    show: bool = False,
    save: Path | None = None,
    detect: float | None = None,
    pilot: Path | None = None,
    format: TableOrJson = "table",
) -> int:
    """Count matches and estimate costs; nothing is played."""
    wanted = asked_for(tournament, preset, seed, model, set_)
    if wanted is not None and save is not None:
        raise BadInput("--save", "cannot be combined with a tournament", "give one of them")
    if wanted is None and save is None:
        fix = "name a tournament file, --preset NAME, or --save FILE for the rest of a save"
        raise BadInput("plan", "nothing to plan", fix)
    file = None if wanted is None else understood(tournament, preset, seed, set_)
    if show and (file is None or model is not None):
        fix = "leave out --model and --save, and name a tournament file or --preset NAME"
        raise BadInput("--show", "is for a tournament file alone", fix)
    if show and file is not None:
        safe_print(file.text().rstrip())
        return 0
    variables = file.variables if file else {}
    if detect is not None and not detect > 0:
        raise BadInput("--detect", f"cannot be {detect:g}", "give a difference above 0")
    if save is not None and (detect is not None or pilot is not None):
        raise BadInput("--detect", "is for a tournament to be played", "leave out --save")
    if save is not None:
        with Save(chosen(save)) as opened:
            wanted, matches = opened.tournament, meetings_of(opened.matches("unfinished"))
            estimate = estimate_of(wanted, matches, opened.control(), opened)
    else:
        assert wanted is not None
        matches = meetings(wanted)
        estimate = estimate_of(wanted, matches, merge_options(RunOptions(), wanted))
    problems = unbalanced(wanted) if save is None else []
    designs = designs_of(wanted, matches) if save is None else []
    power = power_of(designs, None if pilot is None else _variances(pilot), detect)
    if format == "json":
        more = {"unbalanced": problems, "power": list(map(asdict, power))}
        more |= {"environment": variables} if variables else {}
        print(json.dumps(estimate.body() | more, indent=2))
        return 0
    first = ", first round" if wanted.schedule == "adaptive" else ""
    print_planned(estimate, wanted.name + (first if save is None else " left"))
    if variables:
        put_in = ", ".join(f"{name} is {value!r}" for name, value in variables.items())
        print_note(f"From the environment: {put_in}.")
    for game in sorted(_unprobed(wanted)):
        safe_print(f"Probes are off in {game}, where people play.")
    for problem in problems:
        safe_print(f"Not balanced: {problem}.")
    for words in repeated(wanted) if save is None else ():
        print_note(f"Twice: {condition_name(words)}.")
    if power:
        print_note(detectable_line(power))
    if power and detect is not None:
        print_table(ColumnTable(POWER, power))
    print_costs(estimate)
    return 0


def _unprobed(tournament: Tournament) -> set[str]:
    """The games in which people play and nobody is asked in private."""
    games = set()
    for entry in tournament.games:
        playing = entry.lineup or [agent.name for agent in tournament.agents]
        is_off = getattr(entry.variant, "probes", None) == "off"
        if is_off and tournament.people.keys() & set(playing):
            games.add(entry.game.name)
    return games


def _variances(pilot: Path) -> Pilot:
    """The variances in the finished matches of a save."""
    with Save(chosen(pilot)) as opened, raise_if_damaged(opened):
        return pilot_variances(list(opened.records()))


def detectable_line(power: Sequence[Power]) -> str:
    """Returns in a sentence the differences of two agents that a plan can detect."""
    detected, lacking = [], []
    for each in power:
        role = f"{each.design.role} ({each.design.game})"
        if each.detectable is None or (each.measure == "win_rate" and each.detectable > 1):
            lacking.append(role)
        else:
            rate = each.measure.replace("_", " ")
            detected.append(f"{forms.number(each.detectable, 2)} in {rate} as {role}")
    known = {each.from_pilot for each in power}
    source = "variances of the pilot" if known == {True} else "default variances"
    if len(known) == 2:
        source = "variances of the pilot, and default ones where it has none"
    parts = [f"can detect a difference of {'; '.join(detected)}"] if detected else []
    parts += [f"too few matches as {', '.join(lacking)}"] if lacking else []
    return f"Two agents, power 0.8 at level 0.05, {source}: {'; '.join(parts)}."


def _needed(power: Power) -> str:
    design = power.design
    if power.needed_matches is not None:
        times = power.needed_matches / design.matches
        return f"{power.needed_matches:,} matches ({times:,.1f} × the plan)"
    if power.needed_settings is not None:
        return f"{power.needed_settings:,} settings, as often each"
    return "more than can be planned"


POWER: list[Column[Power]] = [
    Column("Game", lambda each: each.design.game),
    Column("Role", lambda each: each.design.role),
    Column("Measure", lambda each: each.measure),
    Column("Settings", lambda each: each.design.settings, forms.COUNT),
    Column("Matches", lambda each: f"{each.design.matches:.6g}", forms.COUNT),
    Column("Can detect", lambda each: each.detectable, forms.decimals()),
    Column("For", lambda each: each.wanted, forms.decimals()),
    Column("it takes", _needed, forms.COUNT),
]
"""The columns of what a plan can detect, and of what the wanted difference takes."""
