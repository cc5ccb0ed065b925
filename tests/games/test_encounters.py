"""Meetings, gossip and greedy seats, which donation, reciprocity and investment have in common."""

from collections import Counter
from itertools import combinations, pairwise, product

import pytest
from pydantic import ValidationError

from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Event
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Seat
from parlour.games.engine.registry import games
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.families.gossip_games import MOST_WORDS, TONES, alternating_pairs, discounted
from parlour.games.testing.playthrough import sampled
from tests.games.encounters import (
    ALL_HELP,
    NOBODY_HELPS,
    REFUSES,
    encounters,
    ended,
    every_game,
    met,
    published,
    sharing,
    table,
    up_to,
)


@every_game
@pytest.mark.parametrize("players", [2, 3, 4, 5, 9])
def test_each_pair_meets_once_in_an_order_of_the_match(game: Game, players: int) -> None:
    orders = set()
    for seed in range(3):
        pairs = [each.pair for each in encounters(ended(table(game, players, seed)))]
        assert sorted(map(sorted, pairs)) == [list(p) for p in combinations(range(players), 2)]
        orders.add(tuple(pairs))
        if "players" not in table(game).events[1].record:  # whoever acts first stands first
            hold_alternating(pairs, players)
    assert len(orders) == (3 if players > 3 else len(orders))


@pytest.mark.parametrize("players", range(2, 13))
def test_everybody_alternates_between_two_parts(players: int) -> None:
    for seed in range(5):
        pairs = alternating_pairs([Seat(s) for s in range(players)], Dice(seed))
        assert sorted(map(sorted, pairs)) == [list(p) for p in combinations(range(players), 2)]
        hold_alternating(pairs, players)


def hold_alternating(pairs: list[tuple[Seat, Seat]], players: int) -> None:
    """Each player has the two parts in turn, and half of them, rounded up, begin with the first."""
    firsts = Counter[int]()
    for seat in range(players):
        parts = [pair.index(Seat(seat)) for pair in pairs if seat in pair]
        assert all(one != next_ for one, next_ in pairwise(parts))
        firsts[parts[0]] += 1
    assert firsts[0] == (players + 1) // 2


@every_game
@pytest.mark.parametrize("monitoring", ["private", "public", "gossip"])
def test_who_sees_an_encounter_under_each_monitoring(game: Game, monitoring: str) -> None:
    match = ended(table(game, 3, monitoring=monitoring), ALL_HELP)
    pairs = [each.pair for each in encounters(match)]
    for seat in match.seats:
        own = {number for number, pair in enumerate(pairs, 1) if seat in pair}
        assert len(own) == 2
        seen = {event.round for event in match.view(seat).told("encounter")}
        assert seen == ({1, 2, 3} if monitoring == "public" else own)
        heard = {event.round for event in match.view(seat).told("gossip")}
        assert heard == ({1, 2, 3} if monitoring == "gossip" else set())
    asked = {event.kind for event in match.events if event.by is not None}
    assert ("gossip" in asked) == (monitoring == "gossip")


@every_game
def test_a_justification_is_in_the_view_of_its_own_seat_only(game: Game) -> None:
    def choose(at: Table, seat: Seat) -> object:
        answer = sampled(at, seat).model_dump()  # type: ignore[attr-defined]
        return {**answer, "justification": f"zq{seat}"}

    match = ended(table(game, 3, self_report=True), choose)
    for seat in match.seats:
        view = str(match.view(seat))
        assert {other for other in match.seats if f"zq{other}" in view} == {seat}


@every_game
@pytest.mark.parametrize(("horizon", "announced"), [("finite", True), ("infinite", False)])
def test_only_a_finite_horizon_tells_the_length(game: Game, horizon: str, announced: bool) -> None:
    # 11 players meet in 55 steps; no other number of this match is 55.
    match = table(game, 11, horizon=horizon)
    assert match.events[0].record["steps"] == (55 if announced else None)
    assert ("55" in str([event.record for event in match.events])) is announced


