"""The seats of finished matches as a data table: one row a seat a match, for tests.

Its columns:

- ``match``, ``game``, ``experiment``, ``setting``, ``tier``, ``mode``: those of the match.
- ``draw``: the matches that share random numbers, so that their speakers have one order: those of
  a seed, or the match alone. ``stratum``: the matches among which draws are alike: those of a tier,
  or if each match has its own draw, of an experiment.
- ``cluster``: its setting, as in measures; its draw if the game has few settings. ``group``: where
  agents or modes are compared, its experiment; the cluster if matches share draws.
- ``half``: 1 or 2, the half of its experiment, whose first one has the middle match.
- ``odd match``: 1 for every other match of an experiment, beginning with the second.
- ``seat``: from 0. ``odd seat``: 1 for every other seat. ``position``: who spoke, from 1.
- ``agent``, ``meta.KEY``: who sat there.
- ``role``; ``special``: the role is the one that the others look for; ``counted``: the seat counts.
- ``won``; ``detected``: its vote named a special seat; ``declared``: it declared itself.
- ``valid``: no vote of the match is a fallback.
- ``words``: words of its first clue.
- ``opponents``: of a special seat, how often the agents in the other seats name one
  in other experiments; see ``_with_opponents``.

A value that does not exist is None.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from parlour.games.common.errors import BadInput
from parlour.games.engine.game import variant_keys
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.statistics.clusters import FEWEST_SETTINGS

Value = str | int | float | bool | None
UNITS = ("setting", "experiment", "draw")
META = "meta."
"""The beginning of a column of agents' ``meta``."""


class SeatRow(NamedTuple):
    """One seat of one match; the fields are the columns of the table."""

    match: int
    game: str
    experiment: str
    setting: str
    draw: str
    stratum: str | None
    cluster: str
    group: str
    tier: str | None
    mode: str | None
    half: int
    odd_match: int
    seat: int
    odd_seat: int
    position: int | None
    agent: str
    role: str
    special: bool | None
    counted: bool
    valid: bool
    won: bool
    detected: bool | None
    declared: bool | None
    words: int | None
    opponents: float | None = None


@dataclass(frozen=True, slots=True)
class SeatTable:
    """Rows by column, with the ``meta`` of every agent."""

    rows: Sequence[SeatRow]
    meta: Mapping[str, Mapping[str, Value]]

    def column(self, name: str) -> list[Value]:
        """Returns the values of a column. BadInput for a key of ``meta`` that no agent has."""
        if name.startswith(META):
            key = name.removeprefix(META)
            if not any(key in own for own in self.meta.values()):
                fix = f"write meta = {{ {key} = ... }} in the blocks of agents and run the file"
                raise BadInput(name, "no agent has it", f"{fix} again with this save")
            return [self.meta.get(row.agent, {}).get(key) for row in self.rows]
        return list(map(_field(name), self.rows))

    def unit(self, name: str) -> str:
        """Returns the name of the column whose values a column of clusters has."""
        same = [other for other in UNITS if self.column(other) == self.column(name)]
        return next(iter(same), name)

    def where(self, chosen: Mapping[str, Value]) -> "SeatTable":
        """Returns the rows that have these values in these columns."""
        wanted = tuple(chosen.values())
        return SeatTable(
            [row for row, own in self._keyed(tuple(chosen)) if own == wanted], self.meta
        )

    def each(self, names: Sequence[str]) -> Iterator[tuple[tuple[Value, ...], "SeatTable"]]:
        """Yields the rows of each combination of values, sorted; without those that lack one."""
        groups: dict[tuple[Value, ...], list[SeatRow]] = defaultdict(list)
        for row, own in self._keyed(tuple(names)):
            if None not in own:
                groups[own].append(row)
        for own in sorted(groups, key=str):
            yield own, SeatTable(groups[own], self.meta)

    def _keyed(self, names: tuple[str, ...]) -> Iterator[tuple[SeatRow, tuple[Value, ...]]]:
        columns = [self.column(name) for name in names]
        values = zip(*columns, strict=True) if columns else ((),) * len(self.rows)
        return zip(self.rows, values, strict=True)


def _field(name: str) -> Callable[[SeatRow], Value]:
    place = SeatRow._fields.index(name.replace(" ", "_"))
    return lambda row: row[place]


def seat_table(
    records: Iterable[MatchRecord], meta: Mapping[str, Mapping[str, Value]]
) -> SeatTable:
    """Returns the table of all seats of some matches, which come in the order of their numbers."""
    rows: list[SeatRow] = []
    played: dict[str, int] = defaultdict(int)
    for record in records:
        rows += _rows(record, played[record.experiment])
        played[record.experiment] += 1
    whole = []
    settings = {(row.game, row.setting) for row in rows}
    number = Counter(game for game, _setting in settings)
    for row in rows:
        half = 1 if 2 * row.half < played[row.experiment] else 2
        cluster = row.setting if number[row.game] >= FEWEST_SETTINGS else row.draw
        whole.append(row._replace(half=half, cluster=cluster, group=row.group or cluster))
    return SeatTable(list(_with_opponents(whole)), meta)


