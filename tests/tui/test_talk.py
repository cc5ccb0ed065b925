"""The talk pane: exact widths, the lines of each kind, hostile words, and games without a talk."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from rich.text import Text

from parlour.games.engine import talk
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Fault, FaultKind, Outcome, Seat
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import opened, play, sampled, saying, stumbling
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.look.palette import NIGHT, PLAIN
from parlour.tui.models.save_view import Focus
from parlour.tui.views.scene import AUDIENCE, Scene, scene_of
from parlour.tui.views.talk import cast_line, latest, talk_lines, tile_lines
from tests.hostile import PAYLOADS

NAMES = (
    *("Bea", "Clara", "Eva", "Gwen", "Iris", "Linus"),
    *("Otto", "Rowan", "Zoe", "Ada", "Finn", "Hugo"),
)
WIDTHS = [20, 34, 38, 44, 54, 58, 80, 120, 220]
GAMES = sorted(name for name, game in games().items() if game.name == name)
EVERY = pytest.mark.parametrize("name", GAMES)


def new_table(name: str, seed: int = 1, **keys: Any) -> Table:
    """A table of a game before its first answer."""
    game = games()[name]
    return opened(game, game.shipped()[0], game.variant(**keys), seed)


def scene(
    table: Table | None, agents: Sequence[str] | None = None, look: Look | None = None, **more: Any
) -> Scene:
    """A match of a table with its people."""
    who = tuple(agents or NAMES[: len(table.seats) if table else 3])
    match = StoredMatch(*(1, 0, 0, "key", "", "", "some match", who, (), 1), *(None, None))
    cast = Cast(tuple(dict.fromkeys((*NAMES, *who))), NIGHT)
    return scene_of(Focus(match, [], 0, table), cast, look or Look(), **more)


def answer(table: Table, seat: int, **fields: object) -> None:
    """Lets a seat answer."""
    table.answer({Seat(seat): fields})


def until(table: Table, kind: str) -> None:
    """Plays with samples until an ask of this kind is on the table."""
    while table.pending is not None and table.pending.kind != kind:
        table.answer({seat: sampled(table, seat) for seat in table.waiting})


def shown(at: Scene, width: int = 58, height: int = 24, **more: Any) -> list[str]:
    """The lines of the talk as plain text without blanks at their ends."""
    return [line.plain.rstrip() for line in talk_lines(at, width, height, **more)]


def showing(items: Sequence[talk.TalkItem], seats: int = 3) -> Table:
    """A table whose game tells exactly these items."""
    game = replace(games()["undercover"], talk=lambda _seats, _events, _outcome: tuple(items))
    table = new_table("undercover")
    table.game = game
    table.seats = tuple(map(Seat, range(seats)))
    return table


# --- Widths


@EVERY
def test_every_line_of_every_moment_is_exactly_as_wide_as_the_pane(name: str) -> None:
    table = new_table(name, seed=5)
    dice = Dice(7)
    while table.pending is not None:
        at = scene(table)
        width = dice.choice(WIDTHS)
        assert {line.cell_len for line in talk_lines(at, width, 24)} == {width}
        assert {line.cell_len for line in tile_lines(at, width, 9)} <= {width}
        seat = table.waiting[0]
        table.answer({seat: stumbling(table, seat)})
    for look in (Look(), Look(signs=PLAIN)):
        for width in WIDTHS:
            at = scene(table, look=look)
            for viewed in (at, replace(at, viewer=0)):
                for height in (9, 40):
                    assert {line.cell_len for line in talk_lines(viewed, width, height)} == {width}
            newest = latest(at, width)
            assert newest is not None
            assert newest.cell_len == cast_line(at, width).cell_len == width
            assert len(tile_lines(at, width, 5)) <= 5


ALL_KINDS: list[talk.TalkItem] = [
    talk.Heading("round 1", "· Player 1 meets Player 2"),
    talk.Note("so many players, so many rounds of one thing or another, all at once"),
    talk.Fact(Seat(0), ("Albatross Air", "60 flights", "5,400 passengers")),
    talk.Secret("told “surfing”", (Seat(0),)),
    talk.Said(Seat(0), "some words " * 9, Seat(0), "-", "complaint", true=False, reason="because"),
    talk.Aside("odd one yourself?", ((Seat(0), "yes"), (Seat(0), None), (Seat(0), Seat(0)))),
    talk.Ballot((talk.Vote(Seat(0), None, "no idea", "Player 1 declares itself"),), 12),
    talk.Approvals((talk.Vote(Seat(0), Seat(0), "mine"),), (Seat(0),), "1 of 1 for Player 1"),
    talk.Action(Seat(0), "sends 5 of 5", Seat(0), "+", 1.0, "-1 ▸ +5", "a reason"),
    talk.Action(Seat(0), "gives 20", share=0.2, result="keeps 80", short="20"),
    talk.Proposal(Seat(0), (100.0,), "all mine"),
    talk.Chosen(Seat(0)),
    talk.FaultLine(Seat(0), "gave no answer; the rules choose for it"),
    talk.Ending("Player 1 wins", ("the word was “golf”",)),
]


@pytest.mark.parametrize("seats", range(1, 13))
def test_each_kind_fits_any_width_for_any_number_of_players(seats: int) -> None:
    everyone = [talk.Said(Seat(seat), "hello") for seat in range(seats)]
    votes = tuple(talk.Vote(Seat(seat), Seat(0), "it said so") for seat in range(seats))
    answers = tuple((Seat(seat), "unsure") for seat in range(seats))
    items = [*ALL_KINDS, *everyone, talk.Ballot(votes, seats), talk.Aside("who is it?", answers)]
    items.append(talk.Secret("told “train”", tuple(map(Seat, range(seats)))))
    for agents in (NAMES[:seats], NAMES[:1] * seats, ("a very long name of some model",) * seats):
        at = scene(showing(items, seats), agents)
        for width in (*range(20, 64, 3), 120, 220):
            assert {line.cell_len for line in talk_lines(at, width, 50)} == {width}
            assert cast_line(at, width).cell_len == width
            assert {line.cell_len for line in tile_lines(at, width, 12)} <= {width}


# --- Contents


def test_clues_and_a_partial_ballot_are_read_as_a_conversation() -> None:
    table = new_table("impostor", seed=1)
    until(table, "clue")
    for words in ("Rudder and mainsheet", "On the water", "Balance helps", "No wind, no way"):
        (seat,) = table.waiting
        answer(table, seat, text=words)
    for _ in range(2):
        table.answer({seat: sampled(table, seat) for seat in table.waiting})
    answer(table, 0, reasoning="Player 3 only echoed", suspect="Player 3", confidence=0.5)
    answer(table, 2, reasoning="Too careful", suspect="Player 2", confidence=0.5)
    answer(table, 1, suspect="Player 3", confidence=1, self_declaration=True, word_guess="clock")
    at = scene(table, ("Clara", "Clara", "Gwen", "Clara"))
    names = " C1  Clara·1 ✓  C2  Clara·2 ✓  G3  Gwen ✓  C4  Clara·4 …"
    assert cast_line(at, 58).plain.rstrip() == names
    assert cast_line(at, 50).plain.rstrip() == " C1 ✓   C2 ✓   G3 ✓   C4 …"
    lines = shown(at)
    assert lines[0] == "four players, one clue each, then a secret ballot"
    words = table.setting
    assert f"┊ told “{words.majority_word}”  to C1 G3 C4" in lines
    assert f"┊ told “{words.impostor_word}”  to C2" in lines
    assert "── round 1 · clues ───────────────────────────────────────" in lines
    first = lines.index("     Rudder and mainsheet")
    assert lines[first - 1] == " C4  Clara·4"
    ballot = lines.index("── ballot ──────────────────────────────────── 3 of 4 in ─")
    assert lines[ballot:] == [
        "── ballot ──────────────────────────────────── 3 of 4 in ─",
        " G3  Gwen      ■ ■ □ □ 2                         by  C1 C2",
        " C2  Clara·2   ■ □ □ □ 1                            by  G3",
        "┊ C1 ▸ G3  Gwen only echoed",
        "┊ Clara·2 declares itself the impostor and says “clock”",
        "┊ G3 ▸ C2  Too careful",
        " C4  Clara·4  makes up its mind …",
    ]
    hidden = shown(at, why=False)
    assert "┊ G3 ▸ C2  Too careful" not in hidden
    assert "┊ Clara·2 declares itself the impostor and says “clock”" in hidden


def test_a_seat_reads_what_it_was_told_and_its_own_vote_in_sentences() -> None:
    table = new_table("chameleon", seed=1)
    until(table, "vote")
    for seat in table.waiting:
        others = [f"Player {other + 1}" for other in table.seats if other != seat]
        answer(table, seat, suspect=others[0], reasoning="so")
    known = [event.to[0] for event in table.events if event.kind == "word" and event.to]
    (odd,) = set(table.seats) - set(known)
    everything = shown(scene(table), 58)
    assert any(line.startswith("┊ told “you are the chameleon”  to ") for line in everything)
    assert any(line.startswith("┊ told “you are not the chameleon”  to ") for line in everything)
    for seat in table.seats:
        lines = shown(scene(table, viewer=seat), 58)
        assert ("┊ you are the chameleon" in lines) == (seat == odd)
        assert ("┊ you are not the chameleon" in lines) == (seat != odd)
        assert any(line.startswith("┊ your word is “") for line in lines) == (seat != odd)
        assert not any("┊ told" in line for line in lines)
        ballot = next(n for n, line in enumerate(lines) if line.startswith("── ballot ──"))
        assert lines[ballot].endswith(" votes of others hidden ─")
        assert "■" in lines[ballot + 1]
        assert "□" not in lines[ballot + 1]  # nor how many did not vote so


def test_team_mates_read_who_they_are() -> None:
    mates = [
        talk.Secret("told that Player 1 and Player 2 are a team", (Seat(0),), "Player 2 is yours")
    ]
    table = showing(mates)
    assert "┊ told that Bea and Clara are a team  to B" in shown(scene(table))
    assert "┊ Clara is yours" in shown(scene(table, viewer=0))


def test_speakers_stand_apart_where_there_is_room() -> None:
    table = new_table("undercover")
    until(table, "vote")
    at = scene(table)
    speakers = (" B  Bea", " C  Clara", " E  Eva")
    wide, narrow = shown(at, 56, 38), shown(at, 55, 38)
    low = shown(at, 56, 37)
    blank = [line == "" for line, below in pairwise(wide) if below in speakers]
    assert blank.count(True) == 4  # not after a heading, in two rounds of three clues
    for lines in (narrow, low):
        pairs = pairwise(lines)
        assert not any(not line and below in speakers for line, below in pairs)


def test_help_and_gossip_say_who_met_whom_and_what_was_untrue() -> None:
    table = new_table("donation", agents_per_match=2)
    (donor,) = table.waiting
    at = scene(table)
    people = ("Bea", "Clara")
    one, other = people[donor], people[1 - donor]
    assert shown(at)[-1] == f" {one[0]}  {one}  weighs whether to help …"
    answer(table, donor, action="cooperate")
    answer(table, 1 - donor, tone="mocking", message=f"Player {donor + 1} gave nothing")
    lines = shown(scene(table), 48)
    heading = f"── round 1 · {one} meets {other} ".ljust(48, "─")
    start = lines.index(heading)
    assert lines[start + 1] == f" {one[0]}  {one}   +  helps {other}".ljust(41) + "-1 ▸ +5"
    gossip = f" {other[0]}  {other}  on {one}   –  mocking"
    assert lines[start + 2] == gossip.ljust(40) + "✗ untrue"
    assert lines[start + 3] == f"    {one} gave nothing"


def test_choices_are_hidden_until_all_have_come() -> None:
    table = new_table("prisoners_dilemma", seed=2)
    table.answer({seat: {"action": "defect"} for seat in table.seats})
    answer(table, 0, action="cooperate")
    lines = shown(scene(table), 40)
    assert lines[-4:] == [
        "── round 2 ─────────────────────────────",
        " B  Bea  has chosen",
        " C  Clara  chooses …",
        " E  Eva  chooses …",
    ]
    assert " C  Clara   D   defects               +1" in lines


def test_amounts_have_bars() -> None:
    table = new_table("public_good")
    amounts: Mapping[Seat, object] = {
        Seat(0): {"amount": 50},
        Seat(1): {"amount": 0},
        Seat(2): {"amount": 100},
    }
    table.answer(amounts)
    lines = shown(scene(table))
    assert lines[4:7] == [
        " B  Bea    gives  50  ██████                     keeps  50",
        " C  Clara  gives   0                             keeps 100",
        " E  Eva    gives 100  ████████████               keeps   0",
    ]


def test_proposals_and_votes_stand_in_columns() -> None:
    table = new_table("cost_sharing")
    for shares in ((11, 25, 64), (13, 21, 66), (100, 0, 0)):
        answer(table, table.waiting[0], shares=shares)
    answer(table, 0, reasoning="It is mine", proposer="Player 1")
    answer(table, 2, reasoning="Fair, Player 1", proposer="Player 1")
    lines = shown(scene(table))
    assert lines[-7:] == [
        " B  Bea    proposes   B  11  C  25  E  64",
        " C  Clara  proposes   B  13  C  21  E  66",
        " E  Eva    proposes   B 100  C   0  E   0",
        "votes  B ▸ B   C ▸ …   E ▸ B                2 of 3 for Bea",
        "┊ B It is mine",
        "┊ E Fair, Bea",
        " C  Clara  weighs the proposals …",
    ]


def test_a_fault_is_shown_with_its_fallback() -> None:
    table = new_table("prisoners_dilemma")
    given: dict[Seat, object] = {seat: {"action": "cooperate"} for seat in table.seats}
    table.answer(given | {Seat(1): Fault(FaultKind.REFUSAL)})
    lines = talk_lines(scene(table), 58, 24)
    (fault,) = [line for line in lines if "declined to play" in line.plain]
    assert fault.plain.rstrip() == " C  Clara  ✗ declined to play; the rules choose for it"
    assert any(NIGHT.bad in str(span.style) for span in fault.spans)


def test_the_end_is_a_banner_with_winners_first() -> None:
    table = new_table("public_good", rounds=1)
    table.answer({seat: {"amount": 30 * seat} for seat in table.seats})
    at = scene(table)
    banner = talk_lines(at, 58, 24)[-4:]
    assert [line.plain.rstrip() for line in banner] == [
        "▌",
        "▌ Bea wins with 130 points",
        "▌ points  B ★ 130   C 100   E 70",
        "▌",
    ]
    assert all(f"on {NIGHT.raised}" in str(line.spans[0].style) for line in banner)
    assert cast_line(at, 58).plain.rstrip() == " B  Bea P1 ★   C  Clara P2     E  Eva P3"
    assert not any(line.startswith("▌") for line in shown(scene(table, viewer=0)))
    assert any(line.startswith("▌") for line in shown(scene(table, viewer=AUDIENCE)))


def test_where_nobody_wins_the_most_points_are_marked() -> None:
    table = new_table("reciprocity", agents_per_match=2)
    table.answer({Seat(0): {"action": "cooperate"}, Seat(1): {"action": "defect"}})
    gossip = {"tone": "neutral", "message": "met"}
    table.answer({Seat(0): gossip, Seat(1): gossip})
    lines = shown(scene(table))
    assert "▌ points  C ▲ 5   B -1" in lines
    assert "▌ every pair has met, and Clara earned most" in lines


def test_the_cast_gives_up_seats_then_names_then_gaps() -> None:
    table = new_table("reciprocity")
    widths = {width: cast_line(scene(table), width).plain.rstrip() for width in range(20, 80)}
    waiting = sorted(table.waiting)
    assert "Bea P1" in widths[79]
    assert " P1" not in widths[58]
    assert "Clara" in widths[58]
    assert "Clara" not in widths[38]
    for width in (79, 58, 38, 20):
        assert widths[width].count("…") == len(waiting)
    answer(table, waiting[0], action="defect")
    line = cast_line(scene(table), 40).plain
    assert (line.count("✓"), line.count("…")) == (1, 1)
    assert "✓" not in cast_line(scene(table, viewer=waiting[0]), 40).plain


def test_the_newest_is_said_in_one_line() -> None:
    table = new_table("prisoners_dilemma")
    assert (latest(scene(table), 40) or Text()).plain.split() == ["B", "Bea", "chooses", "…"]
    actions = ["cooperate", "defect", "cooperate"]
    table.answer({seat: {"action": actions[seat]} for seat in table.seats})
    answer(table, 0, action="defect")
    assert _latest(table) == "B C   C D   E C   round 1"
    table = new_table("undercover")
    answer(table, table.waiting[0], text="It rattles")
    assert _latest(table)[2:] == "  It rattles"
    table = new_table("cost_sharing")
    answer(table, 0, shares=(11, 25, 64))
    assert _latest(table) == " B  proposes B  11  C  25  E  64"
    table = new_table("donation", agents_per_match=2)
    donor = table.waiting[0]
    answer(table, donor, action="defect")
    assert _latest(table).endswith("  +0 ▸ +0")
    answer(table, 1 - donor, tone="complaint", message="nothing at all")
    assert _latest(table) == "every pair has met, and all have earned the same"


def _latest(table: Table) -> str:
    line = latest(scene(table), 60)
    assert line is not None
    return line.plain.rstrip()


def test_a_tile_begins_with_a_speaker() -> None:
    table = new_table("impostor")
    until(table, "vote")
    answer(table, 0, suspect="Player 3", confidence=0.5)
    at = scene(table)
    for height in range(4, 14):
        lines = [line.plain.rstrip() for line in tile_lines(at, 36, height)]
        assert len(lines) <= height
        assert lines[-1].endswith("makes up its mind …")
        assert lines[0][:1] not in {"", "┊"}
        assert not lines[0].startswith("    ")
    table = new_table("donation")
    (donor,) = table.waiting
    answer(table, donor, action="cooperate")
    answer(table, table.waiting[0], tone="praising", message="so very generous " * 8)
    lines = [line.plain.rstrip() for line in tile_lines(scene(table), 36, 8)]
    assert len(lines) == 3
    assert "  +  so very" in lines[0]
    assert lines[1].endswith("…")
    assert lines[2].endswith("weighs whether to help …")


def test_words_of_players_stay_as_written_if_the_reader_wants() -> None:
    said = talk.Said(Seat(0), "Player 2 and Player 9 lie")
    table = showing([said, talk.Note("Player 2 is out")])
    underlined = talk_lines(scene(table), 40, 24)[1]
    assert underlined.plain.rstrip() == "    Clara and Player 9 lie"
    assert any("underline" in str(span.style) for span in underlined.spans)
    lines = shown(scene(table, verbatim=True), 40)
    assert lines[1] == "    Player 2 and Player 9 lie"
    assert lines[2] == "Clara is out"


# --- What is not to be trusted


@EVERY
def test_hostile_words_are_seen_and_do_nothing(name: str) -> None:
    texts = [*PAYLOADS, "x" * 10_000, "宽" * 3_000, "a\n\n\nb\tc" * 40, "e\u0301\u0301\u0301" * 50]
    agents = PAYLOADS[7:40:3]
    for text in texts[:: 1 if name == "donation" else 9]:
        table = new_table(name, **games()[name].testing.test_variant)
        play(table, saying(text))
        at = scene(table, agents[: len(table.seats)])
        for width in (20, 58):
            lines = [*talk_lines(at, width, 24), *tile_lines(at, width, 6)]
            lines += [cast_line(at, width), latest(at, width) or Text(" " * width)]
            for line in lines:
                assert line.cell_len == width
                assert not strange(line.plain)


def strange(text: str) -> set[str]:
    """The characters of a text that control a terminal."""
    return {sign for sign in text if unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}


def test_markup_in_words_stays_text() -> None:
    table = showing([talk.Said(Seat(0), "[bold red]hi[/] [@click=app.quit]go[/]")])
    line = talk_lines(scene(table), 60, 24)[1]
    assert line.plain.strip() == "[bold red]hi[/] [@click=app.quit]go[/]"
    assert not any("click" in str(span.style) or "red" in str(span.style) for span in line.spans)


def _fails(*_: object) -> tuple[talk.TalkItem, ...]:
    raise ZeroDivisionError


def _odd(*_: object) -> tuple[talk.TalkItem, ...]:
    return (talk.Said(Seat(77), "from nowhere"),)


@pytest.mark.parametrize("talk", [lambda *_: (), _fails, _odd])
@EVERY
def test_a_game_without_a_talk_lists_its_events_with_names(name: str, talk: Any) -> None:
    table = new_table(name)
    table.game = replace(table.game, talk=talk)
    play(table, stumbling)
    at = scene(table)
    lines = talk_lines(at, 58, 24)
    text = " ".join(line.plain.strip() for line in lines)
    assert {line.cell_len for line in lines} == {58}
    assert "Player" not in text
    assert "Bea" in text
    assert "✗" in text
    ending = table.game.texts.endings[_outcome(table).ending]
    assert ending.split()[0] in text
    assert latest(at, 58) is not None


def _outcome(table: Table) -> Outcome:
    assert table.outcome is not None
    return table.outcome


def test_a_match_that_cannot_go_on_says_why() -> None:
    frozen = scene(new_table("undercover"))
    frozen.focus.match = replace(frozen.focus.match, frozen="its rules\nchanged")
    assert shown(frozen)[-1] == "✗ frozen, cannot continue: its rules changed"
    empty = scene(None)
    empty.focus.trouble = "the save is damaged"
    assert shown(empty) == ["✗ the save is damaged"]
    assert talk_lines(scene(None), 40, 9) == []
    assert latest(scene(None), 40) is None
    assert tile_lines(scene(None), 40, 9) == []


@EVERY
def test_everyone_sees_a_talk_of_what_it_was_told_alone(name: str) -> None:
    table = new_table(name)
    game: Game = table.game
    play(table)
    for seat in table.seats:
        text = " ".join(shown(scene(table, viewer=seat), 200))
        for secret in game.secrets(table.setting)[seat]:
            assert f"“{secret}”" not in text
    public = " ".join(shown(scene(table, viewer=AUDIENCE), 200))
    private = [event for event in table.events if event.kind == "word"]
    assert not any(f"told “{event.record['word']}”" in public for event in private)
