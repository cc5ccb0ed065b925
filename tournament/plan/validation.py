"""Plain data against its model: the first problem with its place, its value and the fix."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import TypeAdapter, ValidationError

from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import endpoint_of, plain
from parlour.agents.registry import AgentConfig
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.games.common.text import clean
from parlour.games.common.validation_messages import in_words
from parlour.games.engine.registry import games
from parlour.tournament.plan.schema import File, GameBlock, Limit

THINKING = {"analysis", "scratchpad"}
"""What a model is asked besides the asks of the games."""


def checked(model: type[Any], data: object, place: str, *also: str) -> Any:
    """The model made from plain data; BadInput with a problem's field and value.

    An unknown key goes before others: a misspelt one is missed as well. ``also`` are keys that
    may stand there though they are not the model's.
    """
    try:
        # As JSON, where strict mode still lets an array stand for a tuple.
        return TypeAdapter(model).validate_json(json.dumps(data, default=str))
    except ValidationError as error:
        raise _refusal(error, place, {*model.model_fields, *also}, data) from None


def _refusal(error: ValidationError, place: str, keys: set[str], data: object) -> BadInput:
    """The refusal of plain data, with the fix where the first problem is a slip of the pen."""
    problems = error.errors(include_url=False)
    first = next((p for p in problems if p["type"] == "extra_forbidden"), problems[0])
    where, problem = in_words(first)
    key, fix = str(first["loc"][-1]) if first["loc"] else "", ""
    if first["type"] == "extra_forbidden":
        fix = suggestion(key, keys)
    elif first["type"] == "list_type" and isinstance(first["input"], dict):
        problem, fix = "is one table and not a list of them", f"write [[{key}]], not [{key}]"
    elif first["type"] == "missing" and isinstance(first["input"], dict):
        written = get_close_matches(key, set(map(str, first["input"])) - keys, n=1)
        block = f"add a [[{key}]] block" if key in {"games", "agents"} else f"write {key} = ..."
        fix = f"is it what {written[0]!r} should be?" if written else block
    return BadInput(place + where, problem, fix)


def refuse_strange(name: str, place: str) -> None:
    """BadInput for a name that would not look on a screen as it is compared."""
    if clean(name).strip() != name or "\n" in name:
        problem = f"{clean(name)!r} has spaces at its ends, controls, or letters not in NFC"
        raise BadInput(place, problem, "write it without")


def refuse_of_a_block(raw: Mapping[str, Any], place: str) -> None:
    """BadInput for a key of an agent or of a game that stands above their blocks."""
    for key in raw:
        for block, model in (("agents", LLMConfig), ("games", GameBlock)):
            if key in model.model_fields and key not in File.model_fields:
                fix = f"write it under [[{block}]]"
                raise BadInput(f"{place}: {key}", "belongs to one block", fix)


def refuse_misplaced(block: Mapping[str, Any], place: str) -> None:
    """BadInput for a key of the whole tournament in one of its blocks, or of another kind of it."""
    if "model" in block and "kind" not in block:
        raise BadInput(f"{place}.kind", "is missing for a language model", 'write kind = "llm"')
    for key in ("repetitions", "schedule", "defender", "preset"):
        if key in block:
            fix = "write it above the first [[games]] or [[agents]]"
            raise BadInput(f"{place}.{key}", "belongs to the whole tournament", fix)


def refuse_unasked(agent: AgentConfig, place: str) -> None:
    """BadInput for parameters for a kind of ask that there is in no game."""
    if not isinstance(agent, LLMConfig) or not agent.for_ask:
        return  # most are: the games need not be looked through
    asked = THINKING | {
        template.stem
        for game in games().values()
        for template in (game.folder / "prompts").glob("*.j2")
        if template.stem in game.texts.kinds
    }
    for kind in agent.for_ask:
        if kind not in asked:
            fix = suggestion(kind, asked)
            raise BadInput(f"{place}.for_ask", f"no game asks for {kind!r}", fix)


def checked_limits(
    blocks: Sequence[dict[str, Any]], agents: Sequence[AgentConfig], place: str
) -> tuple[Limit, ...]:
    """The ``[[limits]]`` blocks, each for another endpoint that some agent uses."""
    known = [endpoint_of(a).name for a in agents if isinstance(a, LLMConfig) and blocks]
    found: dict[str, Limit] = {}
    for number, block in enumerate(blocks):
        where = f"{place}[{number}]"
        limit: Limit = checked(Limit, block, where)
        name = plain(limit.endpoint)
        if name not in known:
            fix = suggestion(name, known) if known else "there is no language model: leave it out"
            raise BadInput(f"{where}.endpoint", f"no agent uses {limit.endpoint!r}", fix)
        if name in found:
            fix = "write all its limits in one block"
            raise BadInput(f"{where}.endpoint", f"{limit.endpoint!r} has limits already", fix)
        found[name] = limit
    return tuple(found.values())


HOW = {"api_base", "api_key_env", "timeout", "retries", "retry_wait"}
"""Keys of a model that say where and how patiently it is asked, and not who it is."""


def what_is_played(stored: str) -> Any:
    """A tournament as ``to_json`` has it, less what may change from run to run of a save.

    Whether a model has an address stays: with one it is another way to reach it.
    """
    body = json.loads(stored)
    for agent in body["agents"]:
        for key in HOW & agent.keys():
            agent[key] = key == "api_base" and agent[key] is not None
    return body


def difference(kept: Any, wanted: Any, place: str = "") -> str:
    """The first place where two tournaments differ, as `to_json` has them, with both values."""
    if isinstance(kept, dict) and isinstance(wanted, dict):
        for key in sorted(
            kept.keys() | wanted.keys(), key=lambda k: (type(kept.get(k)) is list, k)
        ):
            if kept.get(key) != wanted.get(key):
                return difference(kept.get(key), wanted.get(key), f"{place}.{key}".strip("."))
    if isinstance(kept, list) and isinstance(wanted, list):
        if len(kept) != len(wanted):
            return f"{place} are {len(kept)} there and {len(wanted)} here"
        for number, (one, other) in enumerate(zip(kept, wanted, strict=True)):
            if one != other:
                return difference(one, other, f"{place}[{number}]")
    there, here = (json.dumps(value, ensure_ascii=False)[:60] for value in (kept, wanted))
    return f"{place} is {there} there and {here} here"
