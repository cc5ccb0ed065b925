"""The cache: a question that was answered in another match of the save is not asked again."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.llm.config import LLMConfig
from parlour.agents.model_calls import Request
from parlour.tournament.calls.cache import Cache
from parlour.tournament.reports.conduct import conduct
from parlour.tournament.save.provenance.remarks import servings
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import SessionResult, run_session
from tests.models import QUESTION, Served, config, models, played_by
from tests.tournament.test_journal import rows
from tests.tournaments import new_save, printed_json, tamper

OF_A_MATCH = 15
"""Calls of a match of the prisoner's dilemma: three seats, five rounds."""
CALL = 300 / 1_000_000
"""Dollars for one call: 100 tokens in at $1, 20 out at $10 a million."""
PAID = "SELECT * FROM calls WHERE copy_of IS NULL"
COPIES = "SELECT * FROM calls WHERE copy_of IS NOT NULL ORDER BY seq"


pytestmark = pytest.mark.usefixtures("own_config")


def dilemma(server: Served, head: str = "", more: str = "", matches: int = 3) -> str:
    """So many matches on one setting, in which the same is asked as long as the same is said."""
    keys = f"prices = [1.0, 10.0]\nparameters = {{ max_tokens = 50 }}\n{more}"
    return (
        f'name = "cached"\nseed = 5\nrepetitions = {matches}\n{head}\n[[games]]\n'
        'name = "prisoners_dilemma"\nlimit = 1\nlineup = ["Ada", "Bob", "Ada"]\n'
        + models(server.base, dict.fromkeys(("Ada", "Bob"), keys))
    )


played = partial(played_by, concurrency=1)
"""Plays one match after the other to the end."""


def test_without_a_cache_every_question_is_asked(tmp_path: Path) -> None:
    def look(_save: Path, server: Served) -> None:
        assert len(server.requests) == 3 * OF_A_MATCH

    save = played(tmp_path, dilemma, then=look)
    assert rows(save, "SELECT * FROM calls WHERE cache_key > '' OR copy_of > 0") == []


def test_between_matches_the_same_question_is_asked_once_and_the_copies_cost_nothing(
    tmp_path: Path,
) -> None:
    def look(_save: Path, server: Served) -> None:
        assert len(server.requests) == OF_A_MATCH

    save = played(tmp_path, lambda s: dilemma(s, 'cache = "between_matches"'), then=look)
    originals = {call["seq"]: call for call in rows(save, PAID)}
    copies = rows(save, COPIES)
    assert (len(originals), len(copies)) == (OF_A_MATCH, 2 * OF_A_MATCH)
    for copy in copies:
        original = originals[copy["copy_of"]]
        assert copy["match"] != original["match"]
        for name in ("model", "prompt", "templates", "parameters", "text", "thinking", "finish"):
            assert copy[name] == original[name]
        for name in ("served", "fingerprint", "host"):
            assert copy[name] == original[name]
            assert copy[name]
        assert (copy["price"], copy["prompt_tokens"], copy["completion_tokens"]) == (0.0, 0, 0)
        assert (copy["latency"], copy["provider_id"], copy["cache_key"]) == (0.0, "", None)
    outcomes = {row["outcome"] for row in rows(save, "SELECT outcome FROM matches")}
    assert len(outcomes) == 1  # the same answers come to the same
    with Save(save) as opened:
        spent, agents = opened.spent(), conduct(opened)
        assert sum(serving.calls for serving in servings(opened)) == OF_A_MATCH
    assert (spent.calls, spent.cached) == (OF_A_MATCH, 2 * OF_A_MATCH)
    assert (spent.prompt_tokens, spent.completion_tokens) == (1500, 300)
    assert spent.dollars == pytest.approx(OF_A_MATCH * CALL)
    # Ada has two of the three seats.
    assert [(one.answers, one.calls, one.cached) for one in agents] == [(30, 10, 20), (15, 5, 10)]
    assert all(one.latency and one.latency[0] > 0 for one in agents)
    assert all(one.unpriced == 0 for one in agents)


def test_what_is_left_is_planned_by_what_had_to_be_paid(tmp_path: Path) -> None:
    save = played(tmp_path, lambda s: dilemma(s, 'cache = "between_matches"'))
    tamper(save, "UPDATE matches SET outcome = NULL WHERE number = 3")
    tamper(save, "DELETE FROM answers WHERE match = 3")
    plan = printed_json("plan", "--save", save, "--format", "json", cwd=tmp_path)
    ada, bob = plan["expenses"]
    # In two matches one call of two was sent: of ten and of five answers it takes half.
    assert (ada["answers"], bob["answers"]) == (10, 5)
    assert ada["calls"] == pytest.approx(10 / 2)
    assert bob["dollars"] == pytest.approx(5 / 2 * CALL)
    assert bob["prompt_tokens"] == pytest.approx(5 / 2 * 100)


