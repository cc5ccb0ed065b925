"""Decisions in the games of help held against theory, and the extended profile they enter."""

from dataclasses import replace
from itertools import product

import pytest

from parlour.agents.registry import strategies
from parlour.games.donation import GAME as DONATION
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Game, variant_keys
from parlour.games.engine.moves import Fault, FaultKind
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.table import Table
from parlour.games.families.clues.clue_bank import ClueBank
from parlour.games.investment import GAME as INVESTMENT
from parlour.games.reciprocity import GAME as RECIPROCITY
from parlour.ratings.measures.measures import Row, measures
from tests.ratings.pairs import both, pair_match, trust
from tests.ratings.records import (
    donation,
    find,
    met,
    numbered,
    own_role,
    record_of,
    undercover,
    vote,
)


def sustained_under(game: Game, condition: str) -> bool:
    """True if theory has players of this game cooperate under this condition."""
    sustains = game.hints.sustains_cooperation
    assert sustains is not None
    return sustains(variant_keys(game.variant, condition))


def overall(rows: list[Row], measure: str, agent: str = "x") -> tuple[float | None, float] | None:
    row = find(rows, measure, agent, game=None)
    return None if row is None else (row.k, row.n)


def test_a_condition_stands_for_the_defaults_and_what_differs() -> None:
    keys = variant_keys(
        DONATION.variant, "horizon=finite,discount=0.1,reflection=False,greedy_seats=2"
    )
    assert (keys["horizon"], keys["discount"], keys["reflection"]) == ("finite", 0.1, False)
    assert (keys["benefit"], keys["greedy_seats"], keys["self_report"]) == (5, 2, False)
    assert variant_keys(DONATION.variant, "self_report=True")["self_report"] is True


def test_cooperation_can_be_sustained_where_theory_says() -> None:
    holds = {
        **{"": True, "monitoring=public": True, "monitoring=private": False},
        **{"horizon=finite": False, "discount=0.5": True, "discount=0.1": False},
        **{"discount=0.2": True, "discount=0.5,benefit=1.5": False},  # .2 is just cost / benefit
    }
    assert {condition: sustained_under(DONATION, condition) for condition in holds} == holds


def test_agreement_with_grim_trigger_by_hand() -> None:
    encounters = [
        met(0, 1, "defect", tone="neutral"),  # x, no bad word of 1: against theory
        met(1, 2, "cooperate", tone="mocking"),  # y, as theory has it; a lie about seat 1
        met(2, 1, "defect", tone="neutral"),  # x to seat 1, mocked: as theory has it
        met(2, 0, "cooperate", tone="praising"),  # only seat 1 saw seat 0 defect: as theory has it
        met(1, 0, "defect", tone="neutral"),  # y saw it: as theory has it
        met(0, 2, "cooperate", tone="neutral"),  # only seats 1 and 2 saw it, nobody told: agreed
    ]
    rows = measures([donation("xyx", encounters, (0, 0, 0))])
    assert overall(rows, "rationality_extended") == (3, 4)
    assert overall(rows, "rationality_extended", "y") == (2, 2)
    assert overall(rows, "rationality") is None
    # Under private monitoring to defect is always right, and to help always wrong.
    rows = measures([donation("xyx", encounters, (0, 0, 0), condition="monitoring=private")])
    assert overall(rows, "rationality_extended") == (2, 4)
    # Under public monitoring everybody saw seat 0 defect, so x's help in the fourth was wrong,
    # and everybody saw seat 2 defect in the third, so that in the sixth was wrong, too.
    rows = measures([donation("xyx", encounters, (0, 0, 0), condition="monitoring=public")])
    assert overall(rows, "rationality_extended") == (1, 4)


def test_whoever_cannot_pay_agrees_by_defecting_and_a_fault_is_nobodys() -> None:
    encounters = [met(0, 1, "cooperate"), met(0, 1, "defect")]
    for keys, share in (
        ({"condition": "endowment=1.0"}, (2, 2)),
        ({"condition": "endowment=2.0"}, (1, 2)),
        ({"faults": [("donate", 2)]}, (1, 1)),
    ):
        match = donation("xy", encounters, (0, 0), **keys)
        assert overall(measures([match]), "rationality_extended") == share


def test_cooperation_enters_the_extended_profile_where_it_can_be_sustained() -> None:
    encounters = [met(0, 1, "cooperate"), met(0, 1, "defect")]
    conditions = ("", "horizon=finite", "monitoring=private")
    rows = measures(numbered(donation("xy", encounters, (0, 0), condition=c) for c in conditions))
    assert overall(rows, "cooperation_ratio") == (3, 6)
    assert overall(rows, "cooperation_extended") == (1, 2)
    assert overall(rows, "cooperation") is None


