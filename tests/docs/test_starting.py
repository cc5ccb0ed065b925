"""docs/screens.md on the saves and on a new tournament, against the screens."""

from pathlib import Path

from parlour.tui.models.offered import own_agents
from parlour.tui.models.plan_forecast import CALL_SECONDS
from parlour.tui.screens.home import RELOAD_SECONDS, HomeScreen, SavesList
from parlour.tui.screens.new import NewScreen
from parlour.tui.widgets.fields_pane import FieldsPane
from tests.blocks import blocks, section, table_rows
from tests.docs.test_people import keys_of

PAGE = "docs/screens.md"
NAMES = {
    "enter": "Enter",
    "slash": "`/`",
    "ctrl+s": "Ctrl+S",
    "ctrl+r": "Ctrl+R",
    "escape": "Esc",
    "tab": "Tab",
}
"""Keys as the page writes them, where they are no single sign."""


def described(title: str) -> str:
    """The first column of the table of a section."""
    return " ".join(row[0] for row in table_rows(section(PAGE, title)))


def names(keys: set[str]) -> list[str]:
    """The ways in which a page may write one of these keys."""
    return [NAMES.get(key, key if len(key) > 1 else f"`{key}`") for key in keys]


def test_every_key_of_the_saves_is_described() -> None:
    table = described("Saves")
    actions = keys_of(HomeScreen) | keys_of(SavesList)
    del actions["home.clear"]  # told with the search
    for action, keys in actions.items():
        assert any(name in table for name in names(keys)), action
    assert f"every {['zero', 'one', 'two', 'three'][int(RELOAD_SECONDS)]} seconds" in section(
        PAGE, "Saves"
    )


def test_every_key_of_the_form_is_described() -> None:
    table = described("New tournament")
    inner = {"fields.tick": "space", "fields.next": "right", "fields.enter": "Enter"}
    assert set(inner) <= set(keys_of(FieldsPane))
    for name in inner.values():
        assert name in table
    actions = keys_of(NewScreen)
    for action in (
        "app.leave",
        "new.previous",
        *(f"new.{name}" for name in ("agents", "schedule")),
    ):
        del actions[action]  # as on every screen, or within `1` to `4`
    for action, keys in actions.items():
        assert any(name in table for name in names(keys)), action


def test_the_time_of_a_call_is_the_one_described() -> None:
    assert f"takes {CALL_SECONDS:.0f} seconds for a call" in section(PAGE, "New tournament")


def test_the_example_of_agents_is_offered(tmp_path: Path) -> None:
    text = next(block for block in blocks(PAGE, "toml") if "[[agents]]" in block)
    file = tmp_path / "agents.toml"
    file.write_text(text, encoding="utf-8")
    (mina,) = own_agents(file)
    assert (mina.name, mina.words) == ("Mina", "openai/gpt-5-mini")
    assert mina.key in {"set", "missing"}
