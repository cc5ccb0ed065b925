"""Reasons are required of models: without one a model is asked again. They come first, except in
the vote of the impostor game, where the paper has them after the suspect."""

import json
import math
from pathlib import Path
from typing import Any, Literal

import pytest

from parlour.agents.base import Call
from parlour.agents.llm.agent import LLMAgent
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import REASONS
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import openings, play
from tests.models import Served, config, models, played_by
from tests.tournament.test_journal import rows

FORMS: dict[Literal["schema", "object", "text"], str] = {
    "schema": "json_schema",
    "object": "json_object",
    "text": "text",
}
"""The values of ``structured``, and the type of the response format that is sent."""
GAMES = {
    "donation": ("agents_per_match = 2", {"donate": "justification", "gossip": "justification"}),
    "prisoners_dilemma": (
        'lineup = ["Ada", "Bob", "Ada"]\nlimit = 1\nrounds = 1',
        {"choose": "reasoning"},
    ),
    "impostor": (
        'lineup = ["Ada", "Bob", "Ada", "Bob"]\nlimit = 1\nprobes = "off"',
        {"vote": "reasoning"},
    ),
}
"""Keys of a short match, and the fields for reasons by the kind of ask."""


def played(folder: Path, game: str, form: str, mode: str) -> tuple[Path, set[str]]:
    """A save of a match of two models, and the types of the forms that the server got."""
    forms: set[str] = set()

    def text(server: Served) -> str:
        blocks = models(server.base, dict.fromkeys(("Ada", "Bob"), f'structured = "{form}"'))
        return f'name = "reasons"\n[[games]]\nname = "{game}"\n{GAMES[game][0]}\n{blocks}'

    def look(_save: Path, server: Served) -> None:
        forms.update(request["form"] for request in server.requests)

    return played_by(folder, text, mode, look, concurrency=8, pace=math.inf), forms


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("game", GAMES)
def test_an_answer_without_its_reason_is_asked_for_again_and_then_a_fault(
    tmp_path: Path, game: str, form: Literal["schema", "object", "text"]
) -> None:
    save, sent = played(tmp_path, game, form, "no_reason")
    assert sent == {FORMS[form]}
    kinds = set()
    for row in rows(save, "SELECT kind, fault, tries, notes FROM answers"):
        reason = GAMES[game][1].get(row["kind"])
        if reason is None:
            assert (row["fault"], row["tries"]) == (None, 1)
        else:
            kinds.add(row["kind"])
            assert (row["fault"], row["tries"]) == ("unparsable", 3)
            assert json.loads(row["notes"])["problem"] == f"{reason}: is missing"
    assert kinds == GAMES[game][1].keys()


@pytest.mark.parametrize("game", GAMES)
def test_with_its_reason_the_same_answer_is_taken_and_stored_in_the_order_of_its_fields(
    tmp_path: Path, game: str
) -> None:
    save, _sent = played(tmp_path, game, "schema", "good")
    for row in rows(save, "SELECT kind, value, fault, tries FROM answers"):
        assert (row["fault"], row["tries"]) == (None, 1)
        reason = GAMES[game][1].get(row["kind"])
        if reason is not None:
            order = list(json.loads(row["value"]))
            assert order.index(reason) == (2 if game == "impostor" else 0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", games())
def test_the_reason_has_its_place_in_all_that_a_model_is_sent(
    name: str, form: Literal["schema", "object", "text"]
) -> None:
    own = config("http://127.0.0.1:9/v1", structured=form)
    agent = LLMAgent(own, OpenAIClient(own))  # nothing is sent
    reasons = set()

    def watch(table: Table) -> None:
        ask = table.pending
        assert ask is not None
        for seat in ask.seats:
            request = agent.request(ask, table.view(seat), Call(Dice("reasons")))
            written = request.messages[-1][1].rpartition("JSON schema:\n")[2]
            schemas: list[Any] = [json.loads(written)]
            response_format = request.response_format() or {}
            if "json_schema" in response_format:
                schemas.append(json.loads(json.dumps(response_format))["json_schema"]["schema"])
            for schema in schemas:
                fields = list(schema["properties"])
                if REASONS.isdisjoint(fields):
                    continue
                reasons.add(ask.kind)
                (reason,) = REASONS.intersection(fields)
                assert fields.index(reason) == (2 if name == "impostor" else 0)
                assert reason in schema["required"]
                assert "default" not in schema["properties"][reason]

    for table in openings(games()[name], games()[name].variant(), seeds=1):
        play(table, watch=watch)
    assert reasons


def test_the_vote_of_impostor_requires_a_confidence_too() -> None:
    required = set()

    def watch(table: Table) -> None:
        if table.pending is not None and table.pending.kind == "vote":
            schema = table.pending.schema(table.seats[0])
            required.update(schema["required"])
            assert "default" not in schema["properties"]["confidence"]

    for table in openings(games()["impostor"], games()["impostor"].variant(), seeds=1):
        play(table, watch=watch)
    assert required == {"reasoning", "suspect", "confidence"}
