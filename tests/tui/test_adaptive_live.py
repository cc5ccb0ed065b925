"""The live screen of an adaptive tournament, whose plan grows while it is watched."""

from pathlib import Path

from parlour.tournament.save.reader import Save
from tests.tournament.test_adaptive import LADDER
from tests.tournaments import in_save
from tests.tui.playing import Driven, driven, pane_text, play, saved

WIDE = (160, 48)


def listed(pilot: Driven) -> str:
    """The list of matches."""
    return pane_text(pilot.app.screen, "#matches")


async def test_the_list_follows_a_plan_that_grows() -> None:
    save = await saved(Path("saves/ladder.db"), 0, LADDER)
    async with driven(save, size=WIDE) as pilot:
        await pilot.sees("0 of 6 matches")
        await play(save)
        matches = in_save(save, Save.match_count).matches
        assert matches > 6
        await pilot.sees(f"{matches} of {matches} matches")
        await pilot.until(lambda: f"{matches}/{matches}" in listed(pilot))
        await pilot.press("l", sees=f"{matches} finished matches")
        await pilot.press("escape")
        await pilot.until(lambda: f"{matches}/{matches}" in listed(pilot))
