"""Export of what the leaderboard shows: a ranking, the race, a network or conduct."""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Literal

from parlour.tui.models.conduct import ConductTable
from parlour.tui.models.standings import Standings
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.screens.export import export
from parlour.tui.views.leaderboard import (
    BY_GAME,
    BY_ROLE,
    CONDUCT,
    NETWORKS,
    OVERALL,
    RACE,
    LeaderboardState,
)

By = Literal["overall", "game", "role"]
BY: dict[int, By] = {OVERALL: "overall", BY_GAME: "game", BY_ROLE: "role"}


def export_shown(
    screen: ParlourScreen,
    path: Path,
    state: LeaderboardState,
    standings: Standings,
    conduct: ConductTable,
) -> None:
    """Asks for a format and writes the view in sight."""
    if state.view == CONDUCT:
        from parlour.tournament.reports.conduct import conduct_report

        export(screen, "table", path, "conduct", lambda: conduct.rows, conduct_report)
    elif state.view == RACE:
        from parlour.ratings.reports.history_report import race_report

        part = f"race-{state.race_game or 'all'}"
        chart = state.race() if state.shown else None
        export(screen, "race", path, part, lambda: chart, race_report)
    elif state.view == NETWORKS:
        from parlour.ratings.reports.history_report import network_report

        network = state.network().network if state.shown else None
        report = partial(network_report, kind=state.kind)
        export(screen, "network", path, f"network-{state.kind}", lambda: network, report)
    else:
        from parlour.ratings.reports.leaderboard_report import leaderboard_report

        by = BY[state.view]
        part = f"leaderboard-{by}{standings.kind}"
        export(
            screen,
            "leaderboard",
            path,
            part,
            lambda: standings.board,
            lambda board: leaderboard_report(
                board, by, list(map(asdict, standings.remarks)), standings.decided
            ),
        )
