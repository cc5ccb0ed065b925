"""A tournament that grows step by step is the one that is planned at once."""

from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.games.common.errors import BadInput, BadSave
from parlour.games.engine.game import BUILT_IN
from parlour.tournament.plan.additions import Addition
from parlour.tournament.plan.growth import Stage, grown, of_stage
from parlour.tournament.plan.loader import tournament_of
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import PlannedMatch, schedule
from parlour.tournament.reports.counted_matches import MatchCounter, first_false_count
from parlour.tournament.reports.growth_history import growth_history
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.save.finished import fingerprint_of
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.growing.create import create_save, update_run_options
from parlour.tournament.save.growing.grow import grow, growth_of
from parlour.tournament.save.growing.stages import stages_of
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from tests.ratings.records import drawn_out
from tests.tournaments import in_save, play, tamper

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


def answers_of(save: Save, match: int) -> list[tuple[object, ...]]:
    """The answers of a match without what depends on the order of play."""
    return [(a.ask, a.seat, a.kind, a.value, a.fault) for a in save.answers_of(match)]


def contents(path: Path) -> dict[str, Any]:
    """Everything of a save but numbers of matches and the order of answers."""
    with Save(path) as save:
        matches = sorted(save.matches(), key=lambda match: match.order)
        played = [
            (
                match.order,
                *(match.entry, match.setting, match.setting_key, match.condition),
                *(match.experiment, match.agents, match.counted, match.seed, match.outcome),
                answers_of(save, match.number),
            )
            for match in matches
        ]
        counts = MatchCounter().counted(save).counts()
        board, made_from = current_leaderboard(save).to_json(), fingerprint_of(save)
        return {
            "matches": played,
            "counts": drawn_out(counts),
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


# --- Plans, without play


def plans(tournament: Tournament, stages: list[Stage]) -> Iterator[list[tuple[int, PlannedMatch]]]:
    """Yields place and match of the plan after each stage, by number."""
    before = [0]
    for until, stage in enumerate(stages, start=1):
        plan = list(grown(of_stage(tournament, stage), stages[:until], before))
        before.append(len(plan))
        yield sorted(plan, key=lambda placed: placed[1].number)


WHOLE = (len(AGENTS), len(BLOCKS), 3)
"""Agents, blocks and repetitions of the largest tournament."""


@st.composite
def growing(draw: st.DrawFn) -> list[Stage]:
    """Stages up to all agents, all blocks and three repetitions."""
    sizes = st.tuples(*map(st.integers, (2, 1, 1), WHOLE))
    drawn = [(2, 1, 1), *draw(st.lists(sizes, max_size=4)), WHOLE]
    return [
        Stage(*map(max, zip(*drawn[:until], strict=True))) for until in range(1, len(drawn) + 1)
    ]


CHALLENGER = {"schedule": "challenger", "defender": "Rowan"}


@pytest.mark.parametrize("keys", [{}, CHALLENGER])
@settings(max_examples=15, deadline=None)
@given(stages=growing())
def test_each_plan_is_the_beginning_of_the_next_and_all_of_the_schedule(
    keys: dict[str, Any], stages: list[Stage]
) -> None:
    whole = of(len(AGENTS), BLOCKS, repetitions=3, **keys)
    before: list[PlannedMatch] = []
    for stage, plan in zip(stages, plans(whole, stages), strict=True):
        matches = [match for _place, match in plan]
        assert [match.number for match in matches] == list(range(1, len(plan) + 1))
        assert matches[: len(before)] == before
        in_places = [replace(match, number=place) for place, match in sorted(plan, key=first)]
        assert in_places == list(schedule(of_stage(whole, stage)))
        before = matches


first = itemgetter(0)


def pairs(path: Path) -> set[tuple[str, ...]]:
    """The agents that meet in the matches of a save."""
    return {tuple(sorted({*match.agents} - {BUILT_IN})) for match in in_save(path, Save.matches)}


def test_newcomers_meet_their_anchors_and_each_other_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    create_save(path, of(2, BLOCKS[:2]))
    grow(path, Addition(agents={"agents": AGENTS[2:]}, against=["Rowan"]))
    expected = {("Bea", "Rowan"), ("Gwen", "Rowan"), ("Iris", "Rowan"), ("Gwen", "Iris")}
    assert pairs(path) == expected
    grow(path, Addition(repetitions=2))
    grow(path, Addition(games={"games": [BLOCKS[4]]}))
    assert pairs(path) == expected
    grow(path, Addition(agents={"agents": [{"name": "Zoe", "strategy": "random"}]}))
    assert pairs(path) == expected | {
        ("Bea", "Zoe"),
        ("Rowan", "Zoe"),
        ("Gwen", "Zoe"),
        ("Iris", "Zoe"),
    }
    with Save(path) as save:
        assert first_difference(save) is None
        added = growth_history(save)[1]
        assert (added.agents, added.against) == (("Gwen", "Iris"), ("Rowan",))
        assert "added Gwen, Iris against Rowan: " in added.sentence


def test_a_save_can_begin_with_the_matches_of_newcomers_alone(tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    create_save(path, of(4, BLOCKS[:2]), newcomers=["Iris"], against=["Bea", "Gwen"])
    assert pairs(path) == {("Bea", "Iris"), ("Gwen", "Iris")}
    with Save(path) as save:
        numbers = [(match.number, match.order) for match in save.matches()]
        assert numbers == [(n, n) for n in range(1, len(numbers) + 1)]
        assert first_difference(save) is None
    grow(path, Addition(repetitions=2))
    assert pairs(path) == {("Bea", "Iris"), ("Gwen", "Iris")}


# --- Refusals

ZOE = {"name": "Zoe", "strategy": "random"}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a name that is taken": (
        {"agents": {"agents": [{"name": "Bea", "strategy": "random"}]}},
        "agents: agents[0].name: 'Bea' is taken: strategy",
    ),
    "twice the same name": ({"agents": {"agents": [ZOE, ZOE]}}, "agents[1].name: 'Zoe' is taken"),
    "an agent that cannot play": (
        {"agents": {"agents": [{"name": "Zoe", "strategy": "grim"}]}},
        "agents: agents[0].strategy: 'grim' cannot play 'undercover'",
    ),
    "an unknown key": ({"agents": {"agents": [ZOE], "seed": 1}}, "agents: seed: "),
    "an unknown anchor": (
        {"agents": {"agents": [ZOE]}, "against": ["Bee"]},
        "against: unknown agent 'Bee'; did you mean 'Bea'?",
    ),
    "an unknown game": ({"games": {"games": [{"name": "chess"}]}}, "games[0].name: "),
    "a game that an agent cannot play": (
        {"games": {"games": [{"name": "donation"}]}},
        "games: games[0].name: agent 'Lin': 'literal' cannot play 'donation'; it plays: ",
    ),
    "fewer repetitions": (
        {"repetitions": 1},
        "repetitions: 1 is fewer than the tournament has; give more than 2",
    ),
    "too many matches": (
        {"repetitions": 10**6},
        "repetitions: makes 12000000 matches; a tournament has at most 1000000",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_added_is_refused_with_place_value_and_fix(
    what: str, tmp_path: Path
) -> None:
    keys, message = REFUSED[what]
    path = tmp_path / "save.db"
    whole = of(2, BLOCKS[:1], repetitions=2)
    literal = tournament_of(
        {"name": "x", "games": BLOCKS[:1], "agents": [{"name": "Lin", "strategy": "literal"}, ZOE]},
        Path(),
        "test",
    )
    create_save(path, replace(whole, agents=(*whole.agents, literal.agents[0])))
    before = path.read_bytes()
    with pytest.raises(BadInput) as refusal:
        grow(path, Addition(**keys))
    assert message in str(refusal.value)
    assert path.read_bytes() == before


def test_the_same_definition_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    create_save(path, of(2, BLOCKS[:1], repetitions=2))
    for addition in (Addition(agents={"agents": AGENTS[:2]}), Addition(repetitions=2)):
        assert grow(path, addition).is_same
    assert len(in_save(path, stages_of)) == 1


def test_a_planned_growth_is_written_unless_the_save_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    create_save(path, of(2, BLOCKS[:1]))
    gwen, iris = (Addition(agents={"agents": [agent]}) for agent in AGENTS[2:])
    with Save(path) as save:
        first, second = growth_of(save, gwen), growth_of(save, iris)
    update_run_options(path, RunOptions(budget=2.0))
    assert grow(path, gwen, first).matches is first.matches
    grow(path, iris, second)
    with Save(path) as save:
        assert [agent.name for agent in save.tournament.agents[2:]] == ["Gwen", "Iris"]
        assert save.match_count().matches == len(list(schedule(of(4, BLOCKS[:1]))))
        assert save.control().budget == 2.0
        assert first_difference(save) is None


def test_a_reader_of_a_save_that_grows_meanwhile_has_the_stages_of_before(tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    create_save(path, of(2, BLOCKS[:1]))
    with Save(path) as before:
        grow(path, Addition(agents={"agents": [ZOE]}))
        grow(path, Addition(repetitions=2))
        assert [stored.kind for stored in stages_of(before)] == ["planned"]
    assert [stored.kind for stored in in_save(path, stages_of)] == ["planned", "added", "extended"]
    tamper(path, "DELETE FROM stages WHERE number = 3")
    with Save(path) as save, pytest.raises(BadSave, match="are not those of the tournament"):
        stages_of(save)


def test_anchors_of_a_challenger_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    create_save(path, of(2, BLOCKS[:1], **CHALLENGER))
    with pytest.raises(BadInput, match="against: a challenger meets nobody but the defender"):
        grow(path, Addition(agents={"agents": [ZOE]}, against=["Bea"]))
    grow(path, Addition(agents={"agents": [ZOE]}))
    assert pairs(path) == {("Bea", "Rowan"), ("Rowan", "Zoe")}


def test_a_save_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    create_save(path, of(2, BLOCKS[:1]))
    versions = '"version": 2', '"version": 99'
    tamper(path, "UPDATE tournament SET spec = replace(spec, ?, ?)", *versions)
    with pytest.raises(BadSave, match="has version 99 there"):
        grow(path, Addition(repetitions=2))


@pytest.mark.parametrize(
    ("sql", "difference"),
    [
        ("UPDATE stored_matches SET place = place + 1 WHERE number = 3", "match 3: "),
        ("UPDATE stages SET last_match = last_match - 1 WHERE number = 1", "match 4: "),
        ("UPDATE stages SET body = replace(body, '2', '3') WHERE number = 1", "match 3: "),
    ],
)
def test_check_compares_the_plan_with_the_stages(sql: str, difference: str, tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    create_save(path, of(2, BLOCKS[:1]))
    grow(path, Addition(agents={"agents": [ZOE]}))
    assert in_save(path, first_difference) is None
    tamper(path, sql)
    assert (in_save(path, first_difference) or "").startswith(difference)
