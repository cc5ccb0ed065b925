"""Belief matrices: how likely each player considers each other to be the special one.

A row for each viewer, the player's own and those that it imagines for the others, and a column
for each player, both in seat order; a row sums to 1. Before the first analysis an imagined row
holds 1/n for each. The own row holds 0 for itself and 1/(n - 1) for each other where roles are
told, and 1/n for each where they are not: the player may be the special one itself. A player that
knows itself for the special one has the own row 1 on itself, which no analysis changes.

An analysis gives each viewer's verdict about each player, more suspicious (+1), less (-1) or no
change (0): each value is multiplied by 1 + 0.1 · verdict, and softmax makes each row sum to 1
again. A row without a verdict stays as it is, but for the first analysis of an own row.

Source: the MAGIC paper, section 4.1, figure 5 (whose matrices these rules give) and appendix A.5.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, WithJsonSchema

from parlour.games.engine.moves import PLAYER_SCHEMA, Seat, named, player
from parlour.games.engine.moves import schema_of as form_schema

STEP = 0.1
"""Relative change of a value by one verdict."""
PLACES = 6
"""Decimal places of a value, rounded so that a matrix is the same on every machine."""

Matrix = tuple[tuple[float, ...], ...]
"""Rows by viewer, columns by player, both in seat order."""

_Name = Annotated[str, WithJsonSchema(PLAYER_SCHEMA)]


class Verdict(BaseModel):
    """Change of one player's (``viewer``) opinion of another (``about``)."""

    viewer: _Name
    about: _Name
    verdict: Annotated[
        str, WithJsonSchema({"type": "string", "enum": ["more", "less", "no change"]})
    ]


class Verdicts(BaseModel):
    """An analysis in words, with a verdict for each viewer and player."""

    analysis: str
    verdicts: list[Verdict]


class Suspicions(BaseModel):
    """An analysis in words, and the matrix itself: a row for each viewer."""

    analysis: str
    matrix: list[list[Annotated[float, Field(ge=0)]]]


class WordAnalysis(BaseModel):
    """An analysis in words alone."""

    analysis: str


def schema_of(
    form: type[BaseModel], seats: Sequence[Seat], knows: Seat | None = None
) -> dict[str, Any]:
    """The JSON schema of an analysis at this table; no verdict is asked of the seat ``knows``."""
    schema, size = form_schema(form), len(seats)
    schema.pop("$defs", None)
    if form is Verdicts:
        verdict = form_schema(Verdict)
        verdict["properties"]["viewer"] = named(seat for seat in seats if seat != knows)
        verdict["properties"]["about"] = named(seats)
        pairs = {"minItems": 1, "maxItems": size * size}
        schema["properties"]["verdicts"] = {"type": "array", "items": verdict, **pairs}
    elif form is Suspicions:
        share = {"type": "number", "minimum": 0, "maximum": 1}
        row = {"type": "array", "items": share, "minItems": size, "maxItems": size}
        schema["properties"]["matrix"] = {**row, "items": row}
    return schema


def start(players: int, own: int, knows: bool = False, roles_told: bool = True) -> Matrix:
    """Beliefs of a player before its first analysis.

    ``knows``: that it is the special one; ``roles_told``: players are told their roles.
    """
    imagined = (1 / players,) * players
    if not roles_told:
        first = imagined
    elif knows:
        first = tuple(1.0 if seat == own else 0.0 for seat in range(players))
    else:
        first = tuple(0.0 if seat == own else 1 / (players - 1) for seat in range(players))
    return _kept(first if viewer == own else imagined for viewer in range(players))


def updated(
    before: Matrix, factors: Mapping[tuple[int, int], int], fixed: int | None = None
) -> Matrix:
    """The matrix after the verdicts, by (viewer, player); a pair without one has not changed.

    The row of the viewer ``fixed`` stays as it is. So does a row without a verdict, else softmax
    would even it out by the mere number of analyses; only the own row that still has the 0 of its
    start goes through softmax all the same, as in the paper's figure.
    """

    def moved(viewer: int, row: Sequence[float]) -> Sequence[float]:
        """The row of a viewer after the verdicts on it."""
        if viewer == fixed:
            return row
        said = [factors.get((viewer, seat), 0) for seat in range(len(row))]
        if not any(said) and all(row):
            return row
        return _softmax([v * (1 + STEP * factor) for v, factor in zip(row, said, strict=True)])

    return _kept(moved(viewer, row) for viewer, row in enumerate(before))


