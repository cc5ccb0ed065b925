"""The words of the code and the docs: one for each thing, and those that an engineer expects.

``python -m tests.test_words`` prints every finding with file and line.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from tests.tournaments import ROOT

ROOMS = ("games", "agents", "tournament", "ratings", "tui", "parlour")

NAMES = {
    "adopt": "apply_file_options",
    "as_written": "merge_options",
    "AtCap": "BudgetExceeded",
    "cousins": "similar_words",
    "Deed": "Action",
    "harmless": "safe_print",
    "knowing": "roles_told",
    "let_on": "admit",
    "may_pay": "can_afford",
    "Poster": "JsonHttpClient",
    "rehearsed": "test_variant",
    "Switchboard": "ModelDispatcher",
    "Watched": "SaveView",
    "Wishes": "RunOptions",
}
"""Names that nothing in the program has, and what to use."""

NAME_PARTS = {
    "purse": "budget",
    "outlook": "forecast",
    "tally": "run statistics",
    "mend": "fix",
    "mended": "fixed",
}
"""Words that no name is made of."""

LOCALS = ("found", "came", "told", "kept", "mine")
"""Names that no argument and no variable of a function has: name what it is."""

TEXT = {
    r"purses?": "budget",
    r"outlooks?": "forecast",
    r"mend(?:s|ed|ing)?": "fix",
    r"tall(?:y|ies)": "run statistics",
    r"anew": "again",
    r"lest": "so that … not",
    r"somebody": "a person, a user",
    r"on end": "repeatedly",
}
"""Words that are in no docstring, comment, message, template or page."""

PAGES = {r"quiesced": "paused"}
"""Words that are in no page, in addition; in the code they may be names of the protocol."""

RIDDLE = re.compile(r"(?:What|Who|How|Whether|Where|That)\b")
"""Beginnings of a docstring that does not name the thing."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A word to replace."""

    path: Path
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.problem}"


def findings(path: Path) -> list[Finding]:
    """Everything to replace in a file, by line."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tree = ast.parse(text)
        problems = [*_in_names(tree), *_in_docstrings(tree), *_in_code_text(text)]
    else:
        words = TEXT | (PAGES if path.suffix == ".md" else {})
        problems = list(_in_text(text, 1, words))
    unique = [Finding(path, line, problem) for line, problem in dict.fromkeys(problems)]
    return sorted(unique, key=lambda finding: finding.line)


Problem = tuple[int, str]
"""A line and what is wrong in it."""


def _in_names(tree: ast.Module) -> Iterator[Problem]:
    for node in ast.walk(tree):
        for name in _names_of(node):
            if name in NAMES:
                yield node.lineno, f"{name}: use {NAMES[name]}"
            for part in re.findall(r"[a-z]+", re.sub(r"([A-Z])", r"_\1", name).lower()):
                if part in NAME_PARTS:
                    yield node.lineno, f"{name}: use {NAME_PARTS[part]}"
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                if isinstance(node, ast.arg):
                    name = node.arg
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    name = node.id
                else:
                    continue
                if name in LOCALS:
                    yield node.lineno, f"{name}: name what it is"


def _names_of(node: ast.AST) -> Iterator[str]:
    """The names that a node defines, reads or imports."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.keyword) and node.arg is not None:
        yield node.arg
    elif isinstance(node, ast.alias):
        yield from node.name.split(".")


def _in_docstrings(tree: ast.Module) -> Iterator[Problem]:
    """Docstrings of modules, classes and functions, and strings below a variable."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else []:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                text = statement.value.value
                if isinstance(text, str) and RIDDLE.match(text):
                    first = text.splitlines()[0]
                    yield statement.lineno, f"docstring names no thing: {first!r}"


def _in_code_text(text: str) -> Iterator[Problem]:
    """Words in comments and in strings of all kinds."""
    strings = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in strings:
            yield from _in_text(token.string, token.start[0], TEXT)


def _in_text(text: str, first_line: int, words: dict[str, str]) -> Iterator[Problem]:
    for pattern, instead in words.items():
        for match in re.finditer(rf"\b{pattern}\b", text, re.IGNORECASE):
            line = first_line + text.count("\n", 0, match.start())
            yield line, f"{match[0]}: use {instead}"


@cache
def parts() -> dict[str, list[Path]]:
    """The files by part: an inner folder of a room, the room's own files, or a page."""
    files = list(chain.from_iterable(sorted((ROOT / room).rglob("*")) for room in ROOMS))
    files += sorted((ROOT / "scripts").glob("*"))
    files += [path for path in sorted((ROOT / "tests").rglob("*")) if path != Path(__file__)]
    code = [path for path in files if path.suffix in {".py", ".j2"}]
    named = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "THREATS.md")
    pages = [*(ROOT / name for name in named), *sorted((ROOT / "docs").rglob("*.md"))]
    by_part: dict[str, list[Path]] = {}
    for path in dict.fromkeys(code + pages):
        relative = path.relative_to(ROOT)
        if relative.parts[0] == "parlour" and relative.parts[1] in ROOMS:
            continue  # a link to a room
        depth = 1 if path.suffix == ".md" else 2
        folders = relative.parts[:-1][:depth]
        by_part.setdefault("/".join(folders) or relative.name, []).append(path)
    return by_part


@pytest.mark.parametrize("part", parts())
def test_a_part_keeps_to_the_words(part: str) -> None:
    problems = list(map(str, chain.from_iterable(map(findings, parts()[part]))))
    assert not problems, "\n".join(problems)


def test_each_kind_of_word_is_noticed(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        '"""What was used lately."""\n'
        "import purse_box\n"
        "def f(mine):\n"
        "    found = Outlook()  # the whole tally\n"
        '    return f"{found} must be mended", Deed\n'
    )
    noticed = [(finding.line, finding.problem.split(":")[0]) for finding in findings(module)]
    assert set(noticed) == {
        (1, "docstring names no thing"),
        (2, "purse_box"),
        (3, "mine"),
        (4, "found"),
        (4, "Outlook"),
        (4, "tally"),
        (5, "mended"),
        (5, "Deed"),
    }
    page = tmp_path / "page.md"
    page.write_text("It is\nquiesced.\n")
    assert [(finding.line, finding.problem) for finding in findings(page)] == [
        (2, "quiesced: use paused")
    ]


if __name__ == "__main__":
    for paths in parts().values():
        problems = list(chain.from_iterable(map(findings, paths)))
        if problems:
            print(*problems, sep="\n")
