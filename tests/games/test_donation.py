"""Donation by answer scripts: who meets whom, what each is told, and what comes of it."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations, pairwise

import pytest
from pydantic import ValidationError

from parlour.games.donation import GAME
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Fault, FaultKind, Seat
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.families.gossip_counting import gini
from parlour.games.families.gossip_games import MOST_WORDS, TONES, alternating_pairs, discounted
from parlour.games.testing.playthrough import play, sampled

REFUSES = Fault(FaultKind.REFUSAL)


def table(players: int = 3, seed: int = 1, **keys: object) -> Table:
    """A table before its first answer."""
    variant = GAME.variant.model_validate({"agents_per_match": players, **keys})
    return Table(GAME, GAME.make_setting(GAME.shipped()[0], variant), players, seed)


def all_do(action: str) -> Callable[[Table, Seat], object]:
    """Everybody does the same as donor, and answers all else by a draw."""

    def choose(at: Table, seat: Seat) -> object:
        assert at.pending is not None
        return {"action": action} if at.pending.kind == "donate" else sampled(at, seat)

    return choose


def ended(match: Table, choose: Callable[[Table, Seat], object] = sampled) -> Table:
    play(match, choose)
    assert match.outcome is not None
    return match


def met(match: Table) -> list[dict[str, object]]:
    assert match.outcome is not None
    return match.outcome.facts["encounters"]


def seen(match: Table, seat: int, kind: str) -> list[Event]:
    return match.view(Seat(seat)).told(kind)


# Who meets whom


@pytest.mark.parametrize("players", range(2, 13))
def test_each_pair_meets_once_and_everybody_alternates(players: int) -> None:
    for seed in range(5):
        pairs = alternating_pairs([Seat(s) for s in range(players)], Dice(seed))
        assert sorted(tuple(sorted(pair)) for pair in pairs) == list(
            combinations(range(players), 2)
        )
        parts: dict[int, list[str]] = {seat: [] for seat in range(players)}
        for donor, recipient in pairs:
            parts[donor].append("donor")
            parts[recipient].append("recipient")
        for played in parts.values():
            assert all(one != next_ for one, next_ in pairwise(played))
        firsts = Counter(played[0] for played in parts.values())
        assert firsts["donor"] == (players + 1) // 2


def test_the_match_has_a_step_for_every_pair_and_its_own_plan() -> None:
    def plan(seed: int) -> tuple[tuple[int, int], ...]:
        return tuple((each["donor"], each["recipient"]) for each in met(ended(table(9, seed))))

    plans = {plan(seed) for seed in range(4)}
    assert len(plans) == 4
    assert {len(plan) for plan in plans} == {36}


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
        "endowment": 10.0,
        "self_report": True,
        "steps": None,
    }
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
    assert seen(match, recipient, "report") == []
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


def test_a_justification_is_in_the_view_of_its_own_seat_only() -> None:
    match = table(3)
    donor = match.waiting[0]
    match.answer({donor: {"action": "defect", "justification": "zqxv"}})
    match.answer({match.waiting[0]: {"tone": "neutral", "message": "m", "justification": "zqxw"}})
    views = {seat: str(match.view(seat)) for seat in match.seats}
    marks_seen = {seat: [view.count("zqxv"), view.count("zqxw")] for seat, view in views.items()}
    recipient = met_recipient = match.events[1].record["recipient"]
    assert marks_seen.pop(donor) == [1, 0]
    assert marks_seen.pop(recipient) == [0, 1]
    assert marks_seen.pop(3 - donor - met_recipient) == [0, 0]


@pytest.mark.parametrize(
    ("monitoring", "third_sees_it", "asks"),
    [("private", False, ["donate"]), ("public", True, ["donate"]), ("gossip", False, None)],
)
def test_who_sees_an_action_under_each_monitoring(
    monitoring: str, third_sees_it: bool, asks: list[str] | None
) -> None:
    match = ended(table(3, monitoring=monitoring))
    encounters = met(match)
    for seat in match.seats:
        seen_rounds = {event.round for event in seen(match, seat, "encounter")}
        own = {n for n, m in enumerate(encounters, 1) if seat in (m["donor"], m["recipient"])}
        assert len(own) == 2
        assert seen_rounds == ({1, 2, 3} if third_sees_it else own)
        heard = {event.round for event in seen(match, seat, "gossip")}
        assert heard == ({1, 2, 3} if monitoring == "gossip" else set())
    asked = sorted({event.kind for event in match.events if event.by is not None})
    assert asked == (asks or ["donate", "gossip"])


def test_resources_move_and_the_next_donor_hears_of_them() -> None:
    match = ended(table(3, benefit=7.0, cost=2.0), all_do("cooperate"))
    held = dict.fromkeys(match.seats, 10.0)
    turns = [event.record for event in match.events if event.kind == "turn"]
    assert len(turns) == 3
    for turn in turns:
        assert turn["donor_resources"] == held[turn["donor"]]
        assert turn["recipient_resources"] == held[turn["recipient"]]
        held[turn["donor"]] -= 2
        held[turn["recipient"]] += 7


@pytest.mark.parametrize(("horizon", "announced"), [("finite", True), ("infinite", False)])
def test_only_a_finite_horizon_tells_the_length(horizon: str, announced: bool) -> None:
    # 11 players meet in 55 steps; no other number of this match is 55.
    match = table(11, horizon=horizon)
    assert match.events[0].record["steps"] == (55 if announced else None)
    assert ("55" in str([event.record for event in match.events])) is announced


# A donor without means


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


@pytest.mark.parametrize("players", [4, 9])
def test_nobody_ever_helps_where_nobody_holds_anything(players: int) -> None:
    match = ended(table(players, endowment=0))
    assert {m["action"] for m in met(match)} == {"defect"}
    assert set(match.outcome.payoffs) == {0.0}


# Faults


def test_the_fallback_of_a_decision_is_a_fair_draw() -> None:
    matches = [table(2, seed) for seed in range(400)]
    drawn = Counter(match.fallback(match.waiting[0]).action for match in matches)
    # 400 fair draws: mean 200, standard deviation 10.
    assert 150 < drawn["cooperate"] < 250


def at_the_gossip(**keys: object) -> Table:
    match = table(2, **keys)
    match.answer({match.waiting[0]: {"action": "defect"}})
    return match


def test_the_fallback_of_a_message_is_the_neutral_tone_with_nothing_in_it() -> None:
    match = at_the_gossip()
    match.answer({match.waiting[0]: REFUSES})
    gossip = match.events[-1]
    assert gossip.kind == "gossip"
    assert (gossip.record["tone"], gossip.record["message"]) == ("neutral", "")


@pytest.mark.parametrize("protocol", ["binary", "binary_convention"])
def test_the_fallback_of_a_signal_is_none_at_all(protocol: str) -> None:
    match = at_the_gossip(gossip=protocol)
    match.answer({match.waiting[0]: REFUSES})
    assert [e for e in match.events if e.by is None and e.kind == "gossip"] == []
    assert met(match)[0]["signal"] is None


def test_the_fallback_of_a_report_is_none_at_all() -> None:
    match = table(2, self_report=True)
    donor = match.waiting[0]
    match.answer({donor: {"action": "cooperate"}})
    match.answer({donor: REFUSES})
    match.answer({match.waiting[0]: {"tone": "praising", "message": "kind"}})
    assert [e for e in match.events if e.by is None and e.kind == "report"] == []
    assert met(match)[0]["report"] is None


# What may be told


@pytest.mark.parametrize("tone", TONES)
def test_every_tone_may_be_used_with_1_to_150_words(tone: str) -> None:
    for words in (1, MOST_WORDS):
        match = at_the_gossip()
        match.answer({match.waiting[0]: {"tone": tone, "message": "word " * words}})
        assert match.outcome is not None
    assert MOST_WORDS == 150


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"tone": "neutral", "message": "word " * 151}, "the message has 151 words: at most 150"),
        ({"tone": "neutral", "message": " \n\t "}, "the message is blank"),
        ({"tone": "angry", "message": "word"}, "tone: must be"),
        ({"tone": "neutral"}, "message: is missing"),
        ({"signal": 1}, "tone: is missing"),
    ],
)
def test_what_is_no_message_is_refused(answer: dict[str, str], problem: str) -> None:
    match = at_the_gossip()
    with pytest.raises(IllegalAnswer) as refused:
        match.answer({match.waiting[0]: answer})
    assert problem in str(refused.value)


@pytest.mark.parametrize("protocol", ["binary", "binary_convention"])
@pytest.mark.parametrize("signal", [0, 1])
def test_a_signal_is_posted_as_it_is(protocol: str, signal: int) -> None:
    match = at_the_gossip(gossip=protocol)
    recipient = match.waiting[0]
    for wrong in ({"signal": 2}, {"signal": None}, {"tone": "neutral", "message": "m"}):
        with pytest.raises(IllegalAnswer):
            match.answer({recipient: wrong})
    match.answer({recipient: {"signal": signal}})
    record = {"speaker": recipient, "about": 1 - recipient, "signal": signal}
    assert match.events[-1] == Event("gossip", 1, record, None)


# Greedy seats


def test_greedy_seats_are_the_last_ones_never_asked_and_silent() -> None:
    for seed in range(5):
        match = ended(table(5, seed, greedy_seats=2, self_report=True), all_do("cooperate"))
        assert match.outcome.roles == ("player",) * 3 + ("greedy",) * 2
        assert not {event.by for event in match.events} & {3, 4}
        spoken = [e for e in match.events if e.by is None and e.kind in ("gossip", "report")]
        assert not {event.record["speaker"] for event in spoken} & {3, 4}
        for each in met(match):
            assert each["action"] == ("defect" if each["donor"] in (3, 4) else "cooperate")
            assert ("tone" in each) == (each["recipient"] not in (3, 4))
            assert (each["report"] is None) == (each["donor"] in (3, 4))


def test_nobody_hears_of_the_greedy_seats() -> None:
    match = ended(table(4, greedy_seats=1))
    assert "greedy" not in str([event.record for event in match.events])


# The check values


@pytest.mark.parametrize(
    ("discount", "mean", "inequality"), [(0.99, 15.44, 0.00), (0.5, 3.76, 0.26), (0.1, 1.92, 0.70)]
)
def test_nine_who_always_help_earn_what_the_paper_says(
    discount: float, mean: float, inequality: float
) -> None:
    # Five begin as donors and get -1 + 5d - d² + ... over eight appearances, four 5 - d + 5d² ...
    for seed in range(3):
        returns = ended(table(9, seed, discount=discount), all_do("cooperate")).outcome.payoffs
        assert round(sum(returns) / 9, 2) == mean
        assert round(gini(returns), 2) == inequality


@pytest.mark.parametrize("players", [4, 5, 9])
def test_who_always_defects_earns_nothing(players: int) -> None:
    match = ended(table(players), all_do("defect"))
    assert str(match.outcome.payoffs) == str((0.0,) * players)  # and not -0.0


def test_discounting_counts_own_appearances_or_all_steps() -> None:
    # Rewards 8 and 8 and 8 at steps 1, 3 and 4: 8 + 4 + 2, or 8 + 8/4 + 8/8.
    rewards = [(1, 8.0), (3, 8.0), (4, 8.0)]
    assert discounted(rewards, 0.5, "appearance") == 14
    assert discounted(rewards, 0.5, "step") == 11
    assert discounted(rewards, 0, "appearance") == 8
    assert discounted([], 0.5, "step") == 0


def test_returns_by_step_are_those_of_the_encounters() -> None:
    match = ended(table(3, discount=0.5, discount_by="step"), all_do("cooperate"))
    expected = [0.0, 0.0, 0.0]
    for step, each in enumerate(met(match)):
        expected[each["donor"]] -= 0.5**step
        expected[each["recipient"]] += 5 * 0.5**step
    assert list(match.outcome.payoffs) == expected


# Keys


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"monitoring": "public", "gossip": "tones"}, "gossip = 'tones' needs"),
        ({"monitoring": "private", "gossip": "binary"}, "gossip = 'binary' needs"),
        ({"monitoring": "private", "self_report": True}, "self_report = true needs"),
        ({"greedy_seats": 9}, "leaves none of 9 seats"),
        ({"agents_per_match": 13}, "less than or equal to 12"),
        ({"agents_per_match": 1}, "greater than or equal to 2"),
        ({"discount": 1.01}, "less than or equal to 1"),
        ({"cost": 0}, "greater than 0"),
        ({"multiplier": 3}, "Extra inputs"),
    ],
)
def test_a_variant_that_means_nothing_is_refused(keys: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        GAME.variant.model_validate(keys)


@pytest.mark.parametrize("monitoring", ["public", "private"])
def test_a_variant_without_gossip_reads_back_as_it_was_stored(monitoring: str) -> None:
    variant = GAME.variant.model_validate({"monitoring": monitoring})
    assert variant.gossip is None
    assert GAME.variant.model_validate_json(variant.model_dump_json()) == variant
    assert GAME.condition(variant) == f"monitoring={monitoring}"
    setting = GAME.make_setting(GAME.shipped()[0], variant)
    assert GAME.setting.model_validate_json(setting.model_dump_json()) == setting


def test_gossip_monitoring_cannot_be_had_without_gossip() -> None:
    with pytest.raises(ValidationError, match="gossip"):
        GAME.variant.model_validate({"monitoring": "gossip", "gossip": None})