def at_the_gossip(game: Game, **keys: object) -> Table:
    return up_to("gossip", table(game, 2, **keys))


@every_game
def test_every_tone_may_be_used_with_1_to_150_words(game: Game) -> None:
    assert MOST_WORDS == 150
    for tone, words in product(TONES, (1, MOST_WORDS)):
        match = at_the_gossip(game)
        message = {"tone": tone, "message": "word " * words}
        match.answer(dict.fromkeys(match.waiting, message))
        assert match.outcome is not None
    match = at_the_gossip(game)
    for answer, problem in (
        ({"tone": "neutral", "message": "word " * 151}, "the message has 151 words: at most 150"),
        ({"tone": "neutral", "message": " \n\t "}, "the message is blank"),
        ({"tone": "angry", "message": "word"}, "tone: must be"),
        ({"tone": "neutral"}, "message: is missing"),
        ({"signal": 1}, "tone: is missing"),
    ):
        with pytest.raises(IllegalAnswer) as refused:
            match.answer({match.waiting[0]: answer})
        assert problem in str(refused.value)


@every_game
@pytest.mark.parametrize("protocol", ["binary", "binary_convention"])
@pytest.mark.parametrize("signal", [0, 1])
def test_a_signal_is_posted_as_it_is(game: Game, protocol: str, signal: int) -> None:
    match = at_the_gossip(game, gossip=protocol)
    for wrong in ({"signal": 2}, {"signal": None}, {"tone": "neutral", "message": "m"}):
        with pytest.raises(IllegalAnswer):
            match.answer({match.waiting[-1]: wrong})
    speaker = match.waiting[-1]
    match.answer({seat: {"signal": signal} for seat in match.waiting})
    record = {"speaker": speaker, "about": 1 - speaker, "signal": signal}
    assert match.events[-1] == Event("gossip", 1, record, None)


@every_game
def test_the_fallback_of_a_message_is_the_neutral_tone_with_nothing_in_it(game: Game) -> None:
    match = at_the_gossip(game)
    match.answer(dict.fromkeys(match.waiting, REFUSES))
    messages = {(each["tone"], each["message"]) for each in published(match, "gossip")}
    assert messages == {("neutral", "")}


@every_game
@pytest.mark.parametrize("protocol", ["binary", "binary_convention"])
def test_the_fallback_of_a_signal_and_of_a_report_is_none_at_all(game: Game, protocol: str) -> None:
    match = up_to("report", table(game, 2, gossip=protocol, self_report=True))
    silent, *others = match.waiting
    match.answer({silent: REFUSES, **{seat: sampled(match, seat) for seat in others}})
    witness, *more = match.waiting
    match.answer({witness: REFUSES, **{seat: {"signal": 0} for seat in more}})
    assert [each["speaker"] for each in published(match, "report")] == others
    assert [each["speaker"] for each in published(match, "gossip")] == more
    (encounter,) = encounters(match)
    assert encounter.reports[silent] is None
    assert encounter.messages[witness]["signal"] is None


@pytest.mark.parametrize("name", ["donation", "reciprocity"])
def test_the_fallback_of_a_decision_is_a_fair_draw(name: str) -> None:
    matches = [table(games()[name], 2, seed) for seed in range(400)]
    drawn = Counter(match.fallback(match.waiting[0]).action for match in matches)
    # 400 fair draws: mean 200, standard deviation 10.
    assert 150 < drawn["cooperate"] < 250


@every_game
def test_greedy_seats_are_the_last_ones_never_asked_silent_and_give_nothing(game: Game) -> None:
    for seed in range(5):
        match = ended(table(game, 5, seed, greedy_seats=2, self_report=True), ALL_HELP)
        assert match.outcome.roles == ("player",) * 3 + ("greedy",) * 2
        assert not {event.by for event in match.events} & {3, 4}
        speakers = {each["speaker"] for each in published(match, "report", "gossip")}
        assert speakers == {0, 1, 2}
        for each in encounters(match):
            for action in each.actions:
                if action.helped is not None:
                    assert action.helped == (action.by not in {3, 4})
            for seat in {3, 4}.intersection(each.pair):
                assert each.reports.get(seat) is None
                assert not {"tone", "signal"} & {*each.messages.get(seat, {})}
        assert "greedy" not in str([event.record for event in match.events])


