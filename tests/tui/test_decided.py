"""The leaderboard of an adaptive tournament: decided ranks and scores in place of strengths."""

from dataclasses import replace
from pathlib import Path

import pytest

from parlour.ratings.adaptive.until import DecidedPlace
from parlour.ratings.reports.decided_ranks import DecidedRanks
from parlour.tournament.plan.additions import Addition
from parlour.tournament.reports.leaderboards import decided_ranks
from parlour.tournament.save.growing.grow import grow
from parlour.tui.look.look import Look
from parlour.tui.models.standings import Standings
from parlour.tui.views.standings_table import BoardState, overall_table
from tests.tournament.test_adaptive import LADDER
from tests.tournaments import in_save
from tests.tui import figures
from tests.tui.playing import driven, pane_text, play, saved


def ranks(count: int) -> DecidedRanks:
    """Ranks of the first agents, in the order of their names from the last one."""
    places = [
        DecidedPlace(
            agent, 1 + index, min(count, 2 + index), None if index == 2 else 0.5, 0.25, 1.0, 7
        )
        for index, agent in enumerate(reversed(figures.agents(count)))
    ]
    return DecidedRanks(places, (1, 3))


def state(count: int) -> BoardState:
    """A leaderboard of an adaptive tournament."""
    return BoardState(figures.board(count), figures.cast(count), Look(), decided=ranks(count))


@pytest.mark.parametrize("count", [1, 3, 12])
def test_every_line_has_the_width_of_the_table(count: int) -> None:
    for width in (20, 60, 76, 95, 96, 120, 156, 220):
        for first in (0, 1, 4):
            table = overall_table(replace(state(count), first=first), width)
            lines = figures.drawn(table)
            assert {line.cell_len for line in lines} == {width}


def test_rows_are_in_the_order_of_decided_ranks() -> None:
    table = overall_table(state(3), 76)
    assert [row.agent for row in table.rows] == list(reversed(figures.agents(3)))
    first, _, last = (line.plain for line in figures.drawn(table)[1:])
    assert "1–2" in first
    assert "0.25–1.00" in first
    assert " 7" in first
    assert " – 0.25–1.00" in last
    assert "strength" not in table.headings[0].plain
    assert "strength" in overall_table(state(3), 156).headings[0].plain
    assert "strength" in overall_table(replace(state(3), first=1), 76).headings[0].plain


async def test_ranks_begin_again_where_a_tournament_has_grown() -> None:
    save = await saved(Path("saves/ladder.db"), 150, LADDER)  # in the second decision
    standings = Standings(save)
    try:
        standings.refresh()
        agents = {"agents": [{"name": "Zoe", "strategy": "cautious"}]}
        grow(save, Addition(agents=agents, matches=90))
        standings.refresh()
        assert standings.decided == in_save(save, decided_ranks)
        assert standings.decided is not None
        assert "Zoe" in {place.agent for place in standings.decided.places}
        await play(save)
        standings.refresh()
        assert standings.decided == in_save(save, decided_ranks)
    finally:
        standings.close()


async def test_the_screen_shows_ranks_with_interval_and_n() -> None:
    save = await saved(Path("saves/ladder.db"), None, LADDER)
    expected = in_save(save, decided_ranks)
    assert expected is not None
    for size in ((80, 24), (160, 48)):
        async with driven(save, size=size) as pilot:
            await pilot.press("l", sees="Decided ranks · 0 of 3 pairs")
            table = pane_text(pilot.app.screen, "#table")
            for place in expected.places:
                line = next(line for line in table.splitlines() if place.agent in line)
                assert f"{place.score:.2f} {place.low:.2f}–{place.high:.2f}" in line
                assert line.split()[line.split().index(f"{place.score:.2f}") + 2] == str(
                    place.rounds
                )
            await pilot.sees("No more matches: another round")
            await pilot.press("f", sees="strength")
            assert "Decided ranks" not in pilot.shown
