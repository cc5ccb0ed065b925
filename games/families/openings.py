"""First moves that ship with a game: what the defender says before the challenger's first turn.

In the MAGIC paper's challenger matches these moves are fixed, so that all challengers meet the
same beginning. From the challenger's first turn on everybody is asked.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from parlour.games.engine.game import Frozen, read_records
from parlour.games.engine.moves import Seat

FirstMoves = Literal["asked", "shipped"]
"""Value of the key ``first_moves``: the defender is asked, or its first moves are those shipped."""


def with_shipped_openings(
    record: type[Frozen], folder: Path
) -> Callable[[Sequence[Frozen], Any], tuple[Frozen, ...]]:
    """Makes ``select_records`` of a game: shipped settings get their openings, if they are to."""

    def select(records: Sequence[Frozen], variant: Any) -> tuple[Frozen, ...]:
        if variant.first_moves == "asked":
            return tuple(records)
        shipped = read_records(record, None, folder / "data" / "openings.json")
        by_setting = {_without_openings(each): each for each in shipped}
        return tuple(by_setting.get(_without_openings(each), each) for each in records)

    return select


def _without_openings(record: Frozen) -> str:
    return record.model_dump_json(exclude={"openings"})


def before_counted(setting: Any, counted: Sequence[Seat]) -> Any:
    """The setting with the shipped openings of the seats before the first that counts."""
    if setting.first_moves == "asked":
        return setting
    first = min(counted, default=len(setting.openings))
    said = (opening if seat < first else None for seat, opening in enumerate(setting.openings))
    return setting.model_copy(update={"openings": tuple(said)})
