"""Mechanisms by answer scripts: what each moves between players, and that plain games stay so."""

from collections.abc import Callable
from importlib import import_module
from itertools import chain, product
from statistics import fmean
from typing import Any

import pytest

from parlour.agents.base import Call, at_once
from parlour.agents.registry import ScriptedConfig, make_agent
from parlour.games.engine.board import Bars, Grid, Lines
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Ask, Seat
from parlour.games.engine.registry import games
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.engine.talk import Action
from parlour.games.engine.transcript import lines_of, sentence
from parlour.games.mechanisms.over import MECHANISMS
from parlour.games.testing.playthrough import play
from tests.ratings.records import played_out, record_of

LAYERED = [game for game in games().values() if "mechanism" in game.variant.model_fields]
every_layered = pytest.mark.parametrize("game", LAYERED, ids=lambda game: game.name)
DILEMMA, GOOD, DONATION = (games()[n] for n in ("prisoners_dilemma", "public_good", "donation"))
BARGAIN = games()["cost_sharing"]
PRIVATE = {"monitoring": "private", "agents_per_match": 4}


def table(game: Game, record: int = 0, seed: int = 1, **keys: object) -> Table:
    """A table of a game under these keys, on one of its shipped settings."""
    variant = game.variant.model_validate(keys)
    setting = game.make_setting(game.shipped()[record], variant)
    return Table(game, setting, game.seats(setting), seed)


def answered(match: Table, **by_kind: Any) -> Table:
    """The match played to its end; the answer to a kind of ask is by seat, or the same for all."""

    def choose(at: Table, seat: Seat) -> object:
        given = by_kind[at.pending.kind]
        return given[seat] if isinstance(given, list) else given

    play(match, choose)
    return match


Fixed = Callable[[Ask[Any]], object]
"""The answers of a seat that hang on the ask alone."""


def scripted(match: Table, *strategies: str, fixed: Fixed | None = None) -> Table:
    """The match played by scripted players, by seat; the last one plays the rest.

    With ``fixed`` these are the answers of the first seat.
    """
    agents = [make_agent(ScriptedConfig(name=each, strategy=each)) for each in strategies]

    def choose(at: Table, seat: Seat) -> object:
        agent, dice = agents[min(seat, len(agents) - 1)], Dice(at.seed, at.ask_number, seat)
        assert at.pending is not None
        if fixed is not None and seat == 0:
            return fixed(at.pending)
        return at_once(agent.act(at.pending, at.view(seat), Call(dice))).value

    play(match, choose)
    return match


def told(match: Table, kind: str) -> list[Any]:
    return [event.record for event in match.events if event.kind == kind and event.by is None]


def payoffs(match: Table) -> tuple[float, ...]:
    return match.outcome.payoffs


C, D = {"action": "cooperate"}, {"action": "defect"}
NOBODY = {"player": None}


@every_layered
def test_a_game_without_a_mechanism_is_the_plain_one(game: Game) -> None:
    """Events, digests, outcome and stored keys are those of a setting that has no such key."""
    plain, layered = table(import_module(f"parlour.games.{game.name}.game").PLAIN), table(game)
    unstored = getattr(plain.setting, "when_changed", frozenset())
    stored = {*plain.setting.model_dump()} - unstored
    assert layered.setting.model_dump() == plain.setting.model_dump(include=stored)
    assert play(layered).transcript() == play(plain).transcript()
    assert game.condition(game.variant()) == ""


@every_layered
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: each.name)
def test_a_key_of_another_mechanism_is_refused(game: Game, mechanism: Any) -> None:
    for key in game.defaults().keys() & mechanism.keys.keys():
        value = type(mechanism.keys[key])(7)
        with pytest.raises(ValueError, match=f"{key} = 7 needs mechanism = '{mechanism.name}'"):
            game.variant.model_validate({key: value})


@every_layered
def test_the_condition_names_mechanism_and_changed_keys_alone(game: Game) -> None:
    variant = game.variant.model_validate({"mechanism": "punishment", "fine": 7.0})
    assert game.condition(variant) == "mechanism=punishment,fine=7.0"
    assert "most_penalty" not in variant.model_dump()
    assert "most_penalty" in game.defaults()


