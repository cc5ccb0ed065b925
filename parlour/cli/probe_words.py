"""The command `probe-words`."""

from collections.abc import Sequence
from pathlib import Path

from parlour.api.word_probes import WordProbe, word_probes
from parlour.cli.console_tables import show
from parlour.cli.options import AnyFormat
from parlour.cli.output import complain, refuse_target
from parlour.cli.signs_of_life import signs_of_life
from parlour.cli.source import asked_for
from parlour.cli.trust import settle
from parlour.games.common import forms
from parlour.games.common.errors import BadInput
from parlour.games.common.tables import Column, ColumnTable
from parlour.ratings.reports.report import Report
from parlour.ratings.statistics.intervals import clustered_wilson, ends_of
from parlour.tournament.save.growing.create import merge_options
from parlour.tournament.save.rows import RunOptions

FIELDS = (
    *("agent", "game", "shown", "wanted", "by_heart"),
    *("hits", "n", "low", "high", "chance_hits", "chance_n", "chance_low", "chance_high"),
)
Group = tuple[tuple[str, str], list[WordProbe]]
"""The probes of an agent in a game, under both names."""


def _share(counts: Sequence[tuple[float, float]]) -> str:
    """The share of hits of some gaps, which are the clusters, with its interval."""
    n = sum(of_gap for _, of_gap in counts)
    low, high = ends_of(clustered_wilson(counts) if n else None)
    share = sum(k for k, _ in counts) / n if n else None
    return forms.with_interval(share, low, high, 2, none=forms.TOO_FEW)


def _flagged(probe: WordProbe) -> str:
    return f"{probe.named.k}/{probe.named.n}, by chance {probe.chance.k}/{probe.chance.n}"


GROUPS: list[Column[Group]] = [
    Column("Agent", lambda group: group[0][0]),
    Column("Game", lambda group: group[0][1]),
    Column("Parts", lambda group: len(group[1]), forms.COUNT),
    Column("By heart", lambda group: sum(p.by_heart for p in group[1]), forms.COUNT),
    Column("Named", lambda group: _share([(p.named.k, p.named.n) for p in group[1]]), forms.COUNT),
    Column(
        "Chance", lambda group: _share([(p.chance.k, p.chance.n) for p in group[1]]), forms.COUNT
    ),
    Column("n", lambda group: sum(p.named.n for p in group[1]), forms.COUNT),
]
FLAGGED: list[Column[WordProbe]] = [
    Column("Agent", lambda probe: probe.agent),
    Column("Known by heart", lambda probe: probe.gap.shown),
    Column("Part", lambda probe: probe.gap.wanted),
    Column("Named", _flagged, forms.COUNT),
]
NOTE = (
    "Named: the share of answers that give the part of a setting that was left out, asked with the"
    " name of the program and the game. Chance: the same without them, from meaning alone. By"
    " heart: parts for which the intervals of both do not meet."
)


def probe_words(
    tournament: Path | None = None,
    preset: str | None = None,
    model: str | None = None,
    tries: int = 5,
    budget: float | None = None,
    set_: list[str] | None = None,
    format: AnyFormat = "table",
    out: Path | None = None,
    force: bool = False,
) -> int:
    """Ask models for parts of published settings, and flag what they know by heart."""
    if out is not None:  # before anything is asked
        refuse_target(out, force)
    wanted = asked_for(tournament, preset, None, model, set_)
    if wanted is None:
        fix = "name a tournament file or --preset NAME, with a model or --model MODEL"
        raise BadInput("probe-words", "nobody to ask", fix)
    settle(wanted)
    options = merge_options(RunOptions(), wanted).updated(RunOptions(budget=budget))
    with signs_of_life("Asking"):
        probes, problem = word_probes(wanted, options, tries)
    show(report_of(probes), format, out, force)
    if problem:
        complain(f"parlour: the questions ended early: {problem}")
    return 1 if problem else 0


def report_of(probes: Sequence[WordProbe]) -> Report:
    """The report of probes: a row for each agent and game, then the parts known by heart."""
    groups: dict[tuple[str, str], list[WordProbe]] = {}
    for probe in probes:
        groups.setdefault((probe.agent, probe.gap.game), []).append(probe)
    records = list(map(_record, probes))
    flagged = [probe for probe in probes if probe.by_heart]
    tables = [
        ColumnTable(GROUPS, list(groups.items())),
        *([ColumnTable(FLAGGED, flagged)] if flagged else ()),
    ]
    return Report(FIELDS, records, records, tables, [NOTE])


def _record(probe: WordProbe) -> dict[str, object]:
    named, chance = probe.named, probe.chance
    values = (
        *(probe.agent, probe.gap.game, probe.gap.shown, probe.gap.wanted, probe.by_heart),
        *(named.k, named.n, *ends_of(named.interval)),
        *(chance.k, chance.n, *ends_of(chance.interval)),
    )
    return dict(zip(FIELDS, values, strict=True))
