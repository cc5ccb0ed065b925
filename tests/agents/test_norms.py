"""Social norms: what each calls good, and what noise and further meetings do."""

from collections import Counter
from itertools import chain, combinations, product
from statistics import fmean

import pytest
from pydantic import ValidationError

from parlour.agents.scripted.norms import NORMS, NormParameters
from parlour.games.donation import GAME as DONATION
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.prompts import render
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.families.gossip_games import alternating_pairs
from parlour.games.testing.playthrough import sampled
from tests.agents.playing import village
from tests.docs.generations import welfare
from tests.docs.strangers import measured
from tests.games.encounters import (
    ALL_HELP,
    NOBODY_HELPS,
    encounters,
    ended,
    every_game,
    published,
    table,
)
from tests.games.test_encounters import hold_alternating

study = pytest.mark.study("games", "agents/scripted", "tests/docs")

LEADING = [*NORMS][:8]


def test_the_leading_eight_share_what_ohtsuki_and_iwasa_found() -> None:
    """Help to the good is good, refusal of the good bad, justified refusal good, and so acted."""
    for norm in map(NORMS.__getitem__, LEADING):
        assert norm.helped[0] == norm.helped[2] == "g"
        assert norm.refused[:3] == "bgb"
        assert norm.acts[:3] == "cdc"
        # A bad player helps a bad one only where that alone makes it good.
        assert (norm.acts[3] == "c") == (norm.helped[3] + norm.refused[3] == "gb")
    assert len({*map(str, map(NORMS.__getitem__, LEADING))}) == 8


