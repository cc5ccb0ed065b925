"""A person's seat on the screen: prompt, form, hidden matches, leaving and returning."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.events import Key, Paste

from parlour.games.engine.prompts import render
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.tournament.run.people import PeopleMatches
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.reader import Save
from parlour.tui.models.form import Content
from parlour.tui.models.save_view import SaveView
from parlour.tui.models.seat import SeatClient
from parlour.tui.screens.filling import FillingScreen
from parlour.tui.screens.live import LiveScreen
from parlour.tui.screens.messages import SEAT, Show
from parlour.tui.screens.replay import ReplayScreen
from parlour.tui.screens.seat import SeatScreen
from parlour.tui.views.seat_form import WIDE
from tests.people import ONE, TWO, Person, legal, seated, table_of
from tests.tournaments import scripted
from tests.tui.playing import (
    Driven,
    answers_in,
    driven,
    end,
    new_save,
    pane_text,
    running,
    saved,
    watched,
)

SAVE = Path("saves/people.db")
SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=["80x24", "160x48"])
PHASES = games()["undercover"].texts.phases
TURN = "► your turn "
LONE = ONE.replace("seed = 5", "seed = 5\nrepetitions = 2")


def seat(pilot: Driven) -> SeatScreen:
    """The seat's screen, which must be the one in sight."""
    return pilot.at(SeatScreen)


async def takes(pilot: Driven, agent: str = "Ann") -> None:
    """Takes the seat of an agent, without the dialog that offers the seats."""
    pilot.app.post_message(Show(SEAT, SAVE, agent))
    await pilot.until(lambda: isinstance(pilot.app.screen, SeatScreen))


async def leaves(pilot: Driven, runner: Runner, agent: str = "Ann") -> None:
    """Leaves the seat, and waits until the runner knows it."""
    await pilot.press("escape")
    await pilot.until(lambda: not runner.people.is_seated(agent))


def says(pilot: Driven, words: str) -> bool:
    """True if both the header and the footer have these words."""
    lines = pilot.shown.splitlines()
    return words in lines[0] and words in lines[-1]


async def asked(pilot: Driven, kind: str) -> None:
    """Waits for a form for that kind of ask, all of it."""

    def there() -> bool:
        question = seat(pilot).client.question
        if question is None or question.ask.kind != kind:
            return False
        return seat(pilot).filling.form is question.form and pilot.at_field == 0

    await pilot.until(there)
    words = PHASES[kind]
    # Form, header and footer are drawn one after the other.
    parts = (f"Your turn · {words}", "[ Send ]")
    await pilot.until(lambda: all(part in pilot.shown for part in parts) and says(pilot, TURN))


@asynccontextmanager
async def asked_for_a_clue(
    text: str = ONE, *, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Driven, Runner]]:
    """A screen on which Ann has taken the seat and is asked for the first clue; and the runner."""
    async with watched(new_save(SAVE, text), size=size) as (pilot, runner):
        await takes(pilot)
        await asked(pilot, "clue")
        yield pilot, runner


async def sent(pilot: Driven, *keys: str) -> None:
    """Fills in a form by keys and sends it."""
    await pilot.press(*keys, "ctrl+s")


def value_in(save: Path, kind: str) -> str:
    """The stored answer of the first seat to one kind of ask."""
    with Save(save) as opened:
        (row,) = [a for a in opened.answers_of(1) if (a.seat, a.kind) == (0, kind)]
        return row.value


def plain(pilot: Driven) -> str:
    """The left column of the screen, without borders."""
    left = (line.split("││")[0] for line in pilot.shown.splitlines())
    return "\n".join(line.strip("│ ") for line in left)


def filled(pilot: Driven) -> list[Content]:
    """Contents of the form's fields."""
    return pilot.at(FillingScreen).filling.contents


@SIZES
async def test_the_footer_of_the_live_screen_says_whose_turn_it_is(size: tuple[int, int]) -> None:
    async with watched(new_save(SAVE, ONE), size=size) as (pilot, _):

        def last() -> str:
            return pilot.shown.splitlines()[-1]

        await pilot.until(lambda: last().startswith(" ► Ann: your turn, s "))
        await pilot.press("s", "1", at=SeatScreen)
        await pilot.press("escape", at=LiveScreen)
        pilot.live.watched.local.seats.clear()
        await pilot.press("o")
        await pilot.until(lambda: last().startswith(" ► Ann: your turn  "))


