"""Reciprocity by answer scripts: who meets whom, what each is told, and what comes of it."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest
from pydantic import ValidationError

from parlour.games.engine.events import Event
from parlour.games.engine.moves import Fault, FaultKind, Seat
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.engine.transcript import sentence, transcript
from parlour.games.families.gossip_games import discounted
from parlour.games.reciprocity import GAME
from parlour.games.testing.playthrough import play, sampled

REFUSES = Fault(FaultKind.REFUSAL)


def table(players: int = 3, seed: int = 1, **keys: object) -> Table:
    """A table before its first answer."""
    variant = GAME.variant.model_validate({"agents_per_match": players, **keys})
    return Table(GAME, GAME.make_setting(GAME.shipped()[0], variant), players, seed)


def all_do(action: str) -> Callable[[Table, Seat], object]:
    """Everybody does the same to everybody, and answers all else by a draw."""

    def choose(at: Table, seat: Seat) -> object:
        assert at.pending is not None
        return {"action": action} if at.pending.kind == "choose" else sampled(at, seat)

    return choose


def ended(match: Table, choose: Callable[[Table, Seat], object] = sampled) -> Table:
    play(match, choose)
    assert match.outcome is not None
    return match


def met(match: Table) -> list[dict[str, object]]:
    assert match.outcome is not None
    return match.outcome.facts["encounters"]


def first_pair(match: Table) -> tuple[Seat, Seat]:
    one, other = match.events[1].record["players"]
    return Seat(one), Seat(other)


# Who meets whom


@pytest.mark.parametrize("players", range(2, 10))
def test_each_pair_meets_once(players: int) -> None:
    for seed in range(3):
        pairs = [tuple(each["players"]) for each in met(ended(table(players, seed)))]
        assert sorted(pairs) == list(combinations(range(players), 2))


def test_five_play_unless_the_key_says_otherwise_and_each_match_has_its_own_order() -> None:
    assert GAME.variant().agents_per_match == 5

    def order(seed: int) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(each["players"]) for each in met(ended(table(5, seed))))

    orders = {order(seed) for seed in range(4)}
    assert len(orders) == 4
    assert {len(order) for order in orders} == {10}


# Turn by turn


def test_an_encounter_turn_by_turn() -> None:
    match = table(2, self_report=True)
    rules = match.events[0]
    assert (rules.kind, rules.to) == ("rules", None)
    assert rules.record == {
        "horizon": "infinite",
        "monitoring": "gossip",
        "gossip": "tones",
        "equilibrium_knowledge": True,
        "reflection": True,
        "discount": 0.99,
        "discount_by": "appearance",
        "benefit": 5.0,
        "cost": 1.0,
        "self_report": True,
        "steps": None,
    }
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
    assert [e for e in match.events if e.by is None][3:] == [
        Event("report", 1, {"speaker": 0, "about": 0, "action": "cooperate"}, None),
        Event("report", 1, {"speaker": 1, "about": 1, "action": "cooperate"}, None),
        Event(
            "gossip",
            1,
            {"speaker": 0, "about": 1, "tone": "mocking", "message": "took all"},
            None,
        ),
        Event(
            "gossip",
            1,
            {"speaker": 1, "about": 0, "tone": "praising", "message": "generous"},
            None,
        ),
    ]
    gossip = [
        {"tone": "mocking", "message": "took all"},
        {"tone": "praising", "message": "generous"},
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


@pytest.mark.parametrize(
    ("monitoring", "third_sees_it", "asks"),
    [
        ("private", False, ["choose"]),
        ("public", True, ["choose"]),
        ("gossip", False, ["choose", "gossip"]),
    ],
)
def test_who_sees_an_encounter_under_each_monitoring(
    monitoring: str, third_sees_it: bool, asks: list[str]
) -> None:
    match = ended(table(3, monitoring=monitoring))
    for seat in match.seats:
        own = {n for n, m in enumerate(met(match), 1) if seat in m["players"]}
        assert len(own) == 2
        seen = {event.round for event in match.view(seat).told("encounter")}
        assert seen == ({1, 2, 3} if third_sees_it else own)
        heard = Counter(event.round for event in match.view(seat).told("gossip"))
        assert heard == ({1: 2, 2: 2, 3: 2} if monitoring == "gossip" else {})
    assert sorted({event.kind for event in match.events if event.by is not None}) == asks


def test_a_justification_is_in_the_view_of_its_own_seat_only() -> None:
    match = table(3)
    one, other = first_pair(match)
    match.answer({seat: {"action": "defect", "justification": f"zq{seat}"} for seat in match.seats
                  if seat in (one, other)})  # fmt: skip
    for seat in match.seats:
        marks_seen = {s for s in match.seats if f"zq{s}" in str(match.view(seat))}
        assert marks_seen == ({seat} if seat in (one, other) else set())


@pytest.mark.parametrize(("horizon", "steps"), [("finite", 55), ("infinite", None)])
def test_only_a_finite_horizon_tells_the_length(horizon: str, steps: int | None) -> None:
    assert table(11, horizon=horizon).events[0].record["steps"] == steps


# Faults


def test_the_fallback_of_a_choice_is_a_fair_draw() -> None:
    drawn = Counter(table(2, seed).fallback(Seat(0)).action for seed in range(400))
    # 400 fair draws: mean 200, standard deviation 10.
    assert 150 < drawn["cooperate"] < 250


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


def test_a_signal_must_be_one() -> None:
    match = table(2, gossip="binary")
    match.answer({seat: {"action": "defect"} for seat in match.seats})
    for wrong in ({"signal": 2}, {"signal": None}, {"tone": "neutral", "message": "m"}):
        with pytest.raises(IllegalAnswer):
            match.answer({Seat(0): wrong})


# Greedy seats


def test_greedy_seats_are_the_last_ones_never_asked_silent_and_always_defect() -> None:
    for seed in range(5):
        match = ended(table(5, seed, greedy_seats=2, self_report=True), all_do("cooperate"))
        assert match.outcome.roles == ("player",) * 3 + ("greedy",) * 2
        assert not {event.by for event in match.events} & {3, 4}
        spoken = [e for e in match.events if e.by is None and e.kind in ("gossip", "report")]
        assert {event.record["speaker"] for event in spoken} == {0, 1, 2}
        for each in met(match):
            for place, seat in enumerate(each["players"]):
                greedy = seat in (3, 4)
                assert each["actions"][place] == ("defect" if greedy else "cooperate")
                assert (each["told"][place] == {}) == greedy
                assert (each["reports"][place] is None) == greedy
        assert "greedy" not in str([event.record for event in match.events])


# The check values


@pytest.mark.parametrize("seed", range(3))
def test_five_who_always_help_earn_what_the_paper_says(seed: int) -> None:
    # 4 at each of four appearances: 4 (1 + .99 + .99² + .99³) = 15.76.
    returns = ended(table(5, seed), all_do("cooperate")).outcome.payoffs
    assert [round(each, 2) for each in returns] == [15.76] * 5


@pytest.mark.parametrize("players", [4, 5, 9])
def test_who_always_defects_earns_nothing(players: int) -> None:
    match = ended(table(players), all_do("defect"))
    assert str(match.outcome.payoffs) == str((0.0,) * players)


def test_returns_are_the_discounted_sums_of_the_rewards() -> None:
    for by in ("appearance", "step"):
        match = ended(table(4, 3, discount=0.5, discount_by=by))
        for seat in match.seats:
            rewards = [
                (step, each["rewards"][each["players"].index(seat)])
                for step, each in enumerate(met(match), 1)
                if seat in each["players"]
            ]
            assert len(rewards) == 3
            assert match.outcome.payoffs[seat] == discounted(rewards, 0.5, by)


# Keys


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"monitoring": "public", "gossip": "tones"}, "gossip = 'tones' needs"),
        ({"monitoring": "private", "self_report": True}, "self_report = true needs"),
        ({"greedy_seats": 5}, "leaves none of 5 seats"),
        ({"agents_per_match": 13}, "less than or equal to 12"),
        ({"multiplier": 3.0}, "Extra inputs"),
        ({"endowment": 3.0}, "Extra inputs"),
        ({"cost": 0.0}, "greater than 0"),
    ],
)
def test_a_variant_that_means_nothing_is_refused(keys: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        GAME.variant.model_validate(keys)


# In words


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
