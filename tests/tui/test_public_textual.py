"""The screens use what Textual documents, so that its next release does not break them."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from parlour import tui
from tests.tournaments import ROOT

OWN = re.compile(r"(?:self|super\(\))\.(_[a-z]\w*)")
"""A private name that a class uses of itself."""


def private_names(code: str) -> Iterator[str]:
    """Yields what code imports or touches of private names that are not its own."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("textual", "rich")):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in names if "._" in name)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if "._" in alias.name)
        elif isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr):
            owner = ast.unparse(node.value)
            if owner not in {"self", "super()", "os"}:
                yield f"{owner}.{node.attr}"


def classes() -> Iterator[type]:
    """Yields the classes of the screens."""
    for module in walk_packages(tui.__path__, f"{tui.__name__}."):
        for each in vars(import_module(module.name)).values():
            if inspect.isclass(each) and each.__module__ == module.name:
                yield each


@cache
def private_in(base: type) -> set[str]:
    """The private names that a class defines or uses of itself."""
    return {
        *OWN.findall(inspect.getsource(base)),
        *(name for name in vars(base) if re.match("_[a-z]", name)),
    }


def of_textual(owner: type) -> set[str]:
    """The private names that the bases of a class from Textual and Rich have."""
    bases = [b for b in owner.__mro__ if b.__module__.partition(".")[0] in {"textual", "rich"}]
    return set().union(*map(private_in, bases))


def test_nothing_private_of_another_package_is_imported_or_touched() -> None:
    for file in sorted((ROOT / "tui").rglob("*.py")):
        code = file.read_text(encoding="utf-8")
        own = set(re.findall(r"(?:def |self\.|^)(_[a-z]\w*)", code, re.MULTILINE))
        left = [name for name in private_names(code) if name.rpartition(".")[2] not in own]
        assert not left, f"{file}: {left}"


def test_no_class_takes_a_private_name_of_its_textual_base() -> None:
    made_by_textual = {"_default_focused"}  # from the reactive that a screen declares again
    for each in classes():
        own = set(OWN.findall(inspect.getsource(each)))
        own |= {name for name, value in vars(each).items() if inspect.isfunction(value)}
        taken = {name for name in own if re.match("_[a-z]", name)} & of_textual(each)
        assert taken <= made_by_textual, f"{each.__qualname__}: {sorted(taken)}"


def test_these_checks_see_what_they_look_for() -> None:
    code = "from textual._compositor import X\nimport textual._wait\napp._driver.write()\n"
    assert list(private_names(code)) == ["textual._compositor.X", "textual._wait", "app._driver"]
    assert {"_driver", "_exception", "_display"} <= of_textual(tui_app())


def tui_app() -> type:
    """The app."""
    return next(each for each in classes() if each.__name__ == "ParlourApp")
