"""Summary of a save for a list of saves: no game is loaded and no match is read for it."""

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlour.games.common.errors import BadInput
from parlour.games.common.text import clean
from parlour.tournament.plan.schema import StoredTournament
from parlour.tournament.plan.validation import checked
from parlour.tournament.save.database import connect, damaged, fetched
from parlour.tournament.save.reader import GROWS
from parlour.tournament.save.rows import MatchCount, tidy


@dataclass(frozen=True, slots=True)
class GameCount:
    """Matches of one game, and those that are over."""

    game: str
    matches: int
    over: int


@dataclass(frozen=True, slots=True)
class SaveSummary:
    """A save in short.

    ``agents`` maps names to blocks of the stored tournament. ``board`` is the JSON of the newest
    stored leaderboard. Money is in US dollars; ``budget`` is that of all models together.
    """

    name: str
    seed: int
    schedule: str
    defender: str | None
    repetitions: int
    agents: dict[str, dict[str, Any]]
    games: tuple[GameCount, ...]
    count: MatchCount
    board: str | None
    dollars: float
    budget: float | None


def read_summary(path: Path) -> SaveSummary:
    """Returns the summary of a save. Raises BadSave if the file is none, or is damaged."""
    connection = connect(path, writable=False)

    def select(sql: str) -> list[Any]:
        return fetched(connection.execute(sql))

    try:
        ((spec,),) = select("SELECT spec FROM tournament")
        stored: StoredTournament = checked(StoredTournament, json.loads(spec), str(path))
        rows = select(
            "SELECT game, count(*), count(outcome), count(frozen) FROM matches"
            " GROUP BY game ORDER BY min(number)"
        )
        boards = select("SELECT body FROM leaderboards ORDER BY seq DESC LIMIT 1")
        ((dollars,),) = select("SELECT total(price) FROM calls")
        ((budget,),) = select("SELECT budget FROM control")
        return SaveSummary(
            name=tidy(stored.name),
            seed=stored.seed,
            schedule=stored.schedule,
            defender=stored.defender,
            repetitions=stored.repetitions,
            agents={clean(str(block.get("name", "?"))): block for block in stored.agents},
            games=tuple(GameCount(tidy(row[0]), row[1], row[2] + row[3]) for row in rows),
            count=MatchCount(
                matches=sum(row[1] for row in rows),
                finished=sum(row[2] for row in rows),
                frozen=sum(row[3] for row in rows),
                grows=bool(select(f"SELECT {GROWS}")[0][0]),
            ),
            board=boards[0][0] if boards else None,
            dollars=float(dollars),
            budget=budget,
        )
    except (sqlite3.Error, ValueError, RecursionError, BadInput) as error:
        raise damaged(path, error) from None
    finally:
        connection.close()
