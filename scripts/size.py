"""Prints how large the code is: rooms beside their budgets, files, classes, comments, docstrings.

.venv/bin/python scripts/size.py
"""

import ast
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUDGETS = {
    "games": 9_000,
    "agents": 4_050,
    "tournament": 13_700,
    "ratings": 9_000,
    "tui": 17_100,
    "parlour": 7_150,
}
"""The most lines that a room should have."""
PRODUCT, TESTS = 60_000, 55_000
"""The most lines of all rooms, and of the tests."""
FORM = "{:<11}{:>8}{:>8}  {:<13}{:>5}{:>11}{:>9}{:>10}{:>12}"
TITLES = ("lines", "budget", "", "files", "mean file", "classes", "comments", "docstrings")


@dataclass(frozen=True, slots=True)
class Size:
    """The size of some modules: lines with blank ones, and definitions that have a docstring."""

    files: int
    lines: int
    comments: int
    classes: int
    definitions: int
    documented: int

    @classmethod
    def of(cls, paths: Sequence[Path]) -> "Size":
        """Returns the size of these modules."""
        lines = comments = classes = definitions = documented = 0
        for path in paths:
            with tokenize.open(path) as file:
                text = file.read()
            lines += len(text.splitlines())
            comments += sum(line.lstrip().startswith("#") for line in text.splitlines())
            for node in ast.walk(ast.parse(text)):
                if isinstance(
                    node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
                ):
                    definitions += 1
                    documented += ast.get_docstring(node, clean=False) is not None
                    classes += isinstance(node, ast.ClassDef)
        return cls(len(paths), lines, comments, classes, definitions, documented)

    def row(self, name: str, budget: int) -> str:
        """Returns the line of the table."""
        over = self.lines - budget
        mark = f"{over:+,} over" if over > 0 else "within"
        return FORM.format(
            *(name, f"{self.lines:,}", f"{budget:,}", mark),
            *(self.files, f"{self.lines / self.files:.0f}", self.classes),
            *(f"{self.comments / self.lines:.1%}", f"{self.documented / self.definitions:.0%}"),
        )


def modules(room: str) -> list[Path]:
    """Returns the modules of a room; those of ``parlour`` without its links to the others."""
    paths = sorted((ROOT / room).rglob("*.py"))
    if room == "parlour":
        paths = [path for path in paths if path.relative_to(ROOT).parts[1] not in BUDGETS]
    return paths


def main() -> None:
    """Prints the table."""
    print(FORM.format("", *TITLES))
    rooms = {room: modules(room) for room in BUDGETS}
    for room, most in BUDGETS.items():
        print(Size.of(rooms[room]).row(room, most))
    print(Size.of([*chain.from_iterable(rooms.values())]).row("product", PRODUCT))
    print(Size.of(modules("tests")).row("tests", TESTS))


if __name__ == "__main__":
    main()
