"""The tests see the games and players that ship, whatever else is installed; and their own."""

import sys
from pathlib import Path

import pytest

from tests.runners import Plugin
from tests.tournaments import ROOT, called

SEEN = "from tests import outsiders; outsiders.hide(); "
SEEN += "from parlour.agents.registry import strategies; print('tardy' in strategies())"


@pytest.mark.really_started
def test_what_is_installed_beside_parlour_is_hidden_from_the_tests(tmp_path: Path) -> None:
    plugin = Plugin.installed(tmp_path / "plugin")
    for hiding, seen in ((SEEN, "False"), (SEEN.replace("outsiders.hide(); ", ""), "True")):
        done = called(sys.executable, "-c", hiding, cwd=ROOT, env=plugin.environment(), check=True)
        assert done.stdout == f"{seen}\n"


def test_what_a_test_brings_itself_is_seen(tardy: Plugin) -> None:
    from parlour.agents.registry import strategies

    assert "tardy" in strategies()
