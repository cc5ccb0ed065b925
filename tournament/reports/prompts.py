"""Exact prompts: what models were sent, rebuilt from the replay, and what they wrote.

A save stores no prompt, only its fingerprint and the templates it was made from. Here the match
is replayed up to an ask, and the agent acts again with the stored templates and the stored
answers of its calls: each request that it makes is the one that was sent if its fingerprint is
the stored one.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from parlour.agents.base import Agent, Call, at_once
from parlour.agents.llm.config import LLMConfig
from parlour.agents.model_calls import Client, Completion, ProviderFailure, Request
from parlour.agents.registry import model_behind
from parlour.games.common.errors import BadInput
from parlour.games.common.text import clean_all
from parlour.games.engine.moves import Ask, Fault, Seat, player
from parlour.games.engine.prompts import render
from parlour.games.engine.table import Table
from parlour.tournament.save.queries import changed_keys, matches_with_calls, templates
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import Diverged, feed, new_table
from parlour.tournament.save.rows import StoredAnswer, StoredCall, StoredMatch, notes_of

_FILE_NAME = re.compile(r"\w[\w-]*\.j2")
CHANGED = "the rebuilt prompt has another fingerprint: it was made by another version of Parlour"


@dataclass(frozen=True, slots=True)
class ExchangePart:
    """A part of an exchange for readers: its title, its text ("" for none), and what it is."""

    title: str
    text: str = ""
    kind: Literal["check", "problem", "message", "detail"] = "message"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One stored call and the request that it sent.

    ``request`` is None where the call was not made again in the replay. ``problem`` says why the
    request is not verified; None means that its fingerprint is the stored one, so that the
    request is the one that was sent, to the byte. ``fault`` is why the answer could not be used,
    told with the last call of a try; None for an answer that was taken.
    """

    seq: int
    call: StoredCall
    request: Request | None
    problem: str | None
    fault: str | None = None

    def parts(self) -> Iterator[ExchangePart]:
        """Yields the exchange in parts: whether it is verified, the request, the answer."""
        call, request = self.call, self.request
        if self.problem is None:
            yield ExchangePart(
                "verified: the same fingerprint as the request that was sent", kind="check"
            )
        else:
            yield ExchangePart(f"not verified: {self.problem}", kind="problem")
        for role, text in request.messages if request else ():
            yield ExchangePart(role, text)
        if request is not None:
            form = json.dumps(request.response_format(), ensure_ascii=False)
            yield ExchangePart(f"response format: {form}", kind="detail")
        parameters = json.dumps(json.loads(call.parameters), ensure_ascii=False)
        yield ExchangePart(f"parameters: {parameters}", kind="detail")
        if call.failure is not None:
            yield ExchangePart(f"no answer: {call.failure}, {call.message}", kind="problem")
            return
        if call.thinking:
            yield ExchangePart("thinking", call.thinking)
        yield ExchangePart(f"answer ({call.finish or 'stop'})", call.text or "")
        if self.fault is not None:
            yield ExchangePart(f"fault: {self.fault}", kind="problem")

    def as_record(self) -> dict[str, Any]:
        """The exchange as plain data, texts unchanged."""
        call, request = self.call, self.request
        return {
            "match": call.match,
            "ask": call.ask,
            "seat": call.seat,
            "agent": call.agent,
            "model": call.model,
            "try": call.try_,
            "number": call.number,
            "attempt": call.attempt,
            "verified": self.problem is None,
            "problem": self.problem,
            "messages": [list(each) for each in request.messages] if request else None,
            "response_format": request.response_format() if request else None,
            "parameters": json.loads(call.parameters),
            "thinking": call.thinking,
            "text": call.text,
            "finish": call.finish,
            "fault": self.fault,
            "failure": call.failure,
            "message": call.message,
            "seq": self.seq,
        }


_Rebuilt = tuple[dict[tuple[int, int], Request], dict[tuple[int, int], str]]


class _AskedSeat(NamedTuple):
    """An ask of a seat, with the notes of its earlier answers and the calls that were made for it.

    ``table`` is the match up to then.
    """

    match: StoredMatch
    table: Table
    ask: Ask[Any]
    seat: Seat
    notes: tuple[dict[str, Any], ...]
    calls: Sequence[tuple[int, StoredCall]]


