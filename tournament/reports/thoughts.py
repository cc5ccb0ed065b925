"""The private thoughts of a match's seats, read from the notes of their answers.

They are for onlookers only and never enter another seat's view.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from parlour.agents.llm.pgm import Matrix, read_matrix
from parlour.games.engine.moves import Seat
from parlour.tournament.save.rows import StoredAnswer, notes_of


@dataclass(frozen=True, slots=True)
class Thought:
    """The thought of a seat before an answer of this kind and round.

    ``words`` are its analysis, its scratchpad and the model's reasoning, as far as it has any.
    ``beliefs`` have a row per viewer and a column per player; None without an analysis.
    ``target`` is the seat that is suspected most, None if several are. ``fault`` is the reason why
    an analysis could not be read.
    """

    seat: Seat
    kind: str
    round: int
    words: tuple[str, ...]
    beliefs: Matrix | None = None
    target: int | None = None
    fault: str | None = None


def thoughts(answers: Iterable[StoredAnswer], players: int) -> list[Thought]:
    """Returns all thoughts of a match in the order of its asks.

    An answer that reuses an earlier analysis repeats it in its notes; here it appears once. Notes
    that cannot be read are skipped.
    """
    result: list[Thought] = []
    last_heard: dict[Seat, object] = {}
    for answer in sorted(answers, key=lambda answer: (answer.ask, answer.seat)):
        notes: Mapping[str, Any] = {}
        with suppress(ValueError):
            notes = notes_of(answer)
        # ``heard`` is how much of the match an analysis has seen: a new value, a new analysis.
        analysed = "heard" in notes and notes["heard"] != last_heard.get(answer.seat)
        last_heard[answer.seat] = notes.get("heard", last_heard.get(answer.seat))
        names = ("analysis", "scratchpad", "thinking") if analysed else ("scratchpad", "thinking")
        texts = [notes.get(name) for name in names]
        words = tuple(text for text in texts if isinstance(text, str) and text)
        if not words and not analysed:
            continue
        beliefs: Matrix | None = None
        with suppress(ValueError):
            beliefs = read_matrix(notes.get("beliefs"), players) if analysed else None
        target = notes.get("target") if beliefs else None
        fault = notes.get("analysis_fault") if analysed else None
        result.append(
            Thought(
                seat=answer.seat,
                kind=answer.kind,
                round=answer.round,
                words=words,
                beliefs=beliefs,
                target=target if target in range(players) else None,
                fault=fault if isinstance(fault, str) else None,
            )
        )
    return result
