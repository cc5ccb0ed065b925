"""The report in a real browser, where one is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest
from parlour.report.page import report_page

from tests.parlour.pages import Page
from tests.tournaments import finished

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed"),
]


def browsed(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The page of a small save opened in the browser, with its console on stderr."""
    page = folder / "page.html"
    page.write_text(report_page(finished(folder)), encoding="utf-8")
    assert BROWSER is not None
    usual = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
    words = [BROWSER, *usual, "--enable-logging=stderr", f"--user-data-dir={folder}/profile"]
    return subprocess.run(
        [*words, *options, page.as_uri()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )


def test_the_browser_shows_every_figure_without_a_message(tmp_path: Path) -> None:
    done = browsed(tmp_path, "--dump-dom")
    assert "CONSOLE" not in done.stderr
    written = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    shown = Page(done.stdout)
    for name in ("figure", "svg", "table"):
        assert len(shown.root.all(name)) == len(written.root.all(name)) > 0


def test_the_page_prints(tmp_path: Path) -> None:
    browsed(tmp_path, f"--print-to-pdf={tmp_path / 'page.pdf'}")
    printed = (tmp_path / "page.pdf").read_bytes()
    assert printed.startswith(b"%PDF")
    assert len(printed) > 20_000