def test_fines_take_points_from_both_and_decide_who_wins() -> None:
    """3/1/5/5, five rounds: the defector gets 25, the others 0, and they fine it each round."""
    fines = [{"player": "Player 3"}, {"player": "Player 3"}, NOBODY]
    match = answered(
        table(DILEMMA, 1, mechanism="punishment", fine=2.0), choose=[C, C, D], punish=fines
    )
    # Player 3: 25 - 5 rounds of 2 fines of 2; the others: 0 - 5 rounds of 1.
    assert payoffs(match) == (-5.0, -5.0, 5.0)
    assert match.outcome.winners == (2,)
    high = table(DILEMMA, 1, mechanism="punishment", fine=4.0)
    answered(high, choose=[C, C, D], punish=fines)
    assert payoffs(high) == (-5.0, -5.0, -15.0)
    assert high.outcome.winners == (0, 1)


def test_nobody_fines_itself_or_who_was_not_met() -> None:
    match = table(DILEMMA, mechanism="punishment")
    match.answer(dict.fromkeys(match.seats, C))
    with pytest.raises(IllegalAnswer, match="Player 1 is no choice: name Player 2, Player 3"):
        match.answer({Seat(0): {"player": "Player 1"}})
    pair = table(DONATION, mechanism="punishment", **PRIVATE)
    pair.answer({pair.waiting[0]: D})
    (one, other) = pair.waiting
    stranger = next(seat for seat in pair.seats if seat not in (one, other))
    with pytest.raises(IllegalAnswer, match="is no choice"):
        pair.answer({one: {"player": f"Player {stranger + 1}"}})


def test_fines_of_an_encounter_are_discounted_as_its_rewards() -> None:
    """Two players meet once; the donor refuses and is fined 3 at a cost of 1 in its first step."""
    keys = {"monitoring": "private", "agents_per_match": 3, "discount": 0.5}
    match = table(DONATION, mechanism="punishment", **keys)
    donors = [match.waiting[0]]

    def choose(at: Table, seat: Seat) -> object:
        if at.pending.kind == "donate":
            donors.append(seat)
            return D
        fined = donors[-1]
        return NOBODY if fined == seat else {"player": f"Player {fined + 1}"}

    play(match, choose)
    meetings = [record["players"] for record in told(match, "meeting")]
    expected = dict.fromkeys(match.seats, 0.0)
    appeared = dict.fromkeys(match.seats, 0)
    for donor, recipient in meetings:
        expected[donor] -= 3 * 0.5 ** appeared[donor]
        expected[recipient] -= 0.5 ** appeared[recipient]
        appeared[donor] += 1
        appeared[recipient] += 1
    assert payoffs(match) == tuple(expected.values())


def test_seats_that_the_rules_play_are_fined_and_never_asked() -> None:
    match = table(DONATION, mechanism="punishment", greedy_seats=1, **PRIVATE)
    play(match)
    greedy = match.seats[-1]
    assert all(event.by != greedy for event in match.events)
    fines = chain.from_iterable(each["fines"] for each in told(match, "fines"))
    assert greedy in [fined for _, fined in fines]


def test_a_contract_that_all_sign_is_paid_by_who_defects() -> None:
    """Five rounds at penalty 4: Player 3 gets 25, and pays 20, half to each of the others."""
    match = answered(
        table(DILEMMA, 1, mechanism="contract"),
        draft={"amount": 4},
        sign=[{"player": f"Player {k}"} for k in (1, 2, 3)],
        choose=[C, C, D],
    )
    assert told(match, "contract")[0]["penalty"] == 4
    assert payoffs(match) == (10.0, 10.0, 5.0)
    assert match.outcome.winners == (0, 1)


@pytest.mark.parametrize("signs", [NOBODY, {"player": "Player 2"}])
def test_a_contract_that_one_does_not_sign_binds_nobody(signs: object) -> None:
    match = answered(
        table(DILEMMA, 1, mechanism="contract"),
        draft=[{"amount": 4}, {"amount": 5}, {"amount": 4}],
        sign=[{"player": "Player 1"}, {"player": "Player 3"}, signs],
        choose=D,
    )
    assert told(match, "contract")[0]["penalty"] is None
    assert payoffs(match) == (5.0, 5.0, 5.0)


def test_a_pair_makes_its_contract_where_it_meets() -> None:
    match = table(DONATION, mechanism="contract", **PRIVATE)
    play(match)
    meetings = [tuple(each["players"]) for each in told(match, "meeting")]
    assert len(meetings) == 6
    assert len(told(match, "contract")) == 6
    views = [match.view(seat).told("contract") for seat in match.seats]
    assert [len(seen) for seen in views] == [3, 3, 3, 3]


