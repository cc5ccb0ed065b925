"""The panes of a person's seat, as lines: header, talk, question, rules, form and end."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from parlour.agents.human import HumanConfig
from parlour.agents.llm.config import LLMConfig
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import openings, play, sampled, saying, variants
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.save.rows import MatchCount, StoredAnswer
from parlour.tui.look.look import Look
from parlour.tui.look.palette import NIGHT, PLAIN
from parlour.tui.models.form import Field
from parlour.tui.models.save_view import Focus, SaveView
from parlour.tui.models.seat import SeatClient, question_at
from parlour.tui.views import seat_form as views
from parlour.tui.views.fields import label_of, option_lines, options_of, sum_line
from parlour.tui.views.talk import talk_lines
from tests.people import ONE
from tests.tui.boards import scene
from tests.tui.playing import new_save

WIDTHS = (20, 34, 38, 54, 80, 120, 220)
LOOK = Look()
EVERY = pytest.mark.parametrize("name", sorted(games()))
NAMES = ("Bea", "Clara", "Eva", "Gwen", "Iris", "Linus", "Otto", "Rowan", "Zoe", "Ada", "Kai", "Lu")


def focus_on(table: Table) -> Focus:
    """A match in focus, with agents whose names nobody at the table may see."""
    return scene(table, agents=NAMES[: len(table.seats)]).focus


def moments(game: Game) -> Iterator[tuple[Table, Seat]]:
    """Yields a match at each of its asks, with each seat that is asked."""
    (table,) = openings(game, variants(game)[0], 1)
    while table.pending is not None:
        yield from ((table, seat) for seat in table.waiting)
        table.answer({seat: sampled(table, seat) for seat in table.waiting})


def plain(lines: Sequence[Text]) -> str:
    """Lines as plain text."""
    return "\n".join(line.plain for line in lines)


def drawn(table: Table, seat: Seat, width: int) -> list[Text]:
    """Everything that a seat reads while it is asked."""
    question = question_at(1, table, seat)
    scene = views.seat_scene(focus_on(table), LOOK, seat)
    return [
        *talk_lines(scene, width, 40),
        *views.question_lines(question, scene, width),
        *views.rules_lines(question.prompt, LOOK, width),
    ]


def ended(name: str) -> Table:
    """A match of a game that is over."""
    game = games()[name]
    (table,) = openings(game, variants(game)[0], 1)
    play(table, sampled)
    return table


@EVERY
def test_every_line_is_as_wide_as_its_pane_and_names_no_agent(name: str) -> None:
    for table, seat in moments(games()[name]):
        for width in WIDTHS:
            lines = drawn(table, seat, width)
            assert {line.cell_len for line in lines} == {width}
            assert not any(agent in plain(lines) for agent in NAMES)


@EVERY
def test_the_end_shows_outcome_roles_and_earnings_and_no_agent(name: str) -> None:
    table = ended(name)
    outcome = table.outcome
    assert outcome is not None
    scene = views.seat_scene(focus_on(table), LOOK, None)
    for width in WIDTHS:
        lines = views.end_lines(scene, 0, width)
        assert {line.cell_len for line in lines} == {width}
        lines += talk_lines(scene, width, 40)
        assert not any(agent in plain(lines) for agent in NAMES)
        assert "your word is" not in plain(lines).casefold()
    assert views.end_words(scene.focus)
    end = plain(views.end_lines(scene, 0, 220))
    for seat, role in enumerate(outcome.roles):
        own = " (you)" if seat == 0 else ""
        star = LOOK.signs.won if seat in outcome.winners else " "
        assert f"{star}  {seat + 1}  {player(seat)}{own}  {role.replace('_', '-')}  " in end


@EVERY
def test_hostile_words_reach_no_terminal(name: str) -> None:
    nasty = "\x1b[2Jgone\x07 \u202edrawkcab\x9b31m [bold]b[/]\nsecond"
    game = games()[name]
    (table,) = openings(game, variants(game)[0], 1)
    say = saying(nasty)
    while table.pending is not None:
        for seat in table.waiting:
            words = plain(drawn(table, seat, 54))
            assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(words)
        table.answer({seat: say(table, seat) for seat in table.waiting})


def test_a_seat_is_not_told_the_number_of_players_where_its_rules_do_not_tell_it() -> None:
    hidden = 0
    for name in sorted(games()):
        for table, seat in moments(games()[name]):
            if "players" in table.view(seat).told("rules")[0].record:
                continue
            heard = [event.record for event in table.view(seat).events if event.record]
            known = str(heard)
            others = [each for each in table.seats if each != seat]
            strangers = [each for each in others if f": {each}" not in known]
            lines = talk_lines(views.seat_scene(focus_on(table), LOOK, seat), 80, 40)
            assert not any(player(each) in plain(lines) for each in strangers)
            assert not any(f" {each + 1} " in plain(lines[:1]) for each in strangers)
            hidden += bool(strangers)
    assert hidden


def test_the_end_says_who_was_a_model_and_what_it_thought() -> None:
    focus = focus_on(ended("undercover"))
    model = LLMConfig(name=NAMES[0], kind="llm", model="openai/gpt-x")
    person = HumanConfig(name=NAMES[1], kind="human")
    noted = json.dumps({"thinking": "one of \x1b[1mthem\x1b[0m lies " + "on " * 300})
    focus.match = replace(focus.match, agents=(NAMES[0], NAMES[1], "(built in)"))
    focus.answers = [StoredAnswer(1, 0, Seat(0), "clue", 1, "{}", None, 1, noted, "")]
    lines = views.reveal_lines(focus, (model, person), 60)
    assert {line.cell_len for line in lines} == {60}
    words = " ".join(plain(lines).split())
    assert f"Player 1 was {NAMES[0]}, a language model (openai/gpt-x)" in words
    assert (
        f"Player 2 was {NAMES[1]}, a person Player 3 was (built in), played by the rules" in words
    )
    assert "Player 1 thought (clue): one of " in words
    assert "\x1b" not in words
    assert len(words) < 700


def test_a_match_that_cannot_continue_says_why() -> None:
    table, _seat = next(moments(games()["undercover"]))
    focus = focus_on(table)
    focus.match = replace(focus.match, frozen="the \x1b[1mrules\x1b[0m changed")
    words = plain(views.end_lines(views.seat_scene(focus, LOOK, None), 0, 60))
    assert "This match cannot continue. the" in words
    assert "\x1b" not in words


# --- Header and state


@pytest.fixture
def client(tmp_path: Path) -> Iterator[SeatClient]:
    """The client of Ann's seat on a save in which nothing has been played."""
    made = SeatClient(SaveView(new_save(tmp_path / "people.db", ONE)), "Ann")
    yield made
    made.close()
    made.watched.close()


