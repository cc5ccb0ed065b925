"""The presets: their schedules counted by hand, and a run of each to its end."""

from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from parlour.games.engine.registry import games
from parlour.tournament.plan.loader import read_preset
from parlour.tournament.plan.schedule import schedule
from parlour.tournament.save.reader import Save
from tests.tournaments import finished, in_save, printed, printed_json


def test_the_gossip_papers_plan_has_every_condition_five_times_each_agent_alone() -> None:
    read = read_preset("gossip-paper")
    # Three games: with and without gossip, for a known and for an unknown time.
    conditions = ("", "monitoring=private", "horizon=finite", "horizon=finite,monitoring=private")
    main = set(product(("donation", "reciprocity", "investment"), conditions))
    ablations = {
        ("donation", condition)
        for condition in (
            "discount=0.1",
            "discount=0.5",
            "self_report=True",
            "gossip=binary",
            "gossip=binary_convention",
            "reflection=False",
            "equilibrium_knowledge=False",
            "greedy_seats=1",
        )
    }
    for condition in ("equilibrium_knowledge=False", "greedy_seats=1"):
        ablations.add(("reciprocity", condition))
    planned: Counter[tuple[str, str, str]] = Counter()
    for match in schedule(read):
        entry = read.games[match.entry]
        assert len({match.agents[seat] for seat in match.counted}) == 1
        planned[entry.game.name, entry.condition, match.agents[0]] += 1
    names = [agent.name for agent in read.agents]
    assert planned == {(*place, name): 5 for place, name in product(main | ablations, names)}


def test_the_round_robin_over_all_games_is_balanced() -> None:
    read = read_preset("all-games")
    seats: Counter[tuple[str, str]] = Counter()
    for match in schedule(read):
        for agent in match.agents:
            seats[read.games[match.entry].game.name, agent] += 1
    assert {game for game, _ in seats} == set(games())
    for game in games():
        of_each = {seats[game, agent.name] for agent in read.agents}
        assert len(of_each) == 1, game


@pytest.mark.slow
def test_all_games_are_played_to_the_end_without_a_model(tmp_path: Path) -> None:
    once = finished(tmp_path, 'preset = "all-games"\nrepetitions = 1\n')
    records = in_save(once, Save.records)
    assert {record.game for record in records} == set(games())
    assert printed("check", once, cwd=tmp_path).endswith(". OK: every match replays identically\n")
    board = printed_json("leaderboard", once, "--format", "json", cwd=tmp_path)
    assert {line["agent"] for line in board["standings"]} == {"Rowan", "Linus", "Clara", "Bea"}