@every_game
@pytest.mark.parametrize("players", [4, 5, 9])
def test_where_nobody_helps_nobody_earns_anything(game: Game, players: int) -> None:
    match = ended(table(game, players), NOBODY_HELPS)
    assert str(match.outcome.payoffs) == str((0.0,) * players)  # and not -0.0


def test_discounting_counts_own_appearances_or_all_steps() -> None:
    # Rewards 8 and 8 and 8 at steps 1, 3 and 4: 8 + 4 + 2, or 8 + 8/4 + 8/8.
    rewards = [(1, 8.0), (3, 8.0), (4, 8.0)]
    assert discounted(rewards, 0.5, "appearance") == 14
    assert discounted(rewards, 0.5, "step") == 11
    assert discounted(rewards, 0, "appearance") == 8
    assert discounted([], 0.5, "step") == 0


@every_game
@pytest.mark.parametrize("by", ["appearance", "step"])
def test_returns_are_the_discounted_sums_of_the_rewards(game: Game, by: str) -> None:
    match = ended(table(game, 4, 3, discount=0.5, discount_by=by), sharing(0.4, 0.3))
    for seat in match.seats:
        rewards = [
            (step, each.rewards[each.pair.index(seat)])
            for step, each in enumerate(encounters(match), 1)
            if seat in each.pair
        ]
        assert len(rewards) == 3
        assert match.outcome.payoffs[seat] == discounted(rewards, 0.5, by)
    assert len(met(match)) == 6


WRONG = [
    ({"monitoring": "public", "gossip": "tones"}, "gossip = 'tones' needs"),
    ({"monitoring": "private", "gossip": "binary"}, "gossip = 'binary' needs"),
    ({"monitoring": "private", "self_report": True}, "self_report = true needs"),
    ({"monitoring": "public", "gossip_noise": 0.1}, "gossip_noise = 0.1 needs"),
    ({"monitoring": "gossip", "gossip": None}, "gossip is missing"),
    ({"greedy_seats": 4, "agents_per_match": 4}, "leaves none of 4 seats"),
    ({"agents_per_match": 13}, "less than or equal to 12"),
    ({"agents_per_match": 1}, "greater than or equal to 2"),
    ({"discount": 1.01}, "less than or equal to 1"),
    ({"pot": 3}, "Extra inputs"),
]
OWN: dict[str, list[tuple[dict[str, object], str]]] = {
    "donation": [({"cost": 0}, "greater than 0"), ({"multiplier": 3}, "Extra inputs")],
    "reciprocity": [({"cost": 0.0}, "greater than 0"), ({"endowment": 3.0}, "Extra inputs")],
    "investment": [
        ({"multiplier": 0.0}, "greater than 0"),
        ({"multiplier": 10.5}, "less than or equal to 10"),
        ({"endowment": 5.005}, "5.005 has more than two decimal places"),
        ({"endowment": 0.0}, "greater than 0"),
        ({"benefit": 5.0}, "Extra inputs"),
    ],
}


@every_game
def test_a_variant_that_means_nothing_is_refused(game: Game) -> None:
    for keys, problem in (*WRONG, *OWN[game.name]):
        with pytest.raises(ValidationError, match=problem):
            game.variant.model_validate(keys)


@every_game
@pytest.mark.parametrize("monitoring", ["public", "private"])
def test_a_variant_without_gossip_reads_back_as_it_was_stored(game: Game, monitoring: str) -> None:
    variant = game.variant.model_validate({"monitoring": monitoring})
    assert variant.model_dump()["gossip"] is None
    assert game.variant.model_validate_json(variant.model_dump_json()) == variant
    assert game.condition(variant) == f"monitoring={monitoring}"
    setting = game.make_setting(game.shipped()[0], variant)
    assert game.setting.model_validate_json(setting.model_dump_json()) == setting
