"""The picture in the README shows what the program prints."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.blocks import ROOT


def texts(picture: Path) -> list[tuple[str, ...]]:
    """Every piece of text with its place."""
    svg = picture.read_text(encoding="utf-8")
    return re.findall(r'<text class="parlour-r\d" x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', svg)


@pytest.mark.slow
def test_the_picture_is_what_the_demo_looks_like(tmp_path: Path) -> None:
    drawn = tmp_path / "picture.svg"
    subprocess.run([sys.executable, "scripts/picture.py", str(drawn)], cwd=ROOT, check=True)
    shown = ROOT / "docs" / "picture.svg"
    assert len(texts(shown)) > 20
    assert texts(shown) == texts(drawn), "draw it again: .venv/bin/python scripts/picture.py"


def test_looking_at_the_picture_needs_no_network() -> None:
    svg = (ROOT / "docs" / "picture.svg").read_text(encoding="utf-8")
    assert "@font-face" not in svg
    assert "url(http" not in svg
    assert "<script" not in svg
