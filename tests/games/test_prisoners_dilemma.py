"""The prisoner's dilemma by answer scripts: every round of every scoring, and who wins."""

from itertools import product

import pytest

from parlour.games.engine.events import Event
from parlour.games.engine.moves import Fault, FaultKind, Seat
from parlour.games.engine.prompts import render
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.engine.transcript import sentence
from parlour.games.prisoners_dilemma import GAME
from parlour.games.prisoners_dilemma.rules import PointTable, Variant

FAULT = Fault(FaultKind.EMPTY)
ACTIONS = {"C": {"action": "cooperate"}, "D": {"action": "defect"}}
WORDS = {"C": "cooperate", "D": "defect"}
# All cooperate, all defect, one defects, two defect.
FIVE = (3, 1, 5, 5)
SHIPPED = [
    *((2, 1, 4, 2), (3, 1, 5, 5), (3, 1, 5, 2), (3, 2, 5, 4)),
    *((4, 1, 6, 3), (2, 1, 3, 2), (5, 1, 6, 2)),
]


def table(points: tuple[float, ...] = FIVE, seed: int = 1, **keys: object) -> Table:
    names = ("all_cooperate", "all_defect", "lone_defector", "joint_defectors")
    record = PointTable(**{name: float(each) for name, each in zip(names, points, strict=True)})
    return Table(GAME, GAME.make_setting(record, Variant.model_validate(keys)), 3, seed)


def choose(match: Table, *rounds: str) -> Table:
    """All choose, one letter a seat; - is a fault."""
    for letters in rounds:
        assert (match.pending.kind, match.waiting) == ("choose", (0, 1, 2))
        match.answer({Seat(s): ACTIONS.get(each, FAULT) for s, each in enumerate(letters)})
    return match


def test_the_shipped_scorings() -> None:
    shipped = GAME.shipped()
    assert [tuple(each.model_dump().values()) for each in shipped] == SHIPPED
    for cooperate, defect, lone, _joint in SHIPPED:
        assert lone > cooperate > defect > 0  # else it is no dilemma


# What seats 0, 1 and 2 choose, and each one's entry in the scoring: c all cooperate, d all
# defect, l the lone defector, j one of two defectors, 0 nothing.
ROUNDS = {
    **{"CCC": "ccc", "CCD": "00l", "CDC": "0l0", "CDD": "0jj"},
    **{"DCC": "l00", "DCD": "j0j", "DDC": "jj0", "DDD": "ddd"},
}


@pytest.mark.parametrize("points", SHIPPED)
@pytest.mark.parametrize("choices", ROUNDS)
def test_every_choice_of_one_round(choices: str, points: tuple[int, ...]) -> None:
    assert set(ROUNDS) == set(map("".join, product("CD", repeat=3)))
    worth = dict(zip("cdlj0", (*points, 0), strict=True))
    expected = tuple(worth[entry] for entry in ROUNDS[choices])
    match = choose(table(points, rounds=1, shown="points"), choices)
    assert match.outcome.payoffs == expected
    assert match.events[-1] == Event(
        "choices", 1, {"actions": [WORDS[each] for each in choices], "points": list(expected)}, None
    )
    most = max(expected)
    assert match.outcome.winners == tuple(s for s in (0, 1, 2) if expected[s] == most)


