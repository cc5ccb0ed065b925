"""A tournament that grows step by step is the one that is planned at once."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from parlour.tournament.plan.additions import Addition
from parlour.tournament.plan.loader import tournament_of
from parlour.tournament.plan.model import Tournament
from parlour.tournament.reports.counted_matches import MatchCounter, first_false_count
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.save.create import create_save
from parlour.tournament.save.finished import fingerprint_of
from parlour.tournament.save.grow import grow
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import first_difference
from parlour.tournament.save.stages import stages_of
from tests.tournaments import play

AGENTS: list[dict[str, Any]] = [
    {"name": "Bea", "strategy": ["bayesian", "equilibrium", "haggler"]},
    {"name": "Rowan", "strategy": "random"},
    {"name": "Gwen", "strategy": ["literal", "grim", "fair"]},
    {"name": "Iris", "strategy": ["cautious", "image_scoring", "haggler"]},
]
BLOCKS: list[dict[str, Any]] = [
    {"name": "undercover", "limit": 2, "probes": "off"},
    {"name": "impostor", "limit": 1, "assignment": "cross_play", "probes": "off"},
    {"name": "donation"},
    {"name": "undercover", "limit": 2, "probes": "off"},
    {"name": "public_good", "limit": 1},
    {"name": "impostor", "limit": 1, "assignment": "homogeneous", "probes": "off"},
    {"name": "chameleon", "limit": 1, "lineup": ["Bea", "Rowan", "Rowan"]},
]
"""The same settings occur twice in undercover: its seeds then depend on the order of blocks."""


def of(agents: int, blocks: list[dict[str, Any]], repetitions: int = 1, **keys: Any) -> Tournament:
    """The tournament of the first agents and of some blocks."""
    raw = {"name": "grown", "seed": 5, "repetitions": repetitions, "games": blocks, **keys}
    return tournament_of(raw | {"agents": AGENTS[:agents]}, Path(), "test")


def steps(seed: int) -> Iterator[Addition]:
    """Yields every agent, block and repetition beyond the first two, one and one, in any order."""
    dice = Random(seed)
    kinds = ["agents"] * (len(AGENTS) - 2) + ["games"] * 3 + ["repetitions"]
    dice.shuffle(kinds)
    left = {"agents": iter(AGENTS[2:]), "games": iter(chosen_blocks(seed)[1:])}
    for kind in kinds:
        if kind == "repetitions":
            yield Addition(repetitions=2)
        else:
            content = {kind: [next(left[kind])]}
            yield Addition(**{kind: content})


def chosen_blocks(seed: int) -> list[dict[str, Any]]:
    """Four blocks of a seed; the first is undercover."""
    return [BLOCKS[0], *Random(seed).sample(BLOCKS[1:], 3)]


def contents(path: Path) -> dict[str, Any]:
    """Everything of a save but numbers of matches and the order of answers."""
    with Save(path) as save:
        matches = sorted(save.matches(), key=lambda match: match.order)
        played = [
            (
                match.order,
                *(match.entry, match.setting, match.setting_key, match.condition),
                *(match.experiment, match.agents, match.counted, match.seed, match.outcome),
                [(a.ask, a.seat, a.kind, a.value, a.fault) for a in save.answers_of(match.number)],
            )
            for match in matches
        ]
        counts = MatchCounter().counted(save).counts()
        board, made_from = current_leaderboard(save).to_json(), fingerprint_of(save)
        return {
            "matches": played,
            "counts": counts,
            "leaderboard": board,
            "input": made_from,
            "tournament": save.tournament_json,
        }


@pytest.mark.parametrize("seed", range(3))
def test_a_tournament_that_grew_is_the_one_planned_at_once(seed: int, tmp_path: Path) -> None:
    blocks, dice = chosen_blocks(seed), Random(seed)
    at_once, by_steps = tmp_path / "at-once.db", tmp_path / "by-steps.db"
    create_save(at_once, of(len(AGENTS), blocks, repetitions=2))
    assert play(at_once).progress.done
    create_save(by_steps, of(2, blocks[:1]))
    untouched: dict[int, object] = {}
    for addition in steps(seed):
        if dice.random() < 0.5:
            assert play(by_steps).progress.done
        with Save(by_steps) as save:
            untouched |= {match.number: (match.seed, match.outcome) for match in save.matches()}
        growth = grow(by_steps, addition)
        with Save(by_steps) as save:
            assert save.stored_leaderboard() is None
            numbers = [match.number for match in save.matches()]
            new = [match.number for _place, match in growth.matches]
            assert numbers == list(range(1, len(numbers) + 1))
            assert sorted(new) == numbers[len(numbers) - len(new) :]
            assert first_difference(save) is None
    assert play(by_steps).progress.done
    with Save(by_steps) as save:
        for number, (match_seed, outcome) in untouched.items():  # type: ignore[misc]
            now = save.match(number)
            assert now.seed == match_seed
            assert outcome is None or now.outcome == outcome
        assert len(stages_of(save)) == 7
        assert (first_difference(save), first_false_count(save)) == (None, None)
    assert contents(by_steps) == contents(at_once)
