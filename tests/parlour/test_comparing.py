"""`parlour compare` as a user types it: every form, a narrow terminal, names that are no names."""

import json
import re
from pathlib import Path

import pytest

from parlour.ratings.comparison.comparison import compare
from parlour.tournament.save.reader import Save
from tests.parlour.test_output import on_a_terminal, only_visible
from tests.tournaments import SMALL, finished, printed, printed_json, printed_rows

SAVE = "saves/small.db"
ODD = '"=[red]x[/red] | @SUM(1)"'


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small tournament, with an agent whose name means something to other programs."""
    return finished(tmp_path_factory.mktemp("odd"), SMALL.replace('"Lin"', ODD))


def test_the_table_has_a_line_for_each_of_the_family_and_says_how_to_read_it(folder: Path) -> None:
    text = printed("compare", SAVE, "Ada", "Rob", cwd=folder)
    assert text.startswith("A is Ada, B is Rob.\n")
    upper, lower = text.split("Most apart")
    measures = ["win_rate, undercover", "judgment", "reasoning", "deception", "self_awareness"]
    assert re.findall(r"^ ?(\w+(?:, \w+)?) +-?\d\.\d{3}", upper, re.MULTILINE) == measures
    assert "corrected for a family of 5 by Holm" in lower
    assert "at level 0.05 / 5." in lower
    # Two settings, and 1 + log2(5 / .05) = 7.6: with fewer than eight clusters nothing can pass.
    assert re.search(r"n too small \([1-7] < 8\)", upper)
    assert "n too small: in brackets" in lower


def test_json_and_csv_have_what_is_computed(folder: Path) -> None:
    with Save(folder / SAVE) as save:
        comparison = compare(save.records(), "Rob", "Ada", ["judgment", "payoff"], "bh")
    words = ["compare", SAVE, "Rob", "Ada", "--measure", "judgment", "--measure", "payoff"]
    words += ["--correction", "bh"]
    body = printed_json(*words, cwd=folder)
    assert (body["one"], body["other"], body["correction"]) == ("Rob", "Ada", "bh")
    assert [each["measure"] for each in body["differences"]] == ["judgment", "payoff"]
    table = printed_rows(*words, cwd=folder)
    for each, shown, row in zip(comparison.differences, body["differences"], table, strict=True):
        assert shown["value"] == each.value == float(row["value"])
        assert shown["corrected"] == each.corrected == float(row["corrected"])
        assert shown["apart"][0]["match"] == each.apart[0].match == int(row["match"])
        assert (row["one"], row["other"], row["correction"]) == ("Rob", "Ada", "bh")


def test_the_matches_that_it_names_can_be_replayed(folder: Path) -> None:
    words = ["compare", SAVE, "Ada", "Rob", "--measure", "win_rate", "--format", "json"]
    (apart, *_) = printed_json(*words, cwd=folder)["differences"][0]["apart"]
    for number, agent in ((apart["match"], "Ada"), (apart["other_match"], "Rob")):
        text = printed("replay", SAVE, number, cwd=folder)
        seats = {*re.findall(rf"(Player \d) is {agent}", text)}
        assert seats & {*re.findall(rf"(Player \d): {apart['role']}", text)}


def test_a_name_is_no_formula_and_no_markup_and_markdown_goes_into_a_file(
    odd: Path, tmp_path: Path
) -> None:
    name = json.loads(ODD)
    out = printed("compare", odd, "Ada", name, "--out", "table.md", cwd=tmp_path)
    assert out == "Written: table.md\n"
    text = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert r"B is =\[red\]x\[/red\] \| @SUM(1)." in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6, 7}
    rows = printed_rows("compare", odd, name, "Ada", cwd=tmp_path)
    assert {row["one"] for row in rows} == {f"'{name}"}
    assert printed("compare", odd, name, "Ada", cwd=tmp_path).startswith(f"A is {name}, B is Ada.")


def test_it_fits_a_narrow_terminal(folder: Path) -> None:
    code, out = on_a_terminal(["compare", SAVE, "Ada", "Rob"], folder, TERM="xterm")
    assert code == 0
    bar = r"\x1b\[\?25l.*\x1b\[\?25h\s*(\x1b\[[0-9]*[AK]\s*)*"
    out = re.sub(bar, "", out, flags=re.DOTALL)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", out).splitlines()
    assert only_visible("\n".join(lines))
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)


MAGIC = (
    'name = "magic"\nseed = 3\n'
    + "".join(
        f'[[games]]\nname = "{name}"\nlimit = 3\n'
        for name in ("chameleon", "undercover", "cost_sharing", "prisoners_dilemma", "public_good")
    )
    + '[[agents]]\nname = "Ada"\nstrategy = ["bayesian", "fair", "tit_for_tat"]\n'
    + '[[agents]]\nname = "Rob"\nstrategy = "random"\n'
)


def test_with_all_capabilities_it_ends_with_the_gain_in_radar_area(tmp_path: Path) -> None:
    save = finished(tmp_path, MAGIC)
    with Save(save) as opened:
        gain = compare(opened.records(), "Ada", "Rob").gain
    body = printed_json("compare", save, "Ada", "Rob", cwd=tmp_path)
    assert body["gain"]["value"] == gain.value == gain.one - gain.other
    text = printed("compare", save, "Ada", "Rob", "--format", "md", cwd=tmp_path)
    text = text.replace("\\", "")  # which keeps signs from being marks
    (row,) = re.findall(r"^\| radar_area .*", text, re.MULTILINE)
    assert row == (
        f"| radar_area | {gain.value:.3f} [{gain.low:.3f}, {gain.high:.3f}]"
        f" | ({gain.clusters}) | – | – |"
    )
    assert f"{gain.one:.3f} for A and {gain.other:.3f} for B" in text
    *_, last = printed_rows("compare", save, "Ada", "Rob", cwd=tmp_path)
    assert (last["measure"], float(last["value"])) == ("radar_area", gain.value)
    assert (float(last["low"]), float(last["high"])) == (gain.low, gain.high)
    assert (last["one"], last["other"], last["p"], last["match"]) == ("Ada", "Rob", "", "")


def test_without_a_capability_the_note_names_it(folder: Path) -> None:
    text = " ".join(printed("compare", SAVE, "Ada", "Rob", cwd=folder).split())
    assert (
        "No difference in radar area: no pairs for cooperation, coordination, rationality." in text
    )


def test_all_pairs_or_all_against_one_are_a_family(folder: Path) -> None:
    words = ["compare", SAVE, "--measure", "deception", "--game", "undercover"]
    body = printed_json(*words, cwd=folder)
    pairs = [(each["one"], each["other"]) for each in body["comparisons"]]
    assert pairs == [("Ada", "Rob"), ("Ada", "Lin"), ("Rob", "Lin")]
    assert {each["family"] for each in body["comparisons"]} == {3}
    text = printed(*words, "--against", "Lin", "--role", "undercover", cwd=folder)
    assert re.findall(r"^ (\w+) +Lin +deception", text, re.MULTILINE) == ["Ada", "Rob"]
    assert "corrected for a family of 2 by Holm" in text
    latex = printed(*words, "--format", "latex", cwd=folder)
    for part in (r"\toprule", r"\caption{", r"\label{tab:comparison}", r"A $-$ B", "Ada & Lin & "):
        assert part in latex
    assert "replay" not in latex
