"""Groups of agents that never met: when they are noted, and how."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from parlour.games.engine.game import BUILT_IN
from parlour.ratings.reports.leaderboard import Leaderboard
from parlour.ratings.reports.leaderboard_report import footnotes, leaderboard_report
from parlour.ratings.reports.never_met import NeverMet, never_met_sentences
from parlour.ratings.reports.ranking import leaderboard, leaderboard_by_condition
from parlour.ratings.reports.writers import as_json
from parlour.site.site import Site
from parlour.site.source import read_source
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.save.merging.merge import merge_saves
from parlour.tournament.save.reader import Save
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.models.standings import Standings
from parlour.tui.views.leaderboard import LeaderboardState, warnings
from tests.ratings.records import numbered, undercover
from tests.tournaments import SMALL, finished, printed

TWO = (NeverMet(None, (("a", "b"), ("x", "y"))),)


def board(*matches: str) -> Leaderboard:
    """The leaderboard of matches of undercover, whose seats are given by letter."""
    return leaderboard(numbered(undercover(agents) for agents in matches))


def test_agents_that_share_no_match_are_groups_until_one_match_joins_them() -> None:
    assert board("xyx", "aba").never_met == TWO
    assert board("xyx", "aba", "xax").never_met == ()
    assert board("xyx", "aba", "xcx", "aca").never_met == ()  # over a common opponent
    assert board("xyx", "aba", "xcx").never_met == (NeverMet(None, (("c", "x", "y"), ("a", "b"))),)
    # Seats that the rules play are a common opponent; an agent that nothing rates is in no group.
    matches = [undercover(("x", BUILT_IN, "x")), undercover(("a", BUILT_IN, "a"))]
    assert leaderboard(numbered(matches)).never_met == board("xyx", "zzz").never_met == ()


def test_a_game_is_noted_where_it_alone_is_split(other_game: str) -> None:
    joined = [*map(undercover, ("xyx", "aba", "xax"))]
    split = [undercover(agents, game=other_game) for agents in ("xyx", "aba")]
    (noted,) = leaderboard(numbered([*joined, *split])).never_met
    assert noted == replace(TWO[0], game=other_game)
    assert noted.sentence.startswith(f"In {other_game}, 2 groups of agents have not met")
    # What is so of all games together is not repeated for each.
    everywhere = numbered([*map(undercover, ("xyx", "aba")), *split])
    assert leaderboard(everywhere).never_met == TWO
    # A game in which fewer agents play is not split further.
    smaller = numbered([*map(undercover, ("xyx", "aba")), undercover("xyx", game=other_game)])
    assert leaderboard(smaller).never_met == TWO


def test_each_condition_has_groups_of_its_own() -> None:
    seated = ("xyx", "aba", "xax")
    joined = [undercover(agents, condition="rounds=1") for agents in seated]
    split = [undercover(agents, condition="rounds=2") for agents in seated[:2]]
    every = numbered([*joined, *split])
    assert leaderboard(every).never_met == ()
    (noted,) = leaderboard_by_condition(every).never_met
    assert (noted.game, noted.condition, noted.groups) == ("undercover", "rounds=2", TWO[0].groups)
    assert "In undercover (rounds=2), 2 groups" in noted.sentence


def test_a_sentence_names_the_first_of_many_groups_and_agents() -> None:
    many = NeverMet(None, (tuple("abcdef"), *((name,) for name in ("u\x1b[2J", *"vwxyz"))))
    assert ": a, b, c, d and 2 more | u[2J | v | w | and 3 more. Ranks" in many.sentence
    assert many.sentence.startswith("7 groups")
    said = never_met_sentences([replace(many, game=str(number)) for number in range(5)])
    assert [sentence[:5] for sentence in said] == ["In 0,", "In 1,", "In 2,", "So it"]
    assert "2 times more" in said[-1]
    assert never_met_sentences([]) == []


def test_a_stored_leaderboard_keeps_the_groups() -> None:
    made = board("xyx", "aba")
    assert Leaderboard.from_json(made.to_json()) == made
    body = json.loads(as_json(leaderboard_report(made, "overall")))
    assert body["never_met"] == [{"game": None, "groups": [["a", "b"], ["x", "y"]],
                                  "condition": None}]  # fmt: skip
    assert TWO[0].sentence in footnotes(made)
    assert not any("have not met" in note for note in footnotes(board("xyx")))


def named(*pairs: tuple[str, str], seed: int) -> str:
    """The file of a tournament with other agents, or only two, and another seed."""
    text = SMALL.replace("seed = 7", f"seed = {seed}")
    for old, new in pairs:
        text = text.replace(f'"{old}"', f'"{new}"')
    return text


@pytest.fixture(scope="module")
def saves(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Tournaments of three agents, of three others, and of two of the first and one other."""
    texts = [
        SMALL,
        named(("Ada", "Bea"), ("Rob", "Kim"), ("Lin", "Tom"), seed=8),
        named(("Rob", "Kim"), seed=9),
    ]
    return [finished(tmp_path_factory.mktemp("save"), text) for text in texts]


def test_a_merged_save_says_so_wherever_its_leaderboard_is_shown(
    saves: list[Path], tmp_path: Path
) -> None:
    apart = tmp_path / "apart.db"
    merge_saves(apart, saves[:2])
    said = "2 groups of agents have not met, not even over common opponents: Ada, Lin, Rob | Bea"
    assert said in printed("leaderboard", apart, cwd=tmp_path)
    assert said in (Site(read_source(apart)).page("method/") or b"").decode()
    standings = Standings(apart)
    assert standings.refresh()
    look = Look()
    state = LeaderboardState(Cast([], look.palette), look, standings.board)
    assert said in " ".join(line.plain for line in warnings(state, 160))
    standings.close()


def test_a_third_save_with_agents_of_both_joins_them(saves: list[Path], tmp_path: Path) -> None:
    joined = tmp_path / "joined.db"
    merge_saves(joined, saves)
    with Save(joined) as save:
        assert current_leaderboard(save).never_met == ()
    assert b"have not met" not in (Site(read_source(joined)).page("method/") or b"")
