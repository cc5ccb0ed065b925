"""Investment by answer scripts: each payment to the hundredth, and what comes of it."""

from itertools import product

import pytest

from parlour.games.engine.events import Event
from parlour.games.engine.moves import Seat
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.engine.transcript import sentence, transcript
from parlour.games.families.amounts import most_of_half, times
from parlour.games.investment import GAME
from tests.games.encounters import REFUSES, USUAL, ended, last, met, sharing, tables_of

table = tables_of(GAME)


def paid(match: Table, amount: object) -> None:
    """The waiting seat pays so much."""
    (seat,) = match.waiting
    match.answer({seat: {"amount": amount}})


def test_an_encounter_turn_by_turn() -> None:
    match = table(2, self_report=True)
    assert match.events[0].record == {**USUAL, "multiplier": 3.0, "endowment": 5.0}
    investor = Seat(match.events[1].record["investor"])
    responder = Seat(1 - investor)
    both = (investor, responder)
    turn = {"investor": investor, "responder": responder}
    turn |= {"investor_resources": 5.0, "responder_resources": 5.0}
    assert match.events[1:] == [Event("turn", 1, turn, (investor,))]
    assert (match.pending.kind, match.waiting) == ("invest", (investor,))
    paid(match, 4)
    arrived = {**turn, "investment": 4.0, "received": 12.0}
    assert match.events[-1] == Event("investment", 1, arrived, (responder,))
    assert (match.pending.kind, match.waiting) == ("return", (responder,))
    paid(match, 5.5)
    # Both have acted, so both report, and neither is shown anything yet.
    assert (match.pending.kind, match.waiting) == ("report", both)
    assert match.events[-1].kind == "return"
    match.answer({investor: {"amount": 5}, responder: {"amount": 5.5}})
    happened = {**arrived, "returned": 5.5, "rewards": [1.5, 6.5]}
    assert match.events[-1] == Event("encounter", 1, happened, both)
    assert (match.pending.kind, match.waiting) == ("gossip", both)
    match.answer({responder: {"tone": "praising", "message": "trusting"}})
    assert match.view(investor).told("gossip") == []  # the other writes unseen
    match.answer({investor: {"tone": "complaint", "message": "stingy"}})
    gossip = [
        {"tone": "complaint", "message": "stingy"},
        {"tone": "praising", "message": "trusting"},
    ]
    assert [(e.kind, e.record, e.to) for e in match.events if e.by is None][4:] == [
        ("report", {"speaker": investor, "about": investor, "amount": 5.0}, None),
        ("report", {"speaker": responder, "about": responder, "amount": 5.5}, None),
        ("gossip", {"speaker": investor, "about": responder, **gossip[0]}, None),
        ("gossip", {"speaker": responder, "about": investor, **gossip[1]}, None),
    ]
    assert met(match) == [{**happened, "reports": [5.0, 5.5], "told": gossip}]
    assert match.outcome.payoffs[investor] == 1.5
    assert match.outcome.payoffs[responder] == 6.5
    assert (match.outcome.ending, match.outcome.winners) == ("played", ())


def test_resources_move_with_every_payment_and_the_next_players_hear_of_them() -> None:
    match = ended(table(5, 2), sharing(0.5, 0.2))
    held = dict.fromkeys(match.seats, 5.0)
    for each in met(match):
        investor, responder = each["investor"], each["responder"]
        assert each["investor_resources"] == pytest.approx(held[investor], abs=1e-9)
        assert each["responder_resources"] == pytest.approx(held[responder], abs=1e-9)
        assert each["received"] == pytest.approx(3 * each["investment"], abs=1e-9)
        held[investor] += each["returned"] - each["investment"]
        held[responder] += each["received"] - each["returned"]
    # Nothing is lost but what multiplying adds: twice of every investment.
    made = sum(2 * each["investment"] for each in met(match))
    assert sum(held.values()) == pytest.approx(25 + made)


def test_amounts_are_reckoned_in_hundredths() -> None:
    match = table(2, endowment=0.3, multiplier=1.1, monitoring="private")
    paid(match, 0.29)
    # 29 hundredths × 1.1 are 31.9: what is less than a hundredth is lost.
    assert last(match, "investment")["received"] == 0.31
    paid(match, 0.31)
    # .31 - .29, where floats give .020000000000000018.
    assert met(match)[0]["rewards"] == [0.02, 0.0]


def test_nobody_pays_more_than_it_has_where_amounts_are_too_large_to_be_exact() -> None:
    # After 16 digits an amount is some hundredths off what it stands for.
    match = ended(table(9, endowment=999_999.99, multiplier=9.97), sharing(1.0, 0.0))
    turns = [event.record for event in match.events if event.kind == "turn"]
    both = product(turns, ("investor", "responder"))
    held = [turn[f"{who}_resources"] for turn, who in both]
    assert max(held) > 1e16
    assert min(held) == 0


