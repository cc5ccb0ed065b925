"""The view head-to-head: the same figures in each form, and refusals in one line."""

from pathlib import Path

from tests.tournaments import parlour, printed

SAVE = "saves/small.db"


def test_the_table_has_everybody_against_everybody(folder: Path) -> None:
    text = printed("leaderboard", SAVE, "--view=head-to-head", cwd=folder)
    titles, _, *rows = [line.split() for line in text.strip().splitlines()]
    # Three agents; each line has a number, a name, and either "·" or a share and its matches.
    assert titles[:2] == ["#", "Agent"]
    assert sorted(titles[3::2]) == ["Ada", "Lin", "Rob"]
    assert [row[1] for row in rows[:3]] == titles[3::2]
    assert [row.count("·") for row in rows[:3]] == [1, 1, 1]
    assert "all games with winners" in text


def test_an_unknown_game_is_refused_in_one_line(folder: Path) -> None:
    done = parlour("leaderboard", SAVE, "--view=head-to-head", "--game", "chess", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("parlour: --game: unknown game 'chess'")
    assert done.stderr.count("\n") == 1
