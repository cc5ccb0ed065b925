"""The leaderboard's report as CSV, Markdown, LaTeX and JSON."""

import csv
import io
import json
import re
from dataclasses import replace
from itertools import chain, product

from parlour.games.common.forms import number
from parlour.ratings.measures.capabilities import definitions
from parlour.ratings.reports.cells import measure, rank, strength
from parlour.ratings.reports.leaderboard import By, Cell, Leaderboard, Standing
from parlour.ratings.reports.leaderboard_report import (
    MET_NOBODY,
    footnotes,
    leaderboard_report,
    leaderboard_table,
)
from parlour.ratings.reports.writers import WRITERS, inert
from parlour.ratings.skill.strength import Strength

AWKWARD = "50% R&D_#1 {a|b} ~^\\ $x$ *é*"
"""A name with every character that one of the forms gives a meaning."""


def strong(value: float, rank: int, last_rank: int) -> Strength:
    """A strength with a standard error of 0.25, as if an interval reached 0.5 to either side."""
    return Strength(value, 0.25, value - 0.5, value + 0.5, 4, rank, last_rank)


def standing(
    agent: str, rating: float | None, game: str | None = None, skill: Strength | None = None
) -> Standing:
    if rating is None:
        return Standing(game, None, agent, 4, skill, None, None, None, {})
    measures = {
        "win_rate": Cell(0.75, 12, 9, 0.5, 1.0),
        "judgment": Cell(2 / 3, 3, 2, 0.2, 0.9),
        "deception": Cell(0.8, 1, None, None, None),
    }
    return Standing(game, None, agent, 4, skill, rating + 3, 1.0, rating, measures)


BOARD = Leaderboard(
    (
        standing("Ann", 20.5, skill=strong(0.75, 1, 2)),
        standing(AWKWARD, 7.0, skill=strong(-0.75, 2, 2)),
        standing("=1+1", None),
    ),
    matches=4,
    skipped=0,
    clusters={"undercover": "match"},
)


def headings(board: Leaderboard, by: By) -> list[str]:
    return leaderboard_table(board, by).titles


def lines(board: Leaderboard, by: By) -> list[list[str]]:
    return leaderboard_table(board, by).rows


def as_text(board: Leaderboard, form: str) -> str:
    return WRITERS[form](leaderboard_report(board, "overall"))


def test_numbers_have_fixed_places_and_a_dash_where_there_is_none() -> None:
    assert [number(1 / 3), number(-2.005, 1), number(None)] == ["0.333", "-2.0", "–"]
    assert [number(-0.001, 2), number(-0.006, 2)] == ["0.00", "-0.01"]
    # A strength has its interval and every rank that it leaves possible.
    assert strength(strong(0.75, 1, 2)) == "0.75 [0.25, 1.25]"
    assert [rank(strong(0.75, 1, 2)), rank(strong(-0.75, 3, 3))] == ["1–2", "3"]
    assert measure(Cell(0.652, 100, 65.2, 0.63, 0.671)) == "0.652 [0.630, 0.671]"
    assert measure(Cell(0.5, 1, None, None, None)) == "0.500 [too few]"
    assert measure(Cell(0.5, 8, None, None, None, 0.0)) == "0.500 [no spread]"
    assert strength(None) == rank(None) == measure(None) == "–"


def test_a_line_shows_rank_rating_matches_and_measures() -> None:
    assert headings(BOARD, "overall") == [
        *("#", "Agent", "Strength", "Rating", "μ", "σ", "Matches"),
        *("Win rate", "Judgment", "Deception"),  # nobody has anything in the other columns
    ]
    first, _second, unrated = lines(BOARD, "overall")
    assert first == [
        *("1–2", "Ann", "0.75 [0.25, 1.25]", "20.50", "23.50", "1.00", "4"),
        *("0.750 [0.500, 1.000]", "0.667 [0.200, 0.900]", "0.800 [too few]"),
    ]
    assert unrated == ["–", "=1+1", "–", "–", "–", "–", "4", *["–"] * 3]


def test_without_any_match_the_columns_are_win_rate_and_the_seven_capabilities() -> None:
    empty = Leaderboard((), matches=0, skipped=0, clusters={})
    assert headings(empty, "overall")[7:] == [
        *("Win rate", "Judgment", "Reasoning", "Deception", "Self-awareness"),
        *("Cooperation", "Coordination", "Rationality"),
    ]