@SIZES
async def test_a_person_plays_a_match_and_sees_its_end(size: tuple[int, int]) -> None:
    async with asked_for_a_clue(size=size) as (pilot, _runner):
        assert "Ann  ► your turn   1  Player 1  ♠ Undercover · match 1" in pilot.shown
        assert pilot.shown.splitlines()[-1].startswith(" ► your turn ")
        assert "^s send" in pilot.shown.splitlines()[-1]
        assert pilot.at_field == 0
        await pilot.press(*"a b", "enter", "enter")
        await asked(pilot, "vote")
        await pilot.press("3", "enter", *"so", "enter", "enter")
        await pilot.until(lambda: says(pilot, "match over"))
        await pilot.sees("[ Leave the seat ]")
        await pilot.sees("The end · undercover")  # at both sizes
        # There is nothing to send.
        await pilot.until(lambda: "^s" not in pilot.shown.splitlines()[-1])
        outcome = seat(pilot).client.table.outcome
        # Now that it is over: who was what, who won, and how the others voted.
        for place, role in enumerate(outcome.roles):
            assert re.search(
                rf" {place + 1}  Player {place + 1}( \(you\))?  {role}  \d credit", pilot.shown
            )
            assert (f"★  {place + 1} " in pilot.shown) == (place in outcome.winners)
        text = pane_text(seat(pilot), "#talk")
        assert "── ballot ──" in text
        assert len(re.findall(r"by .*\b[23]\b", text)) >= 1
        for there in (text, pilot.shown):
            assert "your word is" not in there.casefold()
        assert "Bea" not in text
        assert "Player 2 was Bea, a program (bayesian)" in pilot.shown
        assert "Player 3 was Rob, a program (random)" in pilot.shown
        await pilot.press("ctrl+s")
        assert pilot.toasts == ["The match is over: Enter presses [ Leave the seat ]."]
        await pilot.press("enter")  # nothing more will be asked
        await pilot.until(lambda: isinstance(pilot.app.screen, LiveScreen))
        await pilot.sees("✓ finished")
    assert value_in(SAVE, "clue") == '{"text":"a b"}'
    assert value_in(SAVE, "vote") == '{"reasoning":"so","suspect":2}'


@SIZES
async def test_a_person_reads_what_a_model_would_be_sent_and_nothing_else(
    size: tuple[int, int],
) -> None:
    async with asked_for_a_clue(size=size) as (pilot, _runner):
        table = table_of(SAVE, 1)
        prompt = render(table.game, table.view(table.seats[0]), "clue")
        talk = pane_text(seat(pilot), "#talk")
        if size[0] < WIDE:
            await pilot.press("f3")
            assert pilot.at_field == 0
        pane = "#talk" if size[0] < WIDE else "#rules"
        await pilot.until(lambda: "You are Player 1" in pane_text(seat(pilot), pane))
        there = pane_text(seat(pilot), pane).split()
        rules, question = prompt.system.split(), prompt.question.split()
        assert there[: len(rules)] == rules
        assert there[-len(question) :] == question
        own, other = (
            table.view(table.seats[place]).told("word")[0].record["word"] for place in (0, 1)
        )
        assert own != other
        for text in (" ".join(there), talk, pilot.shown):
            assert other not in text
            assert "Bea" not in text  # nor who sits where
        assert own in " ".join(there)
        assert own in talk
        # The question to a person is in sight beside the rules, while one writes.
        assert f"Give a clue about “{own}”" in pilot.shown
        assert "You are Player 1" in pilot.shown
        await pilot.press(*["pagedown"] * 4, "o")
        assert filled(pilot) == ["o"]
        if size[0] < WIDE:
            assert "You are Player 1" not in pilot.shown
            await pilot.press("f3")
            assert pane_text(seat(pilot), "#talk").split() == talk.split()


# --- Wrong entries


