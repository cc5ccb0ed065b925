"""Consent in the screens: what a stranger's tournament does is shown before anything of it is."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.tournament.plan.loader import read_tournament
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.trust.consent import agree, consent_file, unagreed
from parlour.tournament.trust.needs import needs
from parlour.tui.screens.consenting import ConsentDialog
from parlour.tui.screens.fork import ForkScreen
from parlour.tui.screens.home import HomeScreen
from parlour.tui.screens.replay import ReplayScreen
from tests.hostile import squeezed
from tests.tournaments import in_save
from tests.tui.playing import SMALL, Driven, driven, end, pane_text, play

SAVES = Path("saves")
MARK = Path("mark")
CODE = "def answer(question):\n    return None\n"
FUNCTION = 'kind = "function"\nfunction = "players.py:answer"'
WITH_CODE = SMALL.replace('strategy = "literal"', FUNCTION)
NOTHING = "You have agreed to nothing, and nothing was started."


@pytest.fixture(autouse=True)
def no_runner_left() -> Iterator[None]:
    """No runner outlives its test."""
    yield
    for save in SAVES.glob("**/*.db"):
        end(save)


def strange_file(text: str = WITH_CODE) -> Path:
    """A tournament file whose code leaves a mark when it runs."""
    Path("players.py").write_text(f"open({str(MARK.resolve())!r}, 'w').close()\n{CODE}")
    file = Path("strange.toml")
    file.write_text(text, encoding="utf-8")
    return file


async def strange_save(answers: int | None = None) -> Path:
    """A save of a stranger, played by them with the code that it names."""
    file = strange_file()
    path = SAVES / "strange.db"
    SAVES.mkdir()
    agree(needs(read_tournament(file)))
    create_save(path, read_tournament(file))
    await play(path, answers)
    consent_file().unlink()
    MARK.unlink()
    return path


async def asked(pilot: Driven) -> None:
    """The question is on the screen."""
    await pilot.until(lambda: isinstance(pilot.app.screen, ConsentDialog))
    await pilot.pause()


async def opens(pilot: Driven, file: str = "strange.toml") -> None:
    """Asks for a file to be played, as far as the question."""
    await pilot.press("o", *file, "enter")
    await asked(pilot)


@pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=["small", "large"])
async def test_the_dialog_says_which_code_is_run_and_which_key_goes_where(
    size: tuple[int, int],
) -> None:
    model = 'kind = "llm"\nmodel = "m"\napi_base = "http://elsewhere.test/v1"'
    keyed = f'{model}\napi_key_env = "STRANGE_KEY"'
    text = WITH_CODE.replace('strategy = "random"', keyed)
    Path("red\x1b[31m.py").write_text(CODE)
    file = strange_file(text.replace("players.py", "red\\u001b[31m.py"))
    async with driven(None, size=size) as pilot:
        await opens(pilot)
        lines = pane_text(pilot.app.screen, "#lines")
        for need in needs(read_tournament(file)):
            assert squeezed(f"• {need.line}") in squeezed(lines)
        for what in ("sends the key STRANGE_KEY to http://elsewhere.test", "red[31m.py, and"):
            assert squeezed(what) in squeezed(lines)
        assert "\x1b" not in f"{lines}{pilot.shown}"
        assert "y agrees and plays   any other key: no" in pilot.shown


@pytest.mark.parametrize("key", ["n", "escape", "enter", "space", "q"])
async def test_any_key_but_y_leaves_everything_untouched(key: str) -> None:
    strange_file()
    async with driven(None) as pilot:
        await opens(pilot)
        await pilot.press(key, at=HomeScreen, says=NOTHING)
    assert not consent_file().exists()
    assert not MARK.exists()
    assert not list(SAVES.glob("*"))


async def test_y_agrees_and_plays_the_file() -> None:
    file = strange_file()
    async with driven(None) as pilot:
        await opens(pilot)
        await pilot.press("y")
        await pilot.until(MARK.exists, seconds=60)  # it runs once to make the save
        await pilot.until((SAVES / "small.db").exists, seconds=60)
    assert unagreed(read_tournament(file)) == ()


async def test_y_agrees_to_no_line_that_was_not_in_sight() -> None:
    agents = [f'[[agents]]\nname = "Robot {n}"\n{FUNCTION}\n' for n in range(12)]
    strange_file("".join([WITH_CODE, *agents]))
    async with driven(None) as pilot:
        await opens(pilot)
        assert "y reads on" in pilot.shown
        assert "'Robot 11'" not in pilot.shown
        while "y agrees" not in pilot.shown:
            await pilot.press("y")
            assert not consent_file().exists()
        assert isinstance(pilot.app.screen, ConsentDialog)


async def test_code_that_changes_while_the_question_is_open_is_not_agreed_to() -> None:
    strange_file()
    async with driven(None) as pilot:
        await opens(pilot)
        with Path("players.py").open("a") as code:
            code.write("# later\n")
        await pilot.press("y")
        await pilot.until(lambda: any("needs your consent" in line for line in pilot.toasts))
    assert not MARK.exists()


async def test_a_strangers_save_is_continued_after_consent_alone() -> None:
    save = await strange_save(20)
    async with driven(save) as pilot:
        await pilot.press("space")
        await asked(pilot)
        assert "players.py" in pane_text(pilot.app.screen, "#lines")
        await pilot.press("n", says=NOTHING)
        assert not MARK.exists()
        await pilot.press("space")
        await asked(pilot)
        await pilot.press("y")
        await pilot.until(MARK.exists, seconds=60)


async def test_a_match_of_a_strangers_save_is_forked_after_consent_alone() -> None:
    save = await strange_save()
    async with driven(save, size=(120, 40)) as pilot:
        await pilot.press("r", at=ReplayScreen)
        for key, asks in (("n", False), ("y", True)):
            await pilot.press("home", "F", sees="which seat")
            await pilot.press("1", sees="I play this seat")
            await pilot.press("3")
            await asked(pilot)
            assert not MARK.exists()
            await pilot.press(key)
            if not asks:
                assert not (SAVES / "forks").exists()
        await pilot.until(lambda: isinstance(pilot.app.screen, ForkScreen), seconds=60)
    (fork,) = (SAVES / "forks").glob("*.db")
    assert json.loads(in_save(fork, lambda s: s.tournament_json))["fork"]["save"] == "strange.db"


async def test_consents_that_count_for_nothing_are_said_in_the_dialog() -> None:
    strange_file()
    consent_file().parent.mkdir(parents=True, exist_ok=True)
    consent_file().write_text("garbled\n")
    consent_file().chmod(0o600)
    async with driven(None) as pilot:
        await opens(pilot)
        words = " ".join(pane_text(pilot.app.screen, "#lines").split())
        assert squeezed("line 1, is garbled: the file counts") in squeezed(words)
