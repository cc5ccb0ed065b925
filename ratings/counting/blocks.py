"""Blocks of stored counts: what was added to a book of counts since its last block, as bytes.

A block is compressed: a line of JSON with the new entries of all tables, then the new numbers of
all columns. It has the lengths that it stands on, so that it is no part of any other book.
"""

import json
import sys
import zlib
from array import array
from collections.abc import Collection, Hashable, Iterable
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import AfterValidator, TypeAdapter

from parlour.games.common.text import clean
from parlour.games.engine.game import Game
from parlour.ratings.counting.book import NONE, CountBook
from parlour.ratings.counting.shapes import PLACES, Shapes, ints

COUNTS = 7
"""Version of counts and ratings: those stored under another one are made again."""
FORM = 2
"""Version of the form of blocks, likewise."""
MOST_BYTES = 2**28
"""Size up to which a block is unpacked."""
_OWN_GAMES = Path(__file__).parents[2] / "games"

_Text = Annotated[str, AfterValidator(lru_cache(maxsize=65_536)(clean))]
_Seats = tuple[int, ...]
_Texts = tuple[_Text, ...]
Kind = tuple[_Texts, _Seats, _Text, tuple[float, ...], _Texts, _Texts, _Seats]
Cells = list[tuple[int, int, int]]


class _BlockHead(NamedTuple):
    """The first line of a block: lengths before it, new entries of tables, sizes of columns."""

    since: list[int]
    names: list[_Text]
    groups: list[tuple[_Text, _Text, _Text, _Text]]
    kinds: list[Kind]
    shaped: Cells
    exact: Cells
    answers: list[_Text]
    ladders: list[_Text]
    sizes: list[int]


_HEAD = TypeAdapter(_BlockHead)


def counts_version(games: Iterable[Game]) -> str:
    """Returns the version under which the counts of some games are stored.

    The code of a game from another package is part of it, since its author may change it freely.
    """
    versions = {game.name: f"{game.name} {game.version}{_code(game.folder)}" for game in games}
    return ", ".join([str(COUNTS), *(versions[name] for name in sorted(versions))])


def _code(folder: Path) -> str:
    """Returns the fingerprint of a game's code, "" for a game of this package."""
    if folder.resolve().parent == _OWN_GAMES.resolve():
        return ""
    digest = blake2b(digest_size=8)
    for file in sorted(folder.glob("*.py")):
        digest.update(file.read_bytes())
    return f" {digest.hexdigest()}"


def lengths(book: CountBook) -> list[int]:
    """Returns the lengths of all tables and columns."""
    return list(map(len, chain(book.tables, book.columns)))


def block(book: CountBook, since: list[int]) -> bytes:
    """Returns what was added since the book had these lengths."""
    tables = [list(islice(table, begin, None)) for table, begin in _pairs(book.tables, since)]
    columns = list(_pairs(book.columns, since[len(tables) :]))
    head = [since, *tables, [len(column) - begin for column, begin in columns]]
    packer = zlib.compressobj()
    packed = [packer.compress(json.dumps(head).encode() + b"\n")]
    packed += (packer.compress(_bytes(column[begin:])) for column, begin in columns)
    return b"".join([*packed, packer.flush()])


def _pairs(collections: Any, begins: list[int]) -> Iterable[tuple[Any, int]]:
    return zip(collections, begins, strict=False)


def _bytes(column: "array[Any]") -> bytes:
    """Returns the numbers of a column of its own, the lowest byte first."""
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()


def extend(book: CountBook, body: bytes) -> bool:
    """Adds a block. Returns False, and adds nothing, if it stands on another book or is damaged."""
    before = lengths(book)
    try:
        unpacker = zlib.decompressobj()
        unpacked = unpacker.decompress(body, MOST_BYTES)
        end = unpacked.index(b"\n")
        head = _HEAD.validate_json(unpacked[:end])
        if head.since != before or not unpacker.eof:
            return False
        _extend_tables(book, head)
        _extend_columns(book, head.sizes, memoryview(unpacked)[end + 1 :])
    except (ValueError, zlib.error):
        _cut(book, before)
        return False
    if not _is_sound(book):
        _cut(book, before)
        return False
    return True


