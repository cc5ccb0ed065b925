"""Checks of a tournament's content; an error names the field, the value and the fix."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import TypeAdapter, ValidationError

from parlour.agents.base import CallingBlock
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import endpoint_of, normalized
from parlour.agents.registry import AgentConfig
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.games.common.text import clean, seen
from parlour.games.common.validation_messages import in_words, path_of, place_in
from parlour.games.engine.registry import games
from parlour.tournament.plan.schema import File, GameBlock, Limit

THINKING = {"analysis", "scratchpad"}
"""Kinds of ask that deliberation adds to those of the games."""


MEANT = {
    "conditions": "write a [[games]] block for each condition of a game",
    "condition": "write its keys in a [[games]] block of its own",
}
"""The fix for keys that no block has and that users expect."""


def checked(model: type[Any], data: object, place: str, *also: str) -> Any:
    """Returns the model made from plain data; BadInput with the first problem's field and value.

    An unknown key is reported before other problems, since a misspelt key is also a missing one.
    ``also`` are keys of the same block that the model does not have.
    """
    try:
        # Through JSON: strict mode takes a JSON array for a tuple, but not a Python list.
        return TypeAdapter(model).validate_json(json.dumps(data, default=str))
    except ValidationError as error:
        raise _refusal(error, place, {*model.model_fields, *also}, data) from None


def _refusal(error: ValidationError, place: str, keys: set[str], data: object) -> BadInput:
    """The error for the first problem, with a fix where it is a common mistake."""
    problems = error.errors(include_url=False)
    first = next((p for p in problems if p["type"] == "extra_forbidden"), problems[0])
    _, problem = in_words(first)
    key, fix = str(first["loc"][-1]) if first["loc"] else "", ""
    if first["type"] == "extra_forbidden":
        fix = MEANT.get(key, "") or suggestion(key, keys)
        if key == "players" and "agents_per_match" in keys:
            fix = "write agents_per_match = ..."
    elif first["type"] == "list_type" and isinstance(first["input"], dict):
        problem, fix = "is a table, not a list of tables", f"write [[{key}]], not [{key}]"
    elif first["type"] == "missing" and isinstance(first["input"], dict):
        misspelt = get_close_matches(key, set(map(str, first["input"])) - keys, n=1)
        fix = f"add a [[{key}]] block" if key in {"games", "agents"} else f"write {key} = ..."
        if misspelt:
            fix = f"did you write {misspelt[0]!r} instead?"
    return BadInput(place_in(place, path_of(first["loc"])), problem, fix)


def refuse_odd_name(name: str, place: str) -> None:
    """BadInput for a name that looks different on a screen from what is compared."""
    if clean(name).strip() != name or "\n" in name:
        problem = (
            f"{clean(name)!r} has leading or trailing spaces, control characters, or letters not"
            " in NFC"
        )
        raise BadInput(place, problem, "remove them")


# Letters of other scripts that are drawn as Latin ones.
_DRAWN_AS = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеѕіјорсухԁһӏԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ",  # noqa: RUF001
    "ABESIJKMHOPCTYXaesijopcyxdhlqwABEZHIKMNOPTYXovp",
)


def refuse_alike(name: str, where: str, earlier: dict[str, str]) -> None:
    """BadInput for a name that looks like an ``earlier`` one, or like nothing; adds it to them.

    ``earlier`` are the names by their looks.
    """
    looks = seen(name).translate(_DRAWN_AS).strip()
    other, fix = earlier.setdefault(looks, name), "give each agent its own name"
    if not looks:
        raise BadInput(where, f"{name!a} looks like nothing", fix)
    if other != name:
        raise BadInput(where, f"{name!r} ({name!a}) looks like {other!r} ({other!a})", fix)


def refuse_key_of_a_block(raw: Mapping[str, Any], place: str) -> None:
    """BadInput for a key of an agent or a game that is written above all blocks."""
    for key in raw:
        for block, model in (("agents", LLMConfig), ("games", GameBlock)):
            if key in model.model_fields and key not in File.model_fields:
                fix = f"write it under [[{block}]]"
                raise BadInput(f"{place}: {key}", "belongs to one block", fix)


def refuse_misplaced(block: Mapping[str, Any], place: str) -> None:
    """BadInput for a key of the whole tournament in a block, or a model without its kind."""
    if "model" in block and "kind" not in block:
        raise BadInput(f"{place}.kind", "is missing for a language model", 'write kind = "llm"')
    for key in ("repetitions", "schedule", "defender", "preset"):
        if key in block:
            fix = "write it above the first [[games]] or [[agents]]"
            raise BadInput(f"{place}.{key}", "belongs to the whole tournament", fix)


def refuse_unknown_asks(agent: AgentConfig, place: str) -> None:
    """BadInput if ``for_ask`` names a kind of ask that no game has."""
    if not isinstance(agent, LLMConfig) or not agent.for_ask:
        return  # the common case: the games need not be loaded
    kinds = set(THINKING)
    for game in games().values():
        stems = {template.stem for template in (game.folder / "prompts").glob("*.j2")}
        kinds |= stems.intersection(game.texts.kinds)
    for kind in agent.for_ask:
        if kind not in kinds:
            fix = suggestion(kind, kinds)
            raise BadInput(f"{place}.for_ask", f"no game asks for {kind!r}", fix)


def checked_limits(
    blocks: Sequence[dict[str, Any]], agents: Sequence[AgentConfig], place: str
) -> tuple[Limit, ...]:
    """Returns the limits of ``[[limits]]`` blocks, at most one per endpoint that an agent uses."""
    known = [endpoint_of(a).name for a in agents if isinstance(a, CallingBlock) and blocks]
    limits: dict[str, Limit] = {}
    for number, block in enumerate(blocks):
        where = f"{place}[{number}]"
        limit: Limit = checked(Limit, block, where)
        name = normalized(limit.endpoint)
        if name not in known:
            fix = (
                suggestion(name, known)
                if known
                else "the tournament has no language model: leave it out"
            )
            raise BadInput(f"{where}.endpoint", f"no agent uses {limit.endpoint!r}", fix)
        if name in limits:
            fix = "write all its limits in one block"
            raise BadInput(f"{where}.endpoint", f"{limit.endpoint!r} has limits already", fix)
        limits[name] = limit
    return tuple(limits.values())


CONNECTION_KEYS = frozenset(
    {"api_base", "api_key_env", "timeout", "silence", "stream", "retries", "retry_wait"}
    | {"context"}
)
"""Keys of a model that say how to reach it. They may change between runs of a save, as may the
``meta`` of every agent."""


def what_is_played(stored: str) -> Any:
    """Returns a tournament's JSON without the keys that may change between runs of a save.

    Whether a model has an ``api_base`` remains: it decides which client reaches the model.
    """
    body = json.loads(stored)
    body["agents"] = list(map(definition, body["agents"]))
    return body


def definition(agent: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the block of a stored agent without the keys that may change between runs."""
    its = {key: value for key, value in agent.items() if key != "meta"}
    for key in CONNECTION_KEYS & its.keys():
        its[key] = key == "api_base" and its[key] is not None
    return its


