"""CONTRIBUTING.md names files, commands and options that there are."""

import re
from pathlib import Path

from tests.blocks import ROOT, codes, text_of

PAGE = "CONTRIBUTING.md"


def test_every_path_exists() -> None:
    words = " ".join(codes(text_of(PAGE))).split()
    paths = [word.rstrip("/") for word in words if re.fullmatch(r"[\w.*-]+(?:/[\w.*-]*)+", word)]
    assert len(paths) > 20
    for path in paths:
        if not path.startswith((".venv", "..")):
            assert list(ROOT.glob(path)), f"{PAGE} names {path}"


def test_every_command_is_a_target_and_every_target_of_tests_is_described() -> None:
    targets = re.findall(r"^(\w+):", Path(ROOT, "Makefile").read_text(), re.MULTILINE)
    named = set(re.findall(r"`make (\w+)`", text_of(PAGE)))
    assert named <= set(targets)
    assert {"quick", "test", "soak", "bench"} <= named


def test_every_module_that_is_run_exists() -> None:
    modules = re.findall(r"python -m ([\w.]+)", text_of(PAGE))
    assert modules
    for module in modules:
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module
