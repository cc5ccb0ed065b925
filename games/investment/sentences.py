"""Sentences of the investment game."""

from collections.abc import Mapping

from parlour.games.engine.events import Event
from parlour.games.engine.metadata import Sentence
from parlour.games.engine.moves import Record, player
from parlour.games.engine.transcript import because, exact
from parlour.games.families import gossip_sentences
from parlour.games.investment.encounter import encounter


def _turn(event: Event) -> str:
    return f"you meet {player(event.record['responder'])} as the investor"


def _arrived(event: Event) -> str:
    record = event.record
    sent, received = exact(record["investment"]), exact(record["received"])
    return f"{player(record['investor'])} sends {sent} and {received} arrive"


def _paid(verb: str) -> Sentence:
    def sentence(event: Event) -> str:
        return f"{verb} {exact(event.record['amount'])}{because(event.record)}"

    return sentence


def _met(met: Record) -> str:
    sent = f"{exact(met['investment'])} of {exact(met['investor_resources'])}"
    returned = f"{exact(met['returned'])} of {exact(met['received'])}"
    investor, responder = player(met["investor"]), player(met["responder"])
    return f"{investor} invested {sent} in {responder} and got back {returned}"


SENTENCES: Mapping[str, Sentence] = {
    "turn": _turn,
    "investment": _arrived,
    "invest": _paid("invests"),
    "return": _paid("returns"),
    "report": gossip_sentences.report,
    "encounter": gossip_sentences.encounter(encounter, _met),
    "gossip": gossip_sentences.gossip,
}
