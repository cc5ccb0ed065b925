"""Files that train a model: chats as they were sent, and preferences of repeated asks."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from parlour.api.columns import columns_of
from parlour.api.export import write_tables
from parlour.api.preferences import Branching
from tests.models import Served, models, played_by
from tests.tournaments import in_save, refused, stored_rows

MODES = ("varied", "varied", "prose", "server_error", "varied", "illegal", "varied")
TEXT = """
name = "training"
seed = 3
[[games]]
name = "public_good"
limit = 1
"""
pytestmark = pytest.mark.usefixtures("own_config")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A save that models have played, its chats and its preferences, and what the server got."""
    folder, seen = tmp_path_factory.mktemp("training"), dict[str, Any]()

    async def look(save: Path, server: Served) -> None:
        before, seen["before"] = len(server.requests), save.read_bytes()
        made = folder / "out", False, False, Branching(asks=6, forks=4)
        await asyncio.to_thread(write_tables, save, "preferences", *made)
        seen["asked"] = len(server.requests) - before

    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CONFIG_HOME", str(folder / "config"))

        def mode(number: int) -> str:
            return MODES[number % len(MODES)]

        save = played_by(folder, lambda server: TEXT + models(server.base), mode, look)
    write_tables(save, "chat", folder / "out", force=True)
    chats, pairs = (lines(folder / "out" / f"{name}.jsonl") for name in ("chat", "preferences"))
    return {"save": save, "chats": chats, "pairs": pairs, **seen}


def test_a_chat_is_what_was_sent_and_answered_with_the_payoff_of_its_seat(
    exported: dict[str, Any],
) -> None:
    chats = exported["chats"]
    answered = stored_rows(exported["save"], "SELECT seq, text FROM calls WHERE failure IS NULL")
    assert {each["seq"]: each["completion"][0]["content"] for each in chats} == dict(answered)
    payoffs = {
        match.number: match.outcome.payoffs
        for match in in_save(exported["save"], lambda save: save.matches())
        if match.outcome
    }
    faulty = [each for each in chats if each["fault"]]
    assert 0 < len(faulty) < len(chats)
    for each in chats:
        assert list(each) == [*columns_of("chat")]
        assert [part["role"] for part in each["messages"]][-2:] == ["user", "assistant"]
        assert each["messages"] == each["prompt"] + each["completion"]
        expected = None if each["fault"] else payoffs[each["match"]][each["seat"]]
        assert each["reward"] == expected


def test_a_preference_is_two_answers_to_one_prompt_of_which_one_earned_more(
    exported: dict[str, Any],
) -> None:
    chats = {each["seq"]: each for each in exported["chats"]}
    assert exported["pairs"]
    assert exported["asked"] > 6 * 4
    for pair in exported["pairs"]:
        assert list(pair) == [*columns_of("preferences")]
        assert pair["prompt"] == chats[pair["seq"]]["prompt"]
        assert pair["chosen"] != pair["rejected"]
        assert pair["chosen_reward"] > pair["rejected_reward"]
        assert 2 <= pair["answers"] <= 5
    assert exported["save"].read_bytes() == exported["before"]  # nothing of it was stored


def test_forks_that_cannot_be_played_are_one_line(
    exported: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["export", exported["save"], "--format", "preferences", "--out", tmp_path / "a"]
    said = refused(*words, "--budget", 0.000001, cwd=tmp_path)
    assert "no budget can be enforced" in said
    assert not [*tmp_path.rglob("*.jsonl*")]
    said = refused(*words, cwd=tmp_path)  # the server is gone
    assert "no fork could be played: connection: " in said
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert "needs your consent" in refused(*words, cwd=tmp_path)
