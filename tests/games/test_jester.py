"""The jester of undercover: who wins, what is told, how it is played and counted."""

from collections import Counter
from typing import Any

import pytest
from pydantic import ValidationError

from parlour.agents.registry import strategies
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.table import Table
from parlour.games.families.clues.clue_bank import shipped_bank
from parlour.ratings.counting.counts import of_match
from tests.games.test_sizes import UNDERCOVER, at_the_vote, held, settings, table, voted
from tests.ratings.records import record_of

JESTER = {"jester": True}


def by_role(match: Table) -> dict[str, list[Seat]]:
    """The seats of each role."""
    roles: dict[str, list[Seat]] = {}
    for seat, role in enumerate(UNDERCOVER.sides(match.setting)):
        roles.setdefault(role, []).append(Seat(seat))
    return roles


@pytest.mark.parametrize(
    ("named", "ending", "winner", "credits"),
    [
        (["jester"], "jester", {"jester"}, (0, 0, 3)),
        (["undercover"], "caught", {"civilian"}, (0, 3, 0)),
        (["civilian"], "escaped", {"undercover"}, (3, 0, 0)),
        (["jester", "undercover"], "tie", set(), (2, 1, 0)),
        (["jester", "civilian"], "tie", set(), (2, 1, 0)),
    ],
)
def test_the_jester_wins_alone_if_it_alone_is_named_most(
    named: list[str], ending: str, winner: set[str], credits: tuple[int, int, int]
) -> None:
    match = table(UNDERCOVER, players=4, **JESTER)
    first = [by_role(match)[role][0] for role in named]
    # Who is named names the next of these; of the others each names another one.
    votes = dict(zip(first, [*first[1:], first[0]], strict=True))
    others = [seat for seat in match.seats if seat not in votes]
    votes |= {seat: first[place % len(first)] for place, seat in enumerate(others)}
    voted(match, *(others[0] if votes[seat] == seat else votes[seat] for seat in match.seats))
    outcome = match.outcome
    assert (outcome.ending, outcome.sides) == (ending, UNDERCOVER.sides(match.setting))
    assert {outcome.roles[seat] for seat in outcome.winners} == winner
    paid = dict(zip(outcome.roles, outcome.payoffs, strict=True))
    assert tuple(paid[role] for role in ("undercover", "civilian", "jester")) == credits


@pytest.mark.parametrize(
    ("out", "ending"),
    [
        (["jester"], "jester"),
        (["civilian", "jester"], "jester"),
        (["civilian", "undercover"], "caught"),
        # Of three the undercover is a minority still: the jester counts as a civilian.
        (["civilian", "civilian", "civilian", "civilian"], "escaped"),
    ],
)
def test_with_elimination_the_jester_ends_the_match(out: list[str], ending: str) -> None:
    match = table(UNDERCOVER, players=6, elimination=True, clue_rounds=5, **JESTER)
    seats = by_role(match)
    for role in out:
        assert match.outcome is None
        gone = seats[role].pop(0)
        left = [seat for seat in at_the_vote(match).waiting if seat != gone]
        votes = {seat: {"suspect": player(gone)} for seat in left}
        match.answer({**votes, gone: {"suspect": player(left[0])}})
    assert match.outcome.ending == ending


def test_every_seat_is_the_jester_equally_often_and_it_alone_is_told_so() -> None:
    seen: Counter[int] = Counter()
    for setting in settings(UNDERCOVER, players=4, **JESTER):
        roles = setting.sides
        assert Counter(roles) == {"civilian": 2, "undercover": 1, "jester": 1}
        seen[roles.index("jester")] += 1
        match = Table(UNDERCOVER, setting, 4, seed=1)
        for seat in match.seats:
            role = [event.record["role"] for event in match.view(seat).told("role")]
            assert role == (["jester"] if roles[seat] == "jester" else [])
            word = setting.words[roles.index("civilian")]
            assert (setting.words[seat] == word) == (roles[seat] != "undercover")
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({}, "a jester beside special_seats = 1 needs players = 4 or more"),
        ({"players": 4, "language": "german"}, "language = 'german' needs jester = false"),
        ({"players": 4, "wording": "neutral"}, "wording = 'neutral' needs players = 3"),
    ],
)
def test_a_jester_that_cannot_be_played_is_refused(keys: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        UNDERCOVER.variant.model_validate({**JESTER, **keys})


def test_a_scripted_jester_draws_suspicion_or_hides() -> None:
    match = table(UNDERCOVER, players=4, order="seat", **JESTER)
    jester = by_role(match)["jester"][0]
    while match.waiting != (jester,):
        match.answer({seat: {"text": "a clue"} for seat in match.waiting})
    view, bank = match.view(jester), shipped_bank()
    assert match.pending is not None
    for name in ("literal", "cautious", "bayesian"):
        strategy = strategies()[name]
        for wish, fits in (("draws", False), ("hides", True)):
            own = strategy(bank, strategy.parameters.model_validate({"jester": wish}))
            said: Any = own.decide(match.pending, view, Dice("jester"))
            assert (said.text in bank.clues[held(match, jester)[0]]) == fits


def test_the_others_suspicion_of_the_jester_is_counted_apart() -> None:
    match = table(UNDERCOVER, players=4, **JESTER)
    jester, special = (by_role(match)[role][0] for role in ("jester", "undercover"))
    first, second = by_role(match)["civilian"]
    named = {first: jester, second: special, special: jester, jester: special}
    voted(match, *(named[seat] for seat in match.seats))
    sides = UNDERCOVER.sides(match.setting)  # the agents are named like their sides
    record = record_of(match, UNDERCOVER, UNDERCOVER.variant(), "pair", sides)
    counts = {(role, counter): (k, n) for _, role, counter, k, n in of_match(record)}
    assert counts["jester", "suspicion_drawn"] == (2, 3)
    assert counts["undercover", "suspected"] == (2, 3)
    assert (counts["jester", "credits"], counts["undercover", "credits"]) == ((0, 3), (2, 3))
    assert ("jester", "judgment") not in counts
    assert ("jester", "deceived") not in counts