@dataclass(slots=True)
class _Recorder:
    """The calls of one try: records each request, and answers it as it was answered then."""

    stored: Sequence[tuple[int, StoredCall]]
    requests: dict[int, Request] = field(default_factory=dict)

    async def complete(self, client: Client, request: Request) -> Completion:
        """Returns the stored answer. ProviderFailure if there was none."""
        number = len(self.requests) + 1
        self.requests[number] = request
        for _, call in self.stored:
            if call.number == number and call.failure is None:
                return call.completion()
        raise ProviderFailure("server", "the call has no stored answer")


class PromptReader:
    """Rebuilds the prompts of a save. It writes out their templates in a folder."""

    def __init__(self, save: Save, folder: Path) -> None:
        self.save, self._folder = save, folder
        self._templates = templates(save)
        self._agents: dict[tuple[str, str, str], Agent] = {}

    def of_match(self, match: int, only: int | None = None) -> Iterator[Exchange]:
        """Yields all calls of one match, in order of ask and seat. BadInput if it cannot be read.

        ``only`` is the one ask that is wanted, None for all. A match that does not replay has its
        calls with the problem.
        """
        stored, answers = self.save.match(match), self.save.answers_of(match)
        by_ask: dict[int, list[StoredAnswer]] = defaultdict(list)
        for answer in answers:
            by_ask[answer.ask].append(answer)
        calls: dict[tuple[int, int], list[tuple[int, StoredCall]]] = defaultdict(list)
        for seq, call in self.save.calls(range(match, match + 1)):
            calls[call.ask, call.seat].append((seq, call))
        table = new_table(self.save.tournament, stored)
        # The notes of each seat's earlier answers, as the seat reads them.
        notes: dict[Seat, tuple[dict[str, Any], ...]] = defaultdict(tuple)
        broken: str | None = None
        for ask in range(max((ask for ask, _ in calls), default=-1) + 1):
            wanted = only in {None, ask}
            for seat in filter(lambda seat: wanted and (ask, seat) in calls, table.seats):
                yield from self._of_ask(stored, table, notes[seat], calls[ask, seat], broken)
            try:
                for answer in by_ask[ask]:
                    feed(table, answer)
                    if noted := notes_of(answer):
                        notes[answer.seat] += (noted,)
            except (Diverged, ValueError) as error:
                broken = broken or f"the match does not replay: {error}"

    def _of_ask(
        self,
        match: StoredMatch,
        table: Table,
        notes: tuple[dict[str, Any], ...],
        calls: Sequence[tuple[int, StoredCall]],
        broken: str | None,
    ) -> Iterator[Exchange]:
        """Yields the calls of one ask of a seat, try by try."""
        seat, ask = calls[0][1].seat, table.pending
        requests: dict[tuple[int, int], Request] = {}
        faults: dict[tuple[int, int], str] = {}
        problem = broken
        if problem is None and (ask is None or table.ask_number != calls[0][1].ask):
            problem = "the match does not replay up to this ask"
        if problem is None:
            assert ask is not None
            try:
                asked = _AskedSeat(match, table, ask, seat, notes, calls)
                if match.agents[seat] in self.save.tournament.models:
                    requests, faults = self._rebuilt(asked)
                else:
                    requests = {(call.try_, call.number): _of_code(asked) for _, call in calls}
            except (BadInput, ValueError, LookupError, TypeError) as error:
                problem = f"the prompt cannot be rebuilt: {error}"
        for seq, call in calls:
            request = requests.get((call.try_, call.number))
            if request is None:
                yield Exchange(seq, call, None, problem or "the call was not made again")
            else:
                is_same = request.digest() == call.prompt
                fault = faults.get((call.try_, call.number)) if call.failure is None else None
                yield Exchange(seq, call, request, None if is_same else CHANGED, fault)

    def _rebuilt(self, asked: _AskedSeat) -> _Rebuilt:
        """The requests of one ask of a seat by the keys that its agent had then."""
        configs = self._configs(asked.match.agents[asked.seat])
        for config in configs:
            acted = self._acted(asked, config)
            digests = {place: request.digest() for place, request in acted[0].items()}
            if all(digests.get((call.try_, call.number)) == call.prompt for _, call in asked.calls):
                return acted
        return self._acted(asked, configs[0])

    def _configs(self, name: str) -> list[LLMConfig]:
        """The blocks that an agent has had in the save, the newest first."""
        config = self.save.tournament.models.get(name)
        if config is None:
            raise BadInput(f"agent {name!r}", "is no model of this save", "name a model")
        configs = [config]
        for before in changed_keys(self.save, name):
            configs.append(LLMConfig.model_validate({**configs[-1].model_dump(), **before}))
        return configs

    def _acted(self, asked: _AskedSeat, config: LLMConfig) -> _Rebuilt:
        """The requests of one ask of a seat, and faults, by try and number of the call in it."""
        match, table, ask, seat, notes, calls = asked
        faulty: tuple[tuple[str, Fault], ...] = ()
        requests: dict[tuple[int, int], Request] = {}
        faults: dict[tuple[int, int], str] = {}
        for attempt in sorted({call.try_ for _, call in calls}):
            own = [each for each in calls if each[1].try_ == attempt]
            recorder = _Recorder(own)
            agent = self._agent(config, table.game.name, [call.templates for _, call in own])
            dice = match.dice(table.ask_number, seat, attempt)
            order = match.choice_order(table.ask_number, seat)
            call = Call(dice, faulty, recorder.complete, notes, order=order)
            try:
                reply = at_once(agent.act(ask, table.view(seat), call))
            except ProviderFailure:
                reply = None
            for number, request in recorder.requests.items():
                requests[attempt, number] = request
            if reply is None:
                break
            judged = reply.value if isinstance(reply.value, Fault) else ask.judge(seat, reply.value)
            if isinstance(judged, Fault):
                faulty += ((reply.text, judged),)
                faults[attempt, len(recorder.requests)] = f"{judged.kind.value}: {judged.message}"
                noted = clean_all(json.loads(json.dumps(dict(reply.notes))))
                notes += (noted,) if noted else ()
        return requests, faults

    def _agent(self, config: LLMConfig, game: str, templates: Iterable[str]) -> Agent:
        """The agent with the templates of its calls, which take precedence."""
        digests = sorted(set().union(*map(json.loads, templates)))
        key = config.model_dump_json(), game, " ".join(digests)
        if key not in self._agents:
            folder = self._folder / str(len(self._agents))
            texts = dict(map(self._template, digests))
            (folder / game).mkdir(parents=True)
            for template, text in texts.items():
                (folder / game / template).write_text(text, encoding="utf-8", newline="")
            config = config.model_copy(update={"prompts": str(folder)})
            self._agents[key] = model_behind(config, _NoClient())
        return self._agents[key]

    def _template(self, digest: str) -> tuple[str, str]:
        """File name and text of a stored template. BadInput if it is missing or strange."""
        if digest not in self._templates:
            raise BadInput(f"template {digest}", "is not in the save", "see `parlour check`")
        name, text = self._templates[digest]
        if not _FILE_NAME.fullmatch(name):  # a save may come from anybody
            raise BadInput(f"template {digest}", "has no file name", "see `parlour check`")
        return name, text


