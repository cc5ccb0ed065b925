"""Counts and plans of word games in larger groups, worked by hand."""

from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from parlour.api.export import write_tables
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.ratings.measures.conditions import ALL_CONDITIONS
from parlour.ratings.papers.seats import seat_table
from parlour.ratings.skill.trueskill_ladders import net_shares
from parlour.tournament.plan.schedule import match_count, schedule
from tests.parlour.recomputed import READERS
from tests.ratings.records import drawn, find, measured, numbered, record_of
from tests.tournaments import finished, scripted, tournament

IMPOSTOR = games()["impostor"]


def record(name: str, agents: str, suspects: tuple[int, ...], **keys: Any) -> MatchRecord:
    """A match with this ballot; the first seats are special, so that agents are by role."""
    game = games()[name]
    variant = game.variant.model_validate({"probes": "off", "players": len(agents), **keys})
    first = range(keys.get("special_seats", 1))
    settings = (game.make_setting(game.shipped()[0], variant, number) for number in count())
    setting: Any = next(each for each in settings if each.special == tuple(first))
    match = Table(game, setting, len(agents), 1)
    while match.pending is not None:
        if match.pending.kind == "vote":
            votes = {Seat(s): {"suspect": player(named)} for s, named in enumerate(suspects)}
            match.answer({seat: votes[seat] for seat in match.waiting})
        else:
            match.answer({seat: {"text": "a clue"} for seat in match.waiting})
    return record_of(match, game, variant, "pair", tuple(agents))


def test_a_vote_for_any_undercover_is_right() -> None:
    # Of five civilians three name the first undercover and one the second.
    rows = measured(record("undercover", "yyxxxxx", (2, 3, 0, 0, 0, 1, 2), special_seats=2))
    judged = find(rows, "judgment")
    assert (judged.k, judged.n) == (4, 5)
    deceived = find(rows, "deception", "y")
    assert (deceived.k, deceived.n) == (0, 1)  # two seats share one result


def test_ties_of_more_than_four_have_a_row() -> None:
    rows = measured(
        record("impostor", "yxxxxx", (1, 2, 3, 4, 5, 0)), record("impostor", "yxxx", (1, 0, 3, 2))
    )
    whole = [row for row in rows if (row.measure, row.condition) == ("tie_size", ALL_CONDITIONS)]
    sizes = {row.role: (row.k, row.n) for row in whole}
    assert sizes == {"2": (0, 2), "3": (0, 2), "4": (1, 2), "6": (1, 2)}


def test_every_two_of_a_team_are_a_pair() -> None:
    # Team x names 3, 3, 4; team y names 0 three times.
    one = record("impostor", "xxxyyy", (3, 3, 4, 0, 0, 0), assignment="team_blind")
    rows = measured(one)
    for agent, counted in (("x", (1, 3)), ("y", (3, 3))):
        row = find(rows, "implicit_coordination", agent, game="impostor")
        assert (row.k, row.n) == counted


def test_of_several_ballots_the_first_vote_of_each_seat_counts() -> None:
    keys = {"special_seats": 2, "clue_rounds": 3, "elimination": True}
    one = drawn_elimination(**keys)
    rows = measured(one)
    detected = find(rows, "detection_accuracy", "x", game="impostor")
    assert detected.n == 5  # one of each seat of the majority, though they voted twice


def drawn_elimination(**keys: Any) -> MatchRecord:
    """A match of seven in which the second impostor is out first, then the first one."""
    variant = IMPOSTOR.variant.model_validate({"probes": "off", "players": 7, **keys})
    match = Table(IMPOSTOR, IMPOSTOR.make_setting(IMPOSTOR.shipped()[0], variant, 0), 7, 1)
    impostors = match.setting.special
    suspects = [*impostors]
    while match.pending is not None:
        if match.pending.kind == "vote":
            suspect = suspects.pop()
            other = next(seat for seat in match.waiting if seat != suspect)
            match.answer(
                {
                    seat: {"suspect": player(other if seat == suspect else suspect)}
                    for seat in match.waiting
                }
            )
        else:
            match.answer({seat: {"text": "a clue"} for seat in match.waiting})
    agents = tuple("y" if seat in impostors else "x" for seat in match.seats)
    return record_of(match, IMPOSTOR, variant, "pair", agents)


def test_a_side_weighs_as_one_however_many_seats_it_has() -> None:
    one = record("undercover", "yyyxxxxxxx", (3,) * 3 + (0,) * 7, special_seats=3)
    shares = net_shares(one)
    assert shares["civilian"] == pytest.approx({"x": 1})
    assert shares["undercover"] == pytest.approx({"y": 1})


def test_each_row_of_seats_says_whether_it_is_special() -> None:
    records = numbered([record("undercover", "yyxxxxx", (2, 3, 0, 0, 0, 1, 2), special_seats=2)])
    rows = seat_table(records, {}).rows
    assert [row.special for row in rows] == [True, True, *[False] * 5]
    assert [row.detected for row in rows] == [None] * 7  # undercover declares no ballot
    drawn_rows = seat_table(numbered([drawn("impostor", "yxxx", 3)]), {}).rows
    assert sum(bool(row.special) for row in drawn_rows) == 1


PLAN = """
name = "plan"
seed = 4
[[games]]
name = "impostor"
difficulty = "hard"
players = 7
special_seats = 2
matches = 14
[[games]]
name = "undercover"
players = 5
special_seats = 2
limit = 4
[[games]]
name = "impostor"
difficulty = "hard"
players = 6
assignment = "team_aware"
matches = 12
"""


def test_one_agent_has_all_special_seats_and_each_seat_comes_first_once(tmp_path: Path) -> None:
    read = tournament(tmp_path, PLAN + scripted(Ada="random", Bob="random"))
    planned = list(schedule(read))
    assert len(planned) == match_count(read) == 2 * 14 + 2 * 4 + 12
    firsts: Counter[int] = Counter()
    for match in planned:
        entry = read.games[match.entry]
        setting: Any = entry.setting(match.setting)
        sides = entry.game.sides(setting)
        if "team" in entry.condition:
            assert match.agents in (("Ada",) * 3 + ("Bob",) * 3, ("Bob",) * 3 + ("Ada",) * 3)
            continue
        special = {match.agents[s] for s in setting.special}
        others = {agent for s, agent in enumerate(match.agents) if s not in setting.special}
        assert len(special) == len(others) == 1
        assert special != others
        assert sides.count(entry.game.scoring.special or "") == 2
        if match.entry == 0:
            firsts[setting.impostor_seat] += 1
            assert match.experiment.endswith(("2 × Ada vs 5 × Bob", "2 × Bob vs 5 × Ada"))
    assert firsts == dict.fromkeys(range(7), 4)


def test_the_special_seat_of_an_export_is_missing_where_there_are_several(tmp_path: Path) -> None:
    path = finished(tmp_path, PLAN + scripted(Ada="random", Bob="random"))
    write_tables(path, "jsonl", tmp_path)
    rows = {name: READERS["jsonl"](tmp_path / f"{name}.jsonl") for name in ("matches", "seats")}
    several = rows["matches"].setting_fields.map(lambda each: each.get("special_seats", 1)) > 1
    assert several.sum() == 36
    assert (rows["matches"].special_seat.isna() == several).all()
    assert rows["seats"].special.sum() == 2 * 36 + 12
