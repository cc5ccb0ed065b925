"""The public good game by answer scripts: what comes back at each multiplier, and who wins."""

from collections.abc import Sequence

import pytest

from parlour.games.engine.events import Event
from parlour.games.engine.moves import Fault, FaultKind, Seat
from parlour.games.engine.prompts import render
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.public_good import GAME
from parlour.games.public_good.rules import Multiplier, Variant

FAULT = Fault(FaultKind.UNPARSABLE)


def table(multiplier: float = 1.5, **keys: object) -> Table:
    setting = GAME.make_setting(Multiplier(multiplier=multiplier), Variant.model_validate(keys))
    return Table(GAME, setting, 3, 1)


def give(match: Table, *rounds: Sequence[int | None]) -> Table:
    """All give; None is a fault."""
    for amounts in rounds:
        assert (match.pending.kind, match.waiting) == ("contribute", (0, 1, 2))
        match.answer(
            {Seat(s): FAULT if n is None else {"amount": n} for s, n in enumerate(amounts)}
        )
    return match


# 60, 20 and 40 points are given in all: a pool of 120. By hand: its multiple, a third of that,
# and the scores 40, 80 and 60 with that third added.
BY_HAND = [
    (1.0, 40, (80, 120, 100)),
    (1.2, 48, (88, 128, 108)),
    (1.5, 60, (100, 140, 120)),
    (3.5, 140, (180, 220, 200)),
]
GIVEN = [(10, 0, 8), (20, 20, 8), (0, 0, 8), (30, 0, 8), (0, 0, 8)]


@pytest.mark.parametrize(("multiplier", "share", "scores"), BY_HAND)
def test_the_pool_is_multiplied_and_shared_once_at_the_end(
    multiplier: float, share: float, scores: tuple[float, ...]
) -> None:
    outcome = give(table(multiplier), *GIVEN).outcome
    assert outcome.payoffs == pytest.approx(scores)
    assert outcome.winners == (1,)  # who gave least
    assert outcome.ending == "played"
    assert outcome.roles == ("contributor",) * 3
    assert len(set(outcome.sides)) == 3
    assert outcome.facts == {
        "setting": f"multiplier {multiplier:g}",
        "contributed": [60, 20, 40],
        "share": pytest.approx(share),
    }


def test_the_shipped_multipliers() -> None:
    assert [each.multiplier for each in GAME.shipped()] == [1, 1.2, 1.5, 1.8, 2, 2.5, 3]


@pytest.mark.parametrize(
    ("rounds", "scores", "winners"),
    [
        # Pool 0: nobody gives, nobody gains.
        ([(0, 0, 0)] * 5, (100, 100, 100), (0, 1, 2)),
        # Pool 300 at 1.5: 150 each.
        ([(20, 20, 20)] * 5, (150, 150, 150), (0, 1, 2)),
        ([(100, 100, 100)] + [(0, 0, 0)] * 4, (150, 150, 150), (0, 1, 2)),
        # Pool 100: 50 each. The same gift in other rounds: a tie of the two who gave nothing.
        ([(100, 0, 0)] + [(0, 0, 0)] * 4, (50, 150, 150), (1, 2)),
        # Pool 7 + 7 + 10 = 24 at 1.5: 12 each, by different ways.
        ([(7, 0, 1), (0, 3, 2), (0, 4, 3), (0, 0, 4), (0, 0, 0)], (105, 105, 102), (0, 1)),
    ],
)
def test_the_highest_score_wins_and_so_does_who_shares_it(
    rounds: list[tuple[int, ...]], scores: tuple[float, ...], winners: tuple[int, ...]
) -> None:
    outcome = give(table(), *rounds).outcome
    assert outcome.payoffs == pytest.approx(scores)
    assert outcome.winners == winners


def test_equal_scores_tie_whatever_rounding_does_to_them() -> None:
    # A third of 1.2 times a pool is no exact float; both winners kept 100 less 1.
    for extra in range(1, 90):
        outcome = give(table(1.2), (1, extra + 1, 0), (0, 0, 1), *[(0, 0, 0)] * 3).outcome
        assert outcome.winners == (0, 2)


