"""The form of an ask: what there is to fill in, and the answer that comes of what was filled in."""

import re
from collections.abc import Iterator
from typing import Any, Literal, cast

import pytest
from pydantic import BaseModel
from pydantic import Field as ModelField

from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.moves import Answer, Ask, Fault, Seat, illegal
from parlour.games.engine.registry import games
from parlour.games.families.word_games import Vote, ballot, beliefs
from parlour.games.testing.playthrough import openings, sampled, variants
from parlour.tui.models.form import (
    EDITS,
    Content,
    Edited,
    Field,
    Form,
    Missing,
    field_to_blame,
    form_of,
    line_starts,
)

PLAYED = []
for game in games().values():
    PLAYED += [
        pytest.param(game, variant, id=f"{game.name} {game.condition(variant)}")
        for variant in variants(game)
    ]


def filled(form: Form, answer: Answer) -> list[Content]:
    """The contents of a form for a whole answer."""
    return form.contents(answer.model_dump(mode="json"))


def asks(game: Game, variant: Frozen) -> Iterator[tuple[Ask[Any], View, Answer]]:
    """Each ask of a few matches, once for each asked seat, with an answer to it."""
    for table in openings(game, variant, 3):
        while table.pending is not None:
            answers = {seat: cast(Answer, sampled(table, seat)) for seat in table.waiting}
            for seat, answer in answers.items():
                yield table.pending, table.view(seat), answer
            table.answer(answers)


@pytest.mark.parametrize(("game", "variant"), PLAYED)
def test_a_form_fits_whatever_is_asked(game: Game, variant: Frozen) -> None:
    for ask, view, answer in asks(game, variant):
        texts = game.texts.asks[ask.kind]
        form = form_of(ask, view, texts)
        # Filled in, it is the answer, and no choice is one that the rules refuse.
        contents = filled(form, answer)
        assert ask.judge(view.seat, form.value(contents)) == answer
        for place, field in enumerate(form.fields):
            for option in range(len(field.options)):
                value = form.value([*contents[:place], option, *contents[place + 1 :]])
                assert not isinstance(ask.judge(view.seat, value), Fault)
        # The game asks in words of its own.
        question = texts.question(view)
        assert question.endswith((".", "?"))
        assert not re.search(r"\bnull\b|\breasoning\b|justification|\bJSON\b|[{}_]", question)
        labels = [field.label for field in form.fields]
        assert len(set(labels)) == len(labels)
        assert not set(labels) & {field.label for field in form_of(ask, view).fields} - {"Why"}
        assert not any("{" in label or "_" in label for label in labels)
        # What must be filled in comes first, and the reason last.
        optional = [field.optional for field in form.fields]
        assert optional == sorted(optional)
        assert "Why" not in labels[:-1]
        assert all(field.kind != "json" for field in form.fields)


@pytest.mark.parametrize("name", games())
def test_an_untouched_form_is_no_answer_but_words(name: str) -> None:
    game = games()[name]
    for ask, view, _ in asks(game, variants(game)[0]):
        form = form_of(ask, view)
        value = form.value([field.content for field in form.fields])
        said = value if isinstance(value, Missing) else ask.judge(view.seat, value)
        assert isinstance(said, Missing | Fault)
        assert said.message


# --- What the forms look like


SEATS = (Seat(0), Seat(1), Seat(2))
HERE = View("chameleon", Seat(1), SEATS, ())


def shown(form: Form) -> list[tuple[str, str, list[str], object]]:
    """Label, kind, options and what stands there at first, of each field."""

    def options(field: Field) -> list[str]:
        return [name for name, _ in field.options]

    return [(field.label, field.kind, options(field), field.content) for field in form.fields]


def of(model: type[Answer], drawn: Answer) -> Form:
    """The form of an answer model, for Player 2 of three."""
    return form_of(Ask("thing", SEATS, model, lambda _s, _d: drawn, lambda _s, _d: drawn), HERE)


def test_beliefs_are_a_choice_for_each_player_whose_view_it_is() -> None:
    options = ["Player 1", "Player 2 (you)", "Player 3", "nobody"]
    form = form_of(beliefs(SEATS, 1), HERE)
    assert shown(form) == [
        ("Player 1, suspect", "choice", options, None),
        ("Player 2 (you), suspect", "choice", options, None),
        ("Player 3, suspect", "choice", options, None),
    ]
    assert form.value([1, 3, 0]) == {
        "beliefs": [
            {"viewer": "Player 1", "suspect": "Player 2"},
            {"viewer": "Player 2", "suspect": None},
            {"viewer": "Player 3", "suspect": "Player 1"},
        ]
    }


def test_one_who_knows_itself_for_the_special_one_is_asked_for_the_others_views() -> None:
    form = form_of(beliefs(SEATS, 1, knows=(Seat(1),)), HERE)
    assert [field.label for field in form.fields] == ["Player 1, suspect", "Player 3, suspect"]


