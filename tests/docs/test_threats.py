"""THREATS.md: each promise names the tests that hold it, and they exist."""

import ast
import re
from importlib import import_module

from tests.blocks import ROOT, codes, table_rows, text_of

PAGE = "THREATS.md"
DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef)


def promises() -> list[list[str]]:
    """The rows of all tables: a promise, and the tests that hold it."""
    parts = re.split(r"^## .*$", text_of(PAGE), flags=re.MULTILINE)[1:]
    rows: list[list[str]] = []
    for part in parts:
        rows += table_rows(part)
    return rows


def test_every_attacker_has_promises_and_what_is_not_promised() -> None:
    parts = re.split(r"^## .*$", text_of(PAGE), flags=re.MULTILINE)[1:]
    assert len(parts) == 7
    for part in parts:
        assert table_rows(part)
        assert "\nNot promised:" in part


def test_every_promise_is_held_by_a_test_that_exists() -> None:
    for promise, holders in promises():
        assert codes(holders), promise
        for name in codes(holders):
            path, _, function = name.partition("::")
            tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
            defined = {node.name for node in ast.walk(tree) if isinstance(node, DEFINES)}
            assert function in defined, f"{PAGE} names {name}"


def test_security_leads_to_it() -> None:
    assert "](THREATS.md)" in text_of("SECURITY.md")
    assert "](SECURITY.md)" in text_of(PAGE)


def test_the_table_of_attacks_counts_what_is_tried() -> None:
    rows = table_rows(text_of("tests/attacks.md"))
    assert rows
    for name, tried, failed, where in rows:
        module, _, variable = codes(where)[0].partition("::")
        table = getattr(import_module(module.removesuffix(".py").replace("/", ".")), variable)
        assert (len(table), failed) == (int(tried), "0"), name
