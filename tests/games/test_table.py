"""The table: it takes legal answers of the seats that are asked, and nothing else changes it."""

from collections.abc import Sequence
from dataclasses import replace
from json import JSONEncoder
from operator import attrgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.games.common.errors import GameFailed
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Event
from parlour.games.engine.moves import (
    Answer,
    Ask,
    Fault,
    FaultKind,
    Outcome,
    Rules,
    Seat,
    Tell,
    ask,
    illegal,
)
from parlour.games.engine.table import IllegalAnswer, NotAsked, Table, _texts_of
from parlour.games.undercover import GAME

ONE, TWO, THREE = Seat(0), Seat(1), Seat(2)
EMPTY = Fault(FaultKind.EMPTY)


class Pick(Answer):
    """A number; above 9 is against the rules."""

    number: int


def pick(seats: tuple[Seat, ...], round: int, probe: bool = False) -> Ask[Pick]:
    return Ask(
        kind="guess" if probe else "pick",
        seats=seats,
        answer=Pick,
        fallback=lambda _seat, dice: Pick(number=dice.below(10**9)),
        sample=lambda _seat, dice: Pick(number=dice.below(10)),
        check=lambda _seat, answer: illegal("too high") if answer.number > 9 else None,
        round=round,
        probe=probe,
    )


def toy(setting: Any, seats: Sequence[Seat], dice: Dice) -> Rules:
    """A roll for the first seat alone, picks of the first two, a probe of all, a second roll."""
    yield Tell("roll", {"roll": dice.below(10**9)}, to=(seats[0],), round=1)
    picks = yield from ask(pick((seats[0], seats[1]), 1))
    yield Tell("sum", {"sum": sum(p.number for p in picks.values())}, round=1)
    yield from ask(pick(tuple(seats), 1, probe=True))
    yield Tell("roll", {"roll": dice.below(10**9)}, round=2)
    last = yield from ask(pick((seats[2],), 2))
    payoffs = (0.0, 0.0, float(last[seats[2]].number))
    return Outcome("done", payoffs, ("r",) * 3, ("s",) * 3)


TOY = replace(GAME, name="toy", rules=toy)


def table(seed: int = 1, version: int = 1) -> Table:
    return Table(replace(TOY, version=version), None, 3, seed)


def number(n: int) -> dict[str, int]:
    return {"number": n}


def state(match: Table) -> tuple[object, ...]:
    """All of a table that anyone can see."""
    views = [match.view(seat) for seat in match.seats]
    return (
        list(match.events),
        views,
        match.outcome,
        match.ask_number,
        match.pending and (match.pending.kind, match.digest()),
        dict(match.answered),
        match.waiting,
    )


@pytest.mark.parametrize(
    ("answers", "error", "message"),
    [
        ({THREE: number(1)}, NotAsked, "Player 3 is not waited for"),
        ({TWO: number(1), Seat(7): number(1)}, NotAsked, "Player 8 is not waited for"),
        ({TWO: number(1), ONE: number(1)}, NotAsked, "Player 1 is not waited for"),
        ({ONE: number(1)}, NotAsked, "Player 1 is not waited for"),
        ({TWO: number(1), THREE: EMPTY}, NotAsked, "Player 3 is not waited for"),
        ({TWO: number(10)}, IllegalAnswer, "Player 2, pick: too high"),
        ({TWO: {"number": "x"}}, IllegalAnswer, "Player 2, pick: number: must be"),
        ({TWO: None}, IllegalAnswer, "Player 2, pick: the answer: must be"),
    ],
)
def test_an_answer_that_cannot_be_taken_changes_nothing(
    answers: dict[Seat, object], error: type[Exception], message: str
) -> None:
    match = table()
    match.answer({ONE: number(3)})
    before = state(match)
    with pytest.raises(error, match=message):
        match.answer(answers)
    assert state(match) == before
    match.answer({TWO: number(4)})
    assert match.events[-1] == Event("sum", 1, {"sum": 7}, None)


def test_legal_answers_beside_an_illegal_one_are_not_taken() -> None:
    match = table()
    with pytest.raises(IllegalAnswer):
        match.answer({ONE: number(1), TWO: number(10)})
    assert match.waiting == (ONE, TWO)


def test_a_table_waits_for_the_seats_that_have_yet_to_answer() -> None:
    match = table()
    assert (match.ask_number, match.waiting) == (0, (ONE, TWO))
    match.answer({TWO: number(1)})
    assert (match.ask_number, match.waiting) == (0, (ONE,))
    match.answer({})
    assert match.waiting == (ONE,)
    match.answer({ONE: number(1)})
    assert (match.ask_number, match.waiting) == (1, (ONE, TWO, THREE))


def test_answers_go_on_record_in_seat_order_whoever_was_first() -> None:
    match = table()
    match.answer({TWO: number(1)})
    match.answer({ONE: number(2)})
    assert [(event.by, event.record) for event in match.events if event.kind == "pick"] == [
        (ONE, number(2)),
        (TWO, number(1)),
    ]


def finished(seed: int = 1) -> Table:
    match = table(seed)
    match.answer({ONE: number(1), TWO: number(2)})
    match.answer({seat: number(5) for seat in match.seats})
    match.answer({THREE: number(7)})
    return match


def test_a_finished_table_takes_nothing_more() -> None:
    match = finished()
    assert match.outcome.payoffs == (0, 0, 7)
    assert (match.pending, match.waiting) == (None, ())
    for attempt in (
        lambda: match.answer({ONE: number(1)}),
        lambda: match.fallback(ONE),
        match.digest,
    ):
        with pytest.raises(NotAsked, match="the match is over"):
            attempt()


