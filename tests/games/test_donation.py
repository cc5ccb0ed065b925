"""Donation by answer scripts: what each is told, who can pay, and what comes of it."""

import pytest

from parlour.games.donation import GAME
from parlour.games.engine.events import Event
from parlour.games.engine.moves import FaultKind, Seat
from parlour.games.engine.table import IllegalAnswer
from parlour.games.families.gossip_counting import gini
from tests.games.encounters import ALL_HELP, REFUSES, USUAL, ended, met, tables_of

table = tables_of(GAME)


def test_an_encounter_turn_by_turn() -> None:
    match = table(2, self_report=True)
    rules = match.events[0]
    assert (rules.kind, rules.to) == ("rules", None)
    assert rules.record == {**USUAL, "benefit": 5.0, "cost": 1.0, "endowment": 10.0}
    turn = match.events[1]
    donor = turn.record["donor"]
    recipient = 1 - donor
    both = (Seat(donor), Seat(recipient))
    held = {"donor_resources": 10.0, "recipient_resources": 10.0}
    meeting = {"donor": donor, "recipient": recipient}
    assert turn == Event("turn", 1, {**meeting, **held}, (Seat(donor),))
    assert (match.pending.kind, match.waiting) == ("donate", (donor,))
    match.answer({donor: {"action": "cooperate", "justification": "for luck"}})
    # The report is written before anybody but the donor learns anything, and shown to nobody yet.
    assert (match.pending.kind, match.waiting) == ("report", (donor,))
    assert [event.kind for event in match.events] == ["rules", "turn", "donate"]
    match.answer({donor: {"action": "defect"}})
    happened = {**meeting, "action": "cooperate", "donor_reward": -1.0, "recipient_reward": 5.0}
    holdings = Event("holdings", 1, held, (recipient,))
    assert match.events[4:] == [Event("encounter", 1, happened, both), holdings]
    assert (match.pending.kind, match.waiting) == ("gossip", (recipient,))
    assert match.view(Seat(recipient)).told("report") == []
    match.answer({recipient: {"tone": "praising", "message": "kind", "justification": "true"}})
    log = {"about": donor}
    assert match.events[7:] == [
        Event("report", 1, {"speaker": donor, **log, "action": "defect"}, None),
        Event(
            "gossip", 1, {"speaker": recipient, **log, "tone": "praising", "message": "kind"}, None
        ),
    ]
    assert match.pending is None
    assert met(match) == [{**happened, "report": "defect", "tone": "praising", "message": "kind"}]
    outcome = match.outcome
    assert (outcome.ending, outcome.winners, outcome.roles) == ("played", (), ("player",) * 2)
    assert outcome.payoffs[donor] == -1.0
    assert outcome.payoffs[recipient] == 5.0


def test_resources_move_and_the_next_donor_hears_of_them() -> None:
    match = ended(table(3, benefit=7.0, cost=2.0), ALL_HELP)
    held = dict.fromkeys(match.seats, 10.0)
    turns = [event.record for event in match.events if event.kind == "turn"]
    assert len(turns) == 3
    for turn in turns:
        assert turn["donor_resources"] == held[turn["donor"]]
        assert turn["recipient_resources"] == held[turn["recipient"]]
        held[turn["donor"]] -= 2
        held[turn["recipient"]] += 7


def test_a_donor_that_cannot_pay_can_only_defect() -> None:
    match = table(3, endowment=0)
    donor = match.waiting[0]
    with pytest.raises(IllegalAnswer, match="you cannot pay for it"):
        match.answer({donor: {"action": "cooperate"}})
    match.answer({donor: REFUSES})
    (decision,) = (event for event in match.events if event.by == donor)
    assert decision.fault == FaultKind.REFUSAL
    assert decision.record["action"] == "defect"


def test_who_holds_exactly_the_cost_can_pay() -> None:
    match = table(2, endowment=1)
    donor = match.waiting[0]
    match.answer({donor: {"action": "cooperate"}})
    (decision,) = (event for event in match.events if event.by == donor)
    assert decision.record["action"] == "cooperate"


@pytest.mark.parametrize(
    ("discount", "mean", "inequality"), [(0.99, 15.44, 0.00), (0.5, 3.76, 0.26), (0.1, 1.92, 0.70)]
)
def test_nine_who_always_help_earn_what_the_paper_says(
    discount: float, mean: float, inequality: float
) -> None:
    # Five begin as donors and get -1 + 5d - d² + ... over eight appearances, four 5 - d + 5d² ...
    for seed in range(3):
        returns = ended(table(9, seed, discount=discount), ALL_HELP).outcome.payoffs
        assert round(sum(returns) / 9, 2) == mean
        assert round(gini(returns), 2) == inequality
