"""Every command end to end, as a script would call it."""

import csv
import json
import os
import re
import shutil
import tomllib
from itertools import chain
from operator import itemgetter
from pathlib import Path

import pytest

from parlour.cli.app import COMMANDS
from parlour.cli.planned import EXPENSES
from parlour.games.common.tables import Column
from tests.consents import agreed
from tests.tournaments import (
    ANSWERS,
    MATCHES,
    ROOT,
    SMALL,
    called,
    contents,
    environment,
    finished,
    new_save,
    parlour,
    printed,
    printed_json,
    printed_rows,
    refused,
    stored_rows,
    tamper,
    written,
)

SAVE = "saves/small.db"
AGENTS = ["Ada", "Lin", "Rob"]


def test_run_plays_to_a_leaderboard_and_keeps_it(folder: Path) -> None:
    lines = (folder / "printed").read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"{SAVE}: 12 matches of Ada, Rob, Lin"
    assert re.fullmatch(r"\d+/12 matches, \d+ answers, [\d,]+/s", lines[1])
    assert f"Finished: {SAVE}" in lines
    ranked = [line.split()[1] for line in lines if re.match(r" *\d(–\d)?  +[A-Z]", line)]
    assert sorted(ranked) == AGENTS
    assert "12 finished matches." in lines[-3]
    assert lines[-1] == f"Every figure on pages: parlour site {SAVE} --open"
    assert (folder / SAVE).stat().st_mode & 0o777 == 0o600
    assert (folder / "saves").stat().st_mode & 0o777 == 0o700


def test_run_plays_what_the_same_tournament_played_elsewhere(folder: Path, tmp_path: Path) -> None:
    assert contents(folder / SAVE) == contents(finished(tmp_path))


def test_run_on_a_finished_save_prints_its_leaderboard_and_plays_nothing(folder: Path) -> None:
    before = (folder / SAVE).read_bytes()
    for words in (["run", "--save", SAVE], ["run", "small.toml", "--save", SAVE], ["run", SAVE]):
        lines = printed(*words, cwd=folder).splitlines()
        assert lines[0] == f"{SAVE}: finished, nothing left to play"
        assert "12 finished matches." in lines[-3]
    assert (folder / SAVE).read_bytes() == before


def test_a_save_of_another_tournament_is_refused(folder: Path) -> None:
    written(folder, SMALL.replace('"bayesian"', '"random"', 1), "weaker.toml")
    written(folder, "[[agents]]".join(SMALL.split("[[agents]]")[:3]), "fewer.toml")
    written(folder, SMALL + '[[agents]]\nname = "Zoe"\nstrategy = "random"\n', "more.toml")
    grows = {("run", "more.toml"): "; `parlour add` adds agents to a save"}
    differs = {
        ("run", "small.toml", "--seed", 8): "seed is 7 in the save and 8 now",
        ("run", "--preset", "demo"): 'name is "small" in the save and "demo" now',
        ("run", "weaker.toml"): 'agents[0].strategy is "bayesian" in the save and "random" now',
        ("run", "fewer.toml"): "the save has 3 agents, now there are 2",
        ("run", "more.toml"): "the save has 3 agents, now there are 4",
    }
    for words, what in differs.items():
        assert refused(*words, "--save", SAVE, cwd=folder) == (
            f"parlour: {SAVE}: holds another tournament ('small'): {what};"
            " leave the tournament out to continue it, or choose another --save"
            + grows.get(words, "")
        )


def test_run_continues_an_unfinished_save_with_or_without_its_tournament(tmp_path: Path) -> None:
    whole = contents(finished(tmp_path))
    for words in (
        ["run", "--save", "begun.db"],
        ["run", "tournament.toml", "--save", "begun.db"],
        ["run", "begun.db"],
    ):
        shutil.copy(tmp_path / "save.db", tmp_path / "begun.db")
        tamper(tmp_path / "begun.db", "UPDATE matches SET outcome = NULL WHERE number > 6")
        tamper(tmp_path / "begun.db", "DELETE FROM answers WHERE match > 6 AND ask > 4")
        tamper(tmp_path / "begun.db", "DELETE FROM leaderboards")
        out = printed(*words, cwd=tmp_path)
        begun = int(out.splitlines()[1].partition("/12 matches, ")[0])
        assert 6 <= begun <= 12  # it plays while it prints
        assert "Finished: begun.db" in out
        assert contents(tmp_path / "begun.db") == whole


