"""Models with a scratchpad: they think first, nobody else reads it, and nothing is asked twice."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from parlour.agents.llm.deliberation import ScratchpadAgent
from parlour.agents.model_calls import Completion, Request
from parlour.agents.registry import make_agent
from tests.models import config
from tests.tournament.test_deliberating import (
    OTHERS,
    PADS,
    WORD_GAMES,
    answers,
    place,
    planned,
    played,
    recorded,
)
from tests.tournament.test_journal import rows
from tests.tournaments import printed

GOSSIP = '[[games]]\nname = "donation"\nagents_per_match = 4\n'
PROBES = {"own_role", "beliefs", "supposed_word"}


pytestmark = pytest.mark.usefixtures("own_config")


@pytest.fixture
def _pads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.tournament.test_deliberating.planned", with_pads)


def with_pads(base: str, games: str) -> str:
    """A tournament of two models with scratchpads."""
    return planned(base, games, PADS)


def seat(request: Request) -> str:
    match = re.search(r"You are Player (\d)", request.messages[0][1])
    assert match
    return match[1]


def thinks(request: Request) -> bool:
    return not request.schema


def saying(what: Callable[[str, Request], Completion]) -> Callable[..., Completion]:
    """Change of completions: ``what`` gives the thoughts instead of the server."""

    def change(name: str, request: Request, completion: Completion) -> Completion:
        return what(name, request) if thinks(request) else completion

    return change


def test_a_block_with_a_scratchpad_makes_an_agent_with_one() -> None:
    assert type(make_agent(config("http://x/v1", deliberation="scratchpad"))) is ScratchpadAgent


@pytest.mark.usefixtures("_pads")
def test_each_action_is_thought_over_and_answered_with_that_thought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = recorded(monkeypatch, lambda _name, _request, completion: completion)
    save = played(tmp_path, WORD_GAMES + GOSSIP)
    first = {place(row): row["text"] for row in rows(save, "SELECT * FROM calls WHERE number = 1")}
    stored = answers(save)
    for answer in stored:
        assert (answer["fault"], answer["tries"]) == (None, 1)
        if answer["kind"] in PROBES:
            assert answer["notes"] == {}
        else:
            assert answer["notes"] == {"scratchpad": first[place(answer)]}
            assert answer["notes"]["scratchpad"].startswith("I think of thing ")
    acted = sum(answer["kind"] not in PROBES for answer in stored)
    assert len(asked) == len(stored) + acted
    thought = [request for _name, request in asked if thinks(request)]
    assert len(thought) == acted
    assert {request.form for request in thought} == {"text"}
    assert all("JSON" not in request.messages[1][1] for request in thought)
    shown = [r for _name, r in asked if "What you have just thought" in r.messages[1][1]]
    assert len(shown) == acted
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")


@pytest.mark.usefixtures("_pads")
def test_no_other_seat_and_no_later_ask_is_sent_what_was_thought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = Counter[str]()

    def thought(name: str, request: Request) -> Completion:
        count[name] += 1
        return Completion(f"canary {name} {seat(request)} {count[name]}.")

    asked = recorded(monkeypatch, saying(thought))
    played(tmp_path, WORD_GAMES + OTHERS, at_once=1)
    met = Counter[str]()
    for name, request in asked:
        prompt = "\n".join(text for _role, text in request.messages)
        for canary in re.findall(r"canary \w+ \d \d+\.", prompt):
            assert canary.startswith(f"canary {name} {seat(request)} ")
            assert not thinks(request)
            met[canary] += 1
    assert len(met) == count.total() > 60
    assert set(met.values()) == {1}  # in the prompt of its own answer alone


@pytest.mark.usefixtures("_pads")
def test_an_answer_that_is_fixed_is_not_thought_over_again(tmp_path: Path) -> None:
    save = played(tmp_path, WORD_GAMES + OTHERS, mode="illegal")
    faulty = 0
    for answer in answers(save):
        sql = "SELECT * FROM calls WHERE (match, ask, seat) = ({}, {}, {})".format(*place(answer))
        calls = rows(save, sql)
        if answer["kind"] not in PROBES:
            faulty += answer["fault"] is not None
            assert len(calls) == answer["tries"] + 1
            assert answer["notes"]["scratchpad"] == calls[0]["text"]
    assert faulty


@pytest.mark.usefixtures("_pads")
def test_whatever_is_thought_costs_no_seat_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = [
        (Completion(""), ""),
        (Completion("I cannot tell yet who it is."), "I cannot tell yet who it is."),
        (Completion("I will not.", finish="refusal"), ""),
        (Completion("half a th", finish="length"), "half a th"),
        (Completion("<think>by the tags</think>  "), "by the tags"),
        (Completion("  said  ", thinking="unasked"), "said"),
        (Completion('{"action": "defect"}'), '{"action": "defect"}'),
        (Completion("x\u202ey\x1b[2J\n## z"), "xy[2J\n## z"),
        (Completion("w" * 5000), "w" * 4000),
    ]
    given: list[int] = []

    def thought(_name: str, _request: Request) -> Completion:
        given.append(len(given) % len(odd))
        return replace(odd[given[-1]][0])

    asked = recorded(monkeypatch, saying(thought))
    save = played(tmp_path, WORD_GAMES + OTHERS)
    assert len(given) > 3 * len(odd)
    actions = [answer for answer in answers(save) if answer["kind"] not in PROBES]
    assert all((answer["fault"], answer["tries"]) == (None, 1) for answer in actions)
    # Characters that steer a terminal are gone when the save is read.
    scratchpads = {answer["notes"]["scratchpad"] for answer in actions}
    assert scratchpads == {text for _completion, text in odd}
    blank = [r for _name, r in asked if not thinks(r) and "just thought" not in r.messages[1][1]]
    assert blank  # where nothing was thought, nothing is said of it
