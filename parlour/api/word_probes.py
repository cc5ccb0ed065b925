"""Probes for settings that a model knows by heart: it is asked for what a setting leaves out.

The same is asked without naming where the setting was published: what is guessed then, from
meaning alone, is the chance level.
"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product, starmap
from typing import Any

from parlour.agents.llm.agent import LLMAgent
from parlour.agents.llm.answer_parser import read_reply
from parlour.agents.model_calls import ProviderFailure
from parlour.agents.registry import make_agent
from parlour.api.unstored import AT_ONCE, unstored_calls
from parlour.games.common.errors import BadInput
from parlour.games.common.text import same_word, without_article
from parlour.games.engine.moves import Fault, Seat
from parlour.ratings.statistics.intervals import Interval, wilson
from parlour.tournament.calls.dispatch import ModelDispatcher
from parlour.tournament.calls.errors import BudgetExceeded, Unanswered
from parlour.tournament.calls.gate import MatchRef
from parlour.tournament.calls.limits import find_endpoints
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.save.rows import RunOptions

SYSTEM = "You answer questions on published games. Give the answer alone; guess if need be."
HIDDEN = "?"
"""The mark of the part that is asked for."""
_FORM = {
    "type": "object",
    "properties": {"answer": {"type": "string", "minLength": 1, "maxLength": 60}},
    "required": ["answer"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Gap:
    """A setting with one part left out: what is shown of it, and the part."""

    game: str
    shown: str
    wanted: str
    given: tuple[str, ...]

    def is_filled_by(self, answer: str) -> bool:
        """True if an answer is the part; case, punctuation and articles do not count."""
        try:
            return float(answer) == float(self.wanted)
        except ValueError:
            return same_word(without_article(answer), without_article(self.wanted))

    def question(self, *, named: bool) -> str:
        """The question for the part, with the place of publication or for the chance level."""
        if not named:
            return f"Which word, name or number goes best with {' and '.join(self.given)}?"
        return (
            f"The program Parlour ships settings of the game {self.game!r}. One of them is below,"
            f" with {HIDDEN!r} in the place of one part. What stands there in the published"
            f" setting?\n\n{self.shown}"
        )


@dataclass(frozen=True, slots=True)
class Hits:
    """The number of answers that named the part, of all that could be read."""

    k: int = 0
    n: int = 0

    @property
    def interval(self) -> Interval | None:
        """The Wilson interval of the share; None without an answer."""
        return wilson(self.k, self.n) if self.n else None


@dataclass(frozen=True, slots=True)
class WordProbe:
    """The answers of a model on one gap: with the place of publication, and without (chance)."""

    agent: str
    gap: Gap
    named: Hits
    chance: Hits

    @property
    def by_heart(self) -> bool:
        """True if the part is named more often than by chance: the intervals do not meet."""
        known, guessed = self.named.interval, self.chance.interval
        return known is not None and guessed is not None and known.low > guessed.high


def gaps_of(entry: GameEntry) -> Iterator[Gap]:
    """Yields the settings of a block, each with every secret word, or its last part, left out.

    Settings of a single part, or none, tell nothing of the rest, and are left out.
    """
    for number in entry.played_settings:
        words = entry.game.hints.words(entry.setting(number))
        parts = _parts(entry.record(number).model_dump(mode="json"))
        names = [name for name, value in parts.items() if value in words] or list(parts)[-1:]
        for name in names:
            given = tuple(str(value) for other, value in parts.items() if other != name)
            if given:
                shown = json.dumps({**parts, name: HIDDEN}, ensure_ascii=False)
                yield Gap(entry.game.name, shown, str(parts[name]), given)


def _parts(record: dict[str, Any]) -> dict[str, Any]:
    """The words and numbers of a setting by name: no seats, and no opening moves."""
    parts: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, list) and name != "openings":
            named = [each.get("name") if isinstance(each, dict) else each for each in value]
            parts |= {f"{name} {place}": each for place, each in enumerate(named, start=1)}
        elif isinstance(value, str | int | float) and not name.endswith("_seat"):
            parts[name] = value
    return parts


def word_probes(wanted: Tournament, options: RunOptions, tries: int) -> tuple[list[WordProbe], str]:
    """Asks each model of a tournament for each gap of its settings, so many times in both ways.

    BadInput for a tournament without models or gaps, or with an agent that takes no such questions.
    """
    gaps = list(dict.fromkeys(chain.from_iterable(map(gaps_of, wanted.games))))
    if not gaps:
        fix = "take one with word pairs, topics, or settings of several parts"
        raise BadInput(wanted.name, "has no settings of which a part could be asked for", fix)
    if not wanted.models:
        raise BadInput(wanted.name, "has no language models", "add one with --model MODEL")
    for config in wanted.models.values():
        if config.is_agent:
            problem = f"client = {config.client!r} takes questions of games alone"
            raise BadInput(f"agent {config.name!r}", problem, "leave this agent out")
    find_endpoints(wanted.agents)
    return asyncio.run(_asked(wanted, options, gaps, tries))


async def _asked(
    wanted: Tournament, options: RunOptions, gaps: Sequence[Gap], tries: int
) -> tuple[list[WordProbe], str]:
    calls = await unstored_calls(wanted.models, options)
    asking = _Asking(calls, tries)
    agents = [
        agent for each in wanted.models.values() if isinstance(agent := make_agent(each), LLMAgent)
    ]
    try:
        done = await asyncio.gather(*starmap(asking.probe, product(agents, gaps)))
    finally:
        for agent in agents:
            await agent.client.close()
    return [probe for probe in done if probe.named.n + probe.chance.n], asking.problem


class _Asking:
    """The questions of all probes; the first ``problem`` ends them."""

    def __init__(self, calls: ModelDispatcher, tries: int) -> None:
        self._calls, self._tries = calls, tries
        self._room = asyncio.Semaphore(AT_ONCE)
        self._number, self.problem = 0, ""

    async def probe(self, agent: LLMAgent, gap: Gap) -> WordProbe:
        """The answers of a model on one gap."""
        probe = WordProbe(agent.name, gap, Hits(), Hits())
        for _ in range(self._tries):
            probe = replace(
                probe,
                named=await self._again(agent, gap, probe.named, named=True),
                chance=await self._again(agent, gap, probe.chance, named=False),
            )
        return probe

    async def _again(self, agent: LLMAgent, gap: Gap, before: Hits, *, named: bool) -> Hits:
        """The hits with those of one more answer; one that cannot be read does not count."""
        question = gap.question(named=named)
        request = agent.in_form(SYSTEM, question, _FORM, "probe_words", ())
        self._number += 1
        ref = MatchRef(self._number, 0, 0)
        async with self._room:
            if self.problem:
                return before
            try:
                async with self._calls.gate.slot(ref) as slot:
                    call = self._calls.calls(slot, Seat(0), 1, agent.name)
                    completion = await call.complete(agent.fitting, request)
            except (ProviderFailure, Unanswered, BudgetExceeded) as problem:
                self.problem = self.problem or f"agent {agent.name!r}: {problem}"
                return before
        value = read_reply(completion, _FORM).value
        if isinstance(value, Fault) or not isinstance(value, dict) or "answer" not in value:
            return before
        return Hits(before.k + gap.is_filled_by(str(value["answer"])), before.n + 1)