async def test_a_wrong_entry_is_answered_where_it_was_typed_and_can_be_put_right() -> None:
    async with asked_for_a_clue() as (pilot, runner):
        word = table_of(SAVE, 1).view(table_of(SAVE, 1).seats[0]).told("word")[0].record["word"]
        await sent(pilot, *word)
        await pilot.sees(f"✗ the clue names your word '{word}'")
        assert filled(pilot) == [word]
        assert pilot.at_field == 0
        await sent(pilot, *["backspace"] * len(word), "o", "h")
        await asked(pilot, "vote")
        assert "✗" not in pilot.shown
        await sent(pilot)
        await pilot.sees("✗ choose an option")
        assert "I suspect      ○  2  Player 2  ○  3  Player 3\n" in plain(
            pilot
        )  # the rules refuse a vote for oneself
        await sent(pilot, "1")
        assert filled(pilot) == [None, ""]
        await sent(pilot, "3")
        await pilot.sees("[ Leave the seat ]")
        assert runner.stats.faults == 0
    with Save(SAVE) as opened:
        assert {row.tries for row in opened.answers() if row.seat == 0} == {1}


async def test_hostile_text_that_is_pasted_steers_nothing() -> None:
    async with asked_for_a_clue() as (pilot, _runner):
        nasty = "\x1b[2Jgone\x07 \u202edrawkcab\x9b31m [bold]b[/]\nsecond"
        pilot.app.post_message(Paste(nasty))
        await pilot.until(lambda: "second" in str(filled(pilot)))
        assert filled(pilot) == ["[2Jgone drawkcab31m [bold]b[/] second"]
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(pilot.shown)
        await sent(pilot)
        await asked(pilot, "vote")
        assert "[bold]b[/]" in pane_text(seat(pilot), "#talk")
    assert value_in(SAVE, "clue") == '{"text":"[2Jgone drawkcab31m [bold]b[/] second"}'


async def test_keys_that_come_in_a_burst_reach_the_entries_they_were_meant_for() -> None:
    async with asked_for_a_clue() as (pilot, _runner):
        await sent(pilot, "x")
        await asked(pilot, "vote")
        for key in ("3", "enter", "h", "1", "enter", "enter"):
            pilot.app.post_message(Key(key, key if len(key) == 1 else None))
        await pilot.sees("[ Leave the seat ]")
    assert value_in(SAVE, "vote") == '{"reasoning":"h1","suspect":2}'


async def test_a_burst_of_keys_rubs_out_what_was_there_and_not_what_follows() -> None:
    async with asked_for_a_clue() as (pilot, _runner):
        for key in (*"abcdef", *["backspace"] * 6, *"gh", "left", *"ij"):
            pilot.app.post_message(Key(key, key if len(key) == 1 else None))
        await pilot.until(lambda: filled(pilot) == ["gijh"])


SPLIT = """
name = "split"
seed = 5

[[games]]
name = "cost_sharing"
limit = 1
lineup = ["Ann", "Bea", "Rob"]

[[agents]]
name = "Ann"
kind = "human"
""" + scripted(Bea="random", Rob="random")


def marked(pilot: Driven) -> list[str]:
    """The lines of the form at which the sign of the focus stands."""
    return [line for line in plain(pilot).splitlines() if line.startswith("▎")]


@SIZES
async def test_a_refusal_stands_at_its_field_which_keeps_the_focus(size: tuple[int, int]) -> None:
    async with watched(new_save(SAVE, SPLIT), size=size) as (pilot, _):
        await takes(pilot)
        await pilot.until(lambda: pilot.at_field == 0)
        await pilot.sees("together 0 of 100, 100 to go")
        await pilot.until(lambda: marked(pilot) == ["▎ my share, %"])
        await pilot.press(*"30", "enter", *"40", "ctrl+s")
        await pilot.until(lambda: marked(pilot) == ["▎ share of Player 3, %"])
        assert pilot.at_field == 2
        assert "together 70 of 100, 30 to go" in pilot.shown
        lines = plain(pilot).splitlines()
        assert lines[lines.index("▎ share of Player 3, %") + 1] == "✗ enter a value"
        await pilot.press(*"31", "enter", *"fair", "ctrl+s", sees="they must sum")
        assert pilot.at_field == 2
        assert "together 101 of 100, 1 too much" in pilot.shown
        await pilot.press("backspace", "0")
        assert "✗" not in pilot.shown
        assert "✓ together 100" in pilot.shown
        await pilot.press("enter", "enter")
        await pilot.until(lambda: marked(pilot) == ["▎  [ Send ]"])
        await pilot.press("up", "ctrl+s", sees="Your turn · votes")
    with Save(SAVE) as opened:
        values = [a.value for a in opened.answers_of(1) if (a.seat, a.kind) == (0, "propose")]
    assert values == ['{"reasoning":"fair","shares":[30,40,30]}']