def test_a_vote_offers_the_others_by_their_own_numbers() -> None:
    form = form_of(ballot(SEATS, 1, Vote), HERE)
    field = form.fields[0]
    # The rules refuse a vote for oneself and for nobody.
    assert [name for name, _ in field.options] == ["Player 1", "Player 3"]
    assert field.digits() == [1, 3]


def test_beliefs_name_oneself_too_and_nobody_comes_after_the_last_player() -> None:
    field = form_of(beliefs(SEATS, 1), HERE).fields[0]
    assert field.digits() == [1, 2, 3, 4]


class Listed(Answer):
    """An answer whose players are listed by name, as a game may do."""

    target: Literal["Player 1", "Player 2", "Player 3"]


def test_players_that_are_listed_by_name_are_marked_and_left_out_alike() -> None:
    drawn = Listed(target="Player 3")
    anyone = form_of(Ask("x", SEATS, Listed, lambda _s, _d: drawn, lambda _s, _d: drawn), HERE)
    assert [name for name, _ in anyone.fields[0].options] == [
        "Player 1",
        "Player 2 (you)",
        "Player 3",
    ]

    def others(seat: Seat, answer: Listed) -> Fault | None:
        return illegal("not yourself") if answer.target == f"Player {seat + 1}" else None

    ask = Ask("x", SEATS, Listed, lambda _s, _d: drawn, lambda _s, _d: drawn, others)
    assert [name for name, _ in form_of(ask, HERE).fields[0].options] == ["Player 1", "Player 3"]


class Part(BaseModel):
    size: int
    hue: str | None = None


class Whole(Answer):
    part: Part
    weights: dict[str, float] = ModelField(default_factory=dict)
    tags: tuple[str, ...] = ()
    pair: tuple[int, int]
    sure: bool = False
    share: float = 0.5
    mood: str | None = None
    anything: Any = None


DRAWN = Whole(part=Part(size=1), pair=(1, 2))


def test_a_form_has_an_entry_for_each_field_down_to_parts_and_lists() -> None:
    assert shown(of(Whole, DRAWN)) == [
        ("part, size", "number", [], ""),
        ("pair 1", "number", [], ""),
        ("pair 2", "number", [], ""),
        ("part, hue", "text", [], ""),
        ("weights", "json", [], ""),
        ("tags", "json", [], "[]"),
        ("sure", "choice", ["no", "yes"], 0),
        ("share", "number", [], "0.5"),
        ("mood", "text", [], ""),
        ("anything", "json", [], ""),
    ]


def test_what_may_stay_empty_is_left_to_its_default() -> None:
    entered = ["4", "1", "2", "", "", "", 1, "", "", ""]
    assert of(Whole, DRAWN).value(entered) == {
        "part": {"size": 4, "hue": None},
        "pair": [1, 2],
        "sure": True,
        "mood": None,
    }


def test_numbers_lists_and_mappings_are_read_as_such() -> None:
    entered = ["4.5", "1e3", "-2", "red", '{"a": 1}', '["x", "y"]', 0, "0.25", "fine", "null"]
    assert of(Whole, DRAWN).value(entered) == {
        "part": {"size": 4.5, "hue": "red"},
        "weights": {"a": 1},
        "tags": ["x", "y"],
        "pair": [1000, -2],
        "sure": False,
        "share": 0.25,
        "mood": "fine",
        "anything": None,
    }


@pytest.mark.parametrize("text", ["many", "1,5", "9" * 5000, "nan", "{"])
def test_what_is_no_number_is_left_to_the_rules_to_refuse(text: str) -> None:
    form = of(Whole, DRAWN)
    value = form.value([text, "1", "2", "", "", "", 0, "", "", ""])
    judged = form_ask().judge(Seat(1), value)
    assert isinstance(judged, Fault)
    assert "size" in judged.message


def form_ask() -> Ask[Whole]:
    return Ask("thing", SEATS, Whole, lambda _s, _d: DRAWN, lambda _s, _d: DRAWN)


@pytest.mark.parametrize(
    ("entered", "label", "words"),
    [
        (["", "1", "2", "", "", "", 0, "", "", ""], "part, size", "enter a value"),
        (["1", " ", "2", "", "", "", 0, "", "", ""], "pair 1", "enter a value"),
        (["1", "1", "2", "", "", "", None, "", "", ""], "sure", "choose an option"),
    ],
)
def test_what_must_be_filled_in_is_named(entered: list[Any], label: str, words: str) -> None:
    missing = of(Whole, DRAWN).value(entered)
    assert isinstance(missing, Missing)
    assert (missing.field.label, missing.message) == (label, words)


# --- In the words of a game


