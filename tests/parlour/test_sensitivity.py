"""The command sensitivity: the same figures in each form, of a save that was played."""

from pathlib import Path

from tests.tournaments import (
    finished,
    new_save,
    parlour,
    printed,
    printed_json,
    printed_rows,
    tamper,
)

SAVE = "saves/small.db"


VIEW = "--view=sensitivity"


def test_every_form_has_the_same_figures(folder: Path) -> None:
    body = printed_json("leaderboard", SAVE, VIEW, cwd=folder)
    rows = printed_rows("leaderboard", SAVE, VIEW, cwd=folder)
    assert sorted(body["order"]) == ["Ada", "Lin", "Rob"]
    needed = {row["other"]: row["value"] for row in rows if row["quantity"] == "needed"}
    assert needed == {drop["other"]: str(drop["needed"] or "") for drop in body["drops"]}
    assert {row["agent"] for row in rows if row["check"] == "clones"} == {*body["order"]}
    ranks = {row["agent"]: int(row["value"]) for row in rows if row["other"] == "as_played"}
    assert sorted(ranks, key=lambda agent: ranks[agent]) == body["order"]
    table = printed("leaderboard", SAVE, VIEW, cwd=folder)
    for word in ("Matches to drop", "Held-out fit", "Clones", "12 finished matches"):
        assert word in table
    markdown = printed("leaderboard", SAVE, VIEW, "--format", "md", cwd=folder)
    assert markdown.startswith("## Matches")


def test_a_fault_in_the_save_is_counted(tmp_path: Path) -> None:
    save = finished(tmp_path)
    tamper(save, "UPDATE answers SET fault = 'illegal' WHERE match = 1 AND ask = 0")
    tamper(save, "DELETE FROM counts")
    body = printed_json("leaderboard", save, VIEW, cwd=tmp_path)
    assert (body["faults"]["faulty"], body["faults"]["n"]) == (1, 12)
    assert sum(agent["faulty"] for agent in body["faults"]["agents"]) >= 1


def test_a_save_without_matches_is_said_in_one_note(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    done = parlour("leaderboard", str(save), "--view=sensitivity", cwd=tmp_path)
    assert done.returncode == 0
    assert "there is nothing to check" in done.stdout
