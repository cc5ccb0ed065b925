"""Investment: its counts and metadata."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parlour.games.engine.counting import Counting, Measure
from parlour.games.engine.encounter import PairAction
from parlour.games.engine.game import Game, Hints, Testing, Texts
from parlour.games.engine.moves import Record
from parlour.games.families.amounts import most_of_half
from parlour.games.families.gossip_board import gossip_board
from parlour.games.families.gossip_counting import MEASURES, EncounterCounts
from parlour.games.families.gossip_games import (
    ENDINGS,
    PUBLISHED,
    SCORING,
    SEATING,
    STRANGERS,
    NoRecord,
    encounter_rounds,
    rewards_of,
    sustained,
    with_unknown_partners,
)
from parlour.games.families.gossip_words import PENDING, PHASES
from parlour.games.investment.rules import Setting, Variant, encounter, given, pair, rules
from parlour.games.investment.words import ASKS, SENTENCES, talk
from parlour.games.mechanisms import with_mechanisms


def trust_is_sustained(keys: Mapping[str, Any]) -> bool:
    """True if grim trigger sustains investing everything and returning half.

    At a stake of 1 and multiplier m, a responder that returns nothing gains m/2 now. It forgoes
    m/2 - 1 as investor next time, m/2 as responder the time after, and so on. It stays with the
    plan if m/2 is at most (γ(m/2 - 1) + γ²m/2) / (1 - γ²), which is γ ≥ .63 at m = 3. An investor
    has less to gain by leaving the plan wherever this holds.
    """
    discount, half = keys["discount"], keys["multiplier"] / 2
    return sustained(keys, half <= discount * (half - 1) + 2 * discount * discount * half)


def planned(
    action: PairAction, met: Record, helps: bool, _resources: float, _keys: Mapping[str, Any]
) -> float:
    """The equilibrium player's payment; as the responder it has seen the investment."""
    if action.kind == "invest":
        return float(met["investor_resources"]) if helps else 0.0
    fair = 2 * met["investment"] >= met["investor_resources"]
    return most_of_half(met["received"]) if helps and fair else 0.0


PLAIN = Game(
    name="investment",
    version=2,
    folder=Path(__file__).parent,
    rules=with_unknown_partners(rules),
    record=NoRecord,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Investment",
        summary="Every pair meets once; trust the other with what you hold, or keep what you got.",
        endings=ENDINGS,
        kinds={
            "rules": "what all players are told of the game",
            "turn": "an investor learns whom it meets and what both hold",
            "invest": "how much the investor sends",
            "investment": "the responder learns what has arrived",
            "return": "how much of it the responder gives back",
            "report": "what a player publishes of its own payment",
            "encounter": "what happened, as those who may see it learn it",
            "gossip": "what a player tells everybody about the other",
        },
        sentences=SENTENCES,
        published=PUBLISHED,
        family="gossip",
        phases={**PHASES, "invest": "invest", "return": "return"},
        pending={
            **PENDING,
            "invest": "decides what to send",
            "return": "decides what to return",
        },
        asks=ASKS,
    ),
    seating=SEATING,
    scoring=SCORING,
    testing=Testing(
        test_variant={"agents_per_match": 2},
        facts_variant={"agents_per_match": 4},
        further_variants=STRANGERS,
    ),
    hints=Hints(
        encounter=encounter,
        sustains_cooperation=trust_is_sustained,
        rewards=rewards_of(encounter),
        rounds=encounter_rounds(
            encounter,
            pair,
            lambda rules: rules["endowment"] * rules["multiplier"],
            ["invest", "return"],
            given,
            stake=5.0,
        ),
    ),
    counting=Counting(
        match=EncounterCounts(
            encounter,
            Variant,
            trust_is_sustained,
            planned,
            shares={"invest": "invested", "return": "returned"},
        ),
        measures=(
            *MEASURES,
            Measure("investment_ratio", "invested", "amount", sliced=True, title="Invests"),
            Measure("return_ratio", "returned", "amount", sliced=True, title="Returns"),
        ),
        profile={"rationality": "as_theory"},
    ),
    board=gossip_board(encounter, pair, "Who trusted whom"),
    talk=talk,
)
GAME = with_mechanisms(PLAIN)
