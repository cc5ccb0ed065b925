"""Tournament files and the user's own files with anything in them: used, or refused in one line."""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parlour.agents.llm.keys import read_keys
from parlour.games.common.errors import BadInput
from parlour.tui.app import ParlourApp
from parlour.tui.bindings import check_keys
from parlour.tui.models.offered import own_agents
from parlour.tui.settings import read_settings
from tests.fuzz.budget import at_length, budgeted
from tests.fuzz.commands import refusal_of, refused_or_done
from tests.fuzz.values import DEEP, changed, changes, damaged_bytes, toml
from tests.tournaments import scripted

TOURNAMENT = """
name = "fuzzed"
seed = 7
repetitions = 2
schedule = "round_robin"
seeding = "common"
meta = { note = "a" }
games = [
    { name = "undercover", limit = 2, clue_rounds = 1, probes = "off", order = "shuffled" },
    { name = "donation", agents_per_match = 4, benefit = 5.0, horizon = "infinite" },
]
limits = [{ endpoint = "http://127.0.0.1:9/v1", requests_per_minute = 60 }]
[[agents]]
name = "Ada"
strategy = ["bayesian", "tit_for_tat"]
meta = { family = "scripted" }
[[agents]]
name = "Mia"
kind = "llm"
model = "openai/gpt-4o-mini"
api_base = "http://127.0.0.1:9/v1"
api_key_env = "MIA_KEY"
timeout = 60.0
retries = 2
retry_wait = 0.5
prices = [1.0, 10.0]
parameters = { max_tokens = 500, temperature = 0.5 }
[[agents]]
name = "Ann"
kind = "human"
"""
SETTINGS = """
theme = "parlour-night"
layout = "auto"
glyphs = "fancy"
bell = true
keys = { "live.pause" = "space" }
"""
AGENTS = """
[[agents]]
name = "Mia"
kind = "llm"
model = "gpt-4o"
api_base = "http://127.0.0.1:9/v1"
prompts = "prompts"
""" + scripted(Lin="literal")
KEYS = 'OPENAI_API_KEY = "sk-0123456789"\nMIA_KEY = "abc"\n'
DEEPLY = ("name = " + "[" * DEEP + "]" * DEEP).encode()


def fuzzed(text: str) -> st.SearchStrategy[bytes]:
    """A file with odd values in it, or with damaged bytes."""
    data = tomllib.loads(text)
    structured = st.builds(lambda made: toml(changed(data, made)), changes)
    return st.one_of(structured, structured, damaged_bytes(text.encode()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


tournaments = given(body=fuzzed(TOURNAMENT))


@budgeted(60)
@example(body=DEEPLY)
@tournaments
def test_a_tournament_file_is_planned_or_refused(folder: Path, body: bytes) -> None:
    (folder / "t.toml").write_bytes(body)
    refused_or_done(["plan", "t.toml"], folder, "")


test_a_tournament_file_at_length = at_length(
    test_a_tournament_file_is_planned_or_refused, tournaments, 60
)


def _settings(path: Path) -> None:
    check_keys(ParlourApp, read_settings(path))


def _agents(path: Path) -> None:
    list(own_agents(path))


def _reads_or_refuses(read: Callable[[Path], object], path: Path, body: bytes) -> None:
    path.write_bytes(body)
    os.chmod(path, 0o600)
    refusal = refusal_of(lambda: read(path), BadInput)
    assert refusal.startswith(str(path)) or not refusal
    assert "\n" not in refusal


settings_files = given(body=fuzzed(SETTINGS))


@budgeted(100)
@example(body=DEEPLY)
@settings_files
def test_the_settings_are_read_or_refused(folder: Path, body: bytes) -> None:
    _reads_or_refuses(_settings, folder / "config.toml", body)


test_the_settings_at_length = at_length(test_the_settings_are_read_or_refused, settings_files, 100)


agents_files = given(body=fuzzed(AGENTS))


@budgeted(60)
@example(body=DEEPLY)
@agents_files
def test_the_users_agents_are_read_or_refused(folder: Path, body: bytes) -> None:
    _reads_or_refuses(_agents, folder / "agents.toml", body)


test_the_users_agents_at_length = at_length(
    test_the_users_agents_are_read_or_refused, agents_files, 60
)


keys_files = given(body=fuzzed(KEYS))


@budgeted(100)
@example(body=DEEPLY)
@keys_files
def test_the_keys_are_read_or_refused(folder: Path, body: bytes) -> None:
    _reads_or_refuses(read_keys, folder / "keys.toml", body)


test_the_keys_at_length = at_length(test_the_keys_are_read_or_refused, keys_files, 100)
