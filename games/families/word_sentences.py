"""Sentences and board of the word games: clues, votes and beliefs."""

from collections.abc import Mapping, Sequence

from parlour.games.engine.board import Arrow, Board, MakeBoards, Ring, Shares
from parlour.games.engine.events import Event
from parlour.games.engine.metadata import Sentence
from parlour.games.engine.moves import Outcome, Record, Seat, player
from parlour.games.engine.transcript import because, quoted, seat_name
from parlour.games.families.word_games import top_of


def _said(event: Event) -> str:
    return f"{player(event.record['speaker'])} says {quoted(event.record['text'])}"


def _order(event: Event) -> str:
    return f"speaking order {', '.join(player(seat) for seat in event.record['speakers'])}"


def _vote(event: Event) -> str:
    """The suspect, with the confidence where the game asks for it."""
    record = event.record
    confidence = ""
    if "confidence" in record and record["suspect"] is not None:
        confidence = f" with confidence {record['confidence']:g}"
    return f"votes for {seat_name(record['suspect'])}{confidence}{_declares(record)}" + because(
        record
    )


def _declares(record: Record) -> str:
    """The declaration that a vote comes with, "" without one."""
    if not record.get("self_declaration"):
        return ""
    return f" and declares itself, guessing {guessed(record['word_guess'])}"


def guessed(word: str | None) -> str:
    """A guessed word in quotation marks."""
    return "no word" if word is None else quoted(word)


def _beliefs(event: Event) -> str:
    """The own belief first, then what the player thinks that the others believe."""
    parts = []
    for belief in sorted(event.record["beliefs"], key=lambda each: each["viewer"] != event.by):
        own = belief["viewer"] == event.by
        viewer = "" if own else f"believes that {seat_name(belief['viewer'])} "
        parts.append(f"{viewer}suspects {seat_name(belief['suspect'])}")
    return "; ".join(parts) or "gives no beliefs"


_OWN_ROLES = {
    "special": "believes that it has the special role",
    "ordinary": "believes that it has an ordinary role",
    "unsure": "is unsure of its own role",
    None: "does not say which role it has",
}

SENTENCES: Mapping[str, Sentence] = {
    "word": lambda event: f"your word is {quoted(event.record['word'])}",
    "order": _order,
    "clue": lambda event: f"gives the clue {quoted(event.record['text'])}",
    "said": _said,
    "vote": _vote,
    "own_role": lambda event: _OWN_ROLES[event.record["role"]],
    "beliefs": _beliefs,
}
"""Sentences of the events that all word games have."""


def votes_of(special: str) -> MakeBoards:
    """The board of a word game: the votes of the newest ballot, and who suspects whom.

    The seat of the ``special`` role is marked once the match is over.
    """

    def board(
        seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
    ) -> tuple[Board, ...]:
        """The ring of the newest votes, and the suspicions that seats gave in private."""
        votes = [event for event in events if event.kind == "vote" and event.by is not None]
        newest = [event for event in votes if event.ask == votes[-1].ask]
        arrows = tuple(
            Arrow(Seat(event.by), event.record["suspect"])
            for event in newest
            if event.by is not None
        )
        notes = {}
        if outcome is not None:
            notes = {seat: special for seat in seats if outcome.roles[seat] == special}
        ring = Ring(
            "Ballot",
            arrows,
            notes,
            marked=top_of(arrow.target for arrow in arrows),
            counted="vote",
            empty="nobody has voted yet",
        )
        suspects = _suspects(events)
        if not suspects:
            return (ring,)
        rows = tuple(_named(suspects, seat, seats) for seat in seats)
        return ring, Shares("who suspects whom", rows, named=True)

    return board


def _suspects(events: Sequence[Event]) -> dict[Seat, Seat | None]:
    """The newest suspect of each seat, as it said in private; None: it suspects nobody yet."""
    suspects: dict[Seat, Seat | None] = {}
    for event in events:
        if event.kind != "beliefs" or event.by is None:
            continue
        for belief in event.record["beliefs"]:
            if belief["viewer"] == event.by:
                suspects[event.by] = belief["suspect"]
    return suspects


def _named(
    suspects: Mapping[Seat, Seat | None], viewer: Seat, seats: Sequence[Seat]
) -> tuple[float | None, ...]:
    """A share of 1 for the seat that a viewer names; None where it was not asked."""
    if viewer not in suspects:
        return (None,) * len(seats)
    return tuple(float(suspects[viewer] == seat) for seat in seats)


ASIDE = "is asked in private"
PHASES: Mapping[str, str] = {
    "clue": "clues",
    "own_role": "aside",
    "beliefs": "aside",
    "vote": "ballot",
}
"""A word for each kind of ask of all word games: where the match is."""
PENDING: Mapping[str, str] = {
    "clue": "looks for a clue",
    "own_role": ASIDE,
    "beliefs": ASIDE,
    "vote": "makes up its mind",
}
"""The words for a player that has not answered yet, by kind of ask."""
