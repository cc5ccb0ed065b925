"""Names and keys of all actions, and the check of a user's own keys."""

import json
import re
from pathlib import Path

import pytest

from parlour.games.common.errors import BadInput
from parlour.tui.app import ParlourApp
from parlour.tui.bindings import actions, check_keys
from parlour.tui.settings import Settings
from tests.docs.keys import PAGE, keys_page
from tests.tournaments import environment, printed


def check(**keys: str) -> None:
    own = {name.replace("_", ".", 1): key for name, key in keys.items()}
    check_keys(ParlourApp, Settings(Path("config.toml"), keys=own))


def test_the_default_keys_pass() -> None:
    check()


def test_a_free_key_is_taken() -> None:
    check(live_pause="f7", live_turn="ctrl+t,f8")


def test_two_actions_may_change_their_keys_for_each_other() -> None:
    check(live_pause="n", live_turn="space")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"live_pause": "n"}, "live.pause: the key 'n' is that of live.turn"),
        ({"live_pause": "f9,enter"}, "live.pause: the key 'enter' is that of "),
        ({"live_pause": "?"}, "live.pause: the key 'question_mark' is that of app.help"),
        ({"live_paus": "p"}, "unknown action 'live.paus'; did you mean 'live.pause'?"),
        ({"live_pause": "hyper+p"}, "live.pause: unknown key 'hyper+p'"),
        ({"live_pause": "spcae"}, "live.pause: unknown key 'spcae'"),
        ({"live_pause": "f7", "live_turn": "f7"}, "the key 'f7' is that of"),
    ],
)
def test_other_keys_are_refused_with_a_word(keys: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput, match=re.escape(message)):
        check(**keys)


def test_every_action_says_what_it_does_and_has_a_place() -> None:
    for action in actions(ParlourApp):
        assert action.keys
        assert action.description
        assert action.place


def test_the_command_lists_names_with_own_keys(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "parlour"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[keys]\n"live.pause" = "f7"\n')
    own = environment(XDG_CONFIG_HOME=str(tmp_path / "config"))
    listed = json.loads(printed("list", "keys", "--format", "json", cwd=tmp_path, env=own))
    rows = {row["action"]: row for row in listed}
    assert rows["live.pause"]["keys"] == "f7"
    assert rows.keys() == {action.name for action in actions(ParlourApp)}


def test_the_page_of_the_screens_lists_all_actions() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == keys_page(text), "python -m tests.docs.keys writes the table again"