def own_templates(folder: Path) -> str:
    """A key for templates by which every seat is asked the same in every round."""
    (folder / "own" / "prisoners_dilemma").mkdir(parents=True)
    for name, text in (("system", "You are Player 1, one of 3 players."), ("choose", "Choose.")):
        (folder / "own" / "prisoners_dilemma" / f"{name}.j2").write_text(text)
    return 'prompts = "own"'


def test_between_matches_no_answer_is_given_twice_in_a_match_nor_within_its_own(
    tmp_path: Path,
) -> None:
    more = own_templates(tmp_path)

    def look(_save: Path, server: Served) -> None:
        assert len({line["messages"] for line in server.requests}) == 1
        assert len(server.requests) == OF_A_MATCH

    save = played(tmp_path, lambda s: dilemma(s, 'cache = "between_matches"', more), then=look)
    for match in (2, 3):
        copies = rows(save, f"SELECT copy_of FROM calls WHERE match = {match}")
        assert len({copy["copy_of"] for copy in copies}) == OF_A_MATCH


def test_within_matches_other_seats_and_rounds_get_the_same_answer(tmp_path: Path) -> None:
    more = own_templates(tmp_path)

    def look(_save: Path, server: Served) -> None:
        # The three of the first round are sent at once; Ada's answers Ada, and Bob's Bob.
        assert sorted(line["model"] for line in server.requests) == ["ada-1", "ada-1", "bob-1"]

    save = played(tmp_path, lambda s: dilemma(s, 'cache = "within_matches"', more), then=look)
    assert len(rows(save, COPIES)) == 3 * OF_A_MATCH - 3


def test_an_agents_own_cache_goes_before_the_files(tmp_path: Path) -> None:
    def text(server: Served) -> str:
        whole = dilemma(server, 'cache = "between_matches"')
        return whole.replace('name = "Bob"', 'name = "Bob"\ncache = "off"')

    def look(_save: Path, server: Served) -> None:
        asked = [line["model"] for line in server.requests]
        # Bob's answers differ from match to match, and so do most questions after the first round.
        assert asked.count("ada-1") < asked.count("bob-1") == 15

    played(tmp_path, text, then=look)


def test_a_failure_is_no_answer_and_is_never_given_again(tmp_path: Path) -> None:
    def mode(number: int) -> str:
        return "server_error" if number % 3 == 0 else "good"

    save = played(tmp_path, lambda s: dilemma(s, 'cache = "between_matches"'), mode=mode)
    failures = rows(save, "SELECT * FROM calls WHERE failure IS NOT NULL")
    assert failures
    assert all(call["cache_key"] is None for call in failures)
    # While one match waits to try again another is begun, and may ask what is being asked.
    answered = {call["seq"] for call in rows(save, PAID) if call["failure"] is None}
    sources = {call["copy_of"] for call in rows(save, COPIES)}
    assert sources
    assert sources <= answered


@pytest.mark.parametrize("fault", ["refusal", "refusal_in_words", "prose"])
def test_a_refusal_or_a_faulty_answer_is_never_given_to_another_match(
    tmp_path: Path, fault: str
) -> None:
    reused: set[str] = set()

    def mode(number: int) -> str:
        return fault if number < OF_A_MATCH and number % 3 == 0 else "good"

    save = played(tmp_path, lambda s: dilemma(s, 'cache = "between_matches"'), mode=mode)
    answers = {(row["match"], row["ask"], row["seat"]): row for row in answers_of(save)}
    originals = {call["seq"]: call for call in rows(save, PAID)}
    copies = rows(save, COPIES)
    assert copies
    for copy in copies:
        source = originals[copy["copy_of"]]
        answer = answers[source["match"], source["ask"], source["seat"]]
        assert (answer["fault"], answer["tries"]) == (None, source["try"])
        assert source["finish"] != "refusal"
        reused.add(source["text"])
    faulty = [call for call in originals.values() if call["try"] < last_try(answers, call)]
    assert faulty
    assert not reused & {call["text"] for call in faulty}


def answers_of(save: Path) -> list[dict[str, Any]]:
    """The rows of the answers of a save."""
    return rows(save, "SELECT * FROM answers")


def last_try(answers: dict[tuple[int, int, int], dict[str, Any]], call: dict[str, Any]) -> int:
    """The number of tries of the answer that a call belongs to."""
    tries: int = answers[call["match"], call["ask"], call["seat"]]["tries"]
    return tries


