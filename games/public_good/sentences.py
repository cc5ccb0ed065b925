"""Sentences of the public good game."""

from collections.abc import Mapping

from parlour.games.engine.events import Event
from parlour.games.engine.metadata import Sentence
from parlour.games.engine.transcript import because, each_seat


def _contribution(event: Event) -> str:
    return f"gives {event.record['amount']}{because(event.record)}"


def _contributions(event: Event) -> str:
    left = [f"{points} left" for points in event.record["left"]]
    return each_seat(event.record["amounts"], left)


SENTENCES: Mapping[str, Sentence] = {
    "contribute": _contribution,
    "contributions": _contributions,
}
