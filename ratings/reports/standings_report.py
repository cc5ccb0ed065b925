"""The standings of a store: rated models over many nights, and gates on the newest figures."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Literal, NamedTuple

from parlour.games.common import forms
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.games.common.tables import Column, ColumnTable
from parlour.ratings.reports.report import Record, Report


@dataclass(frozen=True, slots=True)
class Entry:
    """One rating of an agent, as the store keeps it.

    ``date`` is when it was begun (UTC), ``program`` the version of Parlour, ``asked`` the model or
    strategy, ``served`` the names in the answers. ``prompts`` are the fingerprints of what models
    were sent, by game and template. The figures are those over all ``games``, None before the
    first match; ``retired`` says that its open matches were closed.
    """

    save: str
    agent: str
    date: str
    program: str
    asked: str
    served: tuple[str, ...]
    scale: int
    games: tuple[str, ...]
    prompts: dict[str, str]
    planned: int
    finished: int
    strength: float | None = None
    strength_se: float | None = None
    strength_low: float | None = None
    strength_high: float | None = None
    faults: int | None = None
    answers: int | None = None
    provisional: bool | None = None
    retired: bool = False

    @property
    def ends(self) -> tuple[float | None, float | None, float | None]:
        """The strength and the ends of its interval."""
        return self.strength, self.strength_low, self.strength_high

    @property
    def age(self) -> tuple[str, int, str]:
        """The key by which ratings are sorted, the oldest one first."""
        return self.date, len(self.save), self.save

    @property
    def done(self) -> str:
        """The finished matches of all, in words."""
        return f"{self.finished} of {self.planned} matches finished"


class Change(NamedTuple):
    """A difference of two independent strengths, with its 95 % interval if there is one."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ComparableRatings:
    """The ratings that compare: on one scale, in the same games, with the same prompts."""

    scale: int
    games: tuple[str, ...]
    prompts: int
    entries: tuple[Entry, ...]

    @property
    def title(self) -> str:
        """The group in words."""
        words = f"Scale {self.scale}, {len(self.games)} games"
        if len(self.games) < 4:
            words = f"Scale {self.scale}, {', '.join(self.games)}"
        return words if self.prompts == 1 else f"{words}, prompts {self.prompts}"

    def of(self, agent: str) -> list[Entry]:
        """The ratings of an agent that have a strength, the newest one last."""
        return [e for e in self.entries if e.agent == agent and e.strength is not None]

    def standing(self) -> list[Entry]:
        """The newest rating of each agent that has a strength, the strongest one first."""
        newest = {entry.agent: entry for entry in self.entries if entry.strength is not None}
        return sorted(newest.values(), key=lambda entry: -(entry.strength or 0.0))


def groups(entries: Sequence[Entry]) -> list[ComparableRatings]:
    """Returns the ratings in the order of their dates, in groups that compare.

    Prompts are the same if no template that both were sent has another text.
    """
    made: list[tuple[tuple[int, tuple[str, ...]], dict[str, str], list[Entry]]] = []
    for entry in sorted(entries, key=lambda entry: entry.age):
        key = (entry.scale, entry.games)
        for known, prompts, its in made:
            agree = all(prompts.get(name, each) == each for name, each in entry.prompts.items())
            if known == key and agree:
                prompts.update(entry.prompts)
                its.append(entry)
                break
        else:
            made.append((key, dict(entry.prompts), [entry]))
    counted: dict[object, int] = {}
    listed = []
    for key, _prompts, its in made:
        counted[key] = counted.get(key, 0) + 1
        listed.append(ComparableRatings(*key, counted[key], tuple(its)))
    return listed


def change(entry: Entry, value: float, se: float | None) -> Change:
    """Returns the strength of an entry less another one, taken as independent."""
    assert entry.strength is not None
    difference = entry.strength - value
    if entry.strength_se is None or se is None:
        return Change(difference, None, None)
    half = 1.96 * math.hypot(entry.strength_se, se)
    return Change(difference, difference - half, difference + half)


def _before(group: ComparableRatings, entry: Entry) -> Entry | None:
    """The rating of the agent before one, None if that is its first."""
    its = group.of(entry.agent)
    place = its.index(entry) if entry in its else 0
    return its[place - 1] if place else None


FIELDS = (
    *(name for name in Entry.__dataclass_fields__ if name != "prompts"),
    *("rank", "group", "change", "change_low", "change_high"),
)
STRENGTH = forms.interval(2, forms.TOO_FEW)


def standings_report(all_groups: Sequence[ComparableRatings], history: str | None = None) -> Report:
    """Returns the newest rating of each agent, or all of one agent or of every one ("")."""
    tables: list[ColumnTable[Any]] = []
    records: list[Record] = []
    notes: list[str] = []
    for number, group in enumerate(reversed(all_groups), start=1):
        shown = group.standing()
        if history is not None:
            shown = [each for each in group.entries if history in {"", each.agent}]
        rows = list(enumerate(shown, start=1))
        if rows:
            tables.append(_table(group, rows, history is not None))
        records += [_record(group, number, place, each) for place, each in rows]
        notes += _unfinished(group)
    provisional = {entry.agent for entry in _all(all_groups) if entry.provisional}
    if provisional:
        names = ", ".join(sorted(provisional))
        notes.append(f"Provisional in games of words, and so over all games: {names}.")
    notes.append(
        "Strength over all games above random, on the frozen scale of the reference pool, with 95 %"
        " intervals. Change: since the rating of the agent before, as of two independent figures."
        " Tables do not compare with one another: scale, games or prompts differ."
    )
    body = {"standings" if history is None else "history": records, "unfinished": []}
    body["unfinished"] = list(map(asdict, chain.from_iterable(map(_open, all_groups))))
    return Report(FIELDS, records, body, tables, notes, "Standings", empty="No rating is here yet.")