def test_a_copy_is_in_the_journal_and_not_looked_up_again_after_a_restart(tmp_path: Path) -> None:
    def again(save: Path, server: Served) -> Any:
        before = rows(save, "SELECT * FROM calls ORDER BY seq")
        # As if killed before the answers of the second match were stored, and its original gone.
        tamper(save, "DELETE FROM answers WHERE match = 2")
        tamper(save, "UPDATE matches SET outcome = NULL WHERE number = 2")
        tamper(save, "UPDATE calls SET text = 'changed' WHERE match = 1")

        async def resumed() -> None:
            assert (await run_session(save)).progress.done
            assert len(server.requests) == OF_A_MATCH
            after = rows(save, "SELECT * FROM calls WHERE match > 1 ORDER BY seq")
            assert after == [call for call in before if call["match"] > 1]

        return resumed()

    save = played(tmp_path, lambda s: dilemma(s, 'cache = "between_matches"'), then=again)
    assert rows(save, "SELECT * FROM answers WHERE fault IS NOT NULL") == []


def test_a_match_that_goes_on_after_a_restart_gets_no_answer_twice_either(tmp_path: Path) -> None:
    more = own_templates(tmp_path)  # so that any answer of another match would do for any question

    def again(save: Path, server: Served) -> Any:
        # As if killed after two of the five rounds of the second match.
        tamper(save, "UPDATE matches SET outcome = NULL WHERE number = 2")
        tamper(save, "DELETE FROM answers WHERE match = 2 AND ask >= 2")
        tamper(save, "DELETE FROM calls WHERE match = 2 AND ask >= 2")

        async def resumed() -> None:
            assert (await run_session(save)).progress.done
            assert len(server.requests) == OF_A_MATCH

        return resumed()

    save = played(tmp_path, lambda s: dilemma(s, 'cache = "between_matches"', more), then=again)
    copies = rows(save, "SELECT copy_of FROM calls WHERE match = 2")
    assert len({copy["copy_of"] for copy in copies}) == len(copies) == OF_A_MATCH


def test_copies_need_no_budget_and_go_on_at_a_cap(tmp_path: Path) -> None:
    ended: list[SessionResult] = []

    def text(server: Served) -> str:
        # The worst of a call is dearer than a real one, so there must be room for it at the end.
        return dilemma(server, 'cache = "between_matches"', matches=3)

    def again(save: Path, server: Served) -> Any:
        tamper(save, "UPDATE matches SET outcome = NULL WHERE number > 1")
        tamper(save, "DELETE FROM answers WHERE match > 1")
        tamper(save, "DELETE FROM calls WHERE match > 1")

        async def resumed() -> None:
            # Not a cent more than is spent: no call could be sent.
            ended.append(await run_session(save, RunOptions(budget=OF_A_MATCH * CALL)))
            assert len(server.requests) == OF_A_MATCH

        return resumed()

    save = played(tmp_path, text, then=again)
    assert ended[0].progress.done
    assert (ended[0].stats.calls, ended[0].stats.cached) == (OF_A_MATCH, 2 * OF_A_MATCH)
    assert ended[0].stats.exceeded_budgets == []
    assert rows(save, "SELECT * FROM reservations") == []


def test_the_key_is_made_of_everything_that_an_answer_depends_on(tmp_path: Path) -> None:
    base = "http://localhost:1/v1"
    usual = config(base, cache="between_matches")
    messages = (*QUESTION.messages[:1], ("user", "Something else?"))
    other_form = {**QUESTION.schema, "title": "Other"}
    asked = [
        (usual, QUESTION),
        (config("http://localhost:2/v1", cache="between_matches"), QUESTION),
        (config(base, "litellm", cache="between_matches"), QUESTION),
        (config(base, cache="between_matches", model="other"), QUESTION),
        # litellm takes this name apart, the other client sends it as it is.
        (config(base, cache="between_matches", model="openai/test"), QUESTION),
        (config(base, cache="between_matches", api_key_env="OTHER_KEY"), QUESTION),
        (usual, Request(messages, schema=QUESTION.schema)),
        (usual, Request(QUESTION.messages, {"temperature": 0.5}, QUESTION.schema)),
        (usual, Request(QUESTION.messages, schema=other_form)),
        (usual, Request(QUESTION.messages, schema=QUESTION.schema, form="text")),
        (usual, Request(QUESTION.messages, schema=QUESTION.schema, question={"kind": "vote"})),
    ]

    def key(model: LLMConfig, request: Request, name: str = "Ada") -> str | None:
        with Save(save) as opened:
            return Cache({name: model}, opened).key(name, request)

    save = new_save(tmp_path)
    keys = [key(*one) for one in asked]
    assert None not in keys
    assert len(set(keys)) == len(asked)
    assert key(usual, QUESTION, "Bob") == keys[0]  # who asks does not matter
    assert key(config(base, timeout=5.0, cache="within_matches"), QUESTION) == keys[0]
    assert key(config(base), QUESTION) is None
