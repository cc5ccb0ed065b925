"""Scripted players of donation: gossip, noise and keys; what all games of help share is in
test_trusting_players."""

from functools import partial
from itertools import chain

import pytest

from parlour.agents.registry import ScriptedConfig, make_agent, refuse_unable, strategies
from parlour.games.common.errors import BadInput
from parlour.games.donation import GAME
from parlour.games.engine.dice import Dice
from parlour.games.engine.table import Table
from parlour.games.families.clues.clue_bank import ClueBank
from tests.agents.playing import village as encounters

NO_BANK = ClueBank({})
village = partial(encounters, "donation")


def test_one_good_word_outweighs_one_bad_one_for_image_scoring_but_not_for_grim() -> None:
    """The first three to meet as told: the last player is praised once, blamed once, then met."""
    for seed in range(200):
        plan = village(["cooperate"] * 5, seed)
        as_donor = [step for step, each in enumerate(plan) if each["donor"] == 4]
        later = [s for s, each in enumerate(plan) if each["recipient"] == 4 and s > as_donor[1]]
        if later:
            break
    else:
        pytest.fail("no such plan")
    for strategy, helps in (("image_scoring", True), ("grim", False)):
        variant = GAME.variant(agents_per_match=5)
        match = Table(GAME, GAME.make_setting(GAME.shipped()[0], variant), 5, seed)
        mind = strategies()[strategy](NO_BANK)
        blamed = 0
        while (ask := match.pending) is not None:
            (who,) = match.waiting
            answer: object = mind.decide(ask, match.view(who), Dice("any"))
            if ask.kind == "gossip" and match.view(who).told("encounter")[-1].record["donor"] == 4:
                tone = "mocking" if blamed == 0 else "praising"
                blamed += 1
                answer = {"tone": tone, "message": "word"}
            elif ask.kind == "gossip":
                answer = {"tone": "neutral", "message": "word"}
            match.answer({who: answer})
        met = match.outcome.facts["encounters"]
        assert [met[step]["action"] == "cooperate" for step in later] == [helps] * len(later)


def test_a_neutral_word_and_a_self_report_change_nobodys_mind() -> None:
    liars = [*["grim"] * 4, ("greedy", {"gossip": "lying"})]
    met = village(liars, 3, self_report=True)
    assert {each["report"] for each in met if each["donor"] == 4} == {"cooperate"}
    first = next(step for step, each in enumerate(met) if each["donor"] == 4)
    late = [e["action"] for s, e in enumerate(met) if e["recipient"] == 4 and s > first]
    assert set(late) <= {"defect"}


@pytest.mark.parametrize("protocol", ["tones", "binary", "binary_convention"])
@pytest.mark.parametrize("gossip", ["honest", "lying"])
def test_honest_players_tell_what_happened_and_liars_the_opposite(
    protocol: str, gossip: str
) -> None:
    players = [(name, {"gossip": gossip}) for name in ("cooperate", "greedy") * 3]
    met = village(players, gossip=protocol, self_report=True)
    for each in met:
        good = (each["action"] == "cooperate") == (gossip == "honest")
        if protocol == "tones":
            assert each["tone"] == ("praising" if good else "criticism")
        else:
            assert each["signal"] == int(good)
        assert each["report"] == ("cooperate" if good else "defect")


def test_noise_turns_as_many_actions_round_as_it_says() -> None:
    for noise, low, high in ((0.0, 0, 0), (0.25, 50, 110), (1.0, 324, 324)):
        # Nine matches of 36 actions: at 1/4 mean 81, standard deviation 7.8.
        players = [("cooperate", {"noise": noise})] * 9
        matches = [village(players, seed, benefit=50.0) for seed in range(9)]
        slips = sum(each["action"] == "defect" for each in chain.from_iterable(matches))
        assert low <= slips <= high


def refused(**keys: object) -> str:
    config = ScriptedConfig.model_validate({"name": "Ann", **keys})
    with pytest.raises(BadInput) as error:
        refuse_unable(config, GAME, (), "t.toml: agents[0]")
    return str(error.value)


def test_an_unknown_key_of_a_strategy_is_refused() -> None:
    assert refused(strategy="grim", noise=1.5).startswith("t.toml: agents[0].noise:")
    assert refused(strategy="grim", gossip="loud").startswith("t.toml: agents[0].gossip:")
    assert refused(strategy="random", noise=0.5).endswith(
        "keys of 'random': name, meta, kind, strategy, clue_bank, tremble"
    )
    assert "cannot play 'donation'" in refused(strategy="literal")


def test_the_keys_of_an_agent_block_reach_its_strategy() -> None:
    block = {"name": "Ann", "strategy": "grim", "noise": 0.25, "gossip": "lying"}
    agent = make_agent(ScriptedConfig.model_validate(block))
    assert (agent.strategies[0].keys.noise, agent.strategies[0].keys.gossip) == (0.25, "lying")
