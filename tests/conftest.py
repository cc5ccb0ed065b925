"""Marks and fixtures that tests of several rooms share."""

import asyncio
import inspect
import os
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from parlour.agents.registry import strategies
from parlour.games.common.collection import imported
from tests import consents, outsiders
from tests.clock import hurried
from tests.forks import popen
from tests.runners import Plugin
from tests.studies import Studies

# So that commands are printed as "parlour ...", whether or not the environment is activated.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
# So that no test reads or changes the settings and consents of whoever runs it.
_config = tempfile.TemporaryDirectory(prefix="parlour-tests-")
os.environ["XDG_CONFIG_HOME"] = consents.own_config(Path(_config.name))
# Processes that a script starts in the background ignore Ctrl-C, and so would those started here.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Under nohup SIGHUP is ignored, and so it would be in every process started here, which has to
# stop at it. A handler survives in this process alone: programs start with the default.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN or "TESTS_OUTLIVE_TERMINAL" in os.environ:
    os.environ["TESTS_OUTLIVE_TERMINAL"] = "1"  # for the workers, which are programs too
    signal.signal(signal.SIGHUP, lambda *_: None)
outsiders.hide()  # before any test is collected: some are made one a game
popen.install()


SLOW_FOLDERS = {"crash", "fuzz", "packaging", "parlour", "terminal", "tui"}
"""Tests of screens, commands, kills and installs: all of them are slow, or wait."""
SLOW_MODULES = {
    *("test_budgets", "test_canary", "test_canary_runs", "test_conduct", "test_deliberating"),
    *("test_expense", "test_faulty_provider", "test_game_from_outside", "test_journal"),
    *("test_keeping_pace", "test_limited_runs", "test_llm_clients", "test_llm_costs"),
    *("test_models_play", "test_parking", "test_pausing", "test_people"),
    *("test_presets", "test_round_trip", "test_save_states", "test_spoofing"),
    *("test_readme", "test_scratchpad", "test_strength", "test_thinking_pays"),
    *("test_benches", "test_conformance", "test_user_code"),
}
"""Tests elsewhere that play with model servers, timers, or thousands of matches."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keeps the garbage collector from the modules and tests, which live to the end."""
    with imported():
        return (yield)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Keeps texts of megabytes out of the names of tests, which are copied and sent around."""
    return argname if isinstance(val, str | bytes) and len(val) > 1000 else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as slow what `make quick` leaves out, where a test does not say so itself."""
    for item in items:
        if item.path.parent.name in SLOW_FOLDERS or item.path.stem in SLOW_MODULES:
            item.add_marker("slow")


def pytest_configure(config: pytest.Config) -> None:
    """Leaves out the studies whose code has not changed, unless their mark is asked for."""
    if not any(isinstance(plugin, Studies) for plugin in config.pluginmanager.get_plugins()):
        every = "study" in config.option.markexpr
        config.pluginmanager.register(Studies(every=every), "studies")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Plays a test that is a coroutine in an event loop of its own."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    names = inspect.signature(test).parameters
    story = test(**{name: pyfuncitem.funcargs[name] for name in names})
    if pyfuncitem.get_closest_marker("hurried"):
        hurried(story)
    else:
        asyncio.run(story)
    return True


@pytest.fixture(autouse=True)
def _started_or_forked(request: pytest.FixtureRequest) -> Iterator[None]:
    """Commands are forked, except by tests that are about their start."""
    if request.node.get_closest_marker("really_started") is None:
        yield
        return
    with popen.really_started():
        yield


@pytest.fixture
def own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration of the test alone: no keys file, no consents."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


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