def difference(stored: Any, given: Any, place: str = "") -> str:
    """Names the first place where two tournaments differ, with both values.

    Both are parsed ``Tournament.to_json``: one of a save ("in the save"), one to be played ("now").
    """
    place, there, here = first_difference(stored, given, place)
    if isinstance(there, list) and isinstance(here, list):
        return f"the save has {len(there)} {place}, now there are {len(here)}"
    return f"{place} is {in_short(there)} in the save and {in_short(here)} now"


def in_short(value: object) -> str:
    """Returns the beginning of a value as JSON, for an error message."""
    return json.dumps(value, ensure_ascii=False)[:60]


def first_difference(one: Any, other: Any, place: str = "") -> tuple[str, Any, Any]:
    """Returns the first place where two values parsed from JSON differ, and what is there.

    Lists of different lengths are one place.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        # Plain values before lists: a changed name explains more than the games that it causes.
        keys = sorted(one.keys() | other.keys(), key=lambda k: (type(one.get(k)) is list, k))
        for key in keys:
            if one.get(key) != other.get(key):
                return first_difference(one.get(key), other.get(key), f"{place}.{key}".strip("."))
    both_lists = isinstance(one, list) and isinstance(other, list)
    if both_lists and len(one) == len(other):
        for number, (first, second) in enumerate(zip(one, other, strict=True)):
            if first != second:
                return first_difference(first, second, f"{place}[{number}]")
    return place, one, other
