"""Sentences of the prisoner's dilemma."""

from collections.abc import Mapping

from parlour.games.engine.events import Event
from parlour.games.engine.metadata import Sentence
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import because, each_seat


def _choice(event: Event) -> str:
    return f"chooses to {event.record['action']}{because(event.record)}"


def _choices(event: Event) -> str:
    actions = event.record["actions"]
    if "points" not in event.record:
        return ", ".join(f"{player(seat)} {action}" for seat, action in enumerate(actions))
    return each_seat(actions, [f"{earned:g}" for earned in event.record["points"]])


SENTENCES: Mapping[str, Sentence] = {"choose": _choice, "choices": _choices}