def factors(verdicts: object, players: int) -> dict[tuple[int, int], int]:
    """The verdicts of an analysis as +1, -1 and 0, by (viewer, player), whatever was written.

    The first word of a verdict counts, in any case: "more" or "less"; any other is no change.
    Malformed entries and unknown players are ignored. Where
    several verdicts on one pair differ, none of them counts.
    """
    seats = {player(seat).casefold(): seat for seat in range(players)}
    said: dict[tuple[int, int], set[int]] = {}
    for entry in verdicts if isinstance(verdicts, list) else ():
        try:
            verdict = Verdict.model_validate(entry)
        except ValidationError:
            continue
        viewer = seats.get(" ".join(verdict.viewer.split()).casefold())
        about = seats.get(" ".join(verdict.about.split()).casefold())
        if viewer is not None and about is not None:
            first = verdict.verdict.casefold().replace(",", " ").replace(".", " ").split()[:1]
            factor = {"more": 1, "less": -1}.get(first[0] if first else "", 0)
            said.setdefault((viewer, about), set()).add(factor)
    return {pair: each.pop() if len(each) == 1 else 0 for pair, each in said.items()}


def asked_for(before: Matrix, rows: object, fixed: int | None = None) -> Matrix:
    """The matrix that an analysis gives directly, each row divided by its sum.

    An invalid row (too short or long, a negative value or one that is not a number, all zeros)
    stays as it was; with more or fewer rows than players, all rows do.
    """
    if not isinstance(rows, list) or len(rows) != len(before):
        return before

    def given(viewer: int, row: Sequence[float]) -> Sequence[float]:
        values = None if viewer == fixed else _numbers(rows[viewer], len(row))
        return [value / sum(values) for value in values] if values else row

    return _kept(given(viewer, row) for viewer, row in enumerate(before))


def target(beliefs: Matrix, own: int, knows: bool = False) -> int | None:
    """The other player to act upon; None if several come first.

    It is the one most suspected in the own row. A player that knows or believes itself to be the
    special one wants to win trust instead: that of the player who suspects it least, as it
    imagines.
    """
    others = [seat for seat in range(len(beliefs)) if seat != own]
    if knows or suspects_itself(beliefs, own):
        weights = {seat: -beliefs[seat][own] for seat in others}
    else:
        weights = {seat: beliefs[own][seat] for seat in others}
    rounded = {seat: round(weight, PLACES - 1) for seat, weight in weights.items()}
    most = [seat for seat in others if rounded[seat] == max(rounded.values())]
    return most[0] if len(most) == 1 else None


def most_suspected(row: Sequence[float]) -> int | None:
    """The player with the highest value in a row; None if several have it."""
    rounded = [round(value, PLACES - 1) for value in row]
    most = [seat for seat, value in enumerate(rounded) if value == max(rounded)]
    return most[0] if len(most) == 1 else None


def suspects_itself(beliefs: Matrix, own: int) -> bool:
    """True if a player considers itself the most likely special player."""
    row = beliefs[own]
    return all(row[own] > value for seat, value in enumerate(row) if seat != own)


def read_matrix(noted: object, players: int) -> Matrix:
    """A stored matrix. ValueError if its size is wrong."""
    try:
        rows = _MATRIX.validate_python(noted)
    except ValidationError:
        rows = ()
    if len(rows) != players or any(len(row) != players for row in rows):
        raise ValueError(f"the noted beliefs are no {players} × {players} matrix")
    return rows


_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_MATRIX: TypeAdapter[Matrix] = TypeAdapter(tuple[tuple[_Share, ...], ...])


def _numbers(raw: Any, players: int) -> list[float] | None:
    """A row's numbers; None if they cannot be divided by their sum."""
    if not isinstance(raw, list) or len(raw) != players:
        return None
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in raw):
        return None
    # A number may be infinite or NaN.
    if not all(0 <= value <= _MOST for value in raw) or not any(value > _LEAST for value in raw):
        return None
    return [float(value) for value in raw]


_LEAST, _MOST = 1e-9, 1e9


def _softmax(row: Sequence[float]) -> list[float]:
    powers = [math.exp(value) for value in row]
    return [power / sum(powers) for power in powers]


def _kept(rows: Iterable[Sequence[float]]) -> Matrix:
    return tuple(map(_rounded, rows))


def _rounded(row: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(value, PLACES) for value in row)
