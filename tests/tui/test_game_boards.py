"""The boards of the nine games as the pane shows them, at every moment of a match."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from parlour.games.engine.moves import Seat, player
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.tournament.save.rows import StoredAnswer
from parlour.tui.look.look import Look
from parlour.tui.look.palette import NIGHT, PLAIN
from parlour.tui.views.boards.boards import board_title, small_board
from parlour.tui.views.scene import AUDIENCE
from tests.tui.boards import answer_next, new_table, plain, scene

GOSSIP = {"donation", "reciprocity", "investment"}
SHAPES = [(30, 18), (34, 33), (38, 20), (54, 33), (70, 40)]


@pytest.mark.parametrize("name", sorted(games()))
def test_every_moment_of_a_match_can_be_drawn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_moves(*_: object) -> None:
        raise AssertionError("the moves stand in for a board that cannot be drawn")

    monkeypatch.setattr("parlour.tui.views.boards.boards._moves", no_moves)
    keys = {"agents_per_match": 12} if name in GOSSIP else {}
    table, answers = new_table(name, **keys), 0
    while table.pending is not None:
        answer_next(table)
        answers += 1
        if name in GOSSIP and answers % 7 > 1:
            continue  # matches of twelve are long
        width, height = SHAPES[answers % len(SHAPES)]
        for viewer in (None, AUDIENCE, 0):
            assert plain(scene(table, viewer=viewer), width, height)
            small_board(scene(table, viewer=viewer), width, height)
    for width, height in SHAPES:
        for look in (Look(), Look(NIGHT, PLAIN)):
            assert plain(scene(table, look), width, height)


# --- Word games


def play_until(table: Table, kind: str) -> None:
    """Plays with legal samples up to an ask of a kind."""
    while table.pending is not None and table.pending.kind != kind:
        answer_next(table)


@pytest.mark.parametrize("name", ["impostor", "undercover", "chameleon"])
def test_a_ballot_is_shown_as_it_comes_in_and_the_role_once_it_is_over(name: str) -> None:
    table = new_table(name)
    text = "\n".join(plain(scene(table), 50, 33))
    assert "nobody has voted yet" in text
    assert board_title(scene(table)) == "Ballot"
    play_until(table, "vote")
    seats = len(table.seats)
    table.answer({Seat(1): {"suspect": player(0), "reasoning": ""}})
    lines = plain(scene(table), 50, 33)
    assert "┗━━━ 1 vote ━━━┛" in "\n".join(lines)
    assert "\n".join(lines).count("thinks …") == seats - 1
    # What has come in is for onlookers: no player and no audience is told before all have voted.
    for viewer in (AUDIENCE, 0):
        assert "vote" not in "\n".join(plain(scene(table, viewer=viewer), 50, 33)[:18]).replace(
            "nobody has voted yet", ""
        )
    special = table.game.scoring.special
    assert special not in "\n".join(lines)
    while table.pending is not None:
        answer_next(table)
    assert f"◆ {special}" in "\n".join(plain(scene(table), 50, 33))


def thought(seat: int, matrix: Any, target: int | None, words: str) -> StoredAnswer:
    notes = {"heard": 1, "analysis": words, "beliefs": matrix, "target": target}
    return StoredAnswer(1, seat, Seat(seat), "clue", 1, "{}", None, 1, notes, "")


def test_suspicions_are_those_of_the_probes_until_there_are_analyses() -> None:
    table = new_table("undercover")
    play_until(table, "beliefs")
    seats = range(3)
    for seat in seats:
        suspects = [{"viewer": player(v), "suspect": player((v + 1) % 3)} for v in seats]
        table.answer({Seat(seat): {"beliefs": suspects}})
    lines = plain(scene(table), 50, 33)
    at = lines.index("── who suspects whom ─────────────────────────────")
    assert [line.split()[2:] for line in lines[at + 2 : at + 5]] == [
        ["·", "▸", "·"],
        ["·", "·", "▸"],
        ["▸", "·", "·"],
    ]
    matrix = ((0.0, 0.8, 0.2), (0.3, 0.3, 0.4), (0.5, 0.5, 0.0))
    notes = [thought(0, matrix, 1, "Player 2 is odd. " + "Its clue fits nothing. " * 20)]
    shown = scene(table, notes=notes)
    lines = plain(shown, 50, 33)
    at = next(i for i, line in enumerate(lines) if line.startswith("── who suspects whom, % ─"))
    assert [line.split()[2:] for line in lines[at + 2 : at + 5]] == [
        ["·", "80", "20"],
        ["·", "·", "·"],
        ["·", "·", "·"],
    ]
    at = next(i for i, line in enumerate(lines) if line.startswith("── latest thought ─"))
    assert lines[at].endswith(" t all ─")
    assert lines[at + 1].startswith(" A  Rob is odd. Its clue")
    assert len(lines) == 33  # cut to what is left
    # A seat's thoughts are its own business for everybody but onlookers.
    for viewer in (AUDIENCE, 1):
        hidden = "\n".join(plain(scene(table, viewer=viewer, notes=notes), 50, 33))
        assert "thought" not in hidden
        assert "80" not in hidden


# --- Rounds


def after(game: str, setting: int, answers: Sequence[Mapping[int, Any]], **keys: object) -> Table:
    """A match of a shipped setting, after these answers to its asks."""
    table = new_table(game, setting, **keys)
    for given in answers:
        table.answer({Seat(seat): answer for seat, answer in given.items()})
    return table


def choices(letters: str) -> dict[int, dict[str, Any]]:
    actions = {"C": "cooperate", "D": "defect"}
    return {seat: {"action": actions[letter]} for seat, letter in enumerate(letters)}


def test_a_dilemma_shows_choices_points_totals_and_who_has_chosen() -> None:
    rounds = [choices("CCC"), choices("DCC"), {1: {"action": "defect"}}]
    # Points 2 / 1 / 4 / 2: all cooperate, all defect, the lone defector, two defectors.
    lines = plain(scene(after("prisoners_dilemma", 0, rounds)), 50, 33)
    assert lines[:8] == [
        "          1   2   3   4   5     total",
        " A  Ada   C   D   …                 6",
        "          +2  +4",
        " R  Rob   C   C   ✓                 2",
        "          +2  +0",
        " L  Lin   C   C   …                 2",
        "          +2  +0",
        "together 3/3 2/3",
    ]
    assert lines[9].startswith("── points so far ─")
    assert lines[10].startswith("6 ┤")
    assert lines[10].endswith(" A")
    assert lines[-3:] == [
        "── what a round pays ─────────────────────────────",
        " C   C   C   2 2 2        C   C   D   0 0 4",
        " C   D   D   0 2 2        D   D   D   1 1 1",
    ]


def test_a_dilemma_of_more_rounds_than_fit_shows_those_around_the_one_that_is_played() -> None:
    rounds = [choices("CDC")] * 20
    lines = plain(scene(after("prisoners_dilemma", 0, rounds, rounds=50)), 34, 20)
    assert [int(word) for word in lines[0].split()[:-1]] == [17, 18, 19, 20, 21]
    assert lines[1].split() == ["A", *"CCCC", "…", "0"]


def test_a_public_good_shows_sums_shares_and_what_the_pool_comes_to() -> None:
    first = {0: {"amount": 10}, 1: {"amount": 40}, 2: {"amount": 10}}
    lines = plain(scene(after("public_good", 4, [first])), 50, 33)
    assert board_title(scene(after("public_good", 4, []))) == "Pool"
    assert lines[0].startswith("── given in each round ─")
    assert lines[1].split() == ["60"]
    at = next(i for i, line in enumerate(lines) if line.startswith("── who gave, who kept ─"))
    assert lines[at - 2].split() == ["1", "2", "3", "4", "5"]
    rows = [line.split() for line in lines[at + 1 : at + 4]]
    # 60 doubled is 120: 40 each.
    assert [(row[1], row[2], row[-3], row[-1]) for row in rows] == [
        ("Ada", "10", "90", "130.0"),
        ("Rob", "40", "60", "100.0"),
        ("Lin", "10", "90", "130.0"),
    ]
    assert lines[at + 5] == "pool 60 × 2 = 120 · 40.0 back to each"


def test_promises_beyond_all_points_can_be_drawn() -> None:
    first = {0: {"amount": 1_000_000}, 1: {"amount": 0}, 2: {"amount": 0}}
    text = "\n".join(plain(scene(after("public_good", 4, [first])), 50, 33))
    assert "1M" in text
    assert "pool 1,000,000 × 2 = 2,000,000" in text


def splits(*parts: Sequence[int]) -> list[dict[int, Any]]:
    return [{seat: {"shares": list(split)}} for seat, split in enumerate(parts)]


def votes(proposers: str) -> dict[int, dict[str, Any]]:
    return {seat: {"proposer": player(int(one) - 1)} for seat, one in enumerate(proposers)}


def test_a_negotiation_shows_splits_voters_the_agreement_and_the_use() -> None:
    first = [*splits([20, 40, 40], [40, 20, 40], [5, 5, 90]), votes("121")]
    lines = plain(scene(after("cost_sharing", 0, first)), 50, 33)
    assert lines[0].split()[0] == "use"
    assert lines[0].endswith("by use")
    assert lines[1].split() == ["╵", "╵"]
    assert lines[2].startswith("── round 1 ─")
    assert lines[2].endswith("─ 2 of 3 agree ─")
    assert [line.split("◄")[0].split() for line in lines[3:6]] == [
        ["A", "20", "40", "40"],
        ["R", "40", "20", "40"],
        ["L", "5", "5", "90"],
    ]
    assert [line.split("◄")[1:] for line in lines[3:6]] == [[" A L"], [" R"], []]
    use = [int(part) for part in lines[0].split()[1:4]]
    asked = [line.split() for line in lines[8:11]]
    assert [int(row[3]) for row in asked] == use
    assert [row[6] for row in asked] == ["20", "20", "90"]
    # The same split twice: votes for either are votes for it.
    second = [*splits([30, 30, 40], [30, 30, 40], [0, 0, 100]), votes("122")]
    lines = plain(scene(after("cost_sharing", 0, [*first, *second])), 50, 33)
    assert lines[6].endswith("─ 3 of 3 agree ─")
    assert "Agreed: 30 / 30 / 40" in lines


def test_votes_for_a_split_are_shown_as_they_come_in() -> None:
    first = splits([20, 40, 40], [40, 20, 40], [5, 5, 90])
    lines = plain(scene(after("cost_sharing", 0, first)), 50, 33)
    assert lines[2].endswith("─ no vote yet ─")
    begun = after("cost_sharing", 0, [*first, {2: {"proposer": "Player 1"}}])
    lines = plain(scene(begun), 50, 33)
    assert lines[2].endswith("─ 1 of 3 agree ─")
    assert lines[3].endswith("◄ L")


def test_of_many_rounds_the_newest_are_shown() -> None:
    one = [*splits([20, 40, 40], [40, 20, 40], [5, 5, 90]), votes("123")]
    lines = plain(scene(after("cost_sharing", 0, one * 9, rounds=20)), 50, 20)
    assert len(lines) <= 20
    assert lines[2] == "6 earlier rounds"
    rules = [line for line in lines if line.startswith("── round")]
    assert [line.split()[2] for line in rules] == ["7", "8", "9"]


# --- Gossip games


def pair(game: str, answers: Sequence[Sequence[dict[str, Any]]], **keys: object) -> Table:
    """A match of two, after these answers to its asks, each in the order of the asked seats."""
    table = new_table(game, agents_per_match=2, **keys)
    for given in answers:
        table.answer(dict(zip(table.waiting, given, strict=True)))
    return table


def feed(table: Table) -> list[str]:
    lines = plain(scene(table), 50, 33)
    at = next(i for i, line in enumerate(lines) if line.startswith("── gossip"))
    return lines[at + 1 :]


def test_reciprocity_shows_help_earnings_and_untrue_words() -> None:
    answers = [
        [{"action": "cooperate"}, {"action": "defect"}],
        [{"action": "cooperate"}, {"action": "cooperate"}],
        [
            {"tone": "mocking", "message": "took all"},
            {"tone": "complaint", "message": "gave nothing"},
        ],
    ]
    table = pair("reciprocity", answers, self_report=True)
    lines = plain(scene(table), 50, 33)
    assert board_title(scene(table)) == "Who helped whom"
    # Nobody holds anything in this game: -1 and 5 are earned. One bad word about each.
    assert [line.split() for line in lines[:3]] == [
        ["gave", "to", "A", "R", "earned", "said"],
        ["A", "Ada", "·", "+", "-1", "–"],
        ["R", "Rob", "–", "·", "█" * 21, "5", "–"],
    ]
    assert lines[4] == "met 1/1    helped 1/2    untrue 2/4"
    assert feed(table) == [
        " 1 R▸A  – ✗gave nothing",
        " 1 A▸R  –  took all",
        " 1 R▸R  · ✗about itself: cooperate",
        " 1 A▸A  ·  about itself: cooperate",
    ]


def test_investment_shows_percentages_and_judges_by_half_of_what_could_be_given() -> None:
    given = [
        [{"amount": 2.5}],
        [{"amount": 3.74}],
        [{"amount": 5}, {"amount": 3.74}],
        [{"tone": "praising", "message": "fair"}, {"tone": "praising", "message": "bold"}],
    ]
    table = pair("investment", given, self_report=True)
    assert board_title(scene(table)) == "Who trusted whom"
    investor = table.events[1].record["investor"]
    one, two = ("A", "R") if investor == 0 else ("R", "A")
    # 2.5 of 5 is half; 3.74 of 7.5 is a little less.
    assert feed(table) == [
        f" 1 {two}▸{one}  +  bold",
        f" 1 {one}▸{two}  + ✗fair",
        f" 1 {two}▸{two}  ·  about itself: gave 3.74",
        f" 1 {one}▸{one}  · ✗about itself: gave 5",
    ]
    lines = plain(scene(table), 50, 33)
    rows = {line.split()[0]: line.split() for line in lines[1:3]}
    assert "50" in rows[one]
    # 5 - 2.5 + 3.74 and 5 + 7.5 - 3.74, and each has a good word.
    assert rows[one][-2:] == ["6.2", "+"]
    assert rows[two][-2:] == ["8.8", "+"]


def test_gossip_about_a_responder_that_received_nothing_is_not_untrue() -> None:
    words = [{"tone": "criticism", "message": "kept all"}, {"tone": "criticism", "message": "no"}]
    assert "✗" not in "".join(feed(pair("investment", [[{"amount": 0}], words])))


def test_those_who_meet_are_marked_until_they_have_acted() -> None:
    table = new_table("donation", agents_per_match=6)
    lines = plain(scene(table), 50, 33)
    assert sum(line.count("…") for line in lines[:7]) == 2
    boxes = "\n".join(lines)
    assert boxes.count("┏") == boxes.count("┛") == 2
    assert boxes.count("╭") == 4
    answer_next(table)
    assert "┏" not in "\n".join(plain(scene(table), 50, 33))  # now there is gossip
    # Large tables and low panes have no ring.
    for more, height in (({"agents_per_match": 9}, 40), ({"agents_per_match": 6}, 22)):
        low = plain(scene(new_table("donation", **more)), 50, height)
        assert "╭" not in "".join(low)


def test_under_public_monitoring_actions_stand_for_words() -> None:
    table = pair("investment", [[{"amount": 5}], [{"amount": 0}]], monitoring="public")
    investor = table.events[1].record["investor"]
    signs = [line.split()[-1] for line in plain(scene(table), 50, 33)[1:3]]
    assert signs == (["+", "–"] if investor == 0 else ["–", "+"])