def is_usual_group(record: MatchRecord) -> bool:
    """True for a match of a group of the paper's size, with as many special seats."""
    variant = find_game(record.game, f"match {record.number}").variant
    keys, usual = variant_keys(variant, record.condition), variant_keys(variant, "")
    return all(keys.get(key) == usual.get(key) for key in ("players", "special_seats"))


def _rows(record: MatchRecord, before: int) -> Iterator[SeatRow]:
    """Yields the seats of a match. Until all are known, ``half`` is the number of matches before,
    and there is no cluster.

    Votes and clues that are fallbacks count as votes, since they decided, but not as clues.
    """
    game, outcome = find_game(record.game, f"match {record.number}"), record.outcome
    special = game.scoring.special
    is_special = [role == special for role in outcome.roles]
    ballot = game.counting.ballot(record) if game.counting.ballot else ()
    clues = _first_round(record, game.texts.published)
    declared = {
        answer.seat: bool(answer.value["self_declaration"])
        for answer in record.answers
        if "self_declaration" in answer.value
    }
    draw = f"match {record.number}" if record.seed is None else f"seed {record.seed}"
    valid = not any(answer.fault for answer in record.answers if answer.kind == "vote")
    for seat, (agent, role) in enumerate(zip(record.agents, outcome.roles, strict=True)):
        position, clue = clues.get(Seat(seat), (None, None))
        votes = special is not None and not is_special[seat] and seat < len(ballot)
        suspect = ballot[seat] if votes else None
        yield SeatRow(
            match=record.number,
            game=record.game,
            experiment=record.experiment,
            setting=record.setting,
            draw=draw,
            stratum=record.experiment if record.seed is None else record.covariates.tier,
            cluster="",
            group="" if record.seed is not None else record.experiment,
            tier=record.covariates.tier,
            mode=record.covariates.mode,
            half=before,
            odd_match=before % 2,
            seat=seat,
            odd_seat=seat % 2,
            position=position,
            agent=agent,
            role=role,
            special=None if special is None else is_special[seat],
            counted=seat in record.counted,
            valid=valid,
            won=seat in outcome.winners,
            detected=suspect is not None and is_special[suspect] if votes else None,
            declared=declared.get(Seat(seat)),
            words=None if clue is None or clue.fault else len(str(clue.value["text"]).split()),
        )


def _first_round(record: MatchRecord, kinds: Iterable[str]) -> dict[Seat, tuple[int, Answered]]:
    """The first clue of each seat with its position, from 1."""
    clues = [each for each in record.answers if each.kind in kinds and "text" in each.value]
    first: dict[Seat, tuple[int, Answered]] = {}
    for clue in clues:
        first.setdefault(clue.seat, (len(first) + 1, clue))
    return first


def _with_opponents(rows: Sequence[SeatRow]) -> Iterator[SeatRow]:
    """Yields the rows with the opponents' detection, as table 5 of the impostor paper has it.

    It is the mean over the other seats' agents of the share of their votes that named the special
    seat, in matches of the same tier and of other experiments; None if one has no such votes.
    """
    of_tier: dict[tuple[Value, ...], list[int]] = defaultdict(lambda: [0, 0])
    here: dict[tuple[Value, ...], list[int]] = defaultdict(lambda: [0, 0])
    seated: dict[int, list[str]] = defaultdict(list)
    for row in rows:
        if row.detected is None:
            continue
        seated[row.match].append(row.agent)
        key = row.game, row.tier, row.agent
        for sums in (of_tier[key], here[*key, row.experiment]):
            sums[0] += row.detected
            sums[1] += 1

    def elsewhere(row: SeatRow, agent: str) -> float | None:
        key = row.game, row.tier, agent
        (k, n), (own_k, own_n) = of_tier[key], here[*key, row.experiment]
        return (k - own_k) / (n - own_n) if n > own_n else None

    for row in rows:
        if not row.special:
            yield row
            continue
        rates = [elsewhere(row, agent) for agent in seated[row.match]]
        known = [rate for rate in rates if rate is not None]
        complete = known and len(known) == len(rates)
        yield row._replace(opponents=fmean(known)) if complete else row


def agents_without(table: SeatTable, name: str) -> list[str]:
    """Returns the agents with seats in the table whose value in a column is missing."""
    pairs = zip(table.column(name), table.rows, strict=True)
    return sorted({row.agent for value, row in pairs if value is None})