async def test_who_waits_is_told_so_and_not_for_whom() -> None:
    save = new_save(SAVE, TWO)
    async with running(save), seated(save, "Bea") as bea, driven(save) as pilot:
        await takes(pilot)
        await pilot.sees("The others have their turn.")
        header, *_, footer = pilot.shown.splitlines()
        assert "… others' turn" in header
        assert footer.startswith(" … others' turn ")
        box = pilot.shown.partition("Not your turn")[2]
        assert not re.search(r"Player|\b[123]\b", box)
        await pilot.press("ctrl+s")
        await pilot.until(lambda: any("It is not your turn" in words for words in pilot.toasts))
        await bea.plays(1)  # Player 2 speaks first
        await asked(pilot, "clue")


async def test_the_end_is_whole_though_the_runner_has_gone_with_the_last_match() -> None:
    save = new_save(SAVE, ONE)
    watched = SaveView(save)
    client = SeatClient(watched, "Ann")
    try:
        async with running(save) as runner:
            for _ in range(2):
                async with asyncio.timeout(20):
                    while client.question is None:
                        await client.listen()
                        await asyncio.sleep(0.01)
                assert await client.answer(legal(save, client.question.match_ref)) is None
            async with asyncio.timeout(20):
                while runner.people.is_seated("Ann"):
                    await asyncio.sleep(0.01)
        await client.listen()
        assert client.is_over
        assert not client.seated
        assert client.table is not None
        assert client.table.outcome is not None
        assert client.prompt is None
    finally:
        client.close()
        watched.close()


# --- What stays hidden


HIDDEN = "People play in this match"


async def test_a_match_with_people_is_hidden_until_it_is_over_and_then_opens() -> None:
    async with watched(new_save(SAVE, ONE)) as (pilot, _):
        await pilot.until(lambda: HIDDEN in pane_text(pilot.live, "#talk"))
        await takes(pilot)
        await asked(pilot, "clue")
        await pilot.press("escape")
        await pilot.until(lambda: HIDDEN in pane_text(pilot.live, "#talk"))
        secrets = {
            event.record["word"] for event in table_of(SAVE, 1).events if event.kind == "word"
        }
        for key in ("3", "4", "5", "1"):
            await pilot.press(key)
            assert not any(word in pilot.shown for word in secrets)
            assert " P1" not in pilot.shown  # the seats it waits for could give roles away
        await pilot.press("o")
        assert any("cannot watch" in words for words in pilot.toasts)
        await pilot.press("r", at=ReplayScreen)
        assert not any(word in pilot.shown for word in secrets)
        assert HIDDEN in pane_text(pilot.app.screen, "#talk")
        await pilot.press("left", "left", "e", "escape")
        await pilot.press("e", "1")
        assert not list(SAVE.parent.glob("*.txt"))
        async with seated(SAVE, "Ann") as ann:
            await ann.plays(2)
        await pilot.press("2")
        await pilot.until(lambda: "▌" in pane_text(pilot.live, "#talk"))
        talk = pane_text(pilot.live, "#talk")
        assert any(f"“{word}”" in talk for word in secrets)


async def test_neither_the_players_nor_their_thoughts_are_shown_before_the_end() -> None:
    async with watched(new_save(SAVE, ONE)) as (pilot, _):
        await pilot.until(lambda: HIDDEN in pane_text(pilot.live, "#talk"))
        await pilot.press("4")
        assert "Player 1" not in pilot.shown
        await pilot.press("t")
        assert pilot.live
        assert any(HIDDEN in words for words in pilot.toasts)


async def test_a_complaint_goes_when_the_entry_is_put_right_where_it_was_typed() -> None:
    async with asked_for_a_clue() as (pilot, _runner):
        await sent(pilot, "space")
        await pilot.sees("the clue is blank")
        assert pilot.at_field == 0
        await pilot.press("x")
        await pilot.until(lambda: "the clue is blank" not in pilot.shown)