def test_a_view_holds_events_and_own_answers_but_no_probe() -> None:
    match = finished()
    kinds = [list(map(attrgetter("kind"), match.view(seat).events)) for seat in match.seats]
    assert kinds == [
        ["roll", "pick", "sum", "roll"],
        ["pick", "sum", "roll"],
        ["sum", "roll", "pick"],
    ]
    assert [event.record for event in match.view(ONE).events if event.by is not None] == [number(1)]
    assert [event.record["sum"] for event in match.view(THREE).told("sum")] == [3]
    assert match.view(TWO).told("pick") == []  # said by a seat, not told by the game
    probes = [event for event in match.events if event.kind == "guess"]
    assert [(event.by, event.to) for event in probes] == [(ONE, ()), (TWO, ()), (THREE, ())]


def test_a_view_that_was_handed_out_stays_as_it_was() -> None:
    match = table()
    view = match.view(ONE)
    match.answer({ONE: number(1), TWO: number(2)})
    assert [event.kind for event in view.events] == ["roll"]


def test_a_fault_puts_the_fallback_on_record_with_its_class() -> None:
    match = table()
    fallback = match.fallback(TWO)
    match.answer({TWO: Fault(FaultKind.TIMEOUT), ONE: number(1)})
    events = [event for event in match.events if event.kind == "pick"]
    assert [event.fault for event in events] == [None, FaultKind.TIMEOUT]
    assert events[1].record == fallback.model_dump()
    assert fallback.number > 9  # a fallback need not pass the check


def test_fallbacks_have_a_stream_of_their_own_by_seed_ask_and_seat() -> None:
    match = table()
    fallbacks = [match.fallback(ONE).number, match.fallback(TWO).number]
    assert [match.fallback(ONE).number, match.fallback(TWO).number] == fallbacks
    other = table(seed=2)
    fallbacks += [other.fallback(ONE).number, other.fallback(TWO).number]
    match.answer({ONE: number(1), TWO: number(2)})
    fallbacks += [match.fallback(ONE).number, match.fallback(TWO).number]
    assert len(set(fallbacks)) == 6


def test_a_fallback_leaves_the_dice_of_the_match_alone() -> None:
    with_faults = table()
    with_faults.answer({ONE: EMPTY, TWO: EMPTY})
    with_faults.answer(dict.fromkeys(with_faults.seats, EMPTY))
    rolls = [event.record for event in finished().events if event.kind == "roll"]
    assert [event.record for event in with_faults.events if event.kind == "roll"] == rolls
    assert [event.record for event in finished(2).events if event.kind == "roll"] != rolls


def digests(match: Table, *picks: int) -> list[str]:
    """The digest of each ask when the seats pick these numbers."""
    values = []
    numbers = iter(picks)
    while match.pending is not None:
        values.append(match.digest())
        match.answer({seat: number(next(numbers)) for seat in match.waiting})
    return values


def test_a_digest_covers_the_views_of_the_asked_seats() -> None:
    usual = digests(table(), 1, 2, 5, 5, 5, 7)
    assert len(set(usual)) == 3
    assert digests(table(), 1, 2, 5, 5, 5, 7) == usual
    # The sum is told to all: every later ask differs.
    other_sum = digests(table(), 1, 3, 5, 5, 5, 7)
    assert [a == b for a, b in zip(usual, other_sum, strict=True)] == [True, False, False]
    # The same sum by other picks: seen by the first two in their own answers, not by the third.
    same_sum = digests(table(), 2, 1, 5, 5, 5, 7)
    assert [a == b for a, b in zip(usual, same_sum, strict=True)] == [True, False, True]
    # A probe is seen by nobody.
    assert digests(table(), 1, 2, 6, 6, 6, 7) == usual
    # Another roll, another version of the rules: everything differs.
    for other in (
        digests(table(seed=2), 1, 2, 5, 5, 5, 7),
        digests(table(version=2), 1, 2, 5, 5, 5, 7),
    ):
        assert not set(usual) & set(other)


def test_asking_for_a_digest_or_answering_in_part_leaves_it_as_it_is() -> None:
    match = table()
    first = match.digest()
    match.answer({TWO: number(2)})
    assert match.digest() == first
    match.answer({ONE: number(1)})
    # No digest was asked for here before the ask was over.
    late = table()
    late.answer({ONE: number(1), TWO: number(2)})
    assert late.digest() == match.digest() != first


def failing(error: bool) -> Rules:
    """Rules that raise after the first ask, or end with a payoff too many."""
    yield pick((ONE, TWO, THREE), 1)
    if error:
        [].remove(1)
    return Outcome("over", (1.0,) * 4, ("player",) * 3, ("side",) * 3, ())


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (True, r"its rules failed with ValueError: .* \(test_table.py, line \d+\)"),
        (False, "its outcome has 4 payoffs for 3 seats"),
    ],
)
def test_a_game_that_fails_is_named_with_the_place(error: bool, problem: str) -> None:
    game = replace(GAME, rules=lambda _setting, _seats, _dice: failing(error))
    match = Table(game, None, 3, seed=1)
    with pytest.raises(GameFailed, match=f"^game 'undercover': {problem}; fix its rules$"):
        match.answer(dict.fromkeys((ONE, TWO, THREE), number(1)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_the_text_of_a_digest_is_that_of_the_encoder(value: Any) -> None:
    encoder = JSONEncoder(sort_keys=True, separators=(",", ":"), check_circular=False)
    assert "".join(_texts_of([value], 0)) == encoder.encode([value])
