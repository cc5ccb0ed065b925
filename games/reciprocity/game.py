"""Reciprocity: its words, counts and metadata."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from parlour.games.engine.counting import Counting
from parlour.games.engine.events import Encounter, Event, PairAction, View
from parlour.games.engine.game import AskTexts, Game, Hints, Testing, Texts
from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.talk import Action, Chosen
from parlour.games.engine.transcript import exact
from parlour.games.families import gossip_games as gossip
from parlour.games.families import gossip_words as words
from parlour.games.families.gossip_counting import MEASURES, EncounterCounts
from parlour.games.mechanisms import with_mechanisms
from parlour.games.reciprocity.rules import Setting, Variant, encounter, pair, rules


def _partner(view: View) -> Seat:
    one, other = view.told("turn")[-1].record["players"]
    return Seat(other if one == view.seat else one)


def _choose(view: View) -> str:
    rules, other = view.rules, player(_partner(view))
    return (
        f"You meet {other}, who chooses at the same time as you. Helping costs you"
        f" {exact(rules['cost'])} and gives {other} {exact(rules['benefit'])}."
        f" {words.seen_by(view, _partner(view))} Do you help?"
    )


def _met(met: Record) -> str:
    one, other = map(player, met["players"])
    return f"{one} and {other} met and chose to {' and to '.join(met['actions'])}"


def _actions(met: Encounter | None, meeting: Sequence[Event]) -> Sequence[Action | Chosen]:
    """The two choices with what each earns, or who has chosen."""
    if met is not None:
        return words.help_actions(met, meeting, _result)
    return [
        Chosen(event.by) for event in meeting if event.kind == "choose" and event.by is not None
    ]


def _result(met: Encounter, seat: Seat) -> str:
    return f"{met.rewards[met.pair.index(seat)]:+g}"


def planned(
    _action: PairAction, _met: Record, helps: bool, _resources: float, _keys: Mapping[str, Any]
) -> str:
    """The equilibrium player's action."""
    return "cooperate" if helps else "defect"


PLAIN = Game(
    name="reciprocity",
    version=2,
    folder=Path(__file__).parent,
    rules=gossip.with_unknown_partners(rules),
    record=gossip.NoRecord,
    variant=Variant,
    setting=Setting,
    texts=Texts(
        title="Reciprocity",
        summary="Every pair meets once, both choose at once to help or not, and both gossip.",
        endings=gossip.ENDINGS,
        kinds={
            **words.KINDS,
            "turn": "two players learn that they meet",
            "choose": "whether a player helps the other",
        },
        sentences={
            **words.SENTENCES,
            "turn": lambda event: f"{' and '.join(map(player, event.record['players']))} meet",
            "choose": words.action_sentence,
            "encounter": words.encounter_sentence(encounter, _met),
        },
        published=gossip.PUBLISHED | {"choose"},
        family="gossip",
        phases={**words.PHASES, "choose": "choices"},
        pending={**words.PENDING, "choose": "chooses"},
        asks={**words.gossip_asks(_partner), "choose": AskTexts(_choose, {"action": words.ACTION})},
    ),
    seating=gossip.SEATING,
    scoring=gossip.SCORING,
    testing=Testing(
        test_variant={"agents_per_match": 2},
        facts_variant={"agents_per_match": 4},
        further_variants=gossip.STRANGERS,
    ),
    hints=Hints(
        encounter=encounter,
        sustains_cooperation=gossip.help_is_sustained,
        rewards=gossip.rewards_of(encounter),
        rounds=gossip.encounter_rounds(encounter, pair, lambda rules: rules["cost"], ["choose"]),
    ),
    counting=Counting(
        match=EncounterCounts(encounter, Variant, gossip.help_is_sustained, planned),
        measures=MEASURES,
        profile={"cooperation": "cooperated", "rationality": "as_theory"},
    ),
    board=words.gossip_board(encounter, pair),
    talk=words.gossip_talk(encounter, pair, _actions, words.help_stakes),
)
GAME = with_mechanisms(PLAIN)
