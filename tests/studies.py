"""Studies: simulations that run when the code that they test has changed.

A study is marked ``@pytest.mark.study("ratings/skill", ...)`` with the folders and modules that it
tests. `studies.json` has the fingerprint of them, and of the module of the test, with which each
study passed last. `make test` runs the studies whose fingerprint is another one, `make soak` runs
all. `python -m tests.studies` runs those that are due, and writes the fingerprints of the passed.
"""

import json
import sys
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PASSED = Path(__file__).with_name("studies.json")


@cache
def fingerprint(paths: tuple[str, ...]) -> str:
    """The fingerprint of the files at these paths and below them, without compiled ones."""
    digest = blake2b(digest_size=8)
    for path in sorted(paths):
        at = ROOT / path
        files = [at] if at.is_file() else sorted(each for each in at.rglob("*") if each.is_file())
        assert files, f"{path}: a study is of nothing"
        for file in files:
            if file.suffix != ".pyc":
                digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def of_item(item: pytest.Item) -> str | None:
    """The fingerprint of the code that a test studies; None for one that is no study."""
    mark = item.get_closest_marker("study")
    if mark is None:
        return None
    return fingerprint((*mark.args, str(item.path.relative_to(ROOT))))


class Studies:
    """The plugin that leaves out the studies that passed with the code of now.

    ``record``: passed studies are written to ``studies.json``.
    """

    def __init__(self, *, every: bool, record: bool = False) -> None:
        self._every, self._record = every, record
        self._fingerprints: dict[str, str] = {}
        self._failed: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselects the studies that are not due."""
        passed = json.loads(PASSED.read_text(encoding="utf-8")) if PASSED.exists() else {}
        left_out = []
        for item in items:
            now = of_item(item)
            if now is None:
                continue
            self._fingerprints[item.nodeid] = now
            if not self._every and passed.get(item.nodeid) == now:
                left_out.append(item)
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if item not in left_out]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remembers the studies that failed."""
        if report.failed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Writes the fingerprints of all studies that passed, now or before."""
        if self._record:
            known = {
                name: now for name, now in self._fingerprints.items() if name not in self._failed
            }
            PASSED.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main(words: Sequence[str]) -> int:
    """Runs the studies that are due, with ``--all`` every one, and writes what passed."""
    plugin = Studies(every="--all" in words, record=True)
    return pytest.main(["-m", "study", "-n", "0", "-p", "no:cacheprovider", "tests"], [plugin])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