def test_ranks_start_from_one_in_each_game() -> None:
    both = (("x", strong(1.0, 1, 1)), ("y", strong(-1.0, 2, 2)))
    standings = [standing(a, 1.0, g, skill) for g, (a, skill) in product("gh", both)]
    board = replace(BOARD, standings=tuple(standings))
    assert headings(board, "game")[:3] == ["#", "Game", "Agent"]
    assert [row[:3] for row in lines(board, "game")] == [
        *(["1", "g", "x"], ["2", "g", "y"]),
        *(["1", "h", "x"], ["2", "h", "y"]),
    ]


def test_a_role_shows_its_win_rate_payoff_and_welfare_only() -> None:
    measures = {name: Cell(1.0, 2, None, 0.5, 1.5) for name in ("welfare", "payoff", "judgment")}
    measures["win_rate"] = Cell(0.5, 2, 1, 0.1, 0.9)
    in_role = replace(BOARD.standings[0], game="g", role="r", measures=measures)
    board = replace(BOARD, standings=(in_role,))
    assert headings(board, "role") == [
        *("#", "Game", "Role", "Agent", "Strength", "Rating", "μ", "σ", "Matches"),
        *("Win rate", "Payoff", "Welfare"),
    ]
    assert lines(board, "role")[0][:4] == ["1–2", "g", "r", "Ann"]
    assert len(lines(board, "role")[0]) == len(headings(board, "role"))


def test_csv_parses_back_to_the_same_numbers() -> None:
    first, second, unrated = csv.DictReader(io.StringIO(as_text(BOARD, "csv")))
    assert first["agent"] == "Ann"
    assert float(first["rating"]) == 20.5
    assert (first["rank"], first["last_rank"], first["strength_n"]) == ("1", "2", "4")
    parts = ("", "_se", "_low", "_high")
    assert [float(first[f"strength{part}"]) for part in parts] == [0.75, 0.25, 0.25, 1.25]
    assert float(first["judgment"]) == 2 / 3  # in full, not as shown
    assert [float(first[f"win_rate{part}"]) for part in ("_n", "_low", "_high")] == [12, 0.5, 1]
    assert first["reasoning"] == first["deception_low"] == first["game"] == ""
    assert second["agent"] == AWKWARD
    assert unrated["agent"] == "'=1+1"
    assert unrated["rating"] == unrated["win_rate"] == unrated["strength"] == unrated["rank"] == ""


def test_no_text_begins_like_a_formula_and_other_cells_stay_as_they_are() -> None:
    for start in "=+-@\t\r":
        assert inert(f"{start}1+1") == f"'{start}1+1"
    for text in ("", "Ann", "a=b", "1-2", "'quoted'"):
        assert inert(text) == text


def test_a_zero_is_a_number_and_not_a_blank() -> None:
    none_right = {"judgment": Cell(0.0, 4, 0, 0.0, 0.49)}
    board = replace(
        BOARD, standings=(replace(BOARD.standings[0], measures=none_right, rating=0.0),)
    )
    (row,) = csv.DictReader(io.StringIO(as_text(board, "csv")))
    assert (row["rating"], row["judgment"], row["judgment_low"]) == ("0.0", "0.0", "0.0")
    assert row["win_rate"] == ""
    assert lines(board, "overall")[0][3] == "0.00"
    assert "0.000 [0.000, 0.490]" in lines(board, "overall")[0]


def unescaped(text: str, separator: str) -> list[str]:
    """The text split where the separator stands without a backslash that escapes it."""
    parts = re.split(rf"(?<!\\)((?:\\\\)*){re.escape(separator)}", text)
    return [
        before + slashes for before, slashes in zip(parts[::2], [*parts[1::2], ""], strict=True)
    ]


DECEPTION = definitions(["deception"])


def test_markdown_is_a_table_with_as_many_cells_in_every_row() -> None:
    table, *notes = as_text(BOARD, "md").split("\n\n")
    rows = [unescaped(row, "|") for row in table.split("\n")]
    assert len(rows) == 2 + 3
    assert {len(row) for row in rows} == {len(headings(BOARD, "overall")) + 2}  # and the outer bars
    assert [cell.strip() for cell in rows[1][1:-1]] == ["---"] * len(headings(BOARD, "overall"))
    name = re.sub(r"\\(.)", r"\1", rows[3][2]).strip()
    assert name == AWKWARD
    assert "\\[0.500, 1.000\\]" in rows[2][8]  # else it might be taken for a link
    assert notes == [footnotes(BOARD)[0], DECEPTION + "\n"]