def asks(client: SeatClient) -> None:
    """Has a runner ask the seat its first question."""
    client.watched.live = RunnerStatus(state="running")
    client._show(1)
    table = client.table
    assert table is not None
    client.seat = table.waiting[0]
    client.question = question_at(1, table, client.seat)


def test_the_header_says_whose_turn_it_is_and_gives_nothing_else_away(client: SeatClient) -> None:
    heads = [plain(views.header(client, LOOK, 120))]
    assert "Seat │ Ann  ○ not running " in heads[0]
    asks(client)
    number = client.seat + 1
    heads.append(plain(views.header(client, LOOK, 120)))
    place = f" {number}  Player {number}  ♠ Undercover · match 1 · round 1 · clues"
    assert f"Seat │ Ann  ► your turn  {place}" in heads[1]
    assert "0 of 1 matches" in heads[1]
    question, client.question = client.question, None
    heads.append(plain(views.header(client, LOOK, 120)))
    assert "… others' turn" in heads[2]
    assert "clues" not in heads[2]
    client.question, client.left = question, 75.0
    heads.append(plain(views.header(client, LOOK, 80)))
    assert heads[3].splitlines()[0].endswith("1:15 left ")
    assert not any("Bea" in head or "Rob" in head for head in heads)
    for width in WIDTHS:
        lines = views.header(client, LOOK, width)
        assert len(lines) == 2
        assert {line.cell_len for line in lines} == {width}