def _extend_tables(book: CountBook, head: _BlockHead) -> None:
    for name in head.names:
        book.names.setdefault(name, PLACES + len(book.names))
    tables: list[tuple[dict[Any, int], Iterable[Hashable]]] = [
        (book.groups, head.groups),
        (book.shaped.cells, head.shaped),
        (book.exact.cells, head.exact),
    ]
    for table, entries in tables:
        for entry in entries:
            table.setdefault(entry, len(table))
    for kind in head.kinds:
        book.number_of_kind(kind)
    book.answers.extend(head.answers)
    book.ladders.extend(head.ladders)
    added = [len(table) for table in head[1:-1]]
    if [len(table) - begin for table, begin in _pairs(book.tables, head.since)] != added:
        raise ValueError("an entry occurs twice")


def _extend_columns(book: CountBook, sizes: list[int], numbers: memoryview) -> None:
    begin = 0
    for column, size in zip(book.columns, sizes, strict=True):
        new = array(column.typecode)
        end = begin + new.itemsize * size
        new.frombytes(numbers[begin:end])
        if sys.byteorder == "big":
            new.byteswap()
        column.extend(new)
        begin = end
    if begin != len(numbers):
        raise ValueError("its numbers are of another size")


def _cut(book: CountBook, before: list[int]) -> None:
    """Takes away everything beyond some lengths."""
    for table, length in _pairs(book.tables, before):
        if isinstance(table, list):
            del table[length:]
        else:
            for entry in list(islice(table, length, None)):
                del table[entry]
    for column, length in _pairs(book.columns, before[len(book.tables) :]):
        del column[length:]


def _is_sound(book: CountBook) -> bool:
    """True if every number of a row is one of a row that is there."""
    rows = book.columns[:11]
    within = [
        (book.of_group, 0, len(book.groups)),
        (book.of_kind, 0, len(book.kinds)),
        (book.of_shaped, NONE, len(book.shaped)),
        (book.of_exact, NONE, len(book.exact)),
        (book.of_answers, NONE, len(book.answers)),
        (book.in_places, PLACES, PLACES + len(book.names)),
    ]
    return (
        len(set(map(len, rows))) == 1
        and all(_lies_within(*each) for each in within)
        and _ends_at(book.name_ends, len(book.in_places))
        and _are_sound(book.shaped)
        and _are_sound(book.exact)
        and all(map(_is_sound_kind, book.kinds))
    )


def _are_sound(shapes: Shapes) -> bool:
    titles = PLACES + len(shapes.names)
    numbers = array("q", chain.from_iterable(shapes.cells))
    return (
        len(shapes.middles) == len(shapes.ends)
        and len(shapes.cell) == len(shapes.k) == len(shapes.n)
        and _lies_within(shapes.cell, 0, len(shapes.cells))
        and _lies_within(numbers, 0, titles)
        and _lies_within(shapes.counts, 0, len(shapes.cell))
        and _ends_at(shapes.ends, len(shapes.counts))
        and _ends_at(array("q", chain.from_iterable(zip(shapes.middles, shapes.ends, strict=True))))
    )


def _lies_within(column: "array[int]", low: int, above: int) -> bool:
    if not column:
        return True
    numbers = np.frombuffer(column, column.typecode)
    return bool(low <= numbers.min() and numbers.max() < above)


def _ends_at(ends: "array[int]", last: int | None = None) -> bool:
    """True if these ends of lists never fall, and the last is that of all."""
    numbers = ints(ends) if ends else np.zeros(1, np.int64)
    rises = numbers[0] >= 0 and bool(np.all(numbers[1:] >= numbers[:-1]))
    return rises and last in {None, int(numbers[-1])}


def _is_sound_kind(kind: Any) -> bool:
    agents, counted, _, payoffs, roles, sides, winners = kind
    seats = range(len(agents))
    of_seats: Collection[Collection[object]] = (payoffs, roles, sides)
    return all(len(each) == len(seats) for each in of_seats) and all(
        seat in seats for seat in (*counted, *winners)
    )
