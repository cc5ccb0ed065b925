"""Commands start without what they do not use."""

import sys
from pathlib import Path

import pytest

from tests.tournaments import called, environment

LOADED = """
import sys
from parlour.cli.app import main
sys.argv = ["parlour", *sys.argv[1:]]
try:
    main()
finally:
    heavy = {"numpy", "scipy", "pandas", "parlour.ratings", "parlour.tui", "textual", "litellm"}
    print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.really_started
@pytest.mark.parametrize(
    "words",
    [["--help"], ["doctor"], ["pause", "no.db"], ["stop", "no.db"], ["replay", "no.db"]],
    ids=lambda words: words[0],
)
def test_a_command_that_computes_no_ratings_loads_nothing_for_them(
    words: list[str], tmp_path: Path
) -> None:
    done = called(sys.executable, "-c", LOADED, *words, cwd=tmp_path, env=environment())
    assert "[]" in done.stderr.splitlines()