def test_latex_escapes_everything_that_has_a_meaning() -> None:
    text = as_text(BOARD, "latex")
    assert text.startswith("% The preamble needs \\usepackage{booktabs}.\n")
    assert text.count(r"\caption{4 finished matches. Strength: 0 is the mean. \#: the") == 1
    rows = [line for line in text.splitlines() if line.endswith(r" \\")]
    cells = [unescaped(row.removesuffix(r" \\"), "&") for row in rows]
    heads = chain.from_iterable(row for row in cells if row[0] in {r"\# ", "Agent "})
    greek = {r"$\mu$": "μ", r"$\sigma$": "σ", r"\#": "#"}
    titles = [greek.get(head.strip(), head.strip()) for head in heads]
    assert [*dict.fromkeys(titles)] == headings(BOARD, "overall")
    assert max(len(row) for row in rows if "Ann" in row) < 100  # in parts as wide as a page
    name = cells[2][1].strip()
    assert name == (
        r"50\% R\&D\_\#1 \{a|b\} \textasciitilde{}\textasciicircum{}\textbackslash{} \$x\$ *é*"
    )
    assert "–" not in text  # a dash is written -- in LaTeX
    assert " & -- & " in rows[3]
    assert r"95 \% intervals" in text
    assert rows[1].startswith("1--2 & Ann & 0.75 [0.25, 1.25] & 20.50")


def test_a_name_over_several_lines_stays_in_its_row() -> None:
    board = replace(BOARD, standings=(standing("two\nlines", 1.0),))
    assert "| two lines |" in as_text(board, "md")
    assert "& two lines &" in as_text(board, "latex")


def test_json_has_every_number_in_full_and_null_for_none() -> None:
    body = json.loads(as_text(BOARD, "json"))
    assert (body["by"], body["matches"], body["skipped"]) == ("overall", 4, 0)
    first, second, unrated = body["standings"]
    assert second["agent"] == AWKWARD
    cell = {"value": 2 / 3, "n": 3, "k": 2, "low": 0.2, "high": 0.9, "se": None}
    assert first["measures"]["judgment"] == cell
    assert first["game"] is None
    assert unrated["rating"] is None
    assert (first["strength"]["rank"], first["strength"]["last_rank"]) == (1, 2)
    assert (first["strength"]["value"], first["strength"]["low"]) == (0.75, 0.25)
    assert unrated["strength"] is None
    assert unrated["measures"] == {}


def test_footnotes_name_the_clusters_and_the_skipped_matches() -> None:
    assert footnotes(BOARD)[1:] == [DECEPTION]
    assert "4 finished matches" in footnotes(BOARD)[0]
    assert "Too few: no interval, with fewer than five clusters" in footnotes(BOARD)[0]
    assert "Too few" not in footnotes(replace(BOARD, standings=()))[0]
    assert "clustered by match;" in footnotes(BOARD)[0]
    board = replace(BOARD, skipped=3, clusters={"g": "setting", "h": "match"})
    assert "clustered by match or setting;" in footnotes(board)[0]
    assert footnotes(board)[1].startswith("3 matches not rated by TrueSkill")
    sound = replace(board, left_out=1)
    assert footnotes(sound)[1] == "Left out because of a fault: 1 match."
    alone = replace(sound, agents_left_out=("Eve",))
    assert footnotes(alone)[1] == "Left out because of a fault: 1 match, and with them Eve."
    assert footnotes(sound, 5)[0].startswith("4 finished matches. ")
    assert footnotes(BOARD, 738)[0].startswith("4 finished matches of 738. ")
    unmet = replace(
        BOARD, standings=tuple(replace(s, strength=None, rating=None) for s in BOARD.standings)
    )
    assert footnotes(unmet)[1] == MET_NOBODY
    for text in (as_text(board, "md"), as_text(board, "latex")):
        assert "3 matches not rated by TrueSkill" in text
    assert footnotes(replace(BOARD, matches=1))[0].startswith("1 finished match. ")


def test_a_footnote_names_agents_with_a_high_fault_rate() -> None:
    def faulty(agent: str, k: int, game: str | None = None) -> Standing:
        rate = Cell(k / 40, 40, k, None, None)
        return replace(standing(agent, 1.0, game), measures={"fault_rate": rate})

    few = replace(BOARD, standings=(faulty("Ada", 3), faulty("Bob", 0), faulty("Ada", 40, "g")))
    assert len(footnotes(few)) == 1
    many = replace(BOARD, standings=(faulty("Ada", 4), faulty("Bob", 0), faulty("Eve", 40)))
    assert (
        "Many invalid answers: Ada (4/40 faults), Eve (40/40 faults). The other"
        in footnotes(many)[1]
    )
