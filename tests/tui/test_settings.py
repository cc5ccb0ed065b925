"""The settings: read from one file, stored in it, refused in one line if invalid."""

import asyncio
import os
from pathlib import Path

import pytest
from textual.color import Color

from parlour.agents.llm.keys import settings_file
from parlour.games.common.errors import BadInput
from parlour.tui.look.palette import DAY
from parlour.tui.settings import Settings, read_settings
from tests.parlour.test_output import on_a_terminal
from tests.tui.playing import driven, saved

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
    assert read_settings() == Settings(settings_file(), "parlour-night", "auto")


@pytest.mark.parametrize(
    ("text", "field", "problem"),
    [
        ('layout = "sideways"', ": layout", "unknown layout 'sideways'"),
        ('glyphs = "emoji"', ": glyphs", "unknown glyphs 'emoji'"),
        ("keys = 3", ": keys", "is not a table of strings"),
        ('[keys]\n"live.pause" = 3', ": keys", "is not a table of strings"),
        ("theme = ", "", "cannot be read (Unexpected"),
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


@pytest.mark.slow
@pytest.mark.parametrize("words", [[], ["attach", str(SAVE)]])
def test_the_command_refuses_it_with_one_line_and_exit_code_2(words: list[str]) -> None:
    asyncio.run(saved(SAVE))
    config('layout = "sideways"')
    # On a terminal, since without one no settings are read.
    assert on_a_terminal(words, Path.cwd(), TERM="xterm-256color") == (
        2,
        f"parlour: {settings_file()}: layout: unknown layout 'sideways';"
        " known: auto, columns, stacked, wide talk\n",
    )


async def test_theme_and_layout_are_stored_and_the_keys_stay() -> None:
    config('[keys]\n"live.leaderboard" = "f5"\n')
    async with driven(await saved(SAVE), size=(120, 24)) as pilot:
        await pilot.press("v")
        pilot.app.theme = "nord"
        await pilot.pause()
    assert read_settings() == Settings(
        settings_file(), "nord", "columns", keys={"live.leaderboard": "f5"}
    )
    async with driven(await saved(SAVE)) as pilot:
        assert pilot.app.theme == "nord"
        assert pilot.app.screen.settings.layout == "columns"
        assert "f5 leaderboard" in pilot.shown


async def test_a_theme_that_is_not_there_costs_only_the_theme() -> None:
    config('theme = "no such theme"')
    async with driven(await saved(SAVE)) as pilot:
        assert pilot.app.theme == "textual-dark"


async def test_a_folder_that_cannot_be_written_is_named_and_the_layout_changes_anyway() -> None:
    settings_file().parent.parent.mkdir(parents=True)
    settings_file().parent.write_text("a file where the folder should be")
    settings = Settings(settings_file())
    async with driven(await saved(SAVE), size=(120, 24), settings=settings) as pilot:
        await pilot.press("v")
        (message,) = pilot.toasts
        assert message == (
            f"{settings_file()}: cannot be read (Not a directory); fix it or remove it"
        )
        assert pilot.app.screen.settings.layout == "columns"


OF_THE_USER = """\
# My settings, please keep.
layout = 'auto'   # the default

# Keys as in my editor.
[keys]
"live.pause" = "p"  # for pause
'an "id"' = "f5,ctrl+x"

[future]
unknown = [1, 2]
theme = "another key of that name"
"""


def test_comments_order_and_unknown_keys_survive_a_change() -> None:
    path = config(OF_THE_USER)
    settings = read_settings()
    settings.theme, settings.layout = "nord", "stacked"
    assert settings.store() is None
    assert read_settings() == settings
    text = path.read_text(encoding="utf-8")
    # The layout keeps its comment, the new theme stands before the tables; the rest is the same.
    assert text.count('theme = "nord"\n') == 1
    assert text.index('theme = "nord"') < text.index("[keys]")
    layout = OF_THE_USER.replace("'auto' ", '"stacked" ')
    assert text.replace('theme = "nord"\n', "").split() == layout.split()


def test_a_file_that_cannot_be_written_is_named_in_one_line() -> None:
    config("")
    draft = settings_file().with_name(f".config.toml.{os.getpid()}.new")
    draft.mkdir()
    problem = read_settings().store()
    assert problem is not None
    assert problem.startswith(f"{settings_file()}: cannot be written (Is a directory)")


def test_a_file_of_our_own_is_written_where_there_is_none() -> None:
    settings = Settings(settings_file(), theme='a "theme"\\', layout="columns")
    assert settings.store() is None
    assert read_settings() == settings


def test_what_another_program_wrote_meanwhile_survives_a_change() -> None:
    config('layout = "auto"\n')
    settings = read_settings()
    path = config('layout = "auto"\n\n[keys]\n"live.pause" = "p"\n')
    settings.theme = "nord"
    assert settings.store() is None
    assert '"live.pause" = "p"' in path.read_text(encoding="utf-8")
    assert read_settings().theme == "nord"


async def test_a_file_that_was_broken_meanwhile_is_named_in_one_line_and_left_untouched() -> None:
    config("")
    async with driven(await saved(SAVE), size=(120, 24)) as pilot:
        path = config("theme = \n# unfinished")
        await pilot.press("v")
        (message,) = pilot.toasts
        assert message.startswith(f"{path}: cannot be read (")
        assert message.endswith("fix it or remove it")
        assert path.read_text(encoding="utf-8") == "theme = \n# unfinished"
        assert pilot.app.screen.settings.layout == "columns"


async def test_the_first_frame_has_the_colours_of_the_theme_of_the_settings() -> None:
    settings = Settings(Path("none"), theme="parlour-day")
    async with driven(await saved(SAVE), settings=settings) as pilot:
        assert pilot.app.screen.styles.background == Color.parse(DAY.bg)
