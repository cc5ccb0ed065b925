"""The preset of the MAGIC paper: first moves that ship, and how often players are asked."""

from collections import Counter
from dataclasses import replace
from typing import cast

import pytest

from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Seat
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.ratings.measures.measures import measures
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.plan.schedule import PlannedMatch, schedule
from parlour.tournament.save.replay import new_table
from parlour.tournament.save.rows import StoredMatch
from tests.ratings.records import find, numbered, played_out

FIRST_ASK = {"chameleon": "clue", "undercover": "clue", "cost_sharing": "propose"}
"""The games that ship first moves, and the kind of their first ask."""
MAGIC = read_preset("magic")
MATCHES = tuple(schedule(MAGIC))


def table(match: PlannedMatch) -> Table:
    return new_table(MAGIC, cast(StoredMatch, match))


@pytest.mark.parametrize("name", FIRST_ASK)
def test_all_challengers_meet_the_same_beginning(name: str) -> None:
    beginnings: dict[tuple[int, tuple[Seat, ...]], set[str]] = {}
    said = Counter[int]()
    for match in (each for each in MATCHES if each.game == name):
        opened, first = table(match), min(match.counted)
        while (ask := opened.pending) is not None and ask.probe:
            opened.answer({seat: ask.sample(seat, Dice("any")) for seat in opened.waiting})
        # Whoever comes before the challenger makes the move on file; the challenger is asked.
        assert (ask.kind, opened.waiting) == (FIRST_ASK[name], (first,))
        moves = [e.record for e in opened.events if e.kind in {"said", "proposed"}]
        assert len(moves) == first
        said[first] += 1
        beginnings.setdefault((match.setting, match.counted), set()).add(str(moves))
    assert {len(each) for each in beginnings.values()} == {1}
    assert said.keys() == {0, 1, 2}


@pytest.mark.parametrize("name", FIRST_ASK)
def test_elsewhere_everybody_is_asked(name: str) -> None:
    game = find_game(name, "test")
    assert game.variant().model_dump()["first_moves"] == "asked"
    records = game.settings_file.select_records(game.shipped(), game.variant())
    assert records == game.shipped()
    shipped = game.settings_file.select_records(game.shipped(), game.variant(first_moves="shipped"))
    assert len(shipped) == len(records)
    assert all(any(record.model_dump()["openings"]) for record in shipped)
    # In a round robin every seat counts, and so there is no move before the first that does.
    setting = game.make_setting(shipped[0], game.variant(first_moves="shipped"))
    assert not any(game.seating.for_counted(setting, (Seat(0), Seat(1), Seat(2))).openings)


def test_a_challenger_has_600_points_of_reasoning_and_300_own_roles() -> None:
    records = [
        replace(
            played_out(
                table(match),
                find_game(match.game, "test"),
                MAGIC.games[match.entry].variant,
                match.setting_key,
                match.agents,
                0.0,
                match.number,
            ),
            counted=match.counted,
        )
        for match in MATCHES
        if match.game in {"chameleon", "undercover"} and "Linus" in match.agents
    ]
    rows = measures(numbered(records))
    for measure, n in (("reasoning", 600), ("self_awareness", 300), ("deception", 40)):
        row = find(rows, measure, "Linus", game=None)
        assert row.n == n, measure
