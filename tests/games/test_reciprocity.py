"""Reciprocity by answer scripts: what each is told, and what comes of it."""

import pytest

from parlour.games.engine.events import Event
from parlour.games.engine.moves import Seat
from parlour.games.engine.transcript import sentence, transcript
from parlour.games.reciprocity import GAME
from tests.games.encounters import ALL_HELP, REFUSES, USUAL, ended, met, tables_of

table = tables_of(GAME)


def test_an_encounter_turn_by_turn() -> None:
    match = table(2, self_report=True)
    rules = match.events[0]
    assert (rules.kind, rules.to) == ("rules", None)
    assert rules.record == {**USUAL, "benefit": 5.0, "cost": 1.0}
    both = (Seat(0), Seat(1))
    assert match.events[1:] == [Event("turn", 1, {"players": [0, 1]}, both)]
    assert (match.pending.kind, match.waiting) == ("choose", both)
    match.answer({Seat(1): {"action": "defect"}})
    # The first choice is shown to nobody before the second is in.
    assert len(match.events) == 2
    match.answer({Seat(0): {"action": "cooperate"}})
    assert (match.pending.kind, match.waiting) == ("report", both)
    match.answer({Seat(0): {"action": "cooperate"}, Seat(1): {"action": "cooperate"}})
    happened = {"players": [0, 1], "actions": ["cooperate", "defect"], "rewards": [-1.0, 5.0]}
    assert match.events[-1] == Event("encounter", 1, happened, both)
    assert [e.kind for e in match.events if e.by is None] == ["rules", "turn", "encounter"]
    assert (match.pending.kind, match.waiting) == ("gossip", both)
    match.answer({Seat(1): {"tone": "praising", "message": "generous"}})
    assert match.view(Seat(0)).told("gossip") == []  # the other writes unseen
    match.answer({Seat(0): {"tone": "mocking", "message": "took all"}})
    gossip = [
        {"tone": "mocking", "message": "took all"},
        {"tone": "praising", "message": "generous"},
    ]
    assert [e for e in match.events if e.by is None][3:] == [
        Event("report", 1, {"speaker": 0, "about": 0, "action": "cooperate"}, None),
        Event("report", 1, {"speaker": 1, "about": 1, "action": "cooperate"}, None),
        Event("gossip", 1, {"speaker": 0, "about": 1, **gossip[0]}, None),
        Event("gossip", 1, {"speaker": 1, "about": 0, **gossip[1]}, None),
    ]
    assert met(match) == [{**happened, "reports": ["cooperate", "cooperate"], "told": gossip}]
    assert match.outcome.payoffs == (-1.0, 5.0)
    assert (match.outcome.ending, match.outcome.winners) == ("played", ())


@pytest.mark.parametrize(
    ("one", "other", "rewards"),
    [
        ("cooperate", "cooperate", [5.0, 5.0]),
        ("cooperate", "defect", [-2.0, 7.0]),
        ("defect", "cooperate", [7.0, -2.0]),
        ("defect", "defect", [0.0, 0.0]),
    ],
)
def test_helping_costs_and_being_helped_gains(one: str, other: str, rewards: list[float]) -> None:
    match = table(2, benefit=7.0, cost=2.0, monitoring="private")
    match.answer({Seat(0): {"action": one}, Seat(1): {"action": other}})
    assert met(match)[0]["rewards"] == rewards
    assert str(match.outcome.payoffs) == str(tuple(rewards))  # and not -0.0


def test_one_who_writes_nothing_leaves_the_others_words_alone() -> None:
    match = table(2, gossip="binary_convention", self_report=True)
    match.answer({seat: {"action": "defect"} for seat in match.seats})
    match.answer({Seat(0): REFUSES, Seat(1): {"action": "defect"}})
    match.answer({Seat(0): {"signal": 0}, Seat(1): REFUSES})
    posted = [e.record for e in match.events if e.by is None and e.kind in ("report", "gossip")]
    assert posted == [
        {"speaker": 1, "about": 1, "action": "defect"},
        {"speaker": 0, "about": 1, "signal": 0},
    ]
    assert met(match)[0]["reports"] == [None, "defect"]
    assert met(match)[0]["told"] == [{"signal": 0}, {"signal": None}]


@pytest.mark.parametrize("seed", range(3))
def test_five_who_always_help_earn_what_the_paper_says(seed: int) -> None:
    # 4 at each of four appearances: 4 (1 + .99 + .99² + .99³) = 15.76.
    returns = ended(table(5, seed), ALL_HELP).outcome.payoffs
    assert [round(each, 2) for each in returns] == [15.76] * 5


def test_an_encounter_in_words() -> None:
    match = table(2, self_report=True)
    match.answer({Seat(0): {"action": "cooperate", "justification": "why not"}})
    match.answer({Seat(1): {"action": "defect"}})
    match.answer({Seat(0): {"action": "cooperate"}, Seat(1): {"action": "cooperate"}})
    match.answer({seat: {"tone": "neutral", "message": "met"} for seat in match.seats})
    assert [sentence(GAME, event) for event in transcript(GAME, match.events)][1:] == [
        "To Player 1, Player 2: Player 1 and Player 2 meet",
        'Player 1: chooses to cooperate, because "why not"',
        "To Player 1, Player 2: Player 1 and Player 2 met and chose to cooperate and to defect:"
        " Player 1 gets -1 and Player 2 gets 5",
        "Table: Player 1 reports of itself: cooperate",
        "Table: Player 2 reports of itself: cooperate",
        'Table: Player 1 about Player 2: neutral "met"',
        'Table: Player 2 about Player 1: neutral "met"',
    ]
