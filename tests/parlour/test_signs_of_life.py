"""Long work: what it tells, and that Ctrl-C leaves nothing half."""

import sys
from pathlib import Path

import pytest

from parlour.games.common.progress import listening, tracked
from parlour.site.site import files_of
from tests.tournaments import called, environment

INTERRUPTED = """
import os, signal, sys
import parlour.api.export as export
from parlour.cli.app import main
def interrupted(save, batches=export.batches):
    yield next(batches(save))
    os.kill(os.getpid(), signal.SIGINT)
    yield from batches(save)
export.batches = interrupted
sys.argv = ["parlour", "export", "saves/small.db", "--out", sys.argv[1]]
main()
"""


def test_work_tells_a_listener_how_far_it_is_and_nobody_without_one() -> None:
    steps: list[tuple[str, int, int]] = []
    with listening(lambda *how_far: steps.append(how_far)):
        assert list(tracked("abc", "Reading", 3)) == ["a", "b", "c"]
        few = len(list(tracked(range(10_000), "Counting", 10_000)))
    assert steps[:4] == [("Reading", done, 3) for done in range(4)]
    assert (few, len(steps) - 4, steps[-1]) == (10_000, 501, ("Counting", 10_000, 10_000))
    assert list(tracked("d", "Reading", 1)) == ["d"]
    assert len(steps) == 505


@pytest.mark.really_started
def test_an_export_that_is_interrupted_leaves_no_table(folder: Path, tmp_path: Path) -> None:
    done = called(
        sys.executable, "-c", INTERRUPTED, str(tmp_path / "out"), cwd=folder, env=environment()
    )
    assert done.returncode == 130
    assert done.stderr.endswith("parlour: interrupted\n")
    assert done.stdout == ""
    assert list((tmp_path / "out").iterdir()) == []


def test_a_site_tells_of_its_pages(folder: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    with listening(lambda *how_far: steps.append(how_far)):
        files = list(files_of([folder / "saves" / "small.db"]))
    pages = [done for name, done, _total in steps if name == "Writing pages"]
    assert pages == sorted(pages)
    assert 1 < len(pages) <= len(files)
