"""Leaderboards, races and networks of any number of agents, for tests of panes."""

from itertools import chain, permutations
from typing import Any

from rich.text import Text

from parlour.games.engine.moves import Outcome, Seat
from parlour.ratings.counting.ties import Network, Tie
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.reports.leaderboard import Cell, Leaderboard, Meeting, Standing
from parlour.ratings.skill.race import RaceChart
from parlour.ratings.skill.strength import Strength
from parlour.tournament.reports.conduct import Conduct
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.look.cast import Cast
from parlour.tui.look.palette import NIGHT
from parlour.tui.views.standings_table import BoardTable

NAMES = (
    *("Bea", "Otto", "Clara", "Iris", "Eva", "a model with a name of many words", "Gwen", "Rowan"),
    *("日本語のモデル", "[bold]Bob[/]", "gpt-5-mini", "Z" * 60),
)
ROLES = {
    "impostor": ("impostor", "majority"),
    "undercover": ("undercover", "civilian"),
    "donation": ("player",),
    "cost_sharing": ("airline",),
    "a game from outside": ("someone",),
}


def agents(count: int) -> tuple[str, ...]:
    """The first names."""
    return NAMES[:count]


def drawn(table: BoardTable[Any], *, cursor: bool = False) -> list[Text]:
    """The headings and rows of a table."""
    rows = (table.row(index, cursor=cursor) for index in range(len(table.rows)))
    return [*table.headings, *chain.from_iterable(rows)]


def cast(count: int) -> Cast:
    """The identities of the first names."""
    return Cast(agents(count), NIGHT)


def board(count: int) -> Leaderboard:
    """A leaderboard of so many agents; the last one is rated by nothing, and one game ranks nobody.

    Of the measures of agent n, every (n + 2)-th is missing.
    """
    standings: list[Standing] = []
    for place, name in enumerate(agents(count)):
        standings.append(_standing(place, count, name, None, None))
        for game, roles in ROLES.items():
            standings.append(_standing(place, count, name, game, None))
            standings += [_standing(place, count, name, game, role) for role in roles]
    pairs = [(one, other) for one, other in permutations(agents(count), 2) if one < other]
    met = [Meeting(None, *pair, 3, 1, 2, 6.0) for pair in pairs]
    standings.sort(key=lambda each: (each.game or "", each.role or "", -_value(each)))
    return Leaderboard(tuple(standings), 12 * count, 0, {"impostor": "match"}, meetings=tuple(met))


def _value(standing: Standing) -> float:
    return standing.strength.value if standing.strength else -9.0


def _standing(place: int, count: int, name: str, game: str | None, role: str | None) -> Standing:
    value = 1.5 * (1 - 2 * place / max(1, count - 1))
    rated = place < count - 1 and game != "cost_sharing"
    strength = Strength(value, 0.3, value - 0.6, value + 0.6, 12, max(1, place), count)
    measured = [
        key for index, key in enumerate(CAPABILITIES) if (index + 1) % (place + 2) or role is None
    ]
    cells = {key: Cell(place / count, 12.0, 5.0, 0.0, 1.0) for key in measured}
    cells["win_rate"] = Cell(0.25, 12.0, 3.0, None if game is None else 0.1, 0.4)
    cells["fault_rate"] = Cell(0.01, 200.0, 2.0, 0.0, 0.03)
    cells["radar_area"] = Cell(1.2, 12.0, None, 0.9, 1.5)
    return Standing(
        *(game, role, name, 12_345, strength if rated else None), *(25.0, 2.0, 19.0, cells)
    )


def _course(place: int, count: int, points: int) -> tuple[float | None, ...]:
    steps = [(place - count / 2) * (1 + point % 7) for point in range(points)]
    return (*[None] * place, *steps[place:])


def race(count: int, points: int = 50) -> RaceChart:
    """A race in which agent n begins at point n."""
    names = agents(count)
    above = {name: _course(place, count, points) for place, name in enumerate(names)}
    return RaceChart(
        tuple(range(3, 3 + points)), above, dict.fromkeys(names, 2.0), dict.fromkeys(names, 9)
    )


def network(count: int) -> Network:
    """A network in which every third pair never met and some ties have few chances."""
    ties = {}
    for index, (agent, other) in enumerate(permutations(agents(count), 2)):
        if index % 3:
            chances = 1 + index % 9
            ties[agent, other] = Tie(agent, other, index % (chances + 1), chances)
    return Network(ties)


def conduct(count: int) -> list[Conduct]:
    """Conduct of a mixed kind."""
    return [
        Conduct(name, 10 * place, {"empty": place} if place else {}, repairs=place, calls=place)
        for place, name in enumerate(agents(count))
    ]


def match(number: int, names: tuple[str, ...]) -> StoredMatch:
    """A finished match of undercover with a strange ending."""
    seats = tuple(names[seat % len(names)] for seat in range(3))
    outcome = Outcome(
        "an ending of [bold]its own",
        (1.0, 0.0, 2.0),
        ("undercover", "civilian", "civilian"),
        ("undercover", "civilian", "civilian"),
        (Seat(0),),
    )
    return StoredMatch(
        number=number,
        entry=0,
        setting=0,
        setting_key="banjo",
        game="undercover",
        condition="",
        experiment="one",
        agents=seats,
        counted=(Seat(0),),
        seed=1,
        outcome=outcome,
    )
