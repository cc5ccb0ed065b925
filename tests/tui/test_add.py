"""The form that adds agents to a save: what it forecasts, what it adds, and what it refuses."""

from pathlib import Path

import pytest

from parlour.tournament.plan.additions import addition_of_file
from parlour.tournament.save.growing.grow import growth_of
from parlour.tournament.save.growing.stages import stages_of
from parlour.tournament.save.reader import Save
from parlour.tui.models.form import FieldPath
from parlour.tui.models.new_tournament import Draft, addition_of, changed
from parlour.tui.models.offered import offered_agents
from parlour.tui.models.plan_forecast import adding_forecast
from parlour.tui.screens.add import AddScreen
from parlour.tui.screens.consenting import ConsentDialog
from parlour.tui.screens.home import HomeScreen
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.screens.live import LiveScreen
from tests.tournament.test_adaptive import LADDER
from tests.tournaments import in_save
from tests.tui.playing import Driven, detached, driven, saved

SAVE = Path("saves/small.db")
ZOE = '[[agents]]\nname = "Zoe"\nstrategy = "cautious"\n'
FUNCTION = '[[agents]]\nname = "Own"\nkind = "function"\nfunction = "own.py:answer"\n'
NAMES = ("Ada", "Rob", "Lin")


def written(text: str, name: str) -> Path:
    """A file in the working folder."""
    path = Path(name)
    path.write_text(text, encoding="utf-8")
    return path


def agents() -> list[str]:
    """The agents of the save."""
    return [agent.name for agent in in_save(SAVE, lambda s: s.tournament).agents]


async def forecast_of(pilot: Driven, matches: int) -> None:
    """The forecast of the form as it is has so many matches."""

    def is_shown() -> bool:
        screen = pilot.app.screen
        plan = screen.plan if isinstance(screen, AddScreen) else None
        return plan is not None and plan.matches == matches

    await pilot.until(is_shown, 60)


async def test_a_forecast_is_that_of_the_command() -> None:
    save, zoe = await saved(SAVE), written(ZOE, "zoe.toml")
    with Save(save) as opened:
        growth = growth_of(opened, addition_of_file(zoe))
    by_file = adding_forecast(save, lambda: addition_of(Draft(file="zoe.toml"), {}, NAMES))
    assert not by_file.obstacle
    assert by_file.matches == len(growth.matches) == 12
    assert by_file.asks == 12 * 21
    ticked = Draft(agents=frozenset({"Bea"}), against=frozenset({"Lin"}))
    addition = addition_of(ticked, offered_agents(), NAMES)
    assert addition.against == ["Lin"]
    assert adding_forecast(save, lambda: addition).matches == 4


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ([], "Agents: none is ticked; tick one with space, or name a file."),
        ([(("file",), "no.toml")], "no.toml: there is no such file; name a file with [["),
        ([(("file",), str(SAVE))], f"{SAVE}: is a save; name a file with [[agents]] or"),
        ([(("file",), "whole.toml")], "whole.toml: is a whole tournament; put the new"),
        (
            [(("file",), "zoe.toml"), (("agent", "Bea"), True)],
            "Agents: a file is named, and agents are ticked; clear the file, or untick them.",
        ),
        ([(("file",), "ada.toml")], "ada.toml:2: agents[0].name: 'Ada' is taken"),
        ([(("file",), "same.toml")], "The tournament has all of it already"),
    ],
)
async def test_what_cannot_be_added_is_one_sentence(
    changes: list[tuple[FieldPath, object]], problem: str
) -> None:
    save = await saved(SAVE)
    written(ZOE, "zoe.toml")
    written(f'[[games]]\nname = "chameleon"\n{ZOE}', "whole.toml")
    written(ZOE.replace("Zoe", "Ada"), "ada.toml")
    written('[[agents]]\nname = "Rob"\nstrategy = "random"\n', "same.toml")
    adding = Draft()
    for path, value in changes:
        adding = changed(adding, path, value)
    plan = adding_forecast(save, lambda: addition_of(adding, offered_agents(), NAMES))
    (only,) = plan.problems
    assert only.text.startswith(problem)
    assert plan.obstacle


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
async def test_ticked_agents_are_added_after_their_forecast(size: tuple[int, int]) -> None:
    await saved(SAVE)
    async with driven(None, size=size) as pilot:
        await pilot.press("A")
        await pilot.until(lambda: "none is ticked" in " ".join(pilot.shown.split()))
        await pilot.press("ctrl+r")
        await pilot.until(lambda: any("Nothing can be" in words for words in pilot.toasts))
        await pilot.press("space", "2", "space")
        await forecast_of(pilot, 4)
        assert "4  matches" in pilot.shown
        assert agents() == list(NAMES)
        await pilot.press("ctrl+r", at=HomeScreen)
        words = "Added Bea: 4 matches. Space on the live screen plays them."
        await pilot.until(lambda: pilot.toasts == [words])
    assert agents() == [*NAMES, "Bea"]
    assert in_save(SAVE, stages_of)[-1].stage.against == ("Ada",)


async def test_an_adaptive_tournament_gets_agents_after_the_forecast_of_its_next_round() -> None:
    await saved(SAVE, 0, LADDER)
    async with driven(SAVE) as pilot:
        await pilot.press("A", "space")
        await forecast_of(pilot, 12)
        screen = pilot.at(AddScreen)
        assert screen.plan is not None
        (note,) = screen.plan.problems
        assert note.text.startswith("All of this is of the next 12 matches: ")
        await pilot.press("ctrl+r", at=LiveScreen)
        words = "Added Bea: a round of matches of all agents. Space on the live screen plays them."
        await pilot.until(lambda: words in pilot.toasts)
    assert agents() == [*NAMES, "Bea"]


async def test_a_key_to_add_before_the_forecast_is_there_waits_for_it() -> None:
    await saved(SAVE)
    async with driven(SAVE) as pilot:
        await pilot.press("l", at=LeaderboardScreen)
        await pilot.press("A", "space", "ctrl+r", at=LeaderboardScreen)
        await pilot.press("escape")
        # Nothing plays it: the live screen looks for itself.
        await pilot.sees("12 of 24")
    assert agents() == [*NAMES, "Bea"]


async def test_code_needs_consent_before_anything_is_counted() -> None:
    await saved(SAVE)
    written("open('mark', 'w').close()\ndef answer(question):\n    return None\n", "own.py")
    written(FUNCTION, "own.toml")
    async with driven(SAVE) as pilot:
        await pilot.press("A", "up", *"own.toml", sees="It needs your consent")
        await pilot.press("ctrl+r", at=ConsentDialog)
        await pilot.press("n", at=AddScreen)
        assert agents() == list(NAMES)
        assert not Path("mark").exists()
        await pilot.press("ctrl+r", at=ConsentDialog)
        await pilot.press("y")
        await forecast_of(pilot, 12)
        assert agents() == list(NAMES)
        await pilot.press("ctrl+r")
        await pilot.until(lambda: isinstance(pilot.app.screen, LiveScreen), 60)
    assert agents() == [*NAMES, "Own"]


async def test_a_tournament_grows_while_it_is_played() -> None:
    save = await saved(SAVE, 0)
    with detached(save, pace=4.0):
        async with driven(save) as pilot:
            await pilot.sees("running")
            await pilot.press("A", sees="is being played")
            await pilot.press("space")
            await forecast_of(pilot, 12)
            await pilot.press("ctrl+r")
            await pilot.until(lambda: agents() == [*NAMES, "Bea"], 60)
            await pilot.until(lambda: " of 24 " in pilot.shown, 60)
