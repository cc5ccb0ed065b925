"""Differences that a plan can detect, in a line and as a table."""

from collections.abc import Sequence

from parlour.games.common import forms
from parlour.games.common.tables import Column
from parlour.ratings.reliability.power import Power


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
