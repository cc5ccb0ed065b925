"""The command `diff`: what makes two tournaments of two saves, and what does not."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import run_session
from tests.models import served
from tests.provider import OTHER_MODEL
from tests.tournament.test_journal import planned
from tests.tournaments import SMALL, finished, new_save, parlour, play, tamper

pytestmark = pytest.mark.usefixtures("own_config")


def lines(one: Path, other: Path, code: int) -> list[str]:
    """The lines that `diff` prints after the two names."""
    done = parlour("diff", one, other, cwd=one.parent)
    assert (done.returncode, done.stderr) == (code, "")
    printed = done.stdout.splitlines()
    assert printed[:2] == [f"A: {one}", f"B: {other}"]
    return printed[2:]


def as_data(one: Path, other: Path, code: int) -> dict[str, Any]:
    """The same as JSON."""
    done = parlour("diff", one, other, "--format", "json", cwd=one.parent)
    assert (done.returncode, done.stderr) == (code, "")
    body: dict[str, Any] = json.loads(done.stdout)
    assert body["same"] is (code == 0)
    return body


def test_a_save_does_not_differ_from_itself(tmp_path: Path) -> None:
    save = finished(tmp_path)
    body = as_data(save, save, 0)
    assert (body["a"], body["b"], body["differences"]) == (str(save), str(save), [])


def test_limits_differ_without_a_word_and_budgets_and_names_without_a_weight(
    tmp_path: Path,
) -> None:
    one = new_save(tmp_path, SMALL, "one.db")
    other = new_save(tmp_path, SMALL.replace('"small"', '"large"'), "other.db")
    limits = """UPDATE control SET limits = '[{"endpoint": "x", "in_flight": 3}]', pace = 7.0"""
    tamper(other, limits)
    tamper(other, """UPDATE control SET budget = 2.5, agent_budgets = '{"Ada": 1.0}'""")
    assert lines(one, other, 0) == [
        "Nothing differs but:",
        '  name is "small" in A and "large" in B',
        "  budget is not set in A and 2.5 in B",
        "  budget of Ada is not set in A and 1.0 in B",
    ]


CHANGES = {
    ("seed = 7", "seed = 8"): ["seed is 7 in A and 8 in B"],
    ("seed = 7", "seed = 7\nrepetitions = 2"): [
        *("repetitions is 1 in A and 2 in B", "12 matches planned in A, 24 in B")
    ],
    ('strategy = "bayesian"', 'strategy = "literal"'): [
        'Ada: strategy is "bayesian" in A and "literal" in B'
    ],
    ('name = "Lin"', 'name = "Lou"'): ["Lin is only in A", "Lou is only in B"],
    ("limit = 2", 'limit = 2\nprobes = "off"'): [
        'undercover: probes is "per_round" in A and "off" in B'
    ],
    ("limit = 2", "limit = 1"): [
        "undercover: 2 settings in A and 1 in B, 1 of them the same",
        "12 matches planned in A, 6 in B",
    ],
    ("limit = 2", 'limit = 2\n[[games]]\nname = "impostor"\nlimit = 1'): [
        *("a block of impostor is only in B", "12 matches planned in A, 36 in B")
    ],
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_tournament_is_said_key_by_key(tmp_path: Path, change: tuple[str, str]) -> None:
    one = new_save(tmp_path, SMALL, "one.db")
    other = new_save(tmp_path, SMALL.replace(*change), "other.db")
    assert lines(one, other, 1) == CHANGES[change]
    body = as_data(one, other, 1)
    assert [each["sentence"] for each in body["differences"]] == CHANGES[change]


def test_other_rules_and_another_program_are_said(tmp_path: Path) -> None:
    save = finished(tmp_path)
    other = tmp_path / "other.db"
    other.write_bytes(save.read_bytes())
    tamper(other, "UPDATE tournament SET program = '0.1'")
    (head, line) = lines(save, other, 0)
    assert head == "Nothing differs but:"
    assert line.startswith("  played by Parlour ")
    assert line.endswith(" in A and by 0.1 in B")
    tamper(other, "UPDATE tournament SET spec = json_set(spec, '$.games[0].version', 1)")
    first, weight, _ = lines(save, other, 1)
    assert first.startswith("undercover: version ")
    assert first.endswith(" of the rules in A, 1 in B")
    assert weight == "Of less weight:"


def saves_of_models(folder: Path) -> tuple[Path, Path]:
    """Two saves of one tournament of models, the second with another model in the middle."""

    def mode(number: int) -> str:
        return "other_model" if number > 30 else "good"

    async def story() -> tuple[Path, Path]:
        async with served(folder, mode) as server:
            text = planned(server, 2, games=["undercover"])
            saves = [new_save(folder, text, name) for name in ("one.db", "other.db")]
            for save in saves:
                assert (await run_session(save, RunOptions(concurrency=1))).progress.done
            return saves[0], saves[1]

    return asyncio.run(story())


def test_prompts_are_compared_by_content_and_models_by_what_served(tmp_path: Path) -> None:
    one, other = saves_of_models(tmp_path)
    assert lines(one, other, 1) == [
        f"Ada was served by ada-1 in A and by ada-1, {OTHER_MODEL} in B",
        f"Bob was served by bob-1 in A and by bob-1, {OTHER_MODEL} in B",
    ]
    tamper(other, "UPDATE calls SET served = model, host = 'elsewhere', fingerprint = 'fp'")
    weightless = lines(one, other, 0)
    assert weightless[0] == "Nothing differs but:"
    assert [line.partition(" in A")[2] for line in weightless[1:]] == [
        " and elsewhere in B",
        " and fp in B",
    ] * 2
    tamper(other, "UPDATE calls SET host = NULL, fingerprint = NULL")
    digest = "(SELECT digest FROM templates WHERE name = 'clue.j2' AND digest != 'cafe')"
    tamper(
        other,
        "INSERT INTO templates SELECT 'cafe', name, text || 'Be brief.\x1b[2J' FROM templates"
        " WHERE name = 'clue.j2'",
    )
    tamper(other, f"UPDATE calls SET templates = replace(templates, {digest}, 'cafe')")
    printed = lines(one, other, 1)
    assert printed[:3] == ["the prompt clue.j2 of undercover differs:", "  --- A", "  +++ B"]
    added = [line for line in printed[3:] if line.startswith("  +")]
    assert len(added) == 1
    assert added[0].endswith("Be brief.[2J")
    (difference,) = as_data(one, other, 1)["differences"]
    assert (difference["part"], difference["subject"]) == ("prompts", "undercover/clue.j2")
    assert difference["lines"][:2] == ["--- A", "+++ B"]


def test_prompts_that_only_one_side_has_sent_are_no_difference(tmp_path: Path) -> None:
    one, _ = saves_of_models(tmp_path)
    text = (tmp_path / "tournament.toml").read_text(encoding="utf-8")
    empty = new_save(tmp_path, text, "empty.db")
    assert lines(one, empty, 0) == ["Nothing differs."]


def test_a_growing_save_and_a_finished_one_do_not_differ(tmp_path: Path) -> None:
    one, other = new_save(tmp_path, SMALL, "one.db"), new_save(tmp_path, SMALL, "other.db")
    play(one)
    assert lines(one, other, 0) == ["Nothing differs."]


def test_matches_that_went_otherwise_are_said_and_make_no_other_tournament(tmp_path: Path) -> None:
    one = finished(tmp_path)
    other = tmp_path / "other.db"
    other.write_bytes(one.read_bytes())
    assert lines(one, other, 0) == ["Nothing differs."]
    tamper(other, "UPDATE matches SET outcome = replace(outcome, '3.0', '2.0') WHERE number = 5")
    said = "1 of 12 matches went otherwise, first match 5"
    assert lines(one, other, 0) == ["Nothing differs but:", f"  {said}"]
    (difference,) = as_data(one, other, 0)["differences"]
    assert (difference["part"], difference["sentence"]) == ("matches", said)
