"""Clues that contradict what their speaker knows, and suspicion over time, in played matches."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from parlour.games.chameleon import GAME as CHAMELEON
from parlour.games.engine.board import Lines
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.table import Table
from parlour.games.engine.talk import Said
from parlour.games.families.clues.clue_bank import shipped_bank
from parlour.games.families.clues.honesty import is_honest
from parlour.games.testing.playthrough import sampled
from parlour.games.undercover import GAME as UNDERCOVER
from parlour.ratings.measures.measures import Row, measures
from tests.agents.listeners import other_words
from tests.ratings.records import beliefs, find, record_of, undercover, vote

BANK, GERMAN = shipped_bank(), shipped_bank("german")
LION, TIGER = BANK.clues["lion"][-1], BANK.clues["tiger"][-1]


@pytest.mark.parametrize(
    ("clue", "word", "topic", "language", "honest"),
    [
        (LION, "lion", None, None, True),
        ("it roars, has a mane and eats zebras", "lion", None, None, True),
        (TIGER, "lion", None, None, False),
        ("it is red, you spread it on bread", "lion", None, None, False),
        ("xqz vrrb", "lion", None, None, None),
        ("I like it and so do many others", "lion", None, None, None),
        ("it roars", "a word that no bank has", None, None, None),
        (BANK.clues["snow"][-1], "snow", "Weather", None, True),
        (BANK.clues["snow"][-1], "Snow!", "Weather", None, True),
        (BANK.clues["snow"][-1], "fog", "Weather", None, False),
        (GERMAN.clues["Banane"][-1], "Banane", None, "german", True),
        (GERMAN.clues["Banane"][-1], "Kirsche", None, "german", False),
    ],
)
def test_a_clue_is_judged_by_the_word_that_its_speaker_knows(
    clue: str, word: str, topic: str | None, language: str | None, honest: bool | None
) -> None:
    assert is_honest(clue, word, topic, language) is honest


def test_honest_clues_in_other_words_are_hardly_ever_held_against_a_speaker() -> None:
    own = []
    for row in other_words().values():
        own += [is_honest(text, row.word, None, None) for text in row[1:]]
    assert own.count(False) < 0.06 * len(own) < 0.7 * len(own) < own.count(True)


def played(
    game: Game,
    record: object,
    keys: Mapping[str, object],
    said: Mapping[int, list[str]],
    **answers: object,
) -> tuple[Table, MatchRecord]:
    """A match in which seats say these clues in turn, and give these answers by kind."""
    variant = game.variant.model_validate(keys)
    setting = game.make_setting(game.record.model_validate(record), variant)  # type: ignore[arg-type]
    table = Table(game, setting, 3, 1)
    left = {seat: list(texts) for seat, texts in said.items()}
    while (ask := table.pending) is not None:
        (seat, *_) = table.waiting
        if ask.kind == "clue":
            table.answer({seat: {"text": left[seat].pop(0)}})
        else:
            table.answer({seat: answers.get(ask.kind) or sampled(table, seat)})
    made = record_of(table, game, variant, "a setting", ("x", "y", "z"))
    return table, replace(made, covariates=game.counting.covariates(setting, setting))


def truths(table: Table, seat: Seat | None = None) -> list[tuple[int, bool | None]]:
    """The speaker of each clue, and whether it is honest, as onlookers or a seat see it."""
    events = table.so_far if seat is None else table.view(seat).events
    items = table.game.talk(table.seats, events, table.outcome)
    return [(item.speaker, item.true) for item in items if isinstance(item, Said)]


def counted(record: MatchRecord, measure: str, agent: str, role: str | None = None) -> Row | None:
    return find(measures([record]), measure, agent, game=record.game, role=role)


def k_of_n(
    record: MatchRecord, measure: str, agent: str, role: str | None = None
) -> tuple[float | None, float]:
    row = counted(record, measure, agent, role)
    assert row is not None, (measure, agent, role)
    return row.k, row.n


CATS = {"civilian_word": "lion", "undercover_word": "tiger", "undercover_seat": 1}


def test_a_clue_of_another_word_is_marked_and_counted() -> None:
    said = {0: [LION, "xqz vrrb"], 1: [LION, TIGER], 2: [TIGER, TIGER]}
    table, record = played(UNDERCOVER, CATS, {"order": "seat"}, said)
    assert truths(table) == [(0, True), (1, False), (2, False), (0, None), (1, True), (2, False)]
    # A seat learns of no word but its own.
    assert [true for _, true in truths(table, Seat(1))] == [None, False, None, None, True, None]
    for agent, (k, n) in {"x": (1, 1), "y": (1, 2), "z": (0, 2)}.items():
        assert k_of_n(record, "truthful_clues", agent) == (k, n)
        assert k_of_n(record, "judged_statements", agent) == (n, 2)
    assert k_of_n(record, "truthful_clues", "y", "undercover") == (1, 2)


def test_a_chameleon_is_judged_by_the_word_that_it_supposes() -> None:
    secret = {"topic": "Weather", "secret_word": "snow", "chameleon_seat": 0}
    fog, snow = BANK.clues["fog"], BANK.clues["snow"]
    said = {0: [fog[-1], fog[-2], snow[-1]], 1: list(snow[:3]), 2: list(snow[3:])}
    keys = {"order": "seat", "clue_rounds": 3}
    table, record = played(CHAMELEON, secret, keys, said, supposed_word={"word": "fog"})
    assert [true for seat, true in truths(table) if seat == 0] == [None, True, False]
    assert k_of_n(record, "judged_statements", "x", "chameleon") == (2, 3)


def test_suspicion_of_the_special_seat_is_counted_by_round_with_its_slope() -> None:
    # The undercover, seat 1, has one suspect of two, one of the one that is sound, then both.
    answers = [
        beliefs(0, 1, 1, 1, ask=11),
        beliefs(1, 1, 1, 1, ask=11),
        beliefs(2, 0, 0, None, ask=11),
    ]
    answers += [replace(beliefs(0, 1, 1, 1, ask=12), round=2), replace(beliefs(2, ask=12), round=2)]
    answers += [replace(beliefs(seat, 1, 1, 1, ask=13), round=3) for seat in range(3)]
    record = undercover("xyx", 1, answers=[*answers, vote(0, 1), vote(2, 0)])
    shares = {
        None: (4, 5),
        "undercover": (4, 5),
        "round 1": (1, 2),
        "round 2": (1, 1),
        "round 3": (2, 2),
    }
    for role, (k, n) in shares.items():
        assert k_of_n(record, "suspicion", "y", role) == (k, n)
    slope = counted(record, "suspicion_slope", "y")
    assert slope.value == pytest.approx(0.25)
    assert counted(record, "suspicion", "x") is None


def test_without_beliefs_votes_are_suspicion() -> None:
    record = undercover("xyx", 1, answers=[vote(0, 1), vote(1, 0), vote(2, 0)])
    assert k_of_n(record, "suspicion", "y") == (1, 2)
    assert counted(record, "suspicion_slope", "y") is None


def test_the_board_has_the_course_of_suspicion() -> None:
    suspects = {
        "beliefs": {
            "beliefs": [{"viewer": f"Player {n + 1}", "suspect": "Player 2"} for n in range(3)]
        }
    }
    said = {seat: [LION, "xqz vrrb"] for seat in range(3)}
    table, _ = played(UNDERCOVER, CATS, {"order": "seat"}, said, **suspects)
    *_, course = UNDERCOVER.board(table.seats, table.so_far, table.outcome)
    assert isinstance(course, Lines)
    assert course.values == ((0.0, 0.0, 0.0), (0.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    assert not any(
        isinstance(board, Lines)
        for board in UNDERCOVER.board(table.seats, table.view(Seat(0)).events, None)
    )