def test_contributions_are_shown_to_all_once_all_are_in_and_reasons_to_nobody() -> None:
    match = table()
    rules = {"players": 3, "multiplier": 1.5, "rounds": 5, "endowment": 100}
    rules["overspending"] = "allowed"
    expected = [Event("rules", 0, rules, None)]
    assert match.events == expected
    match.answer({Seat(0): {"amount": 30, "reasoning": "zqplan"}})
    assert match.events == expected
    match.answer({Seat(1): {"amount": 0}, Seat(2): {"amount": 100}})
    for seat, amount, reasoning in ((0, 30, "zqplan"), (1, 0, ""), (2, 100, "")):
        record = {"amount": amount, "reasoning": reasoning}
        expected.append(Event("contribute", 1, record, (Seat(seat),), Seat(seat), 0))
    shown = {"amounts": [30, 0, 100], "left": [70, 100, 0]}
    expected.append(Event("contributions", 1, shown, None))
    assert match.events == expected
    assert "zqplan" not in str(match.view(Seat(1)).events + match.view(Seat(2)).events)


@pytest.mark.parametrize(
    ("amount", "fault"),
    [
        (71, "give a whole number from 0 to the 70 points you have left"),
        *((amount, "from 0 to the 70") for amount in (-1, 10**4299)),
        (True, "True is no number"),
        *((amount, "amount") for amount in (0.5, None, "half", [10])),
    ],
)
def test_where_it_is_refused_nobody_gives_more_than_it_has_left_or_less_than_nothing(
    amount: object, fault: str
) -> None:
    match = give(table(overspending="refused"), (30, 0, 0))
    with pytest.raises(IllegalAnswer, match=fault) as refused:
        match.answer({Seat(0): {"amount": amount}})
    assert len(str(refused.value)) < 400


def test_all_that_is_left_may_be_given_and_then_only_nothing() -> None:
    match = give(table(overspending="refused"), (30, 0, 0), (70, 0, 0))
    with pytest.raises(IllegalAnswer, match="from 0 to the 0 points"):
        match.answer({Seat(0): {"amount": 1}})
    assert give(match, *[(0, 0, 0)] * 3).outcome.facts["contributed"] == [100, 0, 0]


def test_a_promise_of_more_than_is_left_counts_as_promised() -> None:
    match = give(table(1.5), (80, 0, 10), (80, 0, 10), *[(0, 0, 10)] * 3)
    # 160 + 0 + 50 promised: each gets 105 back. 100 - 160 + 105, 205 and 155.
    assert match.outcome.payoffs == (45, 205, 155)
    assert match.outcome.winners == (1,)
    assert match.outcome.facts["contributed"] == [160, 0, 50]
    shown = [event.record["left"] for event in match.events if event.kind == "contributions"]
    assert shown[1] == [-60, 100, 80]


@pytest.mark.parametrize("amount", [-1, 1_000_001, 10**400])
def test_a_promise_has_bounds_of_its_own(amount: int) -> None:
    with pytest.raises(IllegalAnswer, match="from 0 to 1,000,000"):
        table().answer({Seat(0): {"amount": amount}})


def test_a_fault_of_a_player_that_has_overspent_gives_nothing() -> None:
    match = give(table(), (150, 0, 0), (None, 0, 0))
    assert match.events[-1].record["amounts"][0] == 0


def test_an_ask_keeps_its_own_bounds_when_the_points_change() -> None:
    match = table()
    first = match.pending
    give(match, (30, 0, 0))
    assert first.judge(Seat(0), {"amount": 100}).amount == 100


def test_what_stands_for_a_fault_is_half_of_what_is_left() -> None:
    # 100, 50, 25, 13, 7 left: half of each in whole points is 50, 25, 12, 6, 3.
    match = give(table(), *[(None, 0, 0)] * 5)
    given = [e.record["amounts"][0] for e in match.events if e.kind == "contributions"]
    assert given == [50, 25, 12, 6, 3]
    assert {e.fault for e in match.events if e.by == 0} == {"unparsable"}


@pytest.mark.parametrize(("rounds", "endowment"), [(1, 1), (50, 10_000), (2, 7)])
def test_rounds_and_points_are_those_of_the_variant(rounds: int, endowment: int) -> None:
    match = give(table(rounds=rounds, endowment=endowment), *[(0, 0, 0)] * rounds)
    assert match.outcome.payoffs == (endowment,) * 3


def test_where_overspending_is_allowed_a_player_keeps_count_itself() -> None:
    match = give(table(), (10, 35, 0))
    shown = render(GAME, match.view(Seat(1)), "contribute")
    assert "points left" not in shown.question
    assert "it still has" not in shown.system
    assert "100 points are all that you have for the whole game" in shown.system