@every_layered
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: each.name)
def test_what_is_counted_has_a_measure_and_leaves_out_faults(game: Game, mechanism: Any) -> None:
    if mechanism.name not in str(game.variant.model_fields["mechanism"].annotation):
        pytest.skip("not over this game")
    own = {measure.counter for measure in mechanism.measures}
    assert own <= {measure.counter for measure in game.counting.measures}

    def counted(faulty: float) -> set[str]:
        match = table(game, mechanism=mechanism.name)
        agents = [f"agent {seat}" for seat in match.seats]
        variant = game.variant.model_validate({"mechanism": mechanism.name})
        record = played_out(match, game, variant, "setting", agents, faulty, 1)
        return own & {count[2] for count in game.counting.match(record)}

    assert counted(faulty=0.0)
    assert not counted(faulty=1.0)


PAIRS = [("fearful", "fair"), ("tit_for_tat", "haggler"), ("equilibrium", "yielding")]


@every_layered
@pytest.mark.parametrize("strategies", [*PAIRS, ("greedy", "stubborn")])
def test_scripted_players_play_every_mechanism(game: Game, strategies: tuple[str, str]) -> None:
    strategy = strategies[game is BARGAIN]
    for mechanism in MECHANISMS:
        if mechanism.name in str(game.variant.model_fields["mechanism"].annotation):
            match = scripted(table(game, mechanism=mechanism.name), strategy)
            assert match.outcome is not None
            for event in match.events:
                assert sentence(game, event)


def help_of(match: Table) -> float:
    """The share of choices of a dilemma that cooperate."""
    choices = [record["actions"] for record in told(match, "choices")]
    return sum(each.count("cooperate") for each in choices) / sum(map(len, choices))


def test_the_fearful_cooperate_where_they_are_fined() -> None:
    crew = ("tit_for_tat", "fearful", "fearful")
    assert help_of(scripted(table(DILEMMA), *crew)) == pytest.approx(1 / 15)
    assert help_of(scripted(table(DILEMMA, mechanism="punishment"), *crew)) > 0.5


def test_the_selfish_cooperate_under_a_contract_that_costs_more_than_defecting_gains() -> None:
    assert help_of(scripted(table(DILEMMA), "equilibrium")) == 0
    assert help_of(scripted(table(DILEMMA, mechanism="punishment"), "equilibrium")) == 0
    assert help_of(scripted(table(DILEMMA, mechanism="contract"), "equilibrium")) == 1
    low = table(DILEMMA, mechanism="contract", most_penalty=1.0)
    assert help_of(scripted(low, "equilibrium")) == 0
    assert help_of(scripted(table(DILEMMA, mechanism="contract"), "greedy", "equilibrium")) == 0


def test_a_promise_is_paid_to_each_that_cooperates_in_each_round() -> None:
    """Player 3 promises 2 in each of five rounds to each of the others, which both cooperate."""
    match = answered(
        table(DILEMMA, 1, mechanism="side_payments"),
        offer=[{"amount": 0}, {"amount": 0}, {"amount": 2}],
        choose=[C, C, D],
    )
    assert payoffs(match) == (10.0, 10.0, 5.0)


def test_the_mediator_cooperates_where_all_delegate_and_else_defects() -> None:
    yes, no = {"delegate": True}, {"delegate": False}
    agreed = answered(table(DILEMMA, mechanism="mediation"), delegate=yes)
    assert help_of(agreed) == 1
    assert all(event.kind == "delegate" for event in agreed.events if event.by is not None)
    alone = answered(table(DILEMMA, mechanism="mediation"), delegate=[yes, yes, no], choose=C)
    assert told(alone, "choices")[0]["actions"] == ["defect", "defect", "cooperate"]
    assert not alone.view(Seat(2)).told("mediated")


def test_what_the_mediator_did_counts_as_cooperation_of_who_delegated() -> None:
    match = table(GOOD, mechanism="mediation")
    variant = GOOD.variant.model_validate({"mechanism": "mediation"})
    answered(match, delegate={"delegate": True})
    record = record_of(match, GOOD, variant, "setting", ["A", "B", "C"])
    cooperated = [count[3:] for count in GOOD.counting.match(record) if count[2] == "cooperated"]
    assert cooperated == [(1, 1)] * 15


