"""What tests of several rooms share."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.agents.registry import strategies
from tests import outsiders
from tests.forks import popen
from tests.runners import Plugin

# What a script starts in the background ignores Ctrl-C, and so would all that is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)
outsiders.hide()  # before any test is collected: some are made one a game
popen.install()


@pytest.fixture(autouse=True)
def _started_or_forked(request: pytest.FixtureRequest) -> Iterator[None]:
    """Commands are forked, except by tests that are about their start."""
    if request.node.get_closest_marker("really_started") is None:
        yield
        return
    with popen.really_started():
        yield


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