def cooperation(norm: str, **keys: object) -> float:
    """Share of cooperation in the second half of matches of seven who follow one norm."""
    shares = []
    for seed in range(3):
        players = [("norm", {"norm": norm})] * 7
        met = village("reciprocity", players, seed, meetings=6, **keys)
        done = Counter(chain.from_iterable(each["actions"] for each in met[len(met) // 2 :]))
        shares.append(done["cooperate"] / done.total())
    return fmean(shares)


@study
@pytest.mark.parametrize("norm", NORMS)
def test_without_noise_everybody_cooperates_under_any_norm(norm: str) -> None:
    assert cooperation(norm, monitoring="public") == 1
    assert cooperation(norm, gossip="binary") == 1


@study
def test_noise_breaks_image_scoring_and_shunning_but_not_the_leading_eight() -> None:
    noisy = {norm: cooperation(norm, monitoring="public", noise=0.05) for norm in NORMS}
    assert min(noisy[norm] for norm in LEADING) > 0.8
    assert noisy["image_scoring"] < 0.75
    assert noisy["shunning"] < noisy["image_scoring"]


def test_a_norm_tells_standing_and_not_help() -> None:
    """Stern judging calls it good to refuse a player with a bad name."""
    signals = {}
    for norm in "stern_judging", "image_scoring":
        players = [*[("norm", {"norm": norm})] * 5, ("greedy", {})]
        met = village("reciprocity", players, 3, gossip="binary", meetings=3)
        signals[norm] = set[int]()
        for each in met:
            refusals = zip(each["players"], reversed(each["actions"]), each["told"], strict=True)
            signals[norm] |= {
                message["signal"]
                for speaker, seen, message in refusals
                if speaker != 5 and seen == "defect"
            }
    assert signals == {"stern_judging": {0, 1}, "image_scoring": {0}}


def test_who_is_bad_is_refused_and_who_refuses_it_stays_good() -> None:
    players, is_known = [*[("norm", {"norm": "stern_judging"})] * 5, ("greedy", {})], False
    for each in village("reciprocity", players, 3, monitoring="public", meetings=3):
        own = dict(zip(each["players"], each["actions"], strict=True))
        expected = "defect" if own.pop(5, None) and is_known else "cooperate"
        assert {*own.values()} == {expected}
        is_known |= len(own) == 1


def test_an_unknown_norm_is_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="'kind' is no norm: leading_1"):
        NormParameters(norm="kind")


@pytest.mark.parametrize("players", [4, 5])
def test_all_pairs_meet_once_before_any_meets_again(players: int) -> None:
    pairs = alternating_pairs([Seat(s) for s in range(players)], Dice(1), 3)
    each = players * (players - 1) // 2
    for begin in range(0, 3 * each, each):
        met = sorted(map(sorted, pairs[begin : begin + each]))
        assert met == [list(pair) for pair in combinations(range(players), 2)]
    hold_alternating(list(pairs), players)


@every_game
def test_every_game_meets_as_often_as_the_key_says(game: Game) -> None:
    met = [frozenset(each.pair) for each in encounters(ended(table(game, 4, meetings=3)))]
    assert {*Counter(met).values()} == {3}
    assert len({*met[:6]}) == 6


@pytest.mark.parametrize("name", ["donation", "reciprocity"])
def test_noise_inverts_about_its_share_of_the_actions(name: str) -> None:
    rich = {"endowment": 400.0} if name == "donation" else {}
    for choose, usual in (ALL_HELP, True), (NOBODY_HELPS, False):
        match = ended(table(games()[name], 12, meetings=4, noise=0.25, **rich), choose)
        acts = chain.from_iterable(each.actions for each in encounters(match))
        done = Counter(action.helped for action in acts)
        inverted = done[not usual] / done.total()
        assert 0.15 < inverted < 0.35  # 264 draws or more: a standard deviation of 0.027


def test_a_donor_that_cannot_pay_never_cooperates_by_noise() -> None:
    match = ended(table(DONATION, 6, noise=0.5, endowment=0.0), NOBODY_HELPS)
    held = dict.fromkeys(range(6), 0.0)
    for each in encounters(match):
        (action,) = each.actions
        assert not action.helped or held[action.by] >= 1
        for seat, reward in zip(each.pair, each.rewards, strict=True):
            held[seat] += reward


@pytest.mark.parametrize("gossip", ["binary", "tones"])
def test_noise_of_gossip_publishes_the_opposite_of_what_was_sent(gossip: str) -> None:
    match = ended(table(DONATION, 12, gossip=gossip, gossip_noise=0.5), ALL_HELP)
    sent = [each.messages[each.pair[1]] for each in encounters(match)]
    shown = published(match, "gossip")
    changed = 0
    for one, other in zip(sent, shown, strict=True):
        if gossip == "binary":
            changed += one["signal"] != other["signal"]
        elif other["message"] != one["message"]:
            changed += 1
            assert other["message"] == ""
            assert (one["tone"] == "praising") == (other["tone"] == "criticism")
    assert 10 < changed < 56  # 66 draws of a half


AGAIN = {"monitoring": "private", "meetings": 3}


@every_game
def test_nobody_learns_whom_it_meets_where_partners_are_unknown(game: Game) -> None:
    """The match is that of known partners; a seat is told of itself and of strangers alone."""
    match, known = (ended(table(game, 4, partners=each, **AGAIN)) for each in ("unknown", "known"))
    assert match.outcome == known.outcome
    rewards = game.hints.rewards
    assert rewards is not None
    brought = Counter[Seat]()
    of = rewards(match.setting)
    for event in match.events:
        brought.update(of(event))
    assert [brought[seat] for seat in match.seats] == pytest.approx(known.outcome.payoffs)  # type: ignore[union-attr]
    strangers = set[int]()
    for seat in match.seats:
        for event in match.view(seat).events:
            if event.kind in {"turn", "investment", "encounter"}:
                roles = ("donor", "recipient", "investor", "responder")
                named = {event.record[role] for role in roles if role in event.record}
                (other,) = {*event.record.get("players", named)} - {seat}
                assert other == 99 + event.round
                strangers.add(other)
    assert len(strangers) == len(encounters(match)) == 18
    for wording, partners in product(("full", "short"), ("unknown", "known")):
        begun = table(game, 4, partners=partners, **AGAIN)
        prompt = render(game, begun.view(begun.waiting[0]), begun.pending.kind, wording=wording)
        assert ("Nobody is told whom it meets" in prompt.system) == (partners == "unknown")
    for seats in (match.events, match.view(Seat(0)).events):
        assert game.board(match.seats, seats, None)
    assert game.talk(match.seats, match.events, None) == game.talk(known.seats, known.events, None)


@pytest.mark.parametrize(
    ("keys", "needed"),
    [({}, "monitoring = 'private'"), ({**AGAIN, "mechanism": "contract"}, "mechanism = 'none'")],
)
def test_strangers_are_neither_talked_of_nor_fined(keys: dict[str, object], needed: str) -> None:
    with pytest.raises(ValidationError, match=needed):
        table(DONATION, partners="unknown", **keys)


def test_one_that_never_helps_spoils_help_among_strangers_alone() -> None:
    shares = {each: measured("tit_for_tat", each) for each in ("known", "unknown")}
    assert shares["known"][0] == 1
    assert shares["known"][1] > shares["known"][2]
    assert shares["unknown"][0] < 0.3
    assert shares["unknown"][1] < shares["unknown"][2]


def test_views_begin_again_with_each_generation_and_what_it_is_told() -> None:
    """The better half hands on, the best first; nothing else of a generation is left in a view."""
    keys = {"discount": 0.5, "discount_by": "step", "greedy_seats": 1, "generations": 3}
    match = table(DONATION, 5, **keys)
    first = ended(table(DONATION, 5, **(keys | {"generations": 1})))
    ends: dict[int, tuple[Seat, ...]] = {}

    def choose(at: Table, seat: Seat) -> object:
        handed = at.view(seat).told("generation")
        past = (at.pending.round - 1) // 10
        assert [event.record["number"] for event in handed] == [past + 1][:past]
        began = 10 * past
        assert all(event.round in {0, *range(began, began + 11)} for event in at.view(seat).events)
        if at.pending.kind == "hand_on":
            ends[past] = at.pending.seats
            return {"strategy": f"As {player(seat)} did."}
        return sampled(at, seat)

    ended(match, choose)
    returns = match.outcome.facts["returns"]
    assert returns[0] == list(first.outcome.payoffs)
    assert match.outcome.payoffs == tuple(map(sum, zip(*returns, strict=True)))
    assert [*ends] == [0, 1]
    for number, seats in ends.items():
        best = sorted(range(4), key=lambda seat: -returns[number][seat])[:2]
        assert seats == tuple(sorted(best))
        begun = [event.record for event in match.events if event.kind == "generation"][number]
        assert begun["strategies"] == [f"As {player(seat)} did." for seat in best]
    of, brought = DONATION.hints.rewards(match.setting), Counter[Seat]()  # type: ignore[misc]
    for event in match.events:
        brought.update(of(event))
    assert [brought[seat] for seat in match.seats] == pytest.approx(match.outcome.payoffs)


@study
def test_help_spreads_over_generations_where_it_is_seen_and_dies_out_where_not() -> None:
    public, private = welfare("public"), welfare("private")
    assert min(public[1:]) > public[0]
    assert [*private] == sorted(private, reverse=True)
    assert private[-1] == 0
