"""Needs: what a tournament does that its user must have agreed to.

A key that goes elsewhere than to the hosts that it is meant for, code that is run, an HTTP endpoint
or another server that is asked, and files outside of the tournament file's own folder.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from parlour.agents.code_blocks import FunctionConfig
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.destinations import ANY_KEY, Destination, destinations, odd_parameters
from parlour.agents.llm.keys import load_keys
from parlour.agents.registry import AgentConfig, ScriptedConfig
from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import read_plain
from parlour.games.common.text import clean
from parlour.tournament.plan.model import Source, Tournament


class Need(NamedTuple):
    """One thing to agree to: a line for the user, and the digest that consent is bound to.

    The digest covers the line, the agent's whole block, and the bytes of the code that is run.
    """

    line: str
    digest: str


def needs(tournament: Tournament) -> tuple[Need, ...]:
    """Everything that the user must have agreed to before the tournament is played.

    Reads files, runs no code and opens no connection. May load litellm, which takes seconds.
    """
    source = tournament.source or Source(Path())
    listed: list[Need] = []
    for agent in tournament.agents:
        block = json.dumps(agent.model_dump(mode="json"), sort_keys=True).encode()
        code = _content(agent.file) if isinstance(agent, FunctionConfig) else b""
        lines = _lines(agent, source)
        listed += [_need(f"agent {agent.name!r} {line}", block, code) for line in lines]
    read = {"settings": source.settings, "tournament file": source.included}
    for kind, paths in read.items():
        outside = [path for path in paths if _is_outside(path, source)]
        listed += [_need(f"reads the {kind} {path}", _content(path)) for path in outside]
    return tuple(dict.fromkeys(listed))


def _lines(agent: AgentConfig, source: Source) -> Iterator[str]:
    """Yields what the user must agree to of one agent."""
    if isinstance(agent, FunctionConfig):
        yield f"runs the code of {agent.file}, and of it {agent.function.rpartition(':')[2]}()"
    if isinstance(agent, LLMConfig):
        load_keys()
        for each in destinations(agent):
            if not each.is_meant:
                yield _sent(each)
        if agent.is_agent:
            yield f"posts its questions to the endpoint {agent.api_base}"
        for name in odd_parameters(agent):
            yield f"gives litellm the {name!r} of its block, which may move its requests elsewhere"
        if agent.prompts and _is_outside(Path(agent.prompts), source):
            yield f"reads the prompts in {agent.prompts}"
    bank = agent.clue_bank if isinstance(agent, ScriptedConfig) else None
    if bank and _is_outside(Path(bank), source):
        yield f"reads the clues in {bank}"


def _sent(destination: Destination) -> str:
    if destination.key is None:
        return f"sends its questions to {destination.address}"
    if destination.key == ANY_KEY:
        words = f"sends a key that litellm picks among yours to {destination.address}"
        return f"{words}: api_key_env would name one"
    return f"sends the key {destination.key} to {destination.address}"


def _is_outside(path: Path, source: Source) -> bool:
    return source.folder is None or not path.resolve().is_relative_to(source.folder)


def _need(line: str, *contents: bytes) -> Need:
    digest = sha256(line.encode())
    for content in contents:
        digest.update(sha256(content).digest())  # of a fixed length: no two lists look alike
    return Need(" ".join(clean(line, 1000).split()), digest.hexdigest())


def _content(path: Path) -> bytes:
    try:
        return read_plain(path.resolve())
    except OSError as error:
        fix = "put it there, or correct its path"
        problem = f"cannot be read ({error.strerror})"
        raise BadInput(str(path.absolute()), problem, fix) from None
