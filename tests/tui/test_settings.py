"""What a user likes: read from one file, remembered in it, refused in one line if unusable."""

import subprocess
import sys
from pathlib import Path

import pytest

from parlour.games.common.errors import BadInput
from parlour.tui.settings import Settings, read_settings, settings_file
from tests.tui.playing import driven, looped, saved, shown, toasts

SAVE = Path("saves/small.db")


def config(text: str) -> Path:
    """A configuration file with that text, where it is looked for."""
    path = settings_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_file_is_below_xdg_config_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "/somewhere")
    assert settings_file() == Path("/somewhere/parlour/config.toml")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert settings_file() == Path("/home/me/.config/parlour/config.toml")


def test_without_a_file_there_are_defaults() -> None:
    assert read_settings() == Settings(settings_file(), "textual-dark", "auto", {})


@pytest.mark.parametrize(
    ("text", "field", "problem"),
    [
        ('layout = "sideways"', ": layout", "unknown layout 'sideways'"),
        ("keys = 3", ": keys", "is not a table of texts"),
        ('[keys]\n"live.pause" = 3', ": keys", "is not a table of texts"),
        ("theme = ", "", "cannot be read (Invalid value"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_file_field_and_value(
    text: str, field: str, problem: str
) -> None:
    path = config(text)
    with pytest.raises(BadInput) as refused:
        read_settings()
    assert str(refused.value).startswith(f"{path}{field}: {problem}")
    assert "\n" not in str(refused.value)


def test_a_file_that_is_no_text_is_refused() -> None:
    path = config("")
    path.write_bytes(b"theme = '\xff'")
    with pytest.raises(BadInput, match="cannot be read"):
        read_settings()


@pytest.mark.slow
@pytest.mark.parametrize("words", [[], ["attach", str(SAVE)]])
def test_the_command_refuses_it_with_one_line_and_exit_code_2(words: list[str]) -> None:
    import asyncio
    import os
    import pty

    asyncio.run(saved(SAVE))
    config('layout = "sideways"')
    # On a terminal, since without one no settings are read.
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "parlour", *words],
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
            env=os.environ | {"TERM": "xterm-256color"},
            text=True,
            timeout=60,
            check=False,
        )
        os.close(theirs)
        try:
            on_screen = os.read(ours, 10_000)
        except OSError:  # nothing was written
            on_screen = b""
    finally:
        os.close(ours)
    assert done.returncode == 2
    assert done.stderr == (
        f"parlour: {settings_file()}: layout: unknown layout 'sideways';"
        " known: auto, columns, stacked, no side\n"
    )
    assert on_screen == b""


@looped
async def test_theme_and_layout_are_remembered_and_the_keys_kept() -> None:
    config('[keys]\n"live.leaderboard" = "f5"\n')
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("v")
        pilot.app.theme = "nord"
        await pilot.pause()
    assert read_settings() == Settings(
        settings_file(), "nord", "columns", {"live.leaderboard": "f5"}
    )
    async with driven(await saved(SAVE)) as pilot:
        assert pilot.app.theme == "nord"
        assert pilot.app.screen.has_class("columns")
        assert "f5 Leaderboard" in shown(pilot)


@looped
async def test_a_theme_that_is_not_there_costs_only_the_theme() -> None:
    config('theme = "no such theme"')
    async with driven(await saved(SAVE)) as pilot:
        assert pilot.app.theme == "textual-dark"


@looped
async def test_a_folder_that_cannot_be_written_costs_only_the_remembering() -> None:
    settings_file().parent.parent.mkdir(parents=True)
    settings_file().parent.write_text("a file where the folder should be")
    settings = Settings(settings_file())
    async with driven(await saved(SAVE), settings=settings) as pilot:
        await pilot.press("v")
        assert toasts(pilot) == ["Layout: columns"]


def test_odd_texts_are_written_so_that_they_read_back() -> None:
    settings = Settings(settings_file(), theme='qu"ote\\', keys={'an "id"': "f5,ctrl+x"})
    settings.remember()
    assert read_settings() == settings
