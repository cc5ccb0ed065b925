"""A match as a conversation in data: a screen or a report draws each kind of item once.

A game's ``talk`` function makes these from the events so far. Items hold seats, numbers and texts,
no colours and no layout. Seats are 0-based. In every text of the game itself, players are named
"Player 3"; a screen shows their names in its place.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parlour.games.engine.events import Event
from parlour.games.engine.moves import FaultKind, Outcome, Record, Seat


@dataclass(frozen=True, slots=True)
class Heading:
    """The begin of a round: "round 1", with more about it ("· clues", "of 5")."""

    words: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence of the game to all, such as its rules."""

    words: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about a player that all know, in columns; a number stands at the right of its own."""

    seat: Seat
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Secret:
    """Something told to some seats alone; ``own`` is the sentence that such a seat reads."""

    words: str
    to: tuple[Seat, ...]
    own: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a player as others hear them.

    ``about`` is the player they are about, ``sign`` "+" or "-" for a good or a bad word and "·"
    for one that is neither, ``label`` its tone; ``true`` is None where the words say nothing that
    could be checked. ``reason`` is private.
    """

    speaker: Seat
    text: str
    about: Seat | None = None
    sign: str = ""
    label: str = ""
    true: bool | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Aside:
    """A question to players in private, and the short answers so far.

    An answer is a word, a seat, or None for nobody.
    """

    question: str
    answers: tuple[tuple[Seat, str | Seat | None], ...]


@dataclass(frozen=True, slots=True)
class Vote:
    """A vote for a seat, or for nobody, with its private reason and what it declares."""

    voter: Seat
    target: Seat | None
    reason: str = ""
    declares: str = ""


@dataclass(frozen=True, slots=True)
class Ballot:
    """The votes so far of a ballot of ``voters`` seats."""

    votes: tuple[Vote, ...]
    voters: int


@dataclass(frozen=True, slots=True)
class Approvals:
    """The votes so far for proposals, and the result so far ("2 of 3 for Player 2")."""

    votes: tuple[Vote, ...]
    voters: tuple[Seat, ...]
    result: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a player: "helps" Player 3, "cooperates", "gives 20".

    ``sign`` stands in a cell: "+" helped, "-" refused, "·" neither, or a letter of the game, which
    is ``good`` or not for the others; "" for none. ``share`` is the part given of what could be
    given, ``result`` what comes of it ("-1 ▸ +5"), ``reason`` the player's private reason.
    ``short`` stands for the action in a list.
    """

    seat: Seat
    words: str
    target: Seat | None = None
    sign: str = ""
    share: float | None = None
    result: str = ""
    reason: str = ""
    short: str = ""
    good: bool | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A division of a whole among all seats, with the private reason for it."""

    seat: Seat
    parts: tuple[float, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A player has made a choice that nobody sees before all have."""

    seat: Seat
    words: str = "has chosen"


@dataclass(frozen=True, slots=True)
class FaultLine:
    """A faulty answer, and the fallback that took its place."""

    seat: Seat
    words: str


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a match: who did what, in a sentence, and what came to light."""

    words: str
    details: tuple[str, ...] = ()


TalkItem = (
    Heading
    | Note
    | Fact
    | Secret
    | Said
    | Aside
    | Ballot
    | Approvals
    | Action
    | Proposal
    | Chosen
    | FaultLine
    | Ending
)
"""One item of a conversation."""
MakeTalk = Callable[[Sequence[Seat], Sequence[Event], Outcome | None], tuple[TalkItem, ...]]
"""The conversation of a match from its seats, its events so far and, once it is over, its outcome.

The events may be those of one seat's view, and the last ones may be answers to an ask that others
have yet to answer.
"""


FAULTS = {
    FaultKind.EMPTY: "gave no answer",
    FaultKind.TRUNCATED: "was cut off",
    FaultKind.REFUSAL: "declined to play",
    FaultKind.UNPARSABLE: "gave no usable answer",
    FaultKind.ILLEGAL: "made no legal move",
    FaultKind.TIMEOUT: "ran out of time",
}
"""Faults in plain words, for the line of a player."""


def fault_lines(
    events: Sequence[Event], instead: str = "the rules choose for it"
) -> tuple[FaultLine, ...]:
    """A line for each faulty answer among these; ``instead`` says what took its place."""
    return tuple(
        FaultLine(event.by, f"{FAULTS[FaultKind(event.fault)]}; {instead}")
        for event in events
        if event.by is not None and event.fault is not None
    )


def reason_of(record: Record) -> str:
    """The private reason of an answer, "" without one."""
    return str(record.get("justification") or record.get("reasoning") or "")


_NUMBERS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def number_word(count: int) -> str:
    """A small number in letters."""
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else str(count)


def in_marks(words: str) -> str:
    """Words in typographic quotation marks."""
    return f"“{words}”"