@pytest.mark.parametrize(
    ("answer", "amount"), [(2.345678, 2.35), (5, 5.0), ("3.5", 3.5), (-0.0, 0.0), (1e-9, 0.0)]
)
def test_an_answer_is_rounded_to_two_places(answer: object, amount: float) -> None:
    match = table(2, monitoring="private")
    paid(match, answer)
    given = next(e.record["amount"] for e in match.events if e.kind == "invest")
    assert str(given) == str(amount)


def test_what_is_no_payment_is_refused() -> None:
    match = table(2, monitoring="private")
    number = "be a number"
    for answer, problem in (
        *((5.01, "5.01 is too much: at most 5"), (-1, "at least 0"), (float("nan"), number)),
        *((float("inf"), number), ("all", number), (None, number)),
    ):
        with pytest.raises(IllegalAnswer, match=problem):
            paid(match, answer)
    paid(match, 2)
    with pytest.raises(IllegalAnswer, match=r"6\.01 is too much: at most 6"):
        paid(match, 6.01)
    paid(match, 6)
    assert met(match)[0]["rewards"] == [4.0, 0.0]


def test_a_responder_that_received_nothing_is_not_asked_and_reports_nothing() -> None:
    match = table(2, self_report=True)
    investor = match.waiting[0]
    paid(match, 0)
    assert (match.pending.kind, match.waiting) == ("report", (investor,))
    match.answer({investor: {"amount": 0}})
    assert match.pending.kind == "gossip"
    assert len(match.waiting) == 2  # of each other both tell all the same
    match.answer({seat: {"tone": "neutral", "message": "so it was"} for seat in match.waiting})
    assert met(match)[0]["rewards"] == [0.0, 0.0]
    reports = met(match)[0]["reports"]
    assert reports == [0.0, None]


def test_an_investor_that_holds_nothing_is_not_asked() -> None:
    def choose(at: Table, _seat: Seat) -> object:
        return {"amount": 5 if at.ask_number == 0 else 0}

    # Four players, three appearances each: the first investor loses all, is sent nothing as
    # responder, and holds nothing when it is to invest again.
    match = ended(table(4, monitoring="private"), choose)
    turns = [event.record for event in match.events if event.kind == "turn"]
    first = turns[0]["investor"]
    (broke,) = (n for n, turn in enumerate(turns[1:], 2) if turn["investor"] == first)
    assert turns[broke - 1]["investor_resources"] == 0
    asked = [event.round for event in match.events if event.kind == "invest"]
    assert asked == [n for n in range(1, 7) if n != broke]


def test_the_fallback_of_a_payment_is_half_of_what_is_legal() -> None:
    match = table(2, endowment=5.01, monitoring="private")
    match.answer({match.waiting[0]: REFUSES})
    assert last(match, "investment")["investment"] == 2.5
    match.answer({match.waiting[0]: REFUSES})
    assert met(match)[0]["returned"] == 3.75


def test_the_fallback_of_a_report_is_none_at_all() -> None:
    match = table(2, self_report=True)
    investor = match.waiting[0]
    paid(match, 5)
    paid(match, 15)
    with pytest.raises(IllegalAnswer, match="no amount is reported"):
        match.answer({investor: {"amount": None}})
    match.answer({investor: REFUSES, Seat(1 - investor): {"amount": 1}})
    match.answer({seat: {"tone": "neutral", "message": "so it was"} for seat in match.waiting})
    posted = [e.record["speaker"] for e in match.events if e.by is None and e.kind == "report"]
    assert posted == [1 - investor]
    assert met(match)[0]["reports"] == [None, 1.0]


def test_the_cooperative_plan_by_hand() -> None:
    # Two players: 5 are sent, 15 arrive, 7.5 come back; both gain.
    match = ended(table(2), sharing(1, 0.5))
    assert sorted(match.outcome.payoffs) == [2.5, 7.5]
    assert times(100, 2.3) == 230  # in floats 229.99999999999997
    # Half of what arrived, in hundredths, is never less than half.
    halves = {15.0: 7.5, 0.01: 0.01, 0.03: 0.02, 0.0: 0.0, 1.15: 0.58}
    assert {amount: most_of_half(amount) for amount in halves} == halves


def test_an_encounter_in_words() -> None:
    match = table(2, self_report=True)
    investor = match.waiting[0]
    one, two = f"Player {investor + 1}", f"Player {2 - investor}"
    match.answer({investor: {"amount": 4.5, "justification": "trust"}})
    paid(match, 5)
    match.answer({investor: {"amount": 5}, Seat(1 - investor): {"amount": 5}})
    match.answer({seat: {"tone": "neutral", "message": "met"} for seat in match.waiting})
    assert [sentence(GAME, event) for event in transcript(GAME, match.events)][1:8] == [
        f"To {one}: you meet {two} as the investor",
        f'{one}: invests 4.5, because "trust"',
        f"To {two}: {one} sends 4.5 and 13.5 arrive",
        f"{two}: returns 5",
        f"To {one}, {two}: {one} invested 4.5 of 5 in {two} and got back 5 of 13.5:"
        f" {one} gets 0.5 and {two} gets 8.5",
        f"Table: {one} reports of itself: gave 5",
        f"Table: {two} reports of itself: gave 5",
    ]
