"""Sentences of the indirect reciprocity game."""

from collections.abc import Mapping

from parlour.games.engine.events import Event
from parlour.games.engine.metadata import Sentence
from parlour.games.engine.moves import Record, player
from parlour.games.families import gossip_sentences
from parlour.games.reciprocity.encounter import encounter


def _turn(event: Event) -> str:
    return f"{' and '.join(map(player, event.record['players']))} meet"


def _met(met: Record) -> str:
    one, other = map(player, met["players"])
    return f"{one} and {other} met and chose to {' and to '.join(met['actions'])}"


SENTENCES: Mapping[str, Sentence] = {
    "turn": _turn,
    "choose": gossip_sentences.action,
    "report": gossip_sentences.report,
    "encounter": gossip_sentences.encounter(encounter, _met),
    "gossip": gossip_sentences.gossip,
}
