"""Scripted players of the games of help: help, gossip, and agreement with theory."""

from collections.abc import Sequence
from itertools import chain, product
from typing import Any

import pytest

from parlour.agents.registry import strategies
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import PairAction
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.families.clues.clue_bank import ClueBank
from tests.agents.playing import village

NO_BANK = ClueBank({})
all_games = pytest.mark.parametrize("name", ["donation", "reciprocity", "investment"])
both_games = pytest.mark.parametrize("name", ["reciprocity", "investment"])


def actions(met: dict[str, Any]) -> tuple[PairAction, ...]:
    """The actions of an encounter of any of the games."""
    names = {"investor": "investment", "donor": "donation", "players": "reciprocity"}
    (name,) = (name for key, name in names.items() if key in met)
    return games()[name].hints.encounter(met).actions


def helped(encounters: Sequence[dict[str, Any]]) -> set[bool | None]:
    """Kinds of help in these encounters: True, False, or None for nothing to give."""
    return {action.helped for action in chain.from_iterable(map(actions, encounters))}


EVERYWHERE: list[tuple[dict[str, object], bool]] = [
    *(({}, True), ({"monitoring": "public"}, True), ({"gossip": "binary"}, True)),
    *(({"gossip": "binary_convention"}, True), ({"monitoring": "private"}, False)),
    *(({"horizon": "finite"}, False), ({"horizon": "finite", "monitoring": "public"}, False)),
]
# At b 5 and c 1 cooperation holds from a discount of 1/5 on.
OF_HELP = [
    *(({"discount": 0.2}, True), ({"discount": 0.19}, False)),
    ({"discount": 0.19, "monitoring": "public"}, False),
    ({"discount": 0.6, "benefit": 2.0, "cost": 1.0}, True),
    ({"discount": 0.4, "benefit": 2.0, "cost": 1.0}, False),
]
OF_TRUST = [
    # m = 3: 1.5 ≤ .5γ + 3γ² from γ = (√18.25 - .5) / 6 = .6287 on.
    *(({"discount": 0.629}, True), ({"discount": 0.628}, False)),
    ({"discount": 0.5, "monitoring": "public"}, False),
    # m = 2: 1 ≤ 2γ² from √½ = .7071 on. m = 4: 2 ≤ γ + 4γ² from (√33 - 1) / 8 = .5931
    *(({"discount": g, "multiplier": 2.0}, helps) for g, helps in ((0.708, True), (0.707, False))),
    *(({"discount": g, "multiplier": 4.0}, helps) for g, helps in ((0.594, True), (0.593, False))),
    # What is sent only shrinks: there is nothing to be had together.
    ({"discount": 1.0, "multiplier": 0.9}, False),
]


@pytest.mark.parametrize(
    ("name", "case"),
    [
        *product(("donation", "reciprocity"), (*EVERYWHERE, *OF_HELP)),
        *product(("investment",), (*EVERYWHERE, *OF_TRUST)),
    ],
)
def test_equilibrium_players_do_what_theory_says(
    name: str, case: tuple[dict[str, object], bool]
) -> None:
    keys, helps = case
    for seed in range(2):
        met = village(name, ["equilibrium"] * 5, seed, **keys)
        assert len(met) == 10
        # Where nobody invests no responder has anything to decide.
        nothing = {None} if name == "investment" else set()
        assert helped(met) == ({True} if helps else {False} | nothing)


def test_the_cooperative_plan_is_to_send_everything_and_to_return_half() -> None:
    for met in village("investment", ["cooperate"] * 5, 2):
        assert met["investment"] == met["investor_resources"]
        assert met["received"] == 3 * met["investment"]
        # Half to the hundredth, rounded up: 15 → 7.5, .01 → .01.
        assert 0 <= 2 * met["returned"] - met["received"] <= 0.0100001


@all_games
@pytest.mark.parametrize("monitoring", ["gossip", "public"])
@pytest.mark.parametrize("strategy", ["grim", "equilibrium", "tit_for_tat"])
def test_a_greedy_player_is_helped_until_what_it_did_is_known(
    name: str, strategy: str, monitoring: str
) -> None:
    for seed in range(4):
        known = False
        for each in village(name, [*[strategy] * 5, "greedy"], seed, monitoring=monitoring):
            # A responder has seen what the greedy investor sent, which is nothing to return of.
            ours = [a.helped for a in actions(each) if a.to == 5 and a.helped is not None]
            assert all(help_ == (not known) for help_ in ours)
            known = known or any(a.by == 5 and a.helped is False for a in actions(each))
        assert known


@all_games
def test_under_private_monitoring_grim_never_learns_of_anything(name: str) -> None:
    # It meets everybody once only, so what it saw itself is never of use.
    met = village(name, [*["grim"] * 4, "greedy"], monitoring="private")
    ours = {action.helped for action in chain.from_iterable(map(actions, met)) if action.by != 4}
    assert False not in ours
    assert True in ours


def test_a_responder_repays_in_kind_what_it_has_just_been_sent() -> None:
    # 1 of 5 is less than half: to a grim responder the investor has shown itself.
    game = games()["investment"]
    for amount, returned in ((1.0, 0.0), (2.5, 3.75), (5.0, 7.5)):
        variant = game.variant(agents_per_match=2)
        match = Table(game, game.make_setting(game.shipped()[0], variant), 2, 1)
        match.answer({match.waiting[0]: {"amount": amount}})
        (responder,) = match.waiting
        grim = strategies()["grim"](NO_BANK)
        assert grim.decide(match.pending, match.view(responder), Dice("any")) == {
            "amount": returned
        }


@both_games
@pytest.mark.parametrize("protocol", ["tones", "binary", "binary_convention"])
@pytest.mark.parametrize("gossip", ["honest", "lying"])
def test_honest_players_tell_what_happened_and_liars_the_opposite(
    name: str, protocol: str, gossip: str
) -> None:
    players = [(strategy, {"gossip": gossip}) for strategy in ("cooperate", "greedy") * 2]
    met = village(name, players, gossip=protocol, self_report=True)
    assert helped(met) == ({True, False, None} if name == "investment" else {True, False})
    for each in met:
        one, other = (0, 1)
        did = list(actions(each))
        for by, of in ((one, other), (other, one)):
            message, action = each["told"][by], did[of]
            if action.helped is None:  # nobody lies about one that had nothing to give
                expected = "neutral" if protocol == "tones" else 1
            else:
                good = action.helped == (gossip == "honest")
                tone = "praising" if good else "criticism"
                expected = tone if protocol == "tones" else good
            assert message["tone" if protocol == "tones" else "signal"] == expected
        for number, action in enumerate(did):
            report = each["reports"][number]
            if action.helped is None:
                assert report is None
            elif gossip == "honest":
                assert report == action.done
            elif name == "reciprocity":
                assert report == ("defect" if action.helped else "cooperate")
            else:
                assert (report == 0) == action.helped


@all_games
def test_full_noise_turns_every_action_round(name: str) -> None:
    rich = {"endowment": 100.0} if name == "donation" else {}
    met = village(name, [("cooperate", {"noise": 1.0})] * 4, **rich)
    assert helped(met) == ({False, None} if name == "investment" else {False})
    assert helped(village(name, [("greedy", {"noise": 1.0})] * 4, **rich)) == {True}
