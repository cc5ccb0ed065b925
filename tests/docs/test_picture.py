"""The pictures in the README show what the program draws."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.blocks import ROOT

PICTURES = ("picture.svg", "leaderboard.svg")


def texts(picture: Path) -> list[tuple[str, ...]]:
    """Every piece of text with its place."""
    svg = picture.read_text(encoding="utf-8")
    return re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', svg)


@pytest.mark.slow
def test_the_pictures_are_what_the_screens_look_like(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "scripts/picture.py", str(tmp_path)], cwd=ROOT, check=True)
    for name in PICTURES:
        shown = ROOT / "docs" / name
        assert len(texts(shown)) > 20
        assert texts(shown) == texts(tmp_path / name), (
            "draw them again: .venv/bin/python scripts/picture.py"
        )


@pytest.mark.parametrize("name", PICTURES)
def test_looking_at_a_picture_needs_no_network(name: str) -> None:
    svg = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert "@font-face" not in svg
    assert "url(http" not in svg
    assert "<script" not in svg
