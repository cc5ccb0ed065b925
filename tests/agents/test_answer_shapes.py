"""Shapes in which models write their answers: one table of what is read from each."""

import json
import time
import tomllib
from typing import Any, NamedTuple

import pytest

from parlour.agents.llm.answer_parser import ParsedAnswer, read_answer, split_thinking
from parlour.agents.llm.http_clients import read_completion
from parlour.agents.model_calls import Completion
from parlour.games.engine.moves import Fault
from tests.blocks import text_of

SCHEMA = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "suspect": {"type": "string"}},
    "required": ["reasoning", "suspect"],
}
CLUE = {"properties": {"text": {"type": "string"}}, "required": ["text"]}
DATA = {"reasoning": "so be it", "suspect": "Player 2"}
DRAFT = {"reasoning": "at first", "suspect": "Player 3"}
A, D = json.dumps(DATA), json.dumps(DRAFT)
ECHO = json.dumps(SCHEMA)
EMPTY, UNPARSABLE = "empty", "unparsable"


class Shape(NamedTuple):
    """A text, and the data that is read from it or the class of the fault."""

    text: str
    read: dict[str, Any] | str = DATA
    schema: dict[str, Any] = SCHEMA


def shape(text: str, read: str = A) -> Shape:
    """A shape as the file has it."""
    data = json.loads(read) if read.startswith("{") else read
    return Shape(text.replace("«A»", A).replace("«D»", D), data)


ON_FILE = tomllib.loads(text_of("tests/data/answer_shapes.toml"))
SHAPES = {
    **{name: shape(*row) for name, row in ON_FILE.items()},
    "form of a clue": Shape('{"text": ...}', UNPARSABLE, CLUE),
}


def read(completion: Completion, schema: dict[str, Any] = SCHEMA) -> dict[str, Any] | str:
    """The data of an answer, or the class of the fault."""
    parsed = read_answer(completion, schema)
    return parsed.kind.value if isinstance(parsed, Fault) else parsed.data


@pytest.mark.parametrize("name", SHAPES)
def test_the_last_object_that_fits_is_the_answer_and_none_is_taken_from_thinking(name: str) -> None:
    shape = SHAPES[name]
    assert read(Completion(shape.text), shape.schema) == shape.read


@pytest.mark.parametrize("name", [name for name in SHAPES if "without marks" not in name])
def test_what_follows_the_thinking_is_read_as_it_is_without_thinking(name: str) -> None:
    shape = SHAPES[name]
    assert read(Completion(f"Maybe {D}?</think>\n{shape.text}"), shape.schema) == shape.read


def call(arguments: object, name: str = "vote") -> dict[str, Any]:
    return {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}


def part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


MESSAGES: dict[str, tuple[dict[str, Any], dict[str, Any] | str]] = {
    "tool call": ({"content": None, "tool_calls": [call(A)]}, DATA),
    "tool call with an object": ({"content": "", "tool_calls": [call(DATA)]}, DATA),
    "several tool calls": ({"content": None, "tool_calls": [call(D), call(A)]}, DATA),
    "tool call of something else, too": (
        {"content": None, "tool_calls": [call(A), call('{"note": "x"}', "remember")]},
        DATA,
    ),
    "tool call beside prose": ({"content": "My {vote}:", "tool_calls": [call(A)]}, DATA),
    "tool call beside an answer": ({"content": A, "tool_calls": [call("{}", "done")]}, DATA),
    "tool call cut off": ({"content": None, "tool_calls": [call(A[:-4])]}, UNPARSABLE),
    "function call": ({"content": None, "function_call": {"name": "v", "arguments": A}}, DATA),
    "malformed tool calls": ({"content": A, "tool_calls": [None, {"function": 3}, {}]}, DATA),
    "reasoning_content": ({"content": A, "reasoning_content": D}, DATA),
    "reasoning": ({"content": A, "reasoning": D}, DATA),
    "reasoning_content and nothing": ({"content": "", "reasoning_content": D}, EMPTY),
    "reasoning and nothing": ({"content": None, "reasoning": D}, EMPTY),
    "parts": ({"content": [part(A)]}, DATA),
    "parts of Magistral": (
        {"content": [{"type": "thinking", "thinking": [part(D)]}, part(A)]},
        DATA,
    ),
    "parts that only think": ({"content": [{"type": "thinking", "thinking": D}]}, EMPTY),
    "malformed parts": ({"content": [None, 3, {"type": "text"}, {"text": A}]}, DATA),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_an_answer_is_read_from_every_part_of_a_message_but_its_thinking(name: str) -> None:
    message, expected = MESSAGES[name]
    completion = Completion(
        **read_completion(json.dumps({"choices": [{"message": message}]}).encode())
    )
    assert read(completion) == expected
    if D in str(message) and "tool" not in name:
        assert split_thinking(completion)[1] == D


@pytest.mark.parametrize(
    ("text", "tier"),
    [
        (A, "json"),
        (f"```json\n{A}\n```", "json"),
        (f"hm</think>\n{A}", "json"),
        (f"{D} {A}", "embedded"),
        (f'{{"answer": {A}}}', "embedded"),
        (f"{D} {A[:-1]},}}", "repaired"),
        (A[:-1], "repaired"),
    ],
)
def test_how_an_answer_was_read_is_noted(text: str, tier: str) -> None:
    assert read_answer(Completion(text), SCHEMA) == ParsedAnswer(DATA, tier)  # type: ignore[arg-type]


REPEATED = {
    **{"{": 1_000_000, '{"': 500_000, "{ ": 500_000, "{a:": 300_000, '{"a":': 200_000},
    **{"{}": 500_000, "</think>": 100_000, "<think>": 100_000, '{"a": "</think>"}': 60_000},
    **{"<": 1_000_000, "\x1b[2J": 200_000, '"': 1_000_000},
}
LONG = [
    *(text * times for text, times in REPEATED.items()),
    "{" * 500_000 + "}" * 500_000,
    "{'a':" * 100 + "[1," * 300_000,
    '{"a": [' + "1," * 400_000,
    "assistantfinal" + " " * 1_000_000,
    '{"a":' * 900 + "1" + "}" * 900,
    '{"number": ' + "9" * 10_000 + "}",
]


@pytest.mark.parametrize("text", LONG, ids=lambda text: text[:12].replace("\x1b", "ESC"))
def test_a_megabyte_of_anything_is_read_at_once_and_is_no_answer(text: str) -> None:
    begun = time.process_time()
    parsed = read_answer(Completion(text), SCHEMA)
    assert isinstance(parsed, Fault) or not parsed.data.keys() >= DATA.keys()
    assert time.process_time() - begun < 2