def test_new_saves_take_the_next_free_name(tmp_path: Path) -> None:
    written(tmp_path, SMALL.replace('"small"', '"Größe 2: a/b"').replace("limit = 2", "limit = 1"))
    (tmp_path / "saves").mkdir()
    (tmp_path / "saves" / "gr-e-2-a-b-2.db-wal").write_bytes(b"left behind")
    for name in ("gr-e-2-a-b.db", "gr-e-2-a-b-3.db"):
        assert f"Finished: saves/{name}\n" in printed("run", "tournament.toml", cwd=tmp_path)
        assert (tmp_path / "saves" / name).is_file()


def test_seed_goes_before_the_files_and_makes_another_tournament(tmp_path: Path) -> None:
    written(tmp_path)
    printed("run", "tournament.toml", "--seed", 8, "--save", "8.db", cwd=tmp_path)
    printed("run", "tournament.toml", "--save", "7.db", cwd=tmp_path)
    assert contents(tmp_path / "8.db") != contents(tmp_path / "7.db")
    assert printed_json("plan", "tournament.toml", "--seed", 8, cwd=tmp_path)["seed"] == 8


def test_status_says_how_far_a_tournament_is(folder: Path) -> None:
    status = printed_json("status", SAVE, cwd=folder)
    times = [status.pop(name) for name in ("created", "started", "ended", "since")]
    assert times == sorted(times)
    assert times[2] == times[3]
    (planned,) = status.pop("history")
    assert (planned["kind"], planned["matches"]) == ("planned", MATCHES)
    for moment in [*times, planned["since"]]:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", moment)
    none = ("pid", "stopped_by", "error", "silence", "budget")
    zero = ("frozen", "faults", "calls", "failed_calls", "cached", "prompt_tokens")
    assert status == {
        **{"save": SAVE, "name": "small", "state": "finished", "origin": ""},
        **{"matches": MATCHES, "finished": MATCHES, "answers": ANSWERS},
        **{"experiments": 3, "experiments_finished": 3, "completion_tokens": 0, "dollars": 0.0},
        **{"agent_budgets": {}, "alarms": [], "provenance": []},
        **dict.fromkeys(none),
        **dict.fromkeys(zero, 0),
    }
    lines = printed("status", SAVE, cwd=folder).splitlines()
    shown = dict(re.split("  +", line.strip(), maxsplit=1) for line in lines[:7])
    assert re.fullmatch(rf"{SAVE}, made \d{{4}}-.*", shown.pop("Save"))
    assert shown == {
        "Tournament": "small",
        "State": f"finished, since {times[3]}",
        "Matches": "12 of 12 finished",
        "Experiments": "3 of 3 finished",
        "Answers": "252",
        "Next": f"parlour leaderboard {SAVE}",
    }
    assert any(re.fullmatch(r" *undercover +12 +12 *", line) for line in lines[7:])


def test_status_says_why_a_run_stopped_and_how_to_continue(tmp_path: Path) -> None:
    folder = tmp_path / "players"
    folder.mkdir()
    (folder / "mine.py").write_text("def answer(question):\n    raise ValueError('a bug')\n")
    own = SMALL.replace('strategy = "literal"', 'kind = "function"\nfunction = "mine.py:answer"')
    agreed(written(folder, own))
    failed = parlour("run", folder / "tournament.toml", "--save", "own.db", cwd=tmp_path)
    assert failed.returncode == 1
    assert failed.stderr.endswith(" matches failed; fix the cause, then: parlour run own.db\n")
    text = printed("status", "own.db", cwd=tmp_path)
    assert re.search(r"^State +not running, unfinished, since \d", text, re.MULTILINE)
    assert re.search(r"^Problem +match \d+: agent 'Lin' failed with ValueError", text, re.MULTILINE)
    assert re.search(r"^Next +parlour run own.db$", text, re.MULTILINE)
    assert re.search(r"^ *undercover +4 +12 *$", text, re.MULTILINE)


