"""A match as a conversation in data: a screen or a report draws each kind of item once.

A game's ``talk`` function makes these from the events so far. Items hold seats, numbers and texts,
no colours and no layout. Seats are 0-based. In every text of the game itself, players are named
"Player 3"; a screen shows their names in its place.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Seat


@dataclass(frozen=True, slots=True)
class Heading:
    """The begin of a round or phase, such as "round 1 · clues"; ``note`` stands at its end."""

    words: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence of the game to all, such as its rules."""

    words: str


@dataclass(frozen=True, slots=True)
class Secret:
    """Something told to some seats alone."""

    words: str
    to: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a player as others hear them.

    ``about`` is the player they are about, ``sign`` "+" or "-" for a good or a bad word, ``label``
    its tone; ``true`` is None where the words say nothing that could be checked.
    """

    speaker: Seat
    text: str
    about: Seat | None = None
    sign: str = ""
    label: str = ""
    true: bool | None = None


@dataclass(frozen=True, slots=True)
class Aside:
    """A question to each player in private, and the short answers so far."""

    question: str
    answers: tuple[tuple[Seat, str], ...]


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
    title: str = "ballot"


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a player: "helps" Player 3, "cooperates", "gives 20".

    ``sign`` is a letter or sign for its cell: "+" helped, "-" refused, "C", "D", or "" for none.
    ``share`` is the part given of what could be given, ``result`` what comes of it ("-1 ▸ +5"),
    ``reason`` the player's private reason.
    """

    seat: Seat
    words: str
    target: Seat | None = None
    sign: str = ""
    share: float | None = None
    result: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A division of a whole among all seats."""

    seat: Seat
    parts: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A player has made its choice, which nobody sees before all have."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class FaultLine:
    """A faulty answer, and the fallback that took its place."""

    seat: Seat
    words: str


TalkItem = Heading | Note | Secret | Said | Aside | Ballot | Action | Proposal | Chosen | FaultLine
"""One item of a conversation."""
MakeTalk = Callable[[Sequence[Seat], Sequence[Event], Outcome | None], tuple[TalkItem, ...]]
"""The conversation of a match from its seats, its events so far and, once it is over, its outcome.
"""


def no_talk(
    _seats: Sequence[Seat], _events: Sequence[Event], _outcome: Outcome | None
) -> tuple[TalkItem, ...]:
    """No conversation: screens then list the sentences of the events."""
    return ()