async def test_who_looks_on_sees_all_and_can_take_no_seat() -> None:
    async with watched(new_save(SAVE, ONE)) as (pilot, _):
        await pilot.press("o")
        await pilot.until(lambda: "┊ told “" in pane_text(pilot.live, "#talk"))
        await pilot.press("s")
        assert pilot.live
        assert any("Take the seat at another terminal" in words for words in pilot.toasts)


async def test_nothing_is_hidden_where_no_people_play() -> None:
    async with driven(await saved(SAVE, 30)) as pilot:
        assert "┊ told “" in pane_text(pilot.live, "#talk")
        await pilot.press("o")
        await pilot.press("s")
        assert any("No agent here is a person" in words for words in pilot.toasts)


# --- Several people, leaving and coming back


async def test_two_people_at_two_terminals_play_one_match() -> None:
    save = new_save(SAVE, TWO)
    async with running(save), driven(save) as one, driven(save) as two:

        async def play(pilot: Driven, option: str) -> None:
            await pilot.press("s", option, at=SeatScreen)
            await asked(pilot, "clue")
            await sent(pilot, "x", "y")
            await asked(pilot, "vote")
            await sent(pilot, "3")
            await pilot.sees("[ Leave the seat ]")

        await asyncio.gather(play(one, "1"), play(two, "2"))
        assert "Ann  ✓ match over   1  Player 1" in one.shown
        assert "Bea  ✓ match over   2  Player 2" in two.shown
    with Save(save) as opened:
        assert opened.progress().done
        assert {row.fault for row in opened.answers()} == {None}


async def test_a_seat_that_is_taken_is_shown_as_such_and_refused() -> None:
    save = new_save(SAVE, TWO)
    async with running(save), seated(save, "Ann"), driven(save) as pilot:
        await pilot.until(lambda: pilot.live.watched.live is not None)
        await pilot.press("s", sees=("Ann (taken at another terminal)", "Bea (free"))
        await pilot.press("1")
        await pilot.until(lambda: any("is taken at another terminal" in w for w in pilot.toasts))
        await pilot.until(lambda: isinstance(pilot.app.screen, LiveScreen))
        await pilot.press("s", "2", sees="Bea  ► your turn   2  Player 2")


async def test_one_who_leaves_finds_the_question_and_what_was_typed_for_it_alone_again() -> None:
    async with asked_for_a_clue() as (pilot, runner):
        await pilot.press("h", "a", "l", "f")
        await pilot.until(lambda: filled(pilot) == ["half"])
        await leaves(pilot, runner)
        before = answers_in(SAVE)
        await takes(pilot)
        await asked(pilot, "clue")
        assert answers_in(SAVE) == before
        assert filled(pilot) == ["half"]
        await sent(pilot, *["backspace"] * 4, "x")
        await asked(pilot, "vote")
        assert filled(pilot) == [None, ""]
        await pilot.press("2")
        await pilot.until(lambda: filled(pilot) == [0, ""])
        await leaves(pilot, runner)
        await takes(pilot)
        await asked(pilot, "vote")
        assert filled(pilot) == [0, ""]


async def test_a_seat_can_be_left_at_any_moment_also_while_its_form_is_laid_out() -> None:
    async with watched(new_save(SAVE, ONE)) as (pilot, _):
        for turns in (0, 4, 12):
            await takes(pilot)
            screen = seat(pilot)
            async with asyncio.timeout(20):
                while screen.client.question is None:  # as soon as it is known
                    await asyncio.sleep(0)
            for _ in range(turns):  # or so many turns of the loop later
                await asyncio.sleep(0)
            screen.action_rise()
            await pilot.until(lambda: isinstance(pilot.app.screen, LiveScreen))
        await takes(pilot)
        await asked(pilot, "clue")


async def test_closing_the_app_frees_the_seat() -> None:
    save = new_save(SAVE, ONE)
    async with running(save) as runner:
        async with driven(save) as pilot:
            await takes(pilot)
            await asked(pilot, "clue")
            assert runner.people.is_seated("Ann")
        again = Person(save, "Ann")
        async with asyncio.timeout(5):
            while runner.people.is_seated("Ann"):
                await asyncio.sleep(0.01)
        await again.sits()
        again.connection.close()


