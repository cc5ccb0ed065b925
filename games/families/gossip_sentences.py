"""Sentences of the games of indirect reciprocity."""

from collections.abc import Callable, Mapping

from parlour.games.engine.encounter import Encounter
from parlour.games.engine.events import Event
from parlour.games.engine.metadata import Sentence
from parlour.games.engine.moves import Record, player
from parlour.games.engine.transcript import because, exact, quoted


def action(event: Event) -> str:
    """A choice to help or not, with its private reason."""
    return f"chooses to {event.record['action']}{because(event.record)}"


def report(event: Event) -> str:
    """A report of the own action or payment; no text for a fault."""
    record = event.record
    if "amount" in record:
        amount = record["amount"]
        reported = "nothing" if amount is None else f"gave {exact(amount)}"
    else:
        reported = record["action"] or "nothing"
    return f"{_speaker(record)}reports of itself: {reported}{because(record)}"


def gossip(event: Event) -> str:
    """A message about the other: as the own answer, or as everybody reads it."""
    record = event.record
    if "signal" in record:
        message = f"signal {record['signal']}"
    else:
        message = f"{record['tone']} {quoted(record['message'])}"
    if "speaker" not in record:
        return f"tells {message}{because(record)}"
    return f"{player(record['speaker'])} about {player(record['about'])}: {message}"


def encounter(read: Callable[[Record], Encounter], in_words: Callable[[Record], str]) -> Sentence:
    """A sentence for a meeting of two players, with each player's gain or loss."""

    def sentence(event: Event) -> str:
        met = read(event.record)
        gains = (
            f"{player(seat)} gets {exact(reward)}"
            for seat, reward in zip(met.pair, met.rewards, strict=True)
        )
        return f"{in_words(event.record)}: {' and '.join(gains)}"

    return sentence


def _speaker(record: Record) -> str:
    return f"{player(record['speaker'])} " if "speaker" in record else ""


PHASES: Mapping[str, str] = {"report": "reports", "gossip": "gossip"}
"""A word for each kind of ask of all games of indirect reciprocity: where the match is."""
PENDING: Mapping[str, str] = {"report": "reports its own action", "gossip": "weighs its words"}
"""The words for a player that has not answered yet, by kind of ask."""