def test_a_split_is_a_share_of_each_player_with_one_sum() -> None:
    game = games()["cost_sharing"]
    ask, view, _ = next(asks(game, game.variant()))
    form = form_of(ask, view, game.texts.asks["propose"])
    assert [field.label for field in form.fields] == [
        "my share, %",
        "share of Player 2, %",
        "share of Player 3, %",
        "Why",
    ]
    (one,) = form.sums
    assert one.total == 100
    assert form.sum_of(one, ["", "", "", "5"]) == 0
    assert form.sum_of(one, ["30", "40", "", ""]) == 70
    assert form.sum_of(one, ["30", "40", "30.5", ""]) == 100.5
    assert form.sum_of(one, ["30", "some", "30", ""]) is None
    assert form.sum_of(one, ["30", "nan", "30", ""]) is None


class Signal(Answer):
    """An answer of a number from a list, and one of words."""

    signal: Literal[0, 1, 5]
    tone: Literal["warm", "cold"]


def test_a_digit_chooses_the_number_that_it_shows_else_the_place() -> None:
    form = of(Signal, Signal(signal=5, tone="warm"))
    assert [field.digits() for field in form.fields] == [[0, 1, 5], [1, 2]]


def test_beyond_nine_options_there_is_no_digit() -> None:
    seats = tuple(map(Seat, range(11)))
    view = View("chameleon", Seat(1), seats, ())
    field = form_of(beliefs(seats, 1), view).fields[0]
    assert field.digits() == [*range(1, 10), None, None, None]


def test_a_choice_that_only_another_choice_makes_illegal_is_offered() -> None:
    def never_cold_five(_seat: Seat, answer: Signal) -> Fault | None:
        return illegal("no") if (answer.signal, answer.tone) == (5, "cold") else None

    def draw(_seat: Seat, dice: Dice) -> Signal:
        signal = dice.choice((0, 1, 5))
        return Signal(signal=signal, tone="warm" if signal == 5 else "cold")

    form = form_of(Ask("x", SEATS, Signal, draw, draw, never_cold_five), HERE)
    assert [len(field.options) for field in form.fields] == [3, 2]

    def never_five(_seat: Seat, answer: Signal) -> Fault | None:
        return illegal("no") if answer.signal == 5 else None

    drawn = Signal(signal=0, tone="warm")
    form = form_of(Ask("x", SEATS, Signal, draw, lambda _s, _d: drawn, never_five), HERE)
    assert [name for name, _ in form.fields[0].options] == ["0", "1"]


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ({"suspect": "Player 2", "reasoning": ""}, "suspect"),
        ({"suspect": "Player 1", "reasoning": 3}, "Why"),
        ({"suspect": "Player 1", "reasoning": ""}, None),
    ],
)
def test_the_field_that_is_to_blame_is_the_one_that_must_change(
    value: dict[str, Any], label: str | None
) -> None:
    ask = ballot(SEATS, 1, Vote)
    refused = isinstance(ask.judge(Seat(1), value), Fault)
    field = field_to_blame(ask, Seat(1), form_of(ask, HERE), value) if refused else None
    assert (field.label if field else None) == label


def test_a_wrong_sum_is_put_right_at_its_last_number() -> None:
    game = games()["cost_sharing"]
    ask, view, _ = next(asks(game, game.variant()))
    form = form_of(ask, view, game.texts.asks["propose"])
    value = {"shares": [333, 333, 333], "reasoning": ""}
    field = field_to_blame(ask, view.seat, form, value)
    assert field is not None
    assert field.label == "share of Player 3, %"


def marked(words: str) -> Edited:
    """A text with its caret at the bar."""
    return Edited(words.replace("|", ""), words.index("|"))


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        ("a b|", "left", "a |b"),
        ("|a", "left", "|a"),
        ("a|", "right", "a|"),
        ("one two|", "home", "|one two"),
        ("|one two", "end", "one two|"),
        ("one two |", "ctrl+left", "one |two "),
        ("one| two", "ctrl+left", "|one two"),
        ("one| two three", "ctrl+right", "one two| three"),
        ("one two|", "ctrl+right", "one two|"),
        ("ab|c", "backspace", "a|c"),
        ("|abc", "backspace", "|abc"),
        ("a|bc", "delete", "a|c"),
        ("abc|", "delete", "abc|"),
        ("one two| three", "ctrl+w", "one | three"),
        ("one two| three", "ctrl+u", "| three"),
        ("one two| three", "ctrl+k", "one two|"),
    ],
)
def test_a_key_edits_at_the_caret(before: str, key: str, after: str) -> None:
    assert EDITS[key](marked(before)) == marked(after)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("hello world foo", 8, ["hello ", "world ", "foo"]),
        ("abcdefghijkl", 5, ["abcde", "fghij", "kl"]),
        ("aaaa", 4, ["aaaa", ""]),  # the caret stands behind the last sign
        ("村上春樹", 5, ["村上", "春樹"]),
    ],
)
def test_a_text_is_wrapped_at_blanks_with_room_for_the_caret(
    text: str, width: int, lines: list[str]
) -> None:
    starts = line_starts(text, width)
    ends = [*starts[1:], len(text)]
    assert [text[start:end] for start, end in zip(starts, ends, strict=True)] == lines
