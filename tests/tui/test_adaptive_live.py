"""The live screen of an adaptive tournament, whose plan grows while it is watched."""

from pathlib import Path

from textual.pilot import Pilot

from parlour.tournament.save.reader import Save
from tests.tournament.test_adaptive import LADDER
from tests.tui.playing import driven, pane_text, play, saved, shown, until

WIDE = (160, 48)


def listed(pilot: Pilot[None]) -> str:
    """The list of matches."""
    return pane_text(pilot.app.screen, "#matches")


async def test_the_list_follows_a_plan_that_grows() -> None:
    save = await saved(Path("saves/ladder.db"), 0, LADDER)
    async with driven(save, size=WIDE) as pilot:
        await until(pilot, lambda: "0 of 6 matches" in shown(pilot))
        await play(save)
        with Save(save) as opened:
            matches = opened.match_count().matches
        assert matches > 6
        await until(pilot, lambda: f"{matches} of {matches} matches" in shown(pilot))
        await until(pilot, lambda: f"{matches}/{matches}" in listed(pilot))
        await pilot.press("l")
        await until(pilot, lambda: f"{matches} finished matches" in shown(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: f"{matches}/{matches}" in listed(pilot))