def _all(all_groups: Sequence[ComparableRatings]) -> list[Entry]:
    return [*chain.from_iterable(group.entries for group in all_groups)]


def _open(group: ComparableRatings) -> list[Entry]:
    """The newest ratings that are not whole."""
    newest = {entry.agent: entry for entry in group.entries}
    return [each for each in newest.values() if each.finished < each.planned or each.retired]


def _unfinished(group: ComparableRatings) -> Iterator[str]:
    for entry in _open(group):
        retired = ", then retired" if entry.retired else ""
        yield f"{entry.agent}: its rating of {entry.date[:10]} has {entry.done}{retired}."


def _record(group: ComparableRatings, number: int, place: int, entry: Entry) -> Record:
    ends = zip(("", "_low", "_high"), _since(group, entry), strict=True)
    figures = {f"change{end}": value for end, value in ends}
    lists = {"served": list(entry.served), "games": list(entry.games)}
    return {**asdict(entry), **lists, "rank": place, "group": number, **figures}


def _since(group: ComparableRatings, entry: Entry) -> Change:
    """The change since the rating of the agent before, empty if there is none."""
    before = _before(group, entry) if entry.strength is not None else None
    if before is None:
        return Change()
    return change(entry, before.strength or 0.0, before.strength_se)


def _table(
    group: ComparableRatings, rows: list[tuple[int, Entry]], is_history: bool
) -> ColumnTable[Any]:
    first: Column[Any] = Column("Rank", lambda row: row[0], forms.COUNT)
    if is_history:
        first = Column("Date", lambda row: row[1].date[:16].replace("T", " "))
    columns: list[Column[Any]] = [
        first,
        Column("Agent", lambda row: row[1].agent),
        Column("Strength", lambda row: row[1].ends, STRENGTH),
        Column("Change", lambda row: _since(group, row[1]), forms.interval(2)),
        Column("Matches", lambda row: f"{row[1].finished}/{row[1].planned}", forms.COUNT),
        Column("Faults", lambda row: f"{row[1].faults or 0}/{row[1].answers or 0}", forms.COUNT),
        Column("Served", lambda row: ", ".join(row[1].served) or row[1].asked),
        Column("Save" if is_history else "Date", lambda row: _last(row[1], is_history)),
    ]
    return ColumnTable(columns, rows, group.title)


def _last(entry: Entry, is_history: bool) -> str:
    return entry.save if is_history else entry.date[:10]


class GateVerdict(NamedTuple):
    """The outcome of a gate, and its line."""

    outcome: Literal["passed", "failed", "open"]
    line: str


_GATE = re.compile(r"(?P<agent>.+?)\s*>=\s*(?P<than>.+?)(?:\s+(?P<sign>[+-])\s*(?P<by>\d*\.?\d+))?")


def judged(gate: str, all_groups: Sequence[ComparableRatings]) -> GateVerdict:
    """Returns the verdict on ``NAME >= THAN [- MARGIN]``; THAN is last, an agent or a number.

    It fails if the whole 95 % interval of the difference lies below 0, and is open if the newest
    rating of the agent is not finished. Raises BadInput.
    """
    match = _GATE.fullmatch(gate.strip())
    if match is None:
        fix = 'write "NAME >= last - 0.1", or a name or a number in the place of last'
        raise BadInput(f"--gate {gate}", "is no gate", fix)
    agent, than = match["agent"], match["than"]
    margin = float(f"{match['sign']}{match['by']}") if match["by"] else 0.0
    names = sorted({entry.agent for entry in _all(all_groups)})
    if agent not in names:
        raise BadInput(f"--gate {gate}", f"unknown agent {agent!r}", suggestion(agent, names))
    its = [each for each in _all(all_groups) if each.agent == agent]
    newest = max(its, key=lambda entry: entry.age)
    group = next(each for each in all_groups if newest in each.entries)
    if newest.strength is None or newest.finished < newest.planned or newest.retired:
        return GateVerdict("open", f"Gate open: {gate}: {newest.done}")
    bound = _bound(gate, than, newest, group, names)
    if bound is None:
        return GateVerdict("passed", f"Gate passed: {gate}: no earlier rating compares")
    value, se = bound
    less = change(newest, value + margin, se)
    if less.low is None or less.high is None:
        return GateVerdict("open", f"Gate open: {gate}: too few matches for an interval")
    is_below = less.high < 0
    words = "is below" if is_below else "is not shown to be below"
    outcome: Literal["passed", "failed"] = "failed" if is_below else "passed"
    return GateVerdict(
        outcome,
        f"Gate {outcome}: {gate}: {newest.strength:.2f} {words} {value + margin:.2f}, difference"
        f" {less.value:+.2f} [{less.low:+.2f}, {less.high:+.2f}]",
    )


def _bound(
    gate: str, than: str, newest: Entry, group: ComparableRatings, names: Sequence[str]
) -> tuple[float, float | None] | None:
    """The strength and the error that a gate compares with; None if there is none yet."""
    try:
        return float(than), 0.0
    except ValueError:
        pass
    if than == "last":
        other = _before(group, newest)
    elif than in names:
        other = next(iter(group.of(than)[::-1]), None)
    else:
        raise BadInput(f"--gate {gate}", f"unknown agent {than!r}", suggestion(than, names))
    return None if other is None else (other.strength or 0.0, other.strength_se)