@pytest.mark.parametrize(
    ("state", "word", "words"),
    [
        ("running", "others' turn", "The others have their turn."),
        ("paused", "paused", "F5 resumes it."),
        ("pausing", "pausing", "The tournament is pausing."),
        ("finished", "finished", "The tournament is finished."),
    ],
)
def test_who_is_not_asked_is_told_why_in_words_that_name_nobody(
    client: SeatClient, state: Any, word: str, words: str
) -> None:
    if state == "finished":
        client.watched.progress = MatchCount(1, 1, 0)
    else:
        client.watched.live = RunnerStatus(state=state)
    shown = views.seat_state(client, LOOK)
    assert shown.word == word
    assert words in shown.words
    assert "Player" not in shown.words


# --- Pieces of the form


def choice(*names: str) -> Field:
    """A choice between players, or of nobody."""
    values = (name.removesuffix(" (you)") if "Player" in name else None for name in names)
    options = tuple(zip(names, values, strict=True))
    return Field(("suspect",), "I suspect", "choice", options)


def test_players_are_chips_with_their_names_where_these_fit() -> None:
    field = choice("Player 1 (you)", "Player 3", "nobody yet")
    wide = option_lines(options_of(field), 1, LOOK, 80)
    assert plain(wide) == "○  1  Player 1 (you)  ●  3  Player 3  ○ 4 nobody yet"
    narrow = option_lines(options_of(field), None, LOOK, 40)
    assert plain(narrow) == "○  1  (you)  ○  3   ○ 4 nobody yet"
    colours = {span.style for span in wide[0].spans}
    assert f"bold {NIGHT.on_chip} on {NIGHT.person(2)}" in {str(style) for style in colours}


@pytest.mark.parametrize("count", range(1, 13))
def test_options_keep_within_their_width(count: int) -> None:
    field = choice(*[f"Player {number}" for number in range(1, count + 1)], "nobody yet")
    for width in (20, 34, 54, 120):
        for chosen in (None, 0, count):
            lines = option_lines(options_of(field), chosen, LOOK, width)
            assert max(line.cell_len for line in lines) <= width
            marks = "".join(sign for sign in plain(lines) if sign in "●○")
            assert len(marks) == count + 1
            assert marks.count("●") == (chosen is not None)


def test_the_chosen_option_has_a_sign_of_its_own_in_plain_glyphs_too() -> None:
    field = choice("Player 1", "Player 2")
    lines = option_lines(options_of(field), 1, Look(NIGHT, PLAIN), 80)
    assert plain(lines) == "o  1  Player 1  *  2  Player 2"


def test_a_number_shows_its_own_digit_and_any_other_option_its_place() -> None:
    signal = Field(("signal",), "Your signal", "choice", (("0", 0), ("1", 1)))
    assert plain(option_lines(options_of(signal), None, LOOK, 80)) == "○ 0  ○ 1"
    tone = Field(("tone",), "Tone", "choice", (("warm", "warm"), ("cold", "cold")))
    assert plain(option_lines(options_of(tone), None, LOOK, 80)) == "○ 1 warm  ○ 2 cold"


def test_labels_mark_what_may_stay_empty() -> None:
    field = Field(("reasoning",), "Why", "text", optional=True)
    assert label_of(field, LOOK).plain == "Why (optional)"
    assert label_of(replace(field, optional=False), LOOK).plain == "Why"


@pytest.mark.parametrize(
    ("total", "words"),
    [
        (0, "together 0 of 100, 100 to go"),
        (70.5, "together 70.5 of 100, 29.5 to go"),
        (100, "✓ together 100"),
        (130, "together 130 of 100, 30 too much"),
        (None, "✗ not all of them are numbers"),
    ],
)
def test_a_running_sum_says_what_is_missing(total: float | None, words: str) -> None:
    assert sum_line(total, 100, LOOK).plain == words
