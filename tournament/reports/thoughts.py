"""What the seats of a match thought before they answered, read from the notes of their answers.

Only an onlooker may see it: it never enters another seat's view.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from parlour.agents.llm.pgm import Matrix, read_matrix
from parlour.games.engine.moves import Seat
from parlour.tournament.save.rows import StoredAnswer, notes_of


@dataclass(frozen=True, slots=True)
class Thought:
    """What a seat thought before an answer of this kind and round.

    ``words`` are its analysis, its scratchpad and what a model thought unasked, as far as there
    are such. ``beliefs`` have a row for each viewer and a column for each player; they are None
    where the thought is words alone, and ``target`` (a seat) also where several are suspected
    alike. ``fault`` says why an analysis could not be read.
    """

    seat: Seat
    kind: str
    round: int
    words: tuple[str, ...]
    beliefs: Matrix | None = None
    target: int | None = None
    fault: str | None = None


def thoughts(answers: Iterable[StoredAnswer], players: int) -> list[Thought]:
    """All thoughts of a match in the order of its asks.

    An answer that went by an earlier analysis repeats it in its notes; here it stands once. Notes
    that cannot be read are passed over.
    """
    found: list[Thought] = []
    heard: dict[Seat, object] = {}
    for answer in sorted(answers, key=lambda answer: (answer.ask, answer.seat)):
        notes = _notes(answer)
        analysed = "heard" in notes and notes["heard"] != heard.get(answer.seat)
        heard[answer.seat] = notes.get("heard", heard.get(answer.seat))
        names = ("analysis", "scratchpad", "thinking") if analysed else ("scratchpad", "thinking")
        words = tuple(text for name in names if isinstance(text := notes.get(name), str) and text)
        beliefs = _beliefs(notes, players) if analysed else None
        if not words and not analysed:
            continue
        target = notes.get("target") if beliefs else None
        fault = notes.get("analysis_fault") if analysed else None
        found.append(
            Thought(
                answer.seat,
                answer.kind,
                answer.round,
                words,
                beliefs,
                target if target in range(players) else None,
                fault if isinstance(fault, str) else None,
            )
        )
    return found


def _notes(answer: StoredAnswer) -> Mapping[str, Any]:
    try:
        return notes_of(answer)
    except ValueError:
        return {}


def _beliefs(notes: Mapping[str, Any], players: int) -> Matrix | None:
    try:
        return read_matrix(notes.get("beliefs"), players)
    except ValueError:
        return None