def test_each_of_a_pair_learns_what_the_other_did_last_and_nobody_else_does() -> None:
    match = table(DONATION, mechanism="reputation", acts_shown=1.0, **PRIVATE)
    play(match)
    done: dict[int, list[bool]] = {seat: [] for seat in match.seats}
    shown = iter(event for event in match.events if event.kind == "reputation")
    for met in told(match, "encounter"):
        for _ in range(2):
            event = next(shown)
            assert event.to is not None
            (seat,), other = event.to, event.record["player"]
            assert {seat, other} == {met["donor"], met["recipient"]}
            assert event.record["acts"] == done[other][-1:]
        done[met["donor"]].append(met["action"] == "cooperate")


@pytest.mark.parametrize("mechanism", ["contract", "side_payments", "mediation", "reputation"])
def test_the_selfish_help_strangers_where_the_mechanism_makes_it_pay(mechanism: str) -> None:
    keys = {"monitoring": "private", "agents_per_match": 5}
    plain = scripted(table(DONATION, **keys), "equilibrium")
    assert sum(payoffs(plain)) == 0
    layered = scripted(table(DONATION, mechanism=mechanism, **keys), "equilibrium")
    assert [each["action"] for each in told(layered, "encounter")] == ["cooperate"] * 10


@pytest.mark.parametrize("strategy", ["equilibrium", "image_scoring"])
def test_a_player_reports_what_the_mediator_did_for_it(strategy: str) -> None:
    for game in LAYERED:
        if "self_report" in game.defaults():
            scripted(table(game, mechanism="mediation", self_report=True), strategy)


THIRD = {"player": "Player 3"}


def test_those_who_are_in_share_the_pool_of_a_round_among_themselves() -> None:
    """Player 3 gives nothing and is shut out of rounds 2 and 3, in which two share their pool."""
    match = table(GOOD, mechanism="exclusion", rounds=3)
    gifts = [{"amount": 20}, {"amount": 20}, {"amount": 0}]
    answered(match, contribute=gifts, exclude=[THIRD, THIRD, NOBODY])
    pool = 40 * match.setting.multiplier  # type: ignore[attr-defined]
    inside = 100 - 60 + pool / 3 + 2 * pool / 2
    assert payoffs(match) == pytest.approx((inside, inside, 100 + pool / 3))
    asked = [(event.kind, event.round, event.by) for event in match.events if event.by is not None]
    both = [*product(["contribute"], [2], [0, 1]), *product(["exclude"], [2], [0, 1, 2])]
    assert [each for each in asked if each[1] == 2] == both
    assert [each for each in asked if each[1] == 3] == [*product(["contribute"], [3], [0, 1])]
    moves = [line for line in lines_of(match, "abc") if "left)" in line]
    shown = ["Player 3 0 (100 left)", *["Player 3 is shut out (100 left)"] * 2]
    assert [line.rpartition(", ")[2] for line in moves] == shown
    items = GOOD.talk(match.seats, match.events, None)
    gives = [
        each.words for each in items if isinstance(each, Action) and each.seat == 2 and each.result
    ]
    assert gives == ["gives   0", "is shut out", "is shut out"]


@pytest.mark.parametrize("game", [DILEMMA, GOOD], ids=lambda game: game.name)
@pytest.mark.parametrize("mechanism", ["punishment", "exclusion"])
def test_the_sums_of_boards_are_net_of_what_the_mechanism_moved(game: Game, mechanism: str) -> None:
    match = scripted(table(game, mechanism=mechanism), "tit_for_tat", "tit_for_tat", "fearful")
    sums: list[Any] = []
    for board in game.board(match.seats, match.events, match.outcome):
        match board:
            case Bars():
                sums.append([bar.result for bar in board.bars])
            case Lines():
                sums.append([line[-1] for line in board.values])
            case Grid() if board.rows[-1].head == "net":
                sums.append([float(cell.text) for cell in board.rows[-1].cells])
    assert sums == [pytest.approx(payoffs(match))] * (2 if game is DILEMMA else 1)
    assert any(match.outcome.facts["mechanism"]["changes"])


