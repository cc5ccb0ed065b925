"""The memory of a language model, from the tournament file to what its server is sent."""

import asyncio
from pathlib import Path

import pytest

from parlour.cli.playing import change_memory
from parlour.games.common.errors import BadInput
from parlour.tournament.save.merging.merge import merge_saves
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import run_session
from tests.models import models, served
from tests.tournament.test_deliberating import recorded
from tests.tournament.test_journal import rows
from tests.tournament.test_prompts import exchanges
from tests.tournaments import new_save, printed, tournament

MEMORIES = {"Ada": "{ last = 2 }", "Bob": '"full"'}


def planned(base: str, memories: dict[str, str] = MEMORIES, more: str = "") -> str:
    keys = {name: f"memory = {memory}\n{more}" for name, memory in memories.items()}
    games = '[[games]]\nname = "donation"\nagents_per_match = 5\n'
    return f'name = "m"\nseed = 3\n{games}{models(base, keys)}'


def test_a_prompt_has_as_many_rounds_as_the_model_s_memory_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    asked = recorded(monkeypatch, lambda _name, _request, completion: completion)

    async def story() -> Path:
        async with served(tmp_path, "good") as server:
            save = new_save(tmp_path, planned(server.base))
            # What the save keeps of the block is what the agent is made from.
            assert (await run_session(save)).progress.done
            return save

    save = asyncio.run(story())
    prompts: dict[str, list[str]] = {name: [] for name in MEMORIES}
    for name, request in asked:
        prompts[name].append(request.messages[1][1])
    # A log of 10 encounters: whoever is asked last has seen 9 of them talked of.
    assert any("- 7 earlier records are left out" in text for text in prompts["Ada"])
    assert all(text.partition("public log")[2].count("- round") <= 2 for text in prompts["Ada"])
    assert not any("left out" in text for text in prompts["Bob"])
    assert max(text.partition("public log")[2].count("- round") for text in prompts["Bob"]) >= 8
    # Nothing of it is in the fingerprints of what was asked.
    assert rows(save, "SELECT * FROM answers WHERE fault IS NOT NULL") == []
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")


def test_a_memory_is_changed_in_the_middle_of_a_save_from_the_next_answer_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    asked = recorded(monkeypatch, lambda _name, _request, completion: completion)
    too_long = iter([False] * 14 + [True])

    async def story() -> tuple[Path, int]:
        overflow = "exceed_context_size_error"
        async with served(
            tmp_path, lambda _number: overflow if next(too_long, False) else "good"
        ) as server:
            save = new_save(tmp_path, planned(server.base))
            ended = await run_session(save, RunOptions(concurrency=1))
            assert not ended.progress.done
            (line,) = ended.stats.given_up
            assert "window: HTTP 400" in line
            assert "--memory last:3" in line
            change_memory(save, "last:1")
            before = len(asked)
            assert (await run_session(save)).progress.done
            return save, before

    save, before = asyncio.run(story())
    for _name, request in asked[before:]:
        assert request.messages[1][1].partition("public log")[2].count("- round") <= 1
    (answers,) = rows(save, "SELECT count(*) AS stored FROM answers")
    changes = rows(save, "SELECT agent, last_answer, body FROM changes ORDER BY number")
    assert [row["agent"] for row in changes] == ["Ada", "Bob"]
    assert [row["body"] for row in changes] == ['{"memory": {"last": 2}}', '{"memory": "full"}']
    assert all(0 < row["last_answer"] < answers["stored"] for row in changes)
    merge_saves(tmp_path / "merged.db", [save])
    for path in (save, tmp_path / "merged.db"):
        problems = [each.problem for each in exchanges(path) if each.call.failure is None]
        assert problems == [None] * answers["stored"]


@pytest.mark.parametrize("odd", ["last", "last:0", "last:x", "3", "none"])
def test_an_odd_change_of_memory_is_refused(tmp_path: Path, odd: str) -> None:
    with pytest.raises(BadInput, match="give full, or last:3 for 3 rounds"):
        change_memory(tmp_path / "m.db", odd)


@pytest.mark.parametrize(
    "odd", ["0", "-1", '"none"', "{ last = 0 }", "{ last = 1.5 }", "{ last = true }", "{ }"]
)
def test_an_odd_memory_is_refused_with_its_value_and_what_may_stand_there(
    tmp_path: Path, odd: str
) -> None:
    with pytest.raises(BadInput) as refused:
        tournament(tmp_path, planned("http://x/v1", {"Ada": odd, "Bob": '"full"'}))
    said = str(refused.value)
    assert "agents[0].memory: " in said
    value = odd.replace("last =", "'last':").replace("{ ", "{").replace(" }", "}")
    assert value.strip('"').replace("true", "True") in said
    assert 'is not a valid memory: give "full", or { last = 10 } for 10 rounds' in said
    assert "\n" not in said


def test_an_endpoint_that_is_sent_everything_takes_no_memory(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="memory does not work with client = 'http'"):
        tournament(tmp_path, planned("http://x/v1", more='client = "http"\n'))
