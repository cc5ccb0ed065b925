"""Belief matrices: the paper's own figures, and verdicts and matrices of every form."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.agents.llm import pgm
from parlour.agents.llm.pgm import Matrix

P1, P2, P3 = 0, 1, 2


def places(row: tuple[float, ...]) -> list[float]:
    return [round(value, 3) for value in row]


def verdict(viewer: str, about: str, said: object) -> dict[str, object]:
    return {"viewer": viewer, "about": about, "verdict": said}


def test_a_player_starts_sure_of_itself_and_even_about_all_else() -> None:
    third = [0.333, 0.333, 0.333]
    assert [places(row) for row in pgm.start(3, P1)] == [[0, 0.5, 0.5], third, third]
    assert [places(row) for row in pgm.start(3, P3)] == [third, third, [0.5, 0.5, 0]]
    four = pgm.start(4, 1)
    even = [0.25] * 4
    assert [places(row) for row in four] == [even, [0.333, 0, 0.333, 0.333], even, even]


def test_the_figures_of_the_paper_come_out() -> None:
    first = pgm.updated(pgm.start(3, P1), {(P1, P2): -1, (P1, P3): 0, (P3, P1): 1, (P3, P2): -1})
    assert places(first[P1]) == [0.237, 0.372, 0.391]
    assert places(first[P2]) == [0.333, 0.333, 0.333]
    assert places(first[P3]) == [0.345, 0.322, 0.333]
    second = pgm.updated(first, {(P1, P2): -1})
    assert places(second[P1]) == [0.306, 0.337, 0.357]
    third = pgm.updated(second, {(P1, P2): 1})
    assert places(third[P1]) == [0.321, 0.342, 0.337]


def test_an_analysis_without_a_verdict_still_evens_the_rows_out() -> None:
    # softmax(0, .5, .5) = 1, 1.6487, 1.6487 over 4.2974: figure 5, GPT-4 after the first clue.
    assert places(pgm.updated(pgm.start(3, P1), {})[P1]) == [0.233, 0.384, 0.384]


def test_the_own_row_of_a_chameleon_is_one_on_itself_whatever_it_says() -> None:
    start = pgm.start(3, P2, knows=True)
    assert start[P2] == (0, 1, 0)
    updated = pgm.updated(start, {(P2, P2): -1, (P2, P1): 1, (P1, P2): 1}, fixed=P2)
    assert updated[P2] == (0, 1, 0)
    assert places(updated[P1]) == [0.33, 0.341, 0.33]  # softmax(⅓, ⅓ · 1.1, ⅓)
    rows = [[1, 1, 2], [5, 5, 0], [0, 0, 3]]
    assert pgm.asked_for(start, rows, fixed=P2) == ((0.25, 0.25, 0.5), (0, 1, 0), (0, 0, 1))


FACTORS = {
    **{"more": 1, "less": -1, "no change": 0, "MORE": 1, " Less ": -1, "Less.": -1},
    **{"more suspicious, because of the clue": 1, "no more than before": 0, "slightly more": 0},
    **{"moreover": 0, "unchanged": 0, "": 0, "   ": 0},
}


def test_the_first_word_of_a_verdict_counts() -> None:
    for said, factor in FACTORS.items():
        verdicts = [verdict("Player 1", "Player 2", said)]
        assert pgm.factors(verdicts, 3) == {(P1, P2): factor}, said
    # Names are read in any case and spacing.
    assert pgm.factors([verdict(" player  2", "PLAYER 3", "more")], 3) == {(P2, P3): 1}
    # Verdicts that contradict each other do not count, and the same one counts once.
    more, less = (verdict("Player 1", "Player 2", said) for said in ("more", "less"))
    assert pgm.factors([more, less], 3) == {(P1, P2): 0}
    assert pgm.factors([more, more], 3) == {(P1, P2): 1}


@pytest.mark.parametrize(
    "entry",
    [
        *(verdict(name, "Player 2", "more") for name in ("Player 4", "the chameleon", "1")),
        verdict("Player 1", "Player 0", "more"),
        *(verdict("Player 1", "Player 2", said) for said in (1, None)),
        {"viewer": "Player 1", "verdict": "more"},
        *("Player 1 is more suspicious", ["Player 1", "Player 2", "more"], None, 7),
    ],
)
def test_an_entry_that_says_nothing_about_a_player_at_the_table_is_passed_over(
    entry: object,
) -> None:
    good = verdict("Player 3", "Player 1", "less")
    assert pgm.factors([entry, good, entry], 3) == {(P3, P1): -1}


def test_rows_that_are_asked_for_are_divided_by_their_sum() -> None:
    rows = [[0.3, 0.2, 0.5], [10, 40, 50], [0, 0, 0.2]]
    given = pgm.asked_for(pgm.start(3, P1), rows)
    assert given == ((0.3, 0.2, 0.5), (0.1, 0.4, 0.5), (0, 0, 1))


ODD_ROWS = [
    *([1, 1], [1, 1, 1, 1], [0, 0, 0], [0.5, 0.7, -0.2], ["0.3", "0.3", "0.4"]),
    *([True, False, False], [None, 0.5, 0.5], [float("nan"), 0.5, 0.5], [float("inf"), 0, 0]),
    *([10**400, 1, 1], [1e-320, 0, 0], {"Player 1": 1}, "1 0 0", None),
]


def test_what_is_no_row_matrix_or_list_of_verdicts_changes_nothing() -> None:
    before = pgm.start(3, P1)
    for row in ODD_ROWS:
        after = pgm.asked_for(before, [row, [1, 1, 2], row])
        assert after == (before[0], (0.25, 0.25, 0.5), before[2]), row
    for rows in (None, [], [[1, 0, 0]] * 2, [[1, 0, 0]] * 4, "[[1]]", {"0": []}):
        assert pgm.asked_for(before, rows) == before
    for verdicts in (None, "more", {"Player 1": "more"}, 3, []):
        assert pgm.factors(verdicts, 3) == {}


def test_the_target_is_the_most_suspected_in_the_own_row() -> None:
    beliefs: Matrix = ((0.3, 0.3, 0.4), (0.1, 0.8, 0.1), (0.1, 0.8, 0.1))
    assert pgm.target(beliefs, P1) == P3
    assert pgm.target(pgm.start(3, P1), P1) is None
    assert not pgm.suspects_itself(beliefs, P1)
    assert not pgm.suspects_itself(pgm.start(3, P1), P1)


def test_whoever_takes_itself_for_the_odd_one_wants_the_trust_of_who_suspects_it_least() -> None:
    # Player 1 suspects Player 2 by .5, Player 3 by .4.
    beliefs: Matrix = ((0.3, 0.5, 0.2), (0, 1, 0), (0.5, 0.4, 0.1))
    assert pgm.target(beliefs, P2, knows=True) == P3
    assert pgm.target(beliefs, P2) == P3
    assert pgm.target(pgm.start(3, P2, knows=True), P2, knows=True) is None


def test_who_is_told_no_role_starts_even_and_can_come_to_suspect_itself() -> None:
    third = (0.333333,) * 3
    before = pgm.start(3, P1, roles_told=False)
    assert before == (third,) * 3
    said = pgm.factors([verdict("Player 1", "Player 1", "more")], 3)
    after = pgm.updated(pgm.updated(before, said), said)
    assert after[P1][P1] > max(after[P1][P2], after[P1][P3])
    assert pgm.suspects_itself(after, P1)


def test_analyses_without_news_do_not_move_a_matrix() -> None:
    first = pgm.updated(pgm.start(3, P1), {(P1, P2): -1, (P3, P2): 1})
    quiet = pgm.updated(pgm.updated(first, {}), {(P1, P2): 0, (P2, P3): 0})
    assert quiet == first
    # Only the row with news moves, and later news come to the same however often nothing was new.
    news = {(P1, P3): 1}
    assert pgm.updated(quiet, news) == pgm.updated(first, news)
    assert pgm.updated(quiet, news)[1:] == first[1:]


def test_a_matrix_reads_back_from_notes_as_it_was() -> None:
    beliefs = pgm.updated(pgm.start(3, P1), {(P1, P2): -1})
    noted: Any = json.loads(json.dumps(beliefs))
    assert pgm.read_matrix(noted, 3) == beliefs
    for odd in (None, [], noted[:2], [[0.5, 0.5]] * 3, [["x"] * 3] * 3, [[2, 0, 0]] * 3):
        with pytest.raises(ValueError, match="no 3 × 3 matrix"):
            pgm.read_matrix(odd, 3)


leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
keys = st.sampled_from(["viewer", "about", "verdict", "x"])
words = st.sampled_from(["Player 1", "more"])
anything = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner | words),
    max_leaves=12,
)


@given(anything, st.integers(3, 4))
def test_whatever_a_model_writes_each_row_stays_one(written: object, players: int) -> None:
    before = pgm.start(players, 1)
    for matrix in (
        pgm.updated(before, pgm.factors(written, players)),
        pgm.asked_for(before, written),
    ):
        assert len(matrix) == players
        for row in matrix:
            assert sum(row) == pytest.approx(1, abs=1e-5)
            assert all(0 <= value <= 1 for value in row)