@pytest.mark.parametrize(
    ("rounds", "points", "totals", "winners"),
    [
        # By hand: 3+3+5+1+1, 3+3+0+1+1 twice.
        ("CCC CCC DCC DDD DDD", FIVE, (13, 8, 8), (0,)),
        # 3+0+1+0+1, 3+5+1+5+1, 3+0+1+5+1.
        ("CCC CDC DDD CDD DDD", FIVE, (5, 15, 10), (1,)),
        (" ".join(["CCC"] * 50), FIVE, (150, 150, 150), (0, 1, 2)),
        # 4+0+0+1+2, 0+4+0+1+2, 0+0+4+1+0
        ("DCC CDC CCD DDD DDC", (2, 1, 4, 2), (7, 7, 5), (0, 1)),
        ("CDD CDD CDD CDD CDD", (3, 2, 5, 4), (0, 20, 20), (1, 2)),
    ],
)
def test_totals_and_winners_of_a_match(
    rounds: str, points: tuple[int, ...], totals: tuple[int, ...], winners: tuple[int, ...]
) -> None:
    choices = rounds.split()
    outcome = choose(table(points, rounds=len(choices)), *choices).outcome
    assert outcome.ending == "played"
    assert outcome.payoffs == totals
    assert outcome.winners == winners
    assert outcome.roles == ("prisoner",) * 3
    assert len(set(outcome.sides)) == 3  # everybody for itself
    assert outcome.facts == {"setting": "points " + "/".join(map(str, points))}


def test_choices_are_shown_to_all_once_all_are_in_and_reasons_to_nobody() -> None:
    match = table()
    rules = dict(zip(PointTable.model_fields, FIVE, strict=True))
    expected = [Event("rules", 0, {"players": 3, **rules, "rounds": 5}, None)]
    assert match.events == expected
    match.answer({Seat(2): {"action": "defect", "reasoning": "zqplan"}})
    assert match.events == expected
    match.answer({Seat(0): ACTIONS["C"], Seat(1): ACTIONS["C"]})
    for seat, action, reasoning in ((0, "C", ""), (1, "C", ""), (2, "D", "zqplan")):
        record = {"action": WORDS[action], "reasoning": reasoning}
        expected.append(Event("choose", 1, record, (Seat(seat),), Seat(seat), 0))
    shown = {"actions": ["cooperate", "cooperate", "defect"]}
    expected.append(Event("choices", 1, shown, None))
    assert match.events == expected
    assert "zqplan" not in str(match.view(Seat(0)).events + match.view(Seat(1)).events)


def test_what_stands_for_a_fault_is_a_fair_draw_and_the_same_at_every_replay() -> None:
    drawn = []
    for seed in range(400):
        match = choose(table(rounds=1, seed=seed), "-CC")
        assert match.events == choose(table(rounds=1, seed=seed), "-CC").events
        assert match.events[1].fault == "empty"
        drawn.append(match.events[1].record["action"])
    # 200 each; 5 standard deviations are 50.
    assert 150 <= drawn.count("defect") <= 250
    assert set(drawn) == {"cooperate", "defect"}


def test_seats_at_fault_draw_on_their_own() -> None:
    seen = {
        tuple(choose(table(rounds=1, seed=seed), "---").events[-1].record["actions"])
        for seed in range(200)
    }
    assert len(seen) == 8


@pytest.mark.parametrize(
    "answer",
    [{}, {"action": "C"}, {"action": None}, {"action": "Defect!"}, {"action": "defect", "x": 1}],
)
def test_a_choice_is_to_cooperate_or_to_defect(answer: dict[str, object]) -> None:
    with pytest.raises(IllegalAnswer):
        table().answer({Seat(0): answer})


def test_players_are_shown_decisions_only_and_onlookers_the_points_too() -> None:
    match = choose(table(), "CCD")
    lines = render(GAME, match.view(Seat(0)), "choose").question.splitlines()
    said = "Player 1 chose to cooperate, Player 2 chose to cooperate, Player 3 chose to defect"
    assert lines[1] == f"- round 1: {said}"
    line = sentence(GAME, match.events[-1])
    assert line.endswith("Player 1 cooperate, Player 2 cooperate, Player 3 defect")
    grid, *_ = GAME.board(match.seats, match.events, None)
    assert [cell.text + cell.note for cell in grid.rows[0].cells] == ["C+0", "C+0", "D+5"]
    # The board of a match is the same whatever the players are shown.
    other, *_ = GAME.board(match.seats, choose(table(shown="points"), "CCD").events, None)
    assert other == grid