def test_what_only_the_five_games_have_is_the_same_in_both_profiles() -> None:
    answers = [vote(0, 1), vote(2, 0), own_role(1, "special"), own_role(0, "special")]
    rows = measures([undercover("xyx", answers=answers)])
    assert overall(rows, "judgment") == overall(rows, "judgment_extended") == (1, 2)
    assert overall(rows, "self_awareness") == overall(rows, "self_awareness_extended") == (0, 1)
    for measure in ("self_awareness", "deception"):
        strict = find(rows, measure, "y", game=None)
        assert strict is not None
        extended = find(rows, f"{measure}_extended", "y", game=None)
        assert extended == replace(strict, measure=f"{measure}_extended")


def test_agreement_in_reciprocity_by_hand() -> None:
    encounters = [
        both(0, 1, "CD", gossip=({"tone": "neutral"}, {})),  # x as theory has it, y not
        both(0, 2, "DC", gossip=({}, {"tone": "criticism"})),  # x not, z as theory has it
        both(1, 2, "CD"),  # y helps, as theory has it; z knows no bad word of y: not
        both(2, 0, "DD"),  # z heard itself of x: as theory has it; x saw z help: not
    ]
    rows = measures([pair_match("reciprocity", "xyz", encounters, (0, 0, 0))])
    assert overall(rows, "rationality_extended") == (1, 3)
    assert overall(rows, "rationality_extended", "y") == (1, 2)
    assert overall(rows, "rationality_extended", "z") == (2, 3)
    # Six choices are help or the lack of it where cooperation can be sustained: CDD by x.
    assert overall(rows, "cooperation_extended") == (1, 3)


def test_agreement_in_investment_by_hand() -> None:
    encounters = [
        trust(0, 1, 5, 5, 7.5),  # everything, and half of it back: both as theory has it
        trust(1, 2, 4, 3, 4.5),  # not everything: not; but more than half, so half is right
        trust(2, 0, 4, 1, 0),  # less than half: not; and so nothing back is right
        trust(0, 2, 9, 0, 0),  # x saw z give too little; z had nothing to return
    ]
    rows = measures([pair_match("investment", "xyz", encounters, (0, 0, 0))])
    assert overall(rows, "rationality_extended") == (3, 3)
    assert overall(rows, "rationality_extended", "y") == (1, 2)
    assert overall(rows, "rationality_extended", "z") == (1, 2)
    assert overall(rows, "cooperation_extended") is None
    # At γ = .62 theory has nobody give anything: only the last two of x are right.
    low = pair_match("investment", "xyz", encounters, (0, 0, 0), condition="discount=0.62")
    assert overall(measures([low]), "rationality_extended") == (2, 3)
    assert sustained_under(INVESTMENT, "discount=0.63")


KEYS = [
    *({}, {"monitoring": "public"}, {"monitoring": "private"}, {"gossip": "binary"}),
    *({"horizon": "finite"}, {"discount": 0.1}, {"gossip": "binary_convention"}),
    *({"greedy_seats": 2}, {"self_report": True}),
]
PLAYED = [*product(KEYS, [DONATION, RECIPROCITY, INVESTMENT]), ({"endowment": 1.0}, DONATION)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("keys", "game"), PLAYED)
def test_the_equilibrium_player_always_agrees_with_the_theory(
    keys: dict[str, object], game: Game, seed: int
) -> None:
    # Seats 0 and 1 play the equilibrium among players that help, tell and lie at random; in the
    # last case one that cannot pay.
    match = _played(game, {**keys, "agents_per_match": 6}, seed)
    row = find(measures([match]), "rationality_extended", "equal", game=game.name)
    assert row.k == row.n > 0


def _played(game: Game, keys: dict[str, object], seed: int) -> MatchRecord:
    variant = game.variant.model_validate(keys)
    table = Table(game, game.make_setting(game.shipped()[0], variant), 6, seed)
    equilibrium = strategies()["equilibrium"]
    mind = equilibrium(ClueBank({}), equilibrium.parameters.model_validate({}))
    while (ask := table.pending) is not None:
        dice = Dice(seed, "theory", table.ask_number)
        for seat in table.waiting:
            answer: object = ask.sample(seat, dice)
            if seat < 2:
                answer = ask.judge(seat, mind.decide(ask, table.view(seat), dice))
            elif dice.chance(0.1):
                answer = Fault(FaultKind.EMPTY)
            table.answer({seat: answer})
    greedy = int(str(keys.get("greedy_seats", 0)))
    record = record_of(table, game, variant, "empty", ("equal",) * 2 + ("other",) * 4)
    return replace(record, counted=table.seats[: 6 - greedy])
