"""Conduct of agents, compared with the log of the server."""

import json
from collections import Counter
from pathlib import Path

import pytest
from scipy.stats import t

from parlour.ratings.statistics.intervals import wilson
from parlour.tournament.reports.conduct import _median_and_tail, conduct, conduct_report
from parlour.tournament.save.reader import Save
from tests.models import provider
from tests.provider import ANSWER_FAULTS, PROVIDER_FAULTS
from tests.runners import QUICK
from tests.tournament.test_journal import planned, rows, run
from tests.tournaments import finished, in_save, parlour, printed, tamper, written

PLAYED = """
name = "scripted"
[[games]]
name = "undercover"
limit = 1
[[agents]]
name = "=Ada"
strategy = "literal"
[[agents]]
name = "Bob"
strategy = "random"
"""


@pytest.mark.slow
def test_conduct_agrees_with_the_log_of_the_server(tmp_path: Path) -> None:
    modes = ",".join([*ANSWER_FAULTS, "server_error", "no_choice"])
    with provider(tmp_path, "--faults", 0.5, "--modes", modes) as server:
        assert run(tmp_path, planned(server, 8)).returncode == 0
        log = server.requests
    path = tmp_path / "save.db"
    by_agent = {one.agent: one for one in in_save(path, conduct)}
    assert list(by_agent) == ["Ada", "Bob"]
    for name, one in by_agent.items():
        own_modes = [line["mode"] for line in log if line["model"] == f"{name.lower()}-1"]
        failed = sum(mode in PROVIDER_FAULTS for mode in own_modes)
        faulty = [mode for mode in own_modes if mode in ANSWER_FAULTS]
        assert (one.calls, one.retries) == (len(own_modes), failed)
        # Every answered call either stands or was followed by a repair.
        assert one.answers + one.repairs == len(own_modes) - failed
        # A fault stands where three tries failed; the other faulty tries were repaired.
        assert one.repairs == len(faulty) - one.faulty
        assert one.refused == faulty.count("refusal")
        assert (one.prompt_tokens, one.completion_tokens) == (
            100 * (len(own_modes) - failed),
            20 * (len(own_modes) - failed),
        )
        assert one.dollars == pytest.approx((len(own_modes) - failed) * 300 / 1_000_000)
        assert one.unpriced == 0
        assert one.latency is not None
        assert 0 < one.latency[0] <= one.latency[1] < 60
    stored = rows(path, "SELECT fault FROM answers WHERE fault IS NOT NULL")
    total: Counter[str] = sum((Counter(one.faults) for one in by_agent.values()), Counter())
    assert total == Counter(row["fault"] for row in stored)
    assert len(total) > 1
    assert sum(one.repaired for one in by_agent.values()) > 0


