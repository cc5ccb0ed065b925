"""The command `doctor`."""

import asyncio
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from parlour.agents.code_blocks import PythonConfig
from parlour.agents.llm.config import LLMConfig
from parlour.agents.model_calls import Client
from parlour.cli.output import safe_print
from parlour.cli.trust import settle
from parlour.games.common.errors import BadInput
from parlour.games.common.plugins import broken_plugins
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.directory import FOLDER

ROOMS = ("games", "agents", "tournament", "ratings", "tui", "cli")
NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "ceph", "lustre"}

Finding = tuple[bool, str]
"""The result of a check: passed or not, and one line about it."""


def doctor(tournament: Path | None = None) -> int:
    """Check installation, terminal, saves and models."""
    all_passed = True
    models = _models(tournament, _agreed(tournament)) if tournament is not None else ()
    for passed, line in chain(_python(), _rooms(), _plugins(), _saves(FOLDER), _terminal(), models):
        all_passed = all_passed and passed
        safe_print(f"{'ok  ' if passed else 'FIX '}  {line}")
    return 0 if all_passed else 1


def _python() -> Iterator[Finding]:
    version = ".".join(str(part) for part in sys.version_info[:3])
    yield sys.version_info >= (3, 11), f"Python {version} (3.11 or newer is needed)"


def _rooms() -> Iterator[Finding]:
    """Checks that no other distribution's package is loaded in place of one of Parlour's."""
    home = Path(__file__).parents[1]
    for room in ROOMS:
        spec = find_spec(f"parlour.{room}")
        origin = Path(spec.origin) if spec and spec.origin else None
        if origin is None or origin.parent.parent != home:
            yield (
                False,
                f"the package 'parlour.{room}' is loaded from {origin}, not from {home}; install"
                " Parlour in an environment of its own (pipx, uv tool, or the checkout's .venv)",
            )
            return
    yield True, "no other package hides Parlour's"


def _plugins() -> Iterator[Finding]:
    """Loads the games and strategies of other packages, as a run does."""
    from parlour.agents.registry import STRATEGIES, strategies
    from parlour.games.engine.registry import GAMES, games

    known = len(games()), len(strategies())
    broken = [*broken_plugins(GAMES).values(), *broken_plugins(STRATEGIES).values()]
    yield from ((False, f"left out: {problem}") for problem in broken)
    yield True, f"{known[0]} games and {known[1]} strategies can be played"


def _saves(folder: Path) -> Iterator[Finding]:
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        yield False, f"{place} cannot be written; use --save to keep saves elsewhere"
    else:
        yield True, f"{folder} can be written"
    kind = _file_system(place)
    if kind in NETWORK:
        yield (
            False,
            f"{place} is on a network file system ({kind}), where locks and SQLite are not safe;"
            " keep saves on a local disk with --save",
        )
    elif kind:
        yield True, f"{folder} is on a local file system ({kind})"


def _file_system(place: Path, mounts: Path = Path("/proc/mounts")) -> str | None:
    """The type of the file system that holds a folder; None if unknown."""
    try:
        lines = mounts.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    best, kind = "", None
    for line in lines:
        _device, point, file_system, *_ = line.split()
        point = point.replace("\\040", " ")
        holds = point == "/" or f"{place}/".startswith(point.rstrip("/") + "/")
        if holds and len(point) >= len(best):
            best, kind = point, file_system
    return kind


def _terminal() -> Iterator[Finding]:
    if not sys.stdout.isatty():
        yield True, "no terminal: runs print plain lines"
    elif os.environ.get("TERM", "dumb") == "dumb":
        yield True, "TERM is dumb: runs print plain lines"
    else:
        yield True, f"terminal {os.environ['TERM']}"


def _agreed(path: Path) -> Tournament:
    """The tournament of a file whose models may be asked. Untrusted without the user's consent."""
    from parlour.tournament.plan.loader import read_tournament

    wanted = read_tournament(path)
    settle(wanted)
    return wanted


def _models(path: Path, wanted: Tournament) -> Iterator[Finding]:
    """Yields the result of one cheap call of each model: connection, key, form of the answer.

    Agents that people or Python programs play are only named.
    """
    for name in wanted.people:
        yield True, f"agent {name!r} is a person: take the seat with parlour attach, then s"
    for agent in wanted.agents:
        if isinstance(agent, PythonConfig):
            yield True, f"agent {agent.name!r} is made in Python: run it with parlour.run(...)"
    configs = list(wanted.models.values())
    if not configs:
        yield True, f"{path}: no language models"
    for config in configs:
        yield from asyncio.run(_try(config))


async def _try(config: LLMConfig) -> list[Finding]:
    """The findings on one model: one if it does not answer, else what its server can do too."""
    from parlour.agents.llm.agent import LLMAgent
    from parlour.agents.llm.answer_parser import ParsedAnswer, read_answer
    from parlour.agents.llm.endpoint_facts import enforcement_of
    from parlour.agents.llm.probes import shown
    from parlour.agents.model_calls import ProviderFailure, Request
    from parlour.agents.registry import make_agent

    question = 'This is a test of the connection. Answer with the JSON object {"ready": true}.'
    schema = {
        "title": "Ready",
        "type": "object",
        "properties": {"ready": {"type": "boolean"}},
        "required": ["ready"],
        "additionalProperties": False,
    }
    try:
        agent = make_agent(config)
    except BadInput as refusal:
        return [(False, f"agent {config.name!r}: {refusal}")]
    assert isinstance(agent, LLMAgent)
    parameters = config.parameters_for("doctor")
    asked = {"kind": "doctor", "question": question, "schema": schema}
    how = enforcement_of(config)
    request = Request(
        (("user", question),), parameters, schema, how.mode, how.strict, question=asked
    )
    try:
        completion = await agent.client.complete(request)
        answer = read_answer(completion, schema)
        if not isinstance(answer, ParsedAnswer):
            wrote = f"answered, but {answer.kind}: it wrote {shown(completion.text)}"
            fix = "try another `structured`, or raise max_tokens"
            return [(False, f"agent {config.name!r} {wrote}; {fix}")]
        tokens = f"{completion.prompt_tokens or '?'} + {completion.completion_tokens or '?'} tokens"
        price = "price unknown" if completion.price is None else f"${completion.price:.6f}"
        line = f"agent {config.name!r} answers: {completion.latency:.1f} s, {tokens}, {price}"
        is_known = config.is_agent or config.carrier == "local"  # by its maker, by Parlour
        more = [] if is_known else await _found_out(config, agent.client)
        return [(True, line), *more]
    except ProviderFailure as failure:
        fix = failure.fix(config.api_key_env)
        return [(False, f"agent {config.name!r}: {failure.kind}: {failure.message}; {fix}")]
    finally:
        await agent.client.close()


async def _found_out(config: LLMConfig, client: Client) -> list[Finding]:
    """The findings on what a model's server can do, which are kept for later runs."""
    from parlour.agents.llm.endpoint_facts import facts_file, keep_facts
    from parlour.agents.llm.probes import probed

    findings = await probed(config, client)
    facts = findings.facts
    held = "enforced by the server" if facts.enforced else "not enforced"
    lines = [*findings.lines, f"it is asked with {facts.mode!r}, {held}; kept in {facts_file()}"]
    results = [(True, f"agent {config.name!r}: {line}") for line in lines]
    try:
        keep_facts(config, facts)
    except BadInput as refusal:
        results.append((False, str(refusal)))
    return results
