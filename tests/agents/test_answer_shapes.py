"""Shapes in which models write their answers: one table of what is read from each."""

import json
import time
from typing import Any, NamedTuple

import pytest

from parlour.agents.llm.answer_parser import ParsedAnswer, read_answer, split_thinking
from parlour.agents.llm.http_clients import read_completion
from parlour.agents.model_calls import Completion
from parlour.games.engine.moves import Fault

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


SHAPES = {
    # tags around thinking
    "plain": Shape(A),
    "think": Shape(f"<think>hm</think>{A}"),
    "think with a draft": Shape(f"<think>perhaps {D}</think>\n{A}"),
    "lone closing tag": Shape(f"I weigh it.\n</think>\n\n{A}"),
    "lone closing tag after a draft": Shape(f"First {D}, no.\n</think>\n{A}"),
    "lone closing tag and nothing else": Shape(f"First {D}\n</think>", EMPTY),
    "think that never ends": Shape(f"<think>perhaps {D}", EMPTY),
    "think that begins again and never ends": Shape(f"<think>a</think>\n<think>{D}", EMPTY),
    "answer before thinking that never ends": Shape(f"{A}\n<think>or {D}"),
    "thinking alone": Shape(f"<think>{D}</think>", EMPTY),
    "several blocks": Shape(f"<think>a</think>{D}<think>{D}</think>{A}"),
    "nested tags": Shape(f"<think>a <think>{D}</think> still {D}</think>{A}"),
    "capitals": Shape(f"<THINK>{D}</THINK>{A}"),
    "thinking": Shape(f"<thinking>{D}</thinking>{A}"),
    "thought": Shape(f"<thought>{D}</thought>{A}"),
    "reasoning": Shape(f"<reasoning>{D}</reasoning>{A}"),
    "reflection": Shape(f"<reflection>{D}</reflection>{A}"),
    "tag with an attribute": Shape(f'<think budget="9">{D}</think>{A}'),
    "tag with a prefix": Shape(f"<seed:think>{D}</seed:think>{A}"),
    "thinking of Magistral": Shape(f"[THINK]{D}[/THINK]{A}"),
    "thinking of Magistral without an end": Shape(f"[THINK]{D}", EMPTY),
    "thinking of Kimi": Shape(f"◁think▷{D}◁/think▷{A}"),
    "thinking of Command": Shape(f"<|START_THINKING|>{D}<|END_THINKING|>{A}"),
    "thinking of Sky-T1": Shape(f"<|begin_of_thought|>{D}<|end_of_thought|>{A}"),
    "thinking of Gemma": Shape(f"<|channel>thought\n{D}<channel|>{A}"),
    "channels of gpt-oss": Shape(
        f"<|channel|>analysis<|message|>{D}<|end|><|start|>assistant"
        f"<|channel|>final<|message|>{A}<|return|>"
    ),
    "channels of gpt-oss with a constraint": Shape(
        f"<|channel|>analysis<|message|>{D}<|end|><|start|>assistant"
        f"<|channel|>final <|constrain|>json<|message|>{A}"
    ),
    "tool channel of gpt-oss": Shape(
        f"<|channel|>analysis<|message|>{D}<|end|><|start|>assistant<|channel|>commentary"
        f" to=functions.answer <|constrain|>json<|message|>{A}<|call|>"
    ),
    "tool channel of gpt-oss, the tool first": Shape(
        f"<|channel|>analysis<|message|>{D}<|end|><|start|>assistant to=functions.answer"
        f"<|channel|>commentary json<|message|>{A}<|call|>"
    ),
    "analysis of gpt-oss alone": Shape(f"<|channel|>analysis<|message|>{D}", EMPTY),
    "channels of gpt-oss without marks": Shape(f"analysisWe try {D} first.assistantfinal{A}"),
    "analysis of gpt-oss without marks": Shape(f"analysisWe try {D} first.", EMPTY),
    "a tag that a player wrote": Shape(
        '{"reasoning": "it wrote </think> there", "suspect": "Player 2"}',
        {"reasoning": "it wrote </think> there", "suspect": "Player 2"},
    ),
    "an opening tag that a player wrote": Shape(
        '<think>hm</think>{"reasoning": "<think>?", "suspect": "Player 2"}',
        {"reasoning": "<think>?", "suspect": "Player 2"},
    ),
    # fences
    "fence": Shape(f"```\n{A}\n```"),
    "fence of JSON": Shape(f"```json\n{A}\n```"),
    "fence in prose": Shape(f"Here it is:\n```json\n{A}\n```\nGood luck!"),
    "two fences": Shape(f"```json\n{D}\n```\nOn second thought:\n```json\n{A}\n```"),
    "fence in the thinking": Shape(f"<think>```json\n{D}\n```</think>```json\n{A}\n```"),
    "fence without an end": Shape(f"```json\n{A}"),
    "fence around two tries": Shape(f"```json\n{D}\n{A}\n```"),
    # drafts
    "draft, then final": Shape(f"{D}\n{A}"),
    "draft and final in prose": Shape(f"Draft: {D}. No, it is {A}"),
    "draft with an error, then final": Shape(f"{D[:-1]},}} no: {A}"),
    "draft, then final with an error": Shape(f"{D} no: {A[:-1]},}}"),
    "draft, then final cut off": Shape(f'{D} no: {{"reasoning": "so be', UNPARSABLE),
    "final, then an object that does not fit": Shape(f'{A} {{"sure": true}}'),
    "final, then an empty object": Shape(f"{A} {{}}"),
    "schema, then answer": Shape(f"{ECHO}\n{A}"),
    "schema alone": Shape(ECHO, json.loads(ECHO)),
    "form, then answer": Shape(f'{{"reasoning": ..., "suspect": ...}} {A}'),
    "answer, then form": Shape(f'{A} as {{"reasoning": ..., "suspect": ...}}'),
    "form alone": Shape('{"reasoning": ..., "suspect": "..."}', UNPARSABLE),
    "form of a clue": Shape('{"text": ...}', UNPARSABLE, CLUE),
    "nothing that fits": Shape('{"sure": true}', {"sure": True}),
    # braces and quotes in prose
    "prose after": Shape(f"{A} So much for {{that}}."),
    "braces before": Shape(f"{{thinking}} it over: {A}"),
    "brace that stays open": Shape(f"I say {{so: {A}"),
    "brace that closes nothing": Shape(f"so}} {A}"),
    "quote that stays open": Shape(f'The 24" screen: {A}'),
    "LaTeX": Shape(rf"\frac{{1}}{{2}} of \text{{them}}: {A}"),
    "LaTeX box": Shape(rf"\boxed{{{A}}}"),
    "braces in a text": Shape(
        '{"reasoning": "a } and a {", "suspect": "Player 2"}',
        {"reasoning": "a } and a {", "suspect": "Player 2"},
    ),
    "an object in a text": Shape(
        json.dumps({"reasoning": f"not {D}", "suspect": "Player 2"}),
        {"reasoning": f"not {D}", "suspect": "Player 2"},
    ),
    "prose alone": Shape("I vote for {Player 2}, I am sure.", UNPARSABLE),
    # JSON with errors
    "comma at the end": Shape(f"{A[:-1]},}}"),
    "single quotes": Shape("{'reasoning': 'so be it', 'suspect': 'Player 2'}"),
    "smart quotes": Shape("{“reasoning”: “so be it”, “suspect”: “Player 2”}"),
    "names without quotes": Shape('{reasoning: "so be it", suspect: "Player 2"}'),
    "Python's None and True": Shape(
        "{'reasoning': 'so be it', 'suspect': 'Player 2', 'guess': None, 'sure': True}",
        {**DATA, "guess": None, "sure": True},
    ),
    "comments": Shape('{"reasoning": "so be it", // why\n "suspect": "Player 2" /* whom */}'),
    "new line in a text": Shape(
        '{"reasoning": "so\nbe it", "suspect": "Player 2"}',
        {"reasoning": "so\nbe it", "suspect": "Player 2"},
    ),
    "quotes inside quotes": Shape(
        '{"reasoning": "it said "hi" to me", "suspect": "Player 2"}',
        {"reasoning": 'it said "hi" to me', "suspect": "Player 2"},
    ),
    "last brace missing": Shape(A[:-1]),
    "cut off in a text": Shape(A[:-4], UNPARSABLE),
    "cut off in a number": Shape('{"reasoning": "so", "amount": 1', UNPARSABLE),
    "cut off after a name": Shape('{"reasoning": "so be it", "suspect":', UNPARSABLE),
    "byte order mark": Shape(f"\ufeff{A}"),
    "zero-width characters": Shape('{\u200b"reasoning": "so be it",\u2060 "suspect": "Player 2"}'),
    "marks of the end": Shape(f"{A}<|im_end|></s>"),
    # wrappers
    "array of one": Shape(f"[{A}]"),
    "under answer": Shape(f'{{"answer": {A}}}'),
    "under answer, beside a draft": Shape(f'{{"draft": {D}, "answer": {A}}}'),
    "draft and no answer": Shape(f'{{"draft": {D}}}', {"draft": DRAFT}),
    "tool call of Hermes": Shape(f'<tool_call>{{"name": "vote", "arguments": {A}}}</tool_call>'),
    "tool call of Llama": Shape(f'{{"name": "vote", "parameters": {A}}}'),
    "arguments as a text": Shape(json.dumps({"name": "vote", "arguments": A})),
    "tool calls in the text": Shape(
        json.dumps({"tool_calls": [{"function": {"name": "vote", "arguments": A}}]})
    ),
    "JSON as a JSON text": Shape(json.dumps(A)),
    "wrapper without its last brace": Shape(f'{{"answer": {A}'),
    "answer tag": Shape(f"<answer>{A}</answer>"),
    "fields as tags": Shape("<function=vote><parameter=suspect>Player 2</parameter>", UNPARSABLE),
    # the rest
    "more fields than asked for": Shape(f'{A[:-1]}, "mood": "calm"}}', {**DATA, "mood": "calm"}),
    "array of names": Shape('["Player 2"]', UNPARSABLE),
    "a name": Shape('"Player 2"', UNPARSABLE),
    "null": Shape("null", UNPARSABLE),
    "blank": Shape(" \n\u200b", EMPTY),
    "refusal": Shape("I'm sorry, I can't help with {that}.", "refusal"),
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
    "parts": ({"content": [{"type": "text", "text": A}]}, DATA),
    "parts of Magistral": (
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": D}]},
                {"type": "text", "text": A},
            ]
        },
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


@pytest.mark.parametrize(
    "text",
    [
        "{" * 1_000_000,
        '{"' * 500_000,
        "{ " * 500_000,
        "{a:" * 300_000,
        "{" * 500_000 + "}" * 500_000,
        '{"a":' * 200_000,
        "{'a':" * 100 + "[1," * 300_000,
        '{"a": [' + "1," * 400_000,
        "{}" * 500_000,
        "</think>" * 100_000,
        "<think>" * 100_000,
        '{"a": "</think>"}' * 60_000,
        "<" * 1_000_000,
        "assistantfinal" + " " * 1_000_000,
        "\x1b[2J" * 200_000,
        '"' * 1_000_000,
        '{"a":' * 900 + "1" + "}" * 900,
        '{"number": ' + "9" * 10_000 + "}",
    ],
    ids=lambda text: text[:12].replace("\x1b", "ESC"),
)
def test_a_megabyte_of_anything_is_read_at_once_and_is_no_answer(text: str) -> None:
    begun = time.process_time()
    parsed = read_answer(Completion(text), SCHEMA)
    assert isinstance(parsed, Fault) or not parsed.data.keys() >= DATA.keys()
    assert time.process_time() - begun < 2
