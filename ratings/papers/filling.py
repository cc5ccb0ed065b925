"""Tables and figures of a paper filled from matches: each cell with its n and interval.

The gains are those of agents that analyse the game over the same agents that do not.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import chain
from statistics import fmean
from types import MappingProxyType
from typing import Literal

from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable
from parlour.games.engine.game import variant_keys
from parlour.games.engine.registry import find_game
from parlour.ratings.comparison.comparison import Comparison, Difference
from parlour.ratings.counting.counted import Counted, count
from parlour.ratings.counting.counts import AgentFaults, declared_measures
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.measures.conditions import ALL_CONDITIONS, condition_name
from parlour.ratings.measures.measures import Row, measures
from parlour.ratings.papers.paper import CellChoice, Exhibit, InferenceTable
from parlour.ratings.reports.faults import faults_notes
from parlour.ratings.reports.report import Record, Report

Index = Mapping[tuple[str, str | None, str], Row]
"""Measures of some matches by agent, role and measure."""

TITLES = {"agents": "Agent", "groups": "Group"}
"""Titles of the first column of a table by its rows."""


@dataclass(frozen=True, slots=True)
class ExhibitCell:
    """One measure of one row: ``n`` and interval as in ``Row``; None where it has no value.

    ``each`` has the values of single matches where a figure shows them.
    """

    row: str
    column: str
    show: str
    value: float | None = None
    n: float | None = None
    k: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    each: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        """The cell as a table shows it."""
        if self.value is None:
            return forms.NOTHING
        if self.show == "count":
            return forms.number(self.k if self.k is not None else self.value, 0)
        if self.show == "mean":
            error = "" if self.se is None else f" ± {forms.number(self.se, 2)}"
            return forms.number(self.value, 2) + error
        times, digits = (100, 1) if self.show == "percent" else (1, 3)
        low, high = (None if end is None else times * end for end in (self.low, self.high))
        return forms.with_interval(times * self.value, low, high, digits)


@dataclass(frozen=True, slots=True)
class FilledTable:
    """A table or figure with its cells, row by row, and the number of its matches.

    ``matches_of`` has the matches behind each row, ``group_of`` the group of each agent, and
    ``faults`` the faulty answers of agents. ``unit``: "pairs" if they are pairs of words instead.
    """

    exhibit: Exhibit
    cells: Sequence[ExhibitCell]
    matches: int
    matches_of: Mapping[str, int]
    group_of: Mapping[str, str] = field(default_factory=dict)
    unit: Literal["matches", "pairs"] = "matches"
    faults: Sequence[AgentFaults] = ()

    @property
    def rows(self) -> list[str]:
        """The titles of the rows."""
        return list(dict.fromkeys(cell.row for cell in self.cells))

    @property
    def columns(self) -> list[str]:
        """The titles of the columns."""
        return list(dict.fromkeys(cell.column for cell in self.cells))

    def of_rows(self, rows: Sequence[str]) -> "FilledTable":
        """Returns the same with these rows alone, in this order."""
        chosen = [cell for cell in self.cells if cell.row in rows]
        chosen.sort(key=lambda cell: rows.index(cell.row))
        return replace(self, cells=chosen)

    def report(self) -> Report:
        """The report of the table, or of the figures behind a figure."""
        exhibit = self.exhibit
        of_row: dict[str, dict[str, ExhibitCell]] = {row: {} for row in self.rows}
        for cell in self.cells:
            of_row[cell.row][cell.column] = cell

        def column(title: str) -> Column[str]:
            return Column(title, partial(text, title), forms.COUNT)

        def text(title: str, row: str) -> str:
            cell, behind = of_row[row][title], self.matches_of.get(row)
            own = "" if cell.n in {None, behind} or cell.show == "count" else f", n {cell.n:.10g}"
            return cell.text + own * (behind is not None)

        group: Column[str] = Column("Group", self.group_of.get)
        columns: list[Column[str]] = [
            *[group] * bool(self.group_of),
            Column(TITLES.get(str(exhibit.rows), f"{self.unit.capitalize()} of"), lambda row: row),
            Column(self.unit.capitalize(), self.matches_of.get, forms.COUNT),
            *map(column, self.columns),
        ]
        records = [self._record(cell) for cell in self.cells]
        shown = ColumnTable(columns, self.rows)
        title = f"{exhibit.name.capitalize()}: {exhibit.title}"
        fields = ["group"] * bool(self.group_of)
        fields += [name for name in ExhibitCell.__dataclass_fields__ if name != "each"]
        notes = [f"{self.matches} {self.unit}. A cell has an n of its own where it is another."]
        notes += [exhibit.note] * bool(exhibit.note) + faults_notes(self.faults)
        return Report(fields, records, records, [shown], notes, title)

    def _record(self, cell: ExhibitCell) -> Record:
        record = asdict(cell)
        if self.group_of:
            record["group"] = self.group_of.get(cell.row)
        each = record.pop("each")
        return {**record, "each": list(each)} if each else record


@dataclass(frozen=True, slots=True)
class NotMade:
    """A table or figure that these matches cannot fill, and why."""

    exhibit: Exhibit | InferenceTable
    reason: str


class Filler:
    """Fills tables and figures from finished matches; those that share matches share measures.

    Agents come group by group if they have groups.
    """

    def __init__(
        self,
        matches: Counted,
        agents: Sequence[str],
        group_of: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        groups = list(dict.fromkeys(group_of.values()))
        self._agents = list(agents)
        if groups:
            self._agents.sort(key=lambda agent: groups.index(group_of[agent]))
        self._matches, self._group_of = matches, group_of
        self._chosen: dict[str, Counted] = {}
        self._indexed: dict[str, Index] = {}
        self._halves: dict[int, Filler] = {}

    def fill(self, exhibit: Exhibit) -> FilledTable | NotMade:
        """Fills one."""
        parts = list(self._parts(exhibit))
        chosen = {_choice(exhibit, part): part for _row, _column, part in parts}
        matches = {name: self._choose(exhibit, part) for name, part in chosen.items()}
        played = sorted(set(chain.from_iterable(each.rows for each in matches.values())))
        if not played:
            words = f"no finished match {_words(exhibit, chosen.values())}"
            return NotMade(exhibit, words.strip())
        unplayed = [part for name, part in chosen.items() if not matches[name].rows]
        alike = len({part.game for part in chosen.values()}) == 1
        if alike and len(chosen) > 1 and len(unplayed) == len(chosen) - 1:
            words = f"nothing to compare: no finished match {_words(exhibit, unplayed)}"
            return NotMade(exhibit, words)
        filled = [self._cell(exhibit, row, column, part) for row, column, part in parts]
        with_values = {cell.row for cell in filled if cell.value is not None}
        if not with_values:
            names = ", ".join(dict.fromkeys(part.measure for _row, _column, part in parts))
            return NotMade(exhibit, f"no value of {names} in these matches")
        shown = [cell for cell in filled if cell.row in with_values]
        of_row = {row: self._behind(exhibit, row, parts) for row in with_values}
        group_of = self._group_of if exhibit.rows == "agents" else {}
        faults = self._faults(played)
        return FilledTable(exhibit, shown, len(played), of_row, group_of, faults=faults)

    def _faults(self, rows: Sequence[int]) -> list[AgentFaults]:
        """The faulty answers of each agent in these matches, which cells may share."""
        sums = dict.fromkeys(self._agents, (0.0, 0.0))
        counts = count(Counted(self._matches.book, rows), details=False)
        for key, of_cluster in counts.items():
            if key.counter == "faults" and key.agent in sums:
                for cluster, (k, n) in of_cluster.items():
                    faults, answers = sums[key.agent]
                    sums[key.agent] = faults + k * cluster.times, answers + n * cluster.times
        return [(agent, *sums_of) for agent, sums_of in sums.items()]

    def by_agent(self, game: str, measure: str, half: int = 0) -> dict[str, float]:
        """Returns a measure of the agents over all matches of a game, or over half of them."""
        if half:
            return self._half(half).by_agent(game, measure)
        every = Exhibit(number="", title="", columns=(), other_keys="any")
        index = self._index(every, CellChoice(game=game))
        of_agents = {agent: index.get((agent, None, measure)) for agent in self._agents}
        return {agent: row.value for agent, row in of_agents.items() if row is not None}

    def _half(self, half: int) -> "Filler":
        """The same for every second cluster of matches, from the first or the second on."""
        if half not in self._halves:
            records = self._matches.records
            clusters = list(map(self._matches.clusters.name, records))
            chosen = {*sorted({*clusters})[half - 1 :: 2]}
            pairs = zip(self._matches.rows, clusters, strict=True)
            rows = [row for row, cluster in pairs if cluster in chosen]
            self._halves[half] = Filler(Counted(self._matches.book, rows), self._agents)
        return self._halves[half]

    def _parts(self, exhibit: Exhibit) -> Iterator[tuple[str, str, CellChoice]]:
        """Yields row, column and choice of each cell."""
        rows: Iterable[CellChoice] = (
            [CellChoice(title=agent, agent=agent) for agent in self._agents]
            if isinstance(exhibit.rows, str)
            else exhibit.rows
        )
        for row in rows:
            for column in exhibit.columns:
                yield row.title, column.title, exhibit.with_part(row).with_part(column)

    def _choose(self, exhibit: Exhibit, part: CellChoice) -> Counted:
        """The matches of a cell."""
        name = _choice(exhibit, part)
        if name not in self._chosen:
            self._chosen[name] = self._of_game(exhibit, part) if part.game else self._matches
        return self._chosen[name]

    def _of_game(self, exhibit: Exhibit, part: CellChoice) -> Counted:
        game = find_game(str(part.game), exhibit.name)
        rows = []
        usual = game.condition(game.variant.model_validate(dict(part.keys)))
        for row, record in zip(self._matches.rows, self._matches.records, strict=True):
            if record.game != part.game:
                continue
            if exhibit.other_keys == "default":
                fits = record.condition == usual
            else:
                keys = variant_keys(game.variant, record.condition)
                fits = all(keys[name] == value for name, value in part.keys.items())
            if fits:
                rows.append(row)
        return Counted(self._matches.book, rows)

    def _index(self, exhibit: Exhibit, part: CellChoice) -> Index:
        name = _choice(exhibit, part)
        if name not in self._indexed:
            matches = self._choose(exhibit, part)
            self._indexed[name] = {
                (row.agent, row.role, row.measure): row
                for row in (measures(matches) if matches.rows else [])
                if row.game == part.game and row.condition == ALL_CONDITIONS
            }
        return self._indexed[name]

    def _cell(self, exhibit: Exhibit, row: str, column: str, part: CellChoice) -> ExhibitCell:
        index = self._index(exhibit, part)
        of_measure = index.get((part.agent, part.role, part.measure))
        if of_measure is None:
            return ExhibitCell(row, column, part.show)
        if part.minus:
            other = index.get((part.agent, part.role, part.minus))
            less = None if other is None else of_measure.value - other.value
            return ExhibitCell(row, column, part.show, less, of_measure.n)
        each = self._each(exhibit, part) if exhibit.kind == "box" else ()
        ends = (of_measure.se, of_measure.low, of_measure.high)
        return ExhibitCell(
            row, column, part.show, of_measure.value, of_measure.n, of_measure.k, *ends, each
        )

    def _each(self, exhibit: Exhibit, part: CellChoice) -> tuple[float, ...]:
        """The measure in each single match."""
        matches = self._choose(exhibit, part)
        (counter,) = {m.counter for m in declared_measures() if m.name == part.measure and m.total}
        values = []
        for row in matches.rows:
            total, times = _total(Counted(matches.book, [row]), part.agent, counter)
            if times:
                values.append(total / times)
        return tuple(values)

    def _behind(
        self, exhibit: Exhibit, title: str, parts: Sequence[tuple[str, str, CellChoice]]
    ) -> int:
        """The matches behind a row: of its agent, if it has one."""
        own = [part for row, _column, part in parts if row == title]
        # Most rows have all columns from the same matches.
        distinct = {(_choice(exhibit, part), part.agent): part for part in own}
        numbers: set[int] = set()
        for part in distinct.values():
            for record in self._choose(exhibit, part).records:
                if not part.agent or part.agent in [record.agents[seat] for seat in record.counted]:
                    numbers.add(record.number)
        return len(numbers)


def _total(matches: Counted, agent: str, counter: str) -> tuple[float, float]:
    """The sums of a counter over all slices."""
    total = times = 0.0
    for key, by_cluster in matches.counts().items():
        if (key.agent, key.counter) == (agent, counter):
            total += sum(k for k, _n in by_cluster.values())
            times += sum(n for _k, n in by_cluster.values())
    return total, times


def _choice(exhibit: Exhibit, part: CellChoice) -> str:
    """A name of the matches that a cell is about."""
    keys = ",".join(f"{name}={part.keys[name]}" for name in sorted(part.keys))
    return f"{part.game}:{keys}:{exhibit.other_keys}"


def _words(exhibit: Exhibit, parts: Iterable[CellChoice]) -> str:
    """The missing matches in words: ``of donation with horizon=finite``."""
    first = next(iter(parts))
    keys = ",".join(f"{name}={value}" for name, value in first.keys.items())
    keys = keys and condition_name(keys).replace(",", ", ")
    game = f"of {first.game}" if first.game else ""
    if exhibit.other_keys == "any":
        return f"{game} with {keys}".strip() if keys else game
    default = f"with {keys} and no other changed key" if keys else "with all keys at their defaults"
    return f"{game} {default}".strip()


FIELDS = ("one", "other", "measure", "value", "low", "high", "pairs", "clusters", "p", "corrected")
AVERAGE, IMPROVEMENT = "Average", "Average improvement"
NOTE = (
    "Differences in percentage points over the pairs of matches on one setting and seat, with 95 %"
    " intervals; p of a sign-flip test, corrected by Holm over the measures of a pair of agents"
    " (the paper has t-tests). Radar area: the gain in percent of the area without analysis."
)


def with_improvement(filled: FilledTable, pairs: Sequence[tuple[str, str]]) -> FilledTable:
    """Returns the rows of pairs of agents, then the mean difference in each column."""
    rows = filled.of_rows([*dict.fromkeys(chain.from_iterable(pairs))])
    value_of = {(cell.row, cell.column): cell.value for cell in rows.cells}
    average = []
    for column in filled.columns:
        gains = []
        for pair in pairs:
            one, other = (value_of.get((agent, column)) for agent in pair)
            if one is not None and other is not None:
                gains.append(one - other)
        value = fmean(gains) if gains else None
        average.append(ExhibitCell(IMPROVEMENT, column, filled.exhibit.show, value, len(gains)))
    return replace(rows, cells=[*rows.cells, *average])


def gains_report(title: str, comparisons: Sequence[Comparison]) -> Report:
    """The report of pairs of agents: ``one`` analyses the game, ``other`` is the same without."""

    def ability(measure: str) -> Column[Comparison | None]:
        def text(pair: Comparison | None) -> str | None:
            if pair is None:
                values = [d.value for each in comparisons if (d := _of(each, measure)) is not None]
                return forms.number(100 * fmean(values), 1) if values else None
            return _text(_of(pair, measure))

        return Column(measure.replace("_", " ").capitalize(), text, forms.COUNT)

    def area(pair: Comparison | None) -> str | None:
        shares = [_share(each) for each in (comparisons if pair is None else [pair])]
        known = [share for share in shares if share is not None]
        return f"{100 * fmean(known):+.1f} %" if known else None

    columns: list[Column[Comparison | None]] = [
        Column("Agent", lambda pair: AVERAGE if pair is None else pair.one),
        Column("Without", lambda pair: "" if pair is None else pair.other),
        *map(ability, CAPABILITIES),
        Column("Radar area", area, forms.COUNT),
    ]
    records: list[Record] = []
    for pair in comparisons:
        records += [_record(pair, each) for each in pair.differences]
    shown = ColumnTable(columns, [*comparisons, None])
    faults = dict.fromkeys(chain.from_iterable(each.faults for each in comparisons))
    return Report(FIELDS, records, records, [shown], [NOTE, *faults_notes(faults)], title)


def _of(pair: Comparison, measure: str) -> Difference | None:
    """The difference of a pair in a capability; None where it has none."""
    return next((each for each in pair.differences if each.measure == measure), None)


def _text(difference: Difference | None) -> str | None:
    if difference is None:
        return None
    low, high = (None if e is None else 100 * e for e in (difference.low, difference.high))
    value = forms.with_interval(100 * difference.value, low, high, 1)
    p = "n too small" if difference.too_small else f"p {difference.corrected:.3f}"
    return f"{value}, n {difference.pairs}, {p}"


def _share(pair: Comparison) -> float | None:
    """The gain in radar area as a share of the area without analysis."""
    return pair.gain.value / pair.gain.other if pair.gain is not None and pair.gain.other else None


def _record(pair: Comparison, difference: Difference) -> Record:
    own = {name: getattr(difference, name) for name in FIELDS[3:]}
    game = f", {difference.game}" if difference.game else ""
    return {"one": pair.one, "other": pair.other, "measure": difference.measure + game, **own}
