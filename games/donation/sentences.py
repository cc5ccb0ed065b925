"""Sentences of the donation game."""

from collections.abc import Mapping

from parlour.games.donation.encounter import encounter
from parlour.games.engine.events import Event
from parlour.games.engine.metadata import Sentence
from parlour.games.engine.moves import Record, player
from parlour.games.families import gossip_sentences


def _turn(event: Event) -> str:
    return f"you meet {player(event.record['recipient'])} as the donor"


def _met(met: Record) -> str:
    return f"{player(met['donor'])} met {player(met['recipient'])} and chose to {met['action']}"


SENTENCES: Mapping[str, Sentence] = {
    "turn": _turn,
    "donate": gossip_sentences.action,
    "report": gossip_sentences.report,
    "encounter": gossip_sentences.encounter(encounter, _met),
    "gossip": gossip_sentences.gossip,
}
