"""The side panes of reciprocity and investment: the feed of gossip, and how each player stands."""

from collections.abc import Sequence
from typing import Any

from parlour.games.engine.moves import player
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.models.save_view import Focus
from parlour.tui.views import side_pane as side


def focus(game: str, answers: Sequence[Sequence[dict[str, Any]]], **keys: object) -> Focus:
    """A match of two, after the given answers to its asks, each in the order of the asked seats."""
    played = find_game(game, "test")
    variant = played.variant.model_validate({"agents_per_match": 2, **keys})
    table = Table(played, played.make_setting(played.shipped()[0], variant), 2, 1)
    for given in answers:
        table.answer(dict(zip(table.waiting, given, strict=True)))
    match = StoredMatch(
        *(1, 0, 0, "key", game, "", "Ada vs Rob", ("Ada", "Rob"), (0, 1), 1),
        *(None, None),
    )
    return Focus(match, [], 0, table)


def feed(at: Focus, wanted: str = "") -> list[str]:
    assert side.names(at) == ("Gossip", "Players")
    return [line.plain for line in side.texts(at, 0, wanted)]


def standing(at: Focus) -> list[str]:
    return [line.plain for line in side.texts(at, 1)]


def test_reciprocity_shows_both_messages_and_what_is_untrue() -> None:
    at = focus(
        "reciprocity",
        [
            [{"action": "cooperate"}, {"action": "defect"}],
            [{"action": "cooperate"}, {"action": "cooperate"}],
            [
                {"tone": "mocking", "message": "took all"},
                {"tone": "complaint", "message": "gave nothing"},
            ],
        ],
        self_report=True,
    )
    assert feed(at) == [
        " 1 Player 1 about itself: cooperate",
        " 1 Player 2 about itself: cooperate  ✗ untrue",
        " 1 Player 1 → Player 2 mocking took all",
        " 1 Player 2 → Player 1 complaint gave nothing  ✗ untrue",
    ]
    assert feed(at, "by:1 tone:mock")[1:] == [" 1 Player 1 → Player 2 mocking took all"]
    # Nobody holds anything in this game: -1 and 5 are earned. One bad word about each.
    assert standing(at) == [
        "Player 1 Ada  earned -1",
        "   -1  -",
        "Player 2 Rob  earned 5",
        "   -1  -",
    ]


def test_investment_shows_amounts_and_judges_by_half_of_what_could_be_given() -> None:
    given = [
        [{"amount": 2.5}],
        [{"amount": 3.74}],
        [{"amount": 5}, {"amount": 3.74}],
        [{"tone": "praising", "message": "fair"}, {"tone": "praising", "message": "bold"}],
    ]
    at = focus("investment", given, self_report=True)
    investor = at.table.events[1].record["investor"]
    one, two = player(investor), player(1 - investor)
    # 2.5 of 5 is half; 3.74 of 7.5 is a little less.
    assert feed(at) == [
        f" 1 {one} about itself: gave 5  ✗ untrue",
        f" 1 {two} about itself: gave 3.74",
        f" 1 {one} → {two} praising fair  ✗ untrue",
        f" 1 {two} → {one} praising bold",
    ]
    # 5 - 2.5 + 3.74 and 5 + 7.5 - 3.74.
    held = {investor: "6.24", 1 - investor: "8.76"}
    assert [line for line in standing(at) if "holds" in line] == [
        f"Player 1 Ada  holds {held[0]}",
        f"Player 2 Rob  holds {held[1]}",
    ]


def test_gossip_about_a_responder_that_received_nothing_is_not_untrue() -> None:
    words = [{"tone": "criticism", "message": "kept all"}, {"tone": "criticism", "message": "no"}]
    at = focus("investment", [[{"amount": 0}], words])
    assert not any("untrue" in line for line in feed(at))


def test_under_public_monitoring_actions_stand_for_words() -> None:
    at = focus("investment", [[{"amount": 5}], [{"amount": 0}]], monitoring="public")
    investor = at.table.events[1].record["investor"]
    words = dict(zip((investor, 1 - investor), ("   +1  +", "   -1  -"), strict=True))
    assert [line for line in standing(at) if "holds" not in line] == [words[0], words[1]]