def test_scripted_players_have_answers_and_no_calls(tmp_path: Path) -> None:
    save = tmp_path / "save.db"
    assert parlour("run", written(tmp_path, PLAYED), "--save", save, cwd=tmp_path).returncode == 0
    shown = json.loads(
        printed("leaderboard", save, "--view=conduct", "--format", "json", cwd=tmp_path)
    )
    # Each match 21 answers; each agent is one seat in one match and two in the other.
    assert [(one["agent"], one["answers"], one["calls"]) for one in shown] == [
        ("=Ada", 21, 0),
        ("Bob", 21, 0),
    ]
    assert shown[0]["fault_rate"] == 0
    assert shown[0]["latency_median"] is None
    lines = printed(
        "leaderboard", save, "--view=conduct", "--format", "csv", cwd=tmp_path
    ).splitlines()
    assert lines[1].startswith("'=Ada,21,{},0,")
    table = printed("leaderboard", save, "--view=conduct", "--format", "md", cwd=tmp_path)
    assert r"| =Ada | 21 | 0.000 \[too few\] | – | 0 |" in table  # two matches show no spread
    assert "95 % interval (Wilson by match)" in table
    words = ("leaderboard", save, "--view=conduct", "--format=latex", "--out=it.tex")
    said = printed(*words, cwd=tmp_path)
    assert said == "Written: it.tex\n"
    assert "=Ada & 21 & 0.000 [too few] & -- & 0 &" in (tmp_path / "it.tex").read_text()
    printed("export", save, "--format", "jsonl", "--out", tmp_path / "out", cwd=tmp_path)
    rows = (tmp_path / "out" / "conduct.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(row) for row in rows] == shown


def test_faults_repairs_and_the_interval_by_hand(tmp_path: Path) -> None:
    text = QUICK.replace("limit = 2", "limit = 1").replace("seed", "repetitions = 3\nseed", 1)
    save = finished(tmp_path, text)
    # Ada has two answers in a match and four in the next, three times. In match 2 two of four end
    # as faults after three tries each, and a third one is good at the second try.
    for ask, seat, fault, tries in ((0, 2, "illegal", 3), (3, 2, "empty", 3), (3, 0, None, 2)):
        where = f"match = 2 AND ask = {ask} AND seat = {seat}"
        tamper(save, f"UPDATE answers SET fault = ?, tries = ? WHERE {where}", fault, tries)
    ada, rob = in_save(save, conduct)
    assert (ada.answers, ada.faults) == (18, {"empty": 1, "illegal": 1})
    assert (ada.repairs, ada.repaired) == (2 + 2 + 1, 1)
    assert (rob.answers, rob.faulty, rob.repairs, rob.repaired) == (18, 0, 0, 0)
    # Without one of six matches the rate is 2/16 or 2/14, and without match 2 it is 0.
    rate = 2 / 18
    without = [2 / 16, 0, 2 / 16, 2 / 14, 2 / 16, 2 / 14]
    variance = 5 / 6 * sum((each - rate) ** 2 for each in without)
    trials = rate * (1 - rate) / variance * 18 / 17 * (t.ppf(0.975, 17) / t.ppf(0.975, 5)) ** 2
    assert ada.interval is not None
    assert ada.interval[1:] == pytest.approx(wilson(rate * trials, trials)[1:])


def test_latency_is_of_answered_calls_alone(tmp_path: Path) -> None:
    save = finished(tmp_path, QUICK)
    for failure, latency in ((None, 1.0), (None, 3.0), ("timeout", 600.0)):
        tamper(
            save,
            "INSERT INTO calls (match, ask, seat, try, number, attempt, agent, model, prompt,"
            " templates, parameters, failure, latency)"
            " VALUES (1, 0, 0, 1, 1, 1, 'Ada', 'm', '', '[]', '{}', ?, ?)",
            *(failure, latency),
        )
    ada = in_save(save, conduct)[0]
    assert (ada.calls, ada.retries) == (3, 1)
    assert ada.latency == pytest.approx((2.0, 2.9))  # 95 of 100 parts of the way from 1 to 3


def test_an_agent_without_an_answer_has_no_rate(tmp_path: Path) -> None:
    save = tmp_path / "save.db"
    assert parlour("run", written(tmp_path, PLAYED), "--save", save, cwd=tmp_path).returncode == 0
    tamper(save, "DELETE FROM answers")
    with Save(save) as opened:
        for one in conduct(opened):
            assert (one.answers, one.fault_rate, one.interval) == (0, None, None)
    assert "–" in printed("leaderboard", save, "--view=conduct", cwd=tmp_path)


def test_the_median_and_the_tail_of_latencies() -> None:
    assert _median_and_tail([0.5]) == (0.5, 0.5)
    # 0, 1, ... 100: the median is 50, and 95 of 100 steps are up to 95.
    assert _median_and_tail([float(second) for second in range(101)]) == (50, 95)


def test_calls_without_tokens_are_unpriced_and_what_they_may_have_cost_is_shown(
    tmp_path: Path,
) -> None:
    with provider(tmp_path) as server:
        assert run(tmp_path, planned(server, 1)).returncode == 0
    path = tmp_path / "save.db"
    tamper(path, "UPDATE calls SET prompt_tokens = NULL, completion_tokens = NULL, price = 0.5")
    ada = in_save(path, conduct)[0]
    assert ada.unpriced == ada.calls > 0
    assert ada.dollars == 0.5 * ada.calls
    table = conduct_report([ada]).tables[0]
    assert table.rows[0][table.titles.index("Dollars")].startswith(f"{ada.dollars:.2f}")