def test_those_who_are_in_play_the_dilemma_of_two() -> None:
    """3/1/5/5, shut out of two rounds: 5 for the lone defector, then 3 for both, then for all."""
    match = table(DILEMMA, 1, mechanism="exclusion", excluded_rounds=2, rounds=4)
    answered(match, choose=[C, C, D], exclude=[THIRD, THIRD, NOBODY])
    assert [event.round for event in match.events if event.kind == "exclusion"] == [1, 3]
    assert [each["until"] for each in told(match, "exclusion")] == [3, 5]
    assert payoffs(match) == (0 + 3 + 3 + 3, 9, 5)
    assert match.outcome.winners == (0, 1)


@pytest.mark.parametrize(
    "votes", [[THIRD, NOBODY, NOBODY], [{"player": "Player 2"}, THIRD, NOBODY]]
)
def test_half_of_the_votes_shut_out_nobody(votes: list[object]) -> None:
    match = answered(table(DILEMMA, mechanism="exclusion"), choose=C, exclude=votes)
    assert {each["player"] for each in told(match, "exclusion")} == {None}
    assert not told(match, "absence")


def test_the_fearful_cooperate_where_a_majority_shuts_them_out() -> None:
    two, one = ("tit_for_tat", "tit_for_tat", "fearful"), ("tit_for_tat", "fearful", "fearful")
    assert help_of(scripted(table(DILEMMA, mechanism="exclusion"), *two)) > 0.8
    for crew, mechanism in ((two, "none"), (one, "exclusion")):
        assert help_of(scripted(table(DILEMMA, mechanism=mechanism), *crew)) < 0.2


SPLITS = [{"shares": [20, 40, 40]}, {"shares": [40, 20, 40]}, {"shares": [40, 20, 40]}]


@pytest.mark.parametrize("sequential", [False, True])
def test_whoever_stands_alone_with_a_split_breaks_the_contract(sequential: bool) -> None:
    """Two votes for one split, whoever proposed it, and one for another: two rounds at 10."""
    match = answered(
        table(BARGAIN, mechanism="contract", rounds=2, sequential_votes=sequential),
        draft={"amount": 10},
        sign={"player": "Player 1"},
        propose=SPLITS,
        approve=[{"proposer": f"Player {k}"} for k in (1, 2, 3)],
    )
    assert payoffs(match) == (-20.0, 10.0, 10.0)


def rounds_of(mechanism: str, *crew: str) -> int | None:
    """The round in which negotiators agree, None if they do not."""
    outcome = scripted(table(BARGAIN, mechanism=mechanism), *crew).outcome
    assert outcome is not None
    return outcome.facts["rounds"] if outcome.ending == "agreed" else None


def test_hagglers_agree_at_once_where_standing_alone_costs_more_than_they_haggle_for() -> None:
    mechanisms = ("none", "punishment", "contract", "side_payments")
    assert [rounds_of(each, "haggler") for each in mechanisms] == [5, 5, 1, 1]
    assert [rounds_of(each, "fair", "haggler") for each in mechanisms] == [5, 3, 1, 1]
    assert {rounds_of(each, "haggler", "haggler", "stubborn") for each in mechanisms} == {None}


def free_ride(ask: Ask[Any]) -> object:
    """Cooperation without a promise."""
    return C if ask.kind == "choose" else {"amount": 0.0}


def at_the_end(ask: Ask[Any]) -> object:
    """Defection in the last of five rounds alone."""
    return D if ask.round == 5 else C


@pytest.mark.parametrize(
    ("mechanism", "fixed", "mean", "best"),
    [("side_payments", free_ride, 58.57, 15.71), ("none", at_the_end, 17.43, 15.71)],
)
def test_fixed_answers_pay_better_than_any_strategy_as_the_page_says(
    mechanism: str, fixed: Fixed, mean: float, best: float
) -> None:
    def earns(strategy: str, **own: Fixed) -> float:
        matches = [table(DILEMMA, seed, seed, mechanism=mechanism) for seed in range(7)]
        played = [scripted(match, strategy, "tit_for_tat", **own) for match in matches]
        return fmean(payoffs(match)[0] for match in played)

    others = ("equilibrium", "fearful", "tit_for_tat", "grim", "image_scoring", "cooperate")
    assert earns("greedy", fixed=fixed) == pytest.approx(mean, abs=0.005)
    assert max(map(earns, (*others, "greedy"))) == pytest.approx(best, abs=0.005)
