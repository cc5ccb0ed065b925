"""What tests of several rooms share."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.agents.registry import strategies
from tests import outsiders
from tests.runners import Plugin

# So that commands are printed as "parlour ...", whether or not the environment is activated.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
# What a script starts in the background ignores Ctrl-C, and so would all that is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)
outsiders.hide()  # before any test is collected: some are made one a game


@pytest.fixture
def tardy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plugin]:
    """The strategy of another package, installed for this process and for those it starts."""
    plugin = Plugin.installed(tmp_path / "plugin")
    monkeypatch.syspath_prepend(plugin.folder)
    for name, value in plugin.environment().items():
        monkeypatch.setenv(name, value)
    strategies.cache_clear()
    yield plugin
    strategies.cache_clear()
