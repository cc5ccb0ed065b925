"""Tables of agents against games, roles or each other, as data: a tile a pair."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from parlour.games.common.forms import NOTHING, percent
from parlour.games.common.text import one_line
from parlour.ratings.reports.cells import rank
from parlour.tui.look.look import signed
from parlour.tui.models.game_names import family_of, family_place, game_title

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Leaderboard, Standing


NO_HALF = f"±{NOTHING}"
"""The text in place of half an interval, where there are too few matches for one."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A value with its interval and count, as texts, and its shade from -1 to 1 (None: grey).

    ``below`` stands below the value where there is room; else half the interval does.
    """

    value: float
    text: str
    half: str
    count: str
    shade: float | None = None
    below: str = ""


@dataclass(frozen=True, slots=True)
class TileColumn:
    """A column: a key, a family's name for its suit, a title, and a second line below it.

    ``agent``: the column is of this opponent.
    """

    key: str
    title: str
    family: str = ""
    below: str = ""
    game: str | None = None
    role: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class TileTable:
    """Agents in order, columns, and the tiles by agent and key of the column.

    ``notes`` has a text below the name of each agent.
    """

    agents: tuple[str, ...] = ()
    columns: tuple[TileColumn, ...] = ()
    tiles: Mapping[tuple[str, str], Tile] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)


def role_words(role: str) -> str:
    """A role as people write it: "non_chameleon" is a non-chameleon."""
    return one_line(re.sub(r"\bnon ", "non-", role.replace("_", " ")))


def by_game(board: "Leaderboard") -> TileTable:
    """Strength in all games together and in each."""
    names = sorted({str(standing.game) for standing in board.by("game")}, key=game_place)
    columns = [
        TileColumn(_key(None, None), "All games"),
        *(TileColumn(_key(name), game_title(name), family_of(name), game=name) for name in names),
    ]
    return _table(board, columns, [*board.by("overall"), *board.by("game")])


def by_role(board: "Leaderboard") -> TileTable:
    """Strength in each role of each game."""
    standings = board.by("role")
    roles = sorted(
        {(str(each.game), str(each.role)) for each in standings},
        key=lambda role: (*game_place(role[0]), role[1]),
    )
    columns = [
        TileColumn(_key(of, role), game_title(of), family_of(of), role_words(role), of, role)
        for of, role in roles
    ]
    return _table(board, columns, standings)


def head_to_head(board: "Leaderboard") -> TileTable:
    """Share of matches won against each other agent, in all games together."""
    from parlour.ratings.reports.matrix import matrix

    met = matrix(board, None)
    columns = [TileColumn(agent, agent, agent=agent) for agent in met.agents]
    tiles = {}
    for pair, meeting in met.meetings.items():
        low, high = meeting.ends
        half = NO_HALF if low is None or high is None else f"±{50 * (high - low):.0f}"
        share, count = meeting.share, f"of {meeting.n}"
        below = f"{half} {count}"
        tiles[pair] = Tile(share, percent(share), half, count, 2 * share - 1, below)
    notes = {}
    for agent in met.agents:  # a match counts once for each opponent in it
        notes[agent] = f"{sum(meeting.n for meeting in met.of(agent))} met"
    return TileTable(met.agents, tuple(columns), tiles, notes)


def game_place(game: str) -> tuple[int, str]:
    """The place of a game: by family in the order of their suits, then by name."""
    return family_place(family_of(game)), game


def _key(game: str | None, role: str | None = None) -> str:
    return " ".join(filter(None, (game, role))) or "all"


def _table(
    board: "Leaderboard", columns: list[TileColumn], standings: "list[Standing]"
) -> TileTable:
    """The agents in their order, with a tile for each of the standings that has a value."""
    ranked = {each.game for each in standings if each.strength is not None}
    tiles = {}
    for each in standings:
        if (tile := _tile(each, ranked=each.game in ranked)) is not None:
            tiles[each.agent, _key(each.game, each.role)] = tile
    order = {each.agent: rank(each.strength) for each in board.by("overall")}
    return TileTable(tuple(order), tuple(columns), tiles, order)


def _tile(standing: "Standing", *, ranked: bool) -> Tile | None:
    """Strength of a standing; in a game that ranks nobody, its win rate, without a shade."""
    matches = f"n {standing.matches}"
    strength = standing.strength
    if strength is not None:
        half = NO_HALF if strength.half is None else f"±{strength.half:.2f}"
        return Tile(strength.value, signed(strength.value), half, matches, strength.value)
    rate = standing.measures.get("win_rate")
    if rate is None or ranked:
        return None
    known = rate.low is not None and rate.high is not None
    half = f"±{50 * ((rate.high or 0) - (rate.low or 0)):.0f}" if known else NO_HALF
    return Tile(rate.value, percent(rate.value), half, matches, below=f"won {half}")
