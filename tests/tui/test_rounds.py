"""The side panes of cost sharing, the dilemma and public good, as they stand on the screen."""

from collections.abc import Sequence
from typing import Any

from parlour.games.engine.moves import player
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.models.save_view import Focus
from parlour.tui.views import side_pane as side


def focus(game: str, setting: int, answers: Sequence[dict[int, dict[str, Any]]]) -> Focus:
    """A match of a shipped setting, after the given answers to its asks."""
    played = find_game(game, "test")
    made = played.make_setting(played.shipped()[setting], played.variant())
    table = Table(played, made, 3, 1)
    for given in answers:
        table.answer(given)  # type: ignore[arg-type]
    match = StoredMatch(
        *(1, 0, setting, "key", game, "", "Ada vs Rob", ("Ada", "Rob", "Rob"), (0, 1, 2), 1),
        *(None, None),
    )
    return Focus(match, [], 0, table)


def shown(at: Focus) -> list[str]:
    return [line.plain for line in side.texts(at, 0)]


def choices(letters: str) -> dict[int, dict[str, Any]]:
    actions = {"C": "cooperate", "D": "defect"}
    return {seat: {"action": actions[letter]} for seat, letter in enumerate(letters)}


def test_a_dilemma_shows_choices_points_and_totals() -> None:
    at = focus("prisoners_dilemma", 0, [choices("CCC"), choices("DCC")])
    assert side.names(at) == ("Choices", "Players")
    # Points 2 / 1 / 4 / 2: all cooperate, all defect, the lone defector, two defectors.
    assert shown(at) == [
        "          P1      P2      P3",
        "   1     C 2     C 2     C 2",
        "   2     D 4     C 0     C 0",
        " sum       6       2       2",
        "",
        "Player 1 Ada",
        "Player 2 Rob",
        "Player 3 Rob",
    ]


def test_a_public_good_shows_contributions_pool_and_final_scores() -> None:
    rounds = [{0: {"amount": 10}, 1: {"amount": 40}, 2: {"amount": 10}}]
    at = focus("public_good", 4, rounds)
    assert side.names(at)[0] == "Pool"
    assert shown(at)[1:4] == [
        "   1      10      40      10",
        "left      90      60      90",
        "pool 60, × 2 at the end",
    ]
    nothing = {seat: {"amount": 0} for seat in range(3)}
    # 60 doubled is 120: 40 each.
    assert shown(focus("public_good", 4, [*rounds, *[nothing] * 4]))[6:9] == [
        "left      90      60      90",
        "pool 60, × 2 at the end",
        " end   130.0   100.0   130.0",
    ]


def test_a_negotiation_shows_each_rounds_splits_with_their_voters_and_the_agreement() -> None:
    def round_of(*splits: list[int], votes: str) -> list[dict[int, dict[str, Any]]]:
        proposals = [{seat: {"shares": split}} for seat, split in enumerate(splits)]
        named = {seat: {"proposer": player(int(v) - 1)} for seat, v in enumerate(votes)}
        return [*proposals, named]

    first = round_of([20, 40, 40], [40, 20, 40], [5, 5, 90], votes="111")[:3]
    first.append(
        {0: {"proposer": "Player 1"}, 1: {"proposer": "Player 2"}, 2: {"proposer": "Player 1"}}
    )
    at = focus("cost_sharing", 0, first)
    assert side.names(at)[0] == "Proposals"
    assert shown(at) == [
        "Round 1",
        "  P1  20 / 40 / 40  ◀ P1 P3",
        "  P2  40 / 20 / 40  ◀ P2",
        "  P3   5 /  5 / 90",
    ]
    # The same split twice: votes for either are votes for it.
    second = round_of([30, 30, 40], [30, 30, 40], [0, 0, 100], votes="122")
    assert shown(focus("cost_sharing", 0, [*first, *second]))[4:] == [
        "Round 2",
        "  P1  30 / 30 / 40  ◀ P1",
        "  P2  30 / 30 / 40  ◀ P2 P3",
        "  P3   0 /  0 / 100",
        "",
        "Agreed: 30 / 30 / 40",
    ]


def test_before_the_first_move_the_pane_says_so() -> None:
    assert shown(focus("public_good", 0, [])) == ["No moves yet."]


def test_chameleon_keeps_the_vote_graph() -> None:
    at = focus("chameleon", 0, [])
    assert side.names(at) == ("Votes", "Players")
    assert shown(at) == ["No votes yet."]
