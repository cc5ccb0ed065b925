"""The view head-to-head: the same figures in each form, and refusals in one line."""

import csv
import io
import json
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


def test_csv_and_json_say_the_same_and_both_sides_of_a_pair_add_up(folder: Path) -> None:
    body = json.loads(
        printed("leaderboard", SAVE, "--view=head-to-head", "--format", "json", cwd=folder)
    )
    words = ("leaderboard", SAVE, "--view=head-to-head", "--game=undercover", "--format=csv")
    text = printed(*words, cwd=folder)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert body["game"] is None
    assert {row["game"] for row in rows} == {"undercover"}
    # Undercover is all there is, so that it is also the whole.
    shares = {(row["agent"], row["other"]): float(row["share"]) for row in rows}
    assert shares == {(p["agent"], p["other"]): p["share"] for p in body["pairs"]}
    assert len(shares) == 6
    assert all(abs(shares[one, other] + shares[other, one] - 1) < 1e-9 for one, other in shares)
    # 12 matches, each of one pairing in both seats: 4 a pairing.
    assert {row["n"] for row in rows} == {"4"}


def test_a_form_goes_into_a_file(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "matrix.tex"
    words = ("leaderboard", SAVE, "--view=head-to-head", "--format", "latex", "--out", str(target))
    assert printed(*words, cwd=folder) == f"Written: {target}\n"
    assert target.read_text(encoding="utf-8").startswith(r"\begin{tabular}{lllll}")


def test_an_unknown_game_is_refused_in_one_line(folder: Path) -> None:
    done = parlour("leaderboard", SAVE, "--view=head-to-head", "--game", "chess", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("parlour: --game: unknown game 'chess'")
    assert done.stderr.count("\n") == 1
