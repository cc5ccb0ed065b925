"""scripts/size.py counts what there is."""

import sys

from tests.test_architecture import ROOMS, modules
from tests.tournaments import ROOT, called


def lines_of(room: str) -> int:
    """The lines of a room, without the links of ``parlour``."""
    return sum(path.read_bytes().count(b"\n") for path in modules(room))


def test_the_lines_of_each_room_are_printed_beside_its_budget() -> None:
    done = called(sys.executable, "scripts/size.py", cwd=ROOT, check=True)
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[1:]}
    assert {room: int(cells[0].replace(",", "")) for room, cells in rows.items()} == {
        **{room: lines_of(room) for room in (*ROOMS, "tests")},
        "product": sum(map(lines_of, ROOMS)),
    }
    files = {room: int(cells[-5]) for room, cells in rows.items()}
    assert files["product"] == sum(len(modules(room)) for room in ROOMS)