def test_an_experiment_is_over_when_all_its_matches_are(folder: Path, tmp_path: Path) -> None:
    save = tmp_path / "open.db"
    shutil.copy(folder / SAVE, save)
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number IN (1, 2)")  # of one pairing
    status = printed_json("status", save, cwd=tmp_path)
    assert (status["finished"], status["matches"]) == (MATCHES - 2, MATCHES)
    assert (status["experiments_finished"], status["experiments"]) == (2, 3)


def test_a_save_left_out_is_the_newest_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "saves").mkdir()
    for number, name in enumerate(("old.db", "new.db", ".hidden.db.x.new")):
        new_save(tmp_path / "saves", name=name)
        os.utime(tmp_path / "saves" / name, (10**9 + number, 10**9 + number))
    (tmp_path / "saves" / "newer.db").mkdir()
    for command in ("status", "leaderboard"):
        assert parlour(command, cwd=tmp_path).returncode == 0
    done = parlour("status", "--format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["save"] == "saves/new.db"
    assert done.stderr == "Save: saves/new.db\n"
    os.utime(tmp_path / "saves" / "old.db")
    done = parlour("status", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "Save: saves/old.db\n")
    assert "Finished: saves/old.db" in parlour("run", cwd=tmp_path).stdout


EVERY_READER = {
    **dict.fromkeys(("status", "leaderboard", "check", "budget", "run", "attach"), ""),
    **dict.fromkeys(
        (f"leaderboard --view {v}" for v in ("head-to-head", "measures", "conduct")), ""
    ),
    **{"compare": "Ada Rob", "replay": "4 --as 1", "export": "--out {out} --format csv"},
}


@pytest.mark.parametrize("command", EVERY_READER)
def test_every_reader_takes_the_newest_save_and_finds_one_by_its_name(
    folder: Path, tmp_path: Path, command: str
) -> None:
    name, *view = command.split()
    words = [*view, *EVERY_READER[command].format(out=tmp_path / "a").split()]
    newest = parlour(name, *words, cwd=folder)
    assert (newest.returncode, newest.stderr) == (0, f"Save: {SAVE}\n")
    words = [*view, *EVERY_READER[command].format(out=tmp_path / "b").split()]
    for save in ("small", "small.db"):
        if (name, save) == ("export", "small.db"):
            words.append("--force")
        named = printed(name, save, *words, cwd=folder)
        assert named.replace(str(tmp_path / "b"), "") == newest.stdout.replace(
            str(tmp_path / "a"), ""
        )


def test_a_budget_alone_is_not_taken_for_a_save(folder: Path) -> None:
    assert parlour("budget", "none", cwd=folder).stderr == f"Save: {SAVE}\n"


LINES = {"overall": 3, "game": 3, "role": 6}


@pytest.mark.parametrize("by", LINES)
def test_the_leaderboard_has_five_forms_with_the_same_lines(folder: Path, by: str) -> None:
    words = ["leaderboard", SAVE, "--by", by]
    board = printed_json(*words, cwd=folder)
    assert (board["by"], board["matches"], len(board["standings"])) == (by, MATCHES, LINES[by])
    names = [standing["agent"] for standing in board["standings"]]
    assert sorted(set(names)) == AGENTS
    rows = printed_rows(*words, cwd=folder)
    assert [row["agent"] for row in rows] == names
    ratings = [f"{standing['rating']:.2f}" for standing in board["standings"]]
    assert [f"{float(row['rating']):.2f}" for row in rows] == ratings
    values = [round(standing["strength"]["value"], 2) + 0.0 for standing in board["standings"]]
    strengths = [f"{value:.2f}" for value in values]  # never -0.00
    assert [round(float(row["strength"]), 2) for row in rows] == values
    # Tables for people: each line has its agent and, beside it, its strength.
    for name, mark in (("table", "  "), ("md", " | "), ("latex", " & ")):
        text = printed(*words, "--format", name, cwd=folder)
        shown = [each.replace("-", "$-$") if name == "latex" else each for each in strengths]
        places = [
            re.search(rf"{re.escape(mark)}{agent}\W+{re.escape(strength)}", text)
            for agent, strength in zip(names, shown, strict=True)
        ]
        assert all(places), name


def test_without_faults_only_the_matches_without_any_are_counted(
    folder: Path, tmp_path: Path
) -> None:
    save = Path(shutil.copy(folder / SAVE, tmp_path / "faulty.db"))
    tamper(save, "UPDATE answers SET fault = 'empty' WHERE match IN (2, 5) AND ask = 0")
    tamper(save, "DELETE FROM counts")
    words = ["leaderboard", save, "--format", "json"]
    board = printed_json(*words, "--without-faults", cwd=tmp_path)
    assert (board["matches"], board["left_out"]) == (MATCHES - 2, 2)
    assert sum(standing["matches"] for standing in board["standings"]) == 2 * (MATCHES - 2)
    as_played = printed_json(*words, cwd=tmp_path)
    assert (as_played["matches"], as_played["left_out"]) == (MATCHES, None)

    def faults(*more: str) -> float:
        rows = printed_json("leaderboard", save, "--view=measures", *more, cwd=tmp_path)
        return sum(row["k"] for row in rows if row["measure"] == "fault_rate")

    assert faults() > 0
    assert faults("--without-faults") == 0


WRITERS = (
    *("leaderboard", "leaderboard --view=head-to-head", "leaderboard --view=conduct"),
    *("leaderboard --view=measures", "compare Ada Rob"),
)


@pytest.mark.parametrize("command", WRITERS)
def test_a_file_that_exists_is_overwritten_only_by_force(
    command: str, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "table.csv"
    out.write_text("mine")
    name, *options = command.split()
    words = [name, SAVE, *options, "--format", "csv", "--out", out]
    assert refused(*words, cwd=folder) == (
        f"parlour: {out}: already exists; overwrite it with --force, or choose another file"
    )
    assert out.read_text() == "mine"
    assert printed(*words, "--force", cwd=folder) == f"Written: {out}\n"
    assert len(out.read_text().splitlines()) > 1


def test_tables_that_exist_are_overwritten_only_by_force(folder: Path, tmp_path: Path) -> None:
    words = ["export", SAVE, "--format", "csv", "--out", tmp_path]
    (tmp_path / "calls.csv").write_text("mine")
    assert refused(*words, cwd=folder) == (
        f"parlour: {tmp_path}/calls.csv: already exists;"
        " overwrite the tables there with --force, or choose another --out"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["calls.csv"]
    assert printed(*words, "--force", cwd=folder).count("Written: ") == 8
    assert (tmp_path / "calls.csv").read_text() != "mine"


def test_the_leaderboard_of_an_unplayed_save_is_empty(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    assert printed("leaderboard", save, cwd=tmp_path) == "No match is finished yet.\n"
    board = printed_json("leaderboard", save, cwd=tmp_path)
    assert (board["matches"], board["standings"]) == (0, [])
    assert printed_json("leaderboard", save, "--view=measures", cwd=tmp_path) == []


def test_measures_are_tidy_rows(folder: Path) -> None:
    rows = printed_json("leaderboard", SAVE, "--view=measures", cwd=folder)
    keys = ["game", "condition", "agent", "role", "measure", "value", "n", "k", "se", "low", "high"]
    assert {tuple(row) for row in rows} == {tuple(keys)}
    assert {row["agent"] for row in rows} == set(AGENTS)
    only = printed_json("leaderboard", SAVE, "--view=measures", "--game=undercover", cwd=folder)
    assert only == [row for row in rows if row["game"] == "undercover"]
    assert 0 < len(only) < len(rows)
    table = printed_rows("leaderboard", SAVE, "--view=measures", cwd=folder)
    assert [row["measure"] for row in table] == [row["measure"] for row in rows]


def test_replay_tells_a_match_or_what_a_player_knew_of_it(folder: Path) -> None:
    text = printed("replay", SAVE, 4, cwd=folder)
    # Match 4: the undercover Lin (the banjo) between two of Ada's seats (the guitar).
    assert text.startswith("Match 4: undercover: Ada vs Lin\n")
    for word in ("Player 2 is Lin", '"banjo"', '"guitar"', "Ended: caught", "Player 2: undercover"):
        assert word in text
    own, other, named = (
        printed("replay", SAVE, 4, "--as", who, cwd=folder) for who in (1, 2, "Lin")
    )
    assert ('"guitar"' in own, '"banjo"' in own) == (True, False)
    assert ('"guitar"' in other, '"banjo"' in other) == (False, True)
    assert other == named


def test_export_writes_every_match_seat_and_answer(folder: Path, tmp_path: Path) -> None:
    counts = {"matches": MATCHES, "seats": 3 * MATCHES, "answers": ANSWERS, "calls": 0}
    # A pair of agents meets in each match, with two clues of each of the three seats.
    counts |= {"pairwise": MATCHES, "clues": 6 * MATCHES}
    counts |= {"agents": len(AGENTS), "conduct": len(AGENTS)}
    for form in ("jsonl", "csv"):
        out = printed("export", SAVE, "--format", form, "--out", tmp_path / form, cwd=folder)
        assert out == "".join(
            f"Written: {tmp_path / form / name}.{form} ({n} rows)\n" for name, n in counts.items()
        )

    def rows_of(name: str) -> list[dict[str, object]]:
        return list(map(json.loads, (tmp_path / "jsonl" / f"{name}.jsonl").open("rb")))

    read = {name: rows_of(name) for name in counts}
    assert {name: len(rows) for name, rows in read.items()} == counts
    for name, rows in read.items():
        with (tmp_path / "csv" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        assert [list(row) for row in table] == [list(row) for row in rows]
        if name not in {"agents", "conduct"}:
            assert [row["match"] for row in table] == [str(row["match"]) for row in rows]
    outcomes = stored_rows(folder / SAVE, "SELECT outcome FROM matches")
    payoffs = chain.from_iterable(json.loads(row)["payoffs"] for (row,) in outcomes)
    assert sum(row["payoff"] for row in read["seats"]) == sum(payoffs)
    clue = read["answers"][0]
    assert (clue["match"], clue["ask"], clue["kind"], clue["tries"]) == (1, 0, "clue", 1)
    assert set(clue["value"]) == {"text"}


def test_an_export_needs_no_option_and_without_models_there_are_no_chats(
    folder: Path, tmp_path: Path
) -> None:
    lines = printed("export", SAVE, cwd=folder).splitlines()
    assert lines[0] == f"Written: small-tables/matches.csv ({MATCHES} rows)"
    done = parlour("export", SAVE, "--format", "chat", "--out", tmp_path / "chat", cwd=folder)
    line = f"parlour: {SAVE}: no model has answered in it, so there are no chats\n"
    assert (done.returncode, done.stderr) == (0, line)


def test_plan_counts_and_plays_nothing(folder: Path, tmp_path: Path) -> None:
    written(tmp_path)
    plan = printed_json("plan", "tournament.toml", cwd=tmp_path)
    assert [each["design"]["role"] for each in plan.pop("power")] == ["undercover", "civilian"]
    # 2 settings x 3 pairs x 2 sides; 21 answers a match; 36 seats over three agents.
    pairs = ("Ada vs Rob", "Ada vs Lin", "Rob vs Lin")
    assert plan == {
        **{"name": "small", "seed": 7, "schedule": "round_robin"},
        **{"matches": 12, "experiments": 3, "asks": 252},
        "seats": {"Rob": 12, "Ada": 12, "Lin": 12},
        "matches_by_experiment": {f"undercover: {pair}": 4 for pair in pairs},
        **{"expenses": [], "budgets": [], "unbalanced": []},
    }
    text = printed("plan", "tournament.toml", cwd=tmp_path)
    assert text.startswith("small: 12 matches in 3 experiments, 252 asks\n")
    assert [path.name for path in tmp_path.iterdir()] == ["tournament.toml"]
    # The demo: eight games in four line-ups each, and the impostor game for each ordered pair.
    demo = printed_json("plan", "--preset", "demo", cwd=folder)
    assert demo["matches"] == 8 * 4 + 4 * 3
    assert set(demo["seats"].values()) == {37}  # every agent sits as often


def test_plan_writes_money_as_everything_else_does() -> None:
    columns = [
        Column(title, itemgetter(n), form) for n, (title, form) in enumerate(EXPENSES.items())
    ]
    for amount, shown in ((0.0043, "$0.0043"), (12.5, "$12.50"), (0.0, "$0.00"), (None, "–")):
        row = ("Ada", 84, 53872.0, 981, amount)
        assert [column.text(row) for column in columns] == ["Ada", "84", "53,872", "981", shown]


def test_check_passes_after_a_run(folder: Path) -> None:
    counts = f"{MATCHES} of {MATCHES} matches finished, {ANSWERS} answers"
    assert printed("check", SAVE, cwd=folder) == (
        f"{SAVE}: {counts}. OK: every match replays identically\n"
    )


def test_games_agents_and_presets_list_what_there_is(tmp_path: Path) -> None:
    listed = printed_json("list", "games", cwd=tmp_path)
    (game,) = (each for each in listed if each["name"] == "undercover")
    assert game["keys"] == {
        **{"clue_rounds": 2, "order": "shuffled", "probes": "per_round", "first_moves": "asked"},
        **{"scoring_told": True, "players": 3, "special_seats": 1, "elimination": False},
        **{"language": "english", "difficulty": "mixed", "talk_rounds": 0},
        **{"wording": "plain", "jester": False},
    }
    assert (game["seats"], game["settings"]) == (3, 20)
    agents = printed_json("list", "agents", cwd=tmp_path)
    assert {"random", "literal", "cautious", "bayesian"} <= {a["strategy"] for a in agents}
    assert all(agent["summary"] for agent in agents)
    listed = printed_json("list", "presets", cwd=tmp_path)
    (demo,) = (each for each in listed if each["name"] == "demo")
    assert demo["matches"] == 44
    assert len(demo["games"]) == 9
    # Words, gossip and choices are all seen early.
    assert demo["games"][:3] == ["undercover", "donation", "prisoners_dilemma"]
    assert demo["paper"] is None
    assert "arXiv:2311.08562" in printed("list", "presets", cwd=tmp_path)
    for listed, word in (("games", "undercover"), ("agents", "bayesian"), ("presets", "demo")):
        assert word in printed("list", listed, cwd=tmp_path)


def test_the_doctor_finds_a_new_installation_well(tmp_path: Path) -> None:
    lines = printed("doctor", cwd=tmp_path).splitlines()
    assert all(line.startswith("ok  ") for line in lines)
    assert any("no other package hides Parlour's" in line for line in lines)
    assert any("saves can be written" in line for line in lines)


def test_help_names_every_command(tmp_path: Path) -> None:
    text = printed("--help", cwd=tmp_path)
    for command in (each.name for each in COMMANDS.values() if each.panel):
        assert re.search(rf"^  {command} ", text, re.MULTILINE), command
        assert printed(command, "--help", cwd=tmp_path).startswith(f"Usage: parlour {command} ")


def test_the_version_is_that_of_the_package_and_nothing_else_is_done(tmp_path: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    expected = f"parlour {project['version']}\n"
    assert printed("--version", cwd=tmp_path) == expected
    assert printed("--version", "run", "--preset", "demo", cwd=tmp_path) == expected
    assert list(tmp_path.iterdir()) == []


COMPLETED = {
    "lea": "leaderboard",
    "s": "seat status stop standings site serve split",  # not the hidden ones
    "leaderboard --view co": "conduct",
    "list p": "presets",
    "run --give": "--give-up-after",
}


@pytest.mark.parametrize("typed", COMPLETED)
def test_a_bash_completes_commands_options_and_values(typed: str, tmp_path: Path) -> None:
    script = (
        'eval "$(parlour --show-completion bash)"; complete -p parlour\n'
        f"COMP_WORDS=(parlour {typed}); COMP_CWORD={len(typed.split())}\n"
        '_parlour_completion parlour; echo "${COMPREPLY[*]}"'
    )
    done = called("bash", "--norc", "-c", script, cwd=tmp_path, env=environment())
    lines = done.stdout.splitlines()
    assert lines == ["complete -o default -F _parlour_completion parlour", COMPLETED[typed]]
