"""Alarms: figures of a run that an operator should look at before it goes on."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import FaultKind
from parlour.tournament.save.provenance.model_names import is_other_model

FAULT_SHARE, LEAST_ANSWERS = 0.1, 20
"""A game raises an alarm if more than this share of at least so many answers is faulty."""
LEAST_ONLY_FAULTS = 5
"""Answers of an agent, all of them faulty, from which it raises an alarm."""
RECENT = 50
"""The last answers of an agent whose refusals are compared with those before."""
LEAST_REFUSALS, REFUSAL_RISE = 5, 2.0
"""Refusals rise if at least so many of the recent answers are refusals, and if their share is
more than so many times the share before."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm on a game or an agent: ``count`` of ``of`` answers or calls, and a sentence."""

    kind: Literal["faults", "only_faults", "model", "refusals"]
    subject: str
    count: int
    of: int
    sentence: str


@dataclass(slots=True)
class AnswerCounts:
    """Answers of a game or an agent, and the faulty ones.

    ``refusals`` are the faulty answers in which the model declined, ``recent`` says which of the
    last answers are such.
    """

    answers: int = 0
    faults: int = 0
    refusals: int = 0
    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=RECENT))


@dataclass(slots=True)
class ConductCounts:
    """Counts behind the alarms: answers by game and by agent, and the models that answered.

    ``calls`` counts each agent's answered calls; ``other_models`` those answered by a model of
    another name, by agent, asked name and name of the answer.
    """

    games: defaultdict[str, AnswerCounts] = field(default_factory=lambda: defaultdict(AnswerCounts))
    agents: defaultdict[str, AnswerCounts] = field(
        default_factory=lambda: defaultdict(AnswerCounts)
    )
    calls: Counter[str] = field(default_factory=Counter)
    other_models: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def add_answer(self, game: str, agent: str, fault: str | None) -> None:
        """Counts an answer; those of seats that the rules play are left out."""
        if agent == BUILT_IN:
            return
        of_game, its = self.games[game], self.agents[agent]
        of_game.answers += 1
        its.answers += 1
        refused = False
        if fault is not None:
            refused = fault == FaultKind.REFUSAL
            of_game.faults += 1
            its.faults += 1
            its.refusals += refused
        its.recent.append(refused)

    def add_calls(self, agent: str, asked: str, answered_by: str | None, count: int = 1) -> None:
        """Counts answered calls, with the model's name in the answer if that is another one."""
        self.calls[agent] += count
        if answered_by is not None and is_other_model(asked, answered_by):
            self.other_models[agent, asked, answered_by] += count


def alarms(counts: ConductCounts) -> list[Alarm]:
    """Returns the alarms that the counts raise: games first, then agents, then models."""
    raised: list[Alarm] = []
    for game, its in sorted(counts.games.items()):
        if its.answers >= LEAST_ANSWERS and its.faults > FAULT_SHARE * its.answers:
            share = f"{its.faults} of {its.answers} answers are faulty"
            raised.append(Alarm("faults", game, its.faults, its.answers, f"{game}: {share}"))
    rules: list[Callable[[str, AnswerCounts], Alarm | None]] = [_only_faults, _rising_refusals]
    for agent, its in sorted(counts.agents.items()):
        raised += [alarm for rule in rules if (alarm := rule(agent, its)) is not None]
    for (agent, asked, other), count in sorted(counts.other_models.items()):
        of = counts.calls[agent]
        words = f"{agent}: {count} of {of} calls of {asked} were answered by {other}"
        raised.append(Alarm("model", agent, count, of, words))
    return raised


def _only_faults(agent: str, its: AnswerCounts) -> Alarm | None:
    if its.answers < LEAST_ONLY_FAULTS or its.faults < its.answers:
        return None
    words = f"{agent}: all {its.answers} answers are faulty"
    return Alarm("only_faults", agent, its.faults, its.answers, words)


def _rising_refusals(agent: str, its: AnswerCounts) -> Alarm | None:
    recent, last = sum(its.recent), len(its.recent)
    before, earlier = its.refusals - recent, its.answers - last
    if recent < LEAST_REFUSALS or earlier < RECENT:
        return None
    if recent / last <= REFUSAL_RISE * before / earlier:
        return None
    words = (
        f"{agent}: {recent} of the last {last} answers are refusals, {before} of the"
        f" {earlier} before"
    )
    return Alarm("refusals", agent, recent, last, words)