async def test_a_seat_and_what_was_typed_outlive_a_runner_and_wait_for_the_next_to_begin() -> None:
    save, let_end = new_save(SAVE, ONE), asyncio.Event()

    async def held() -> None:
        await let_end.wait()

    async with driven(save) as pilot:
        async with running(save) as runner:
            await takes(pilot)
            await asked(pilot, "clue")
            await pilot.press("h", "a")
            # It stops, takes its asks back, and still replies.
            runner._extra.append(asyncio.create_task(held()))
            runner.stop()
            await pilot.until(lambda: seat(pilot).watched.state == "stopping")
            await seat(pilot)._tick()
            assert filled(pilot) == ["ha"]
            let_end.set()
        await pilot.sees("Not running. F5 starts it.")
        await pilot.press("ctrl+s", sees="✗ is not running")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(PeopleMatches, "begin_more", lambda _self: None)
            async with running(save) as runner:
                await pilot.until(lambda: runner.people.is_seated("Ann"))
                await seat(pilot)._tick()
                assert filled(pilot) == ["ha"]
                patch.undo()
                runner._people_matches.begin_more()
                await pilot.until(lambda: bool(runner.people.open_asks("Ann")))
                await sent(pilot, "y")
                await asked(pilot, "vote")
    assert value_in(save, "clue") == '{"text":"hay"}'


async def test_a_question_that_is_withdrawn_for_a_moment_keeps_its_draft(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with asked_for_a_clue() as (pilot, runner):
        await pilot.press("h", "a")
        with monkeypatch.context() as withdrawn:
            withdrawn.setattr(runner.people, "open_asks", lambda _agent: [])
            await pilot.until(lambda: not filled(pilot))
        await asked(pilot, "clue")
        assert filled(pilot) == ["ha"]


async def test_a_runner_that_stops_leaves_the_form_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with asked_for_a_clue() as (pilot, runner):
        form = seat(pilot).filling
        await pilot.press("h", "a")
        with monkeypatch.context() as stopping:
            # Questions are withdrawn before the status ends.
            stopping.setattr(runner.people, "open_asks", lambda _agent: [])
            stopping.setattr(type(runner), "state", "stopping")
            client = seat(pilot).client
            await pilot.until(lambda: client.watched.state == "stopping")
            await pilot.pause()
            assert filled(pilot) == ["ha"]
        await asked(pilot, "clue")
        assert seat(pilot).filling is form


async def test_a_seat_where_nothing_runs_says_so_and_starts_a_runner() -> None:
    save = new_save(SAVE, ONE)
    async with driven(save) as pilot:
        await takes(pilot)
        await pilot.sees("Not running. F5 starts it.")
        try:
            await pilot.press("f5")
            await pilot.until(lambda: isinstance(seat(pilot).client.table, Table))
            await asked(pilot, "clue")
        finally:
            await asyncio.to_thread(end, save)


async def test_while_paused_the_answer_stays_in_the_form_until_it_goes_on() -> None:
    async with asked_for_a_clue() as (pilot, runner):
        runner.gate.close()
        await sent(pilot, "x")
        await pilot.sees("✗ the tournament is paused")
        assert filled(pilot) == ["x"]
        await pilot.press("f5")
        await pilot.until(lambda: runner.state == "running")
        await pilot.press("ctrl+s")
        await asked(pilot, "vote")


async def test_a_clock_is_shown_and_when_it_has_run_out_the_next_question_comes() -> None:
    async with asked_for_a_clue(ONE.replace('"human"', '"human"\nseconds = 300')) as (
        pilot,
        runner,
    ):
        assert re.search(r" (5:00|4:\d\d) left", pilot.shown)
        runner.people._time_out(next(iter(runner.people.waiting.values())))
        await asked(pilot, "vote")
        assert "(no clue)" in pane_text(seat(pilot), "#talk")


async def test_the_end_of_a_match_is_shown_before_the_next_one_begins() -> None:
    async with asked_for_a_clue(LONE) as (pilot, _runner):
        await sent(pilot, "x")
        await asked(pilot, "vote")
        await sent(pilot, "3")
        await pilot.sees("[ Continue ]")
        assert "match 1" in pilot.shown
        await pilot.press("enter")
        await asked(pilot, "clue")
        assert "match 2" in pilot.shown