def _of_code(asked: _AskedSeat) -> Request:
    """The request that code of the user had, in the words that a model is sent."""
    table, ask, seat = asked.table, asked.ask, asked.seat
    prompt = render(table.game, table.view(seat), ask.kind)
    messages = (("system", prompt.system), ("user", prompt.question))
    return Request(messages, schema=ask.schema(seat), fingerprint=table.digest())


class _NoClient:
    """The client of an agent whose calls are all stored."""

    async def complete(self, request: Request) -> Completion:
        raise RuntimeError("a stored call needs no client")

    async def close(self) -> None:
        """Nothing to close."""


def first_false_prompt(save: Save, most: int | None = None) -> str | None:
    """The first call whose prompt cannot be rebuilt to its fingerprint; None if all can.

    With ``most``, of so many matches, evenly spread.
    """
    matches = matches_with_calls(save)
    step = 1 if most is None else -(-len(matches) // most) or 1
    with reading(save) as reader:
        for match in matches[::step]:
            for exchange in reader.of_match(match):
                if exchange.problem is not None:
                    call = exchange.call
                    place = f"match {match}, ask {call.ask}, {player(call.seat)}"
                    return f"{place}: the prompt is not verified: {exchange.problem}"
    return None


@contextmanager
def reading(save: Save) -> Iterator[PromptReader]:
    """Context with the reader of a save's prompts."""
    with TemporaryDirectory(prefix="parlour-templates-") as folder:
        yield PromptReader(save, Path(folder))
