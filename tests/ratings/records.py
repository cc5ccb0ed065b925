"""Finished matches for the tests of the ratings: written out by hand, or really played."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from games.dice import Dice
from games.moves import Fault, FaultKind, Outcome, Seat
from games.record import Answered, MatchRecord
from games.table import Table
from games.undercover import GAME
from games.undercover.rules import Setting
from ratings.measures import Row

CREDITS = {"caught": (0, 3), "escaped": (3, 0), "tie": (2, 1)}
"""Credits by ending for the undercover and for each civilian, copied from the rules by hand."""
WINNERS = {"caught": "civilian", "escaped": "undercover", "tie": None}


def undercover(
    agents: Sequence[str] = "xyx",
    special: int = 1,
    ending: str = "caught",
    answers: Iterable[Answered] = (),
    *,
    number: int = 1,
    setting: str = "banjo",
    condition: str = "",
    counted: Iterable[int] = (0, 1, 2),
    game: str = "undercover",
) -> MatchRecord:
    """A match of undercover; ``agents`` may be a string of one-letter names."""
    roles = tuple("undercover" if seat == special else "civilian" for seat in range(len(agents)))
    outcome = Outcome(
        ending=ending,
        payoffs=tuple(CREDITS[ending][role == "civilian"] for role in roles),
        roles=roles,
        sides=roles,
        winners=tuple(Seat(seat) for seat, role in enumerate(roles) if role == WINNERS[ending]),
    )
    return MatchRecord(
        number,
        game,
        condition,
        setting,
        tuple(agents),
        tuple(Seat(seat) for seat in counted),
        outcome,
        tuple(answers),
    )


def numbered(records: Iterable[MatchRecord]) -> list[MatchRecord]:
    """The records as the matches 1, 2, 3, ... of one tournament."""
    return [replace(record, number=number) for number, record in enumerate(records, start=1)]


def vote(seat: int, suspect: int | None) -> Answered:
    """A vote; None is the abstention that a fault leaves behind."""
    return _answered(20, "vote", seat, {"suspect": suspect, "reasoning": ""}, suspect is None)


def own_role(seat: int, role: str | None, ask: int = 10) -> Answered:
    """An answer to the probe of the own role; None is what a fault leaves behind."""
    return _answered(ask, "own_role", seat, {"role": role}, role is None)


def beliefs(seat: int, *suspects: int | None, ask: int = 11) -> Answered:
    """Whom Player 1, 2, 3, ... suspect in the eyes of this seat; nothing at all: a fault."""
    value = [{"viewer": viewer, "suspect": suspect} for viewer, suspect in enumerate(suspects)]
    return _answered(ask, "beliefs", seat, {"beliefs": value}, not suspects)


def _answered(ask: int, kind: str, seat: int, value: dict, faulted: bool) -> Answered:
    return Answered(ask, kind, 1, Seat(seat), value, "illegal" if faulted else None)


def find(
    rows: Iterable[Row],
    measure: str,
    agent: str = "x",
    role: str | None = None,
    game: str | None = "undercover",
    condition: str | None = None,
) -> Row | None:
    """The one row of a measure, None if there is none."""
    wanted = (game, condition, agent, role, measure)
    found = [r for r in rows if (r.game, r.condition, r.agent, r.role, r.measure) == wanted]
    assert len(found) <= 1
    return found[0] if found else None


def played(
    agents: Sequence[str], special: int, pair: int, seed: int, faulty: float, number: int
) -> MatchRecord:
    """A match really played, by fair draws, with a share of faults."""
    words = {"civilian_word": f"word{pair}", "undercover_word": f"cousin{pair}"}
    setting = Setting(**words, undercover_seat=special, clue_rounds=1)
    table = Table(GAME, setting, 3, seed)
    while table.pending is not None:
        ask, dice = table.pending, Dice(seed, "test", table.ask_number)
        table.answer(
            {
                seat: Fault(FaultKind.ILLEGAL) if dice.chance(faulty) else ask.sample(seat, dice)
                for seat in ask.seats
            }
        )
    return MatchRecord(
        number,
        "undercover",
        "clue_rounds=1",
        f"pair {pair}",
        tuple(agents),
        table.seats,
        table.outcome,
        tuple(
            Answered(event.ask, event.kind, event.round, event.by, event.record, event.fault)
            for event in table.events
            if event.by is not None
        ),
    )
