"""Alarms: figures of a run that an operator should look at before it goes on.

``alarms`` has the rules, over counts that a run adds up; ``conduct_counts`` counts a whole save.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from parlour.agents.registry import ScriptedConfig
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import FaultKind
from parlour.tournament.save.provenance.model_names import is_other_model
from parlour.tournament.save.provenance.remarks import servings
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import tidy

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
        its, refused = self.agents[agent], fault == FaultKind.REFUSAL
        for each in (self.games[game], its):
            each.answers += 1
            each.faults += fault is not None
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
    for agent, its in sorted(counts.agents.items()):
        raised += _of_answers(agent, its)
    for (agent, asked, other), count in sorted(counts.other_models.items()):
        of = counts.calls[agent]
        words = f"{agent}: {count} of {of} calls of {asked} were answered by {other}"
        raised.append(Alarm("model", agent, count, of, words))
    return raised


def _of_answers(agent: str, its: AnswerCounts) -> Iterator[Alarm]:
    """Yields the alarms that an agent's answers raise: only faults, and more refusals lately."""
    if LEAST_ONLY_FAULTS <= its.answers <= its.faults:
        words = f"{agent}: all {its.answers} answers are faulty"
        yield Alarm("only_faults", agent, its.faults, its.answers, words)
    recent, last = sum(its.recent), len(its.recent)
    before, earlier = its.refusals - recent, its.answers - last
    if recent < LEAST_REFUSALS or earlier < RECENT:
        return
    if recent / last > REFUSAL_RISE * before / earlier:
        words = (
            f"{agent}: {recent} of the last {last} answers are refusals, {before} of the"
            f" {earlier} before"
        )
        yield Alarm("refusals", agent, recent, last, words)


ANY_FAULT = "SELECT 1 FROM stored_answers WHERE fault IS NOT NULL"
"""SQL for faulty answers, which an index has."""
_OF_MATCHES = "JOIN matches ON matches.number = answers.match"
_OF_AGENT = "json_extract(matches.agents, '$[' || answers.seat || ']')"


def alarms_of(save: Save) -> list[Alarm]:
    """Returns the alarms of a save. Reads every answer if there is a call or a faulty one."""
    return alarms(conduct_counts(save)) if _may_raise(save) else []


def counts_to_go_on(save: Save) -> ConductCounts:
    """Returns the counts with which a run goes on: none for scripted players, who commit no faults.

    Counting reads every answer: a second for a million, at each resume.
    """
    scripted = all(isinstance(agent, ScriptedConfig) for agent in save.tournament.agents)
    return ConductCounts() if scripted and not _may_raise(save) else conduct_counts(save)


def _may_raise(save: Save) -> bool:
    """True if there is a call or a faulty answer: most saves of scripted players have neither."""
    return bool(save._select(f"SELECT EXISTS ({ANY_FAULT} UNION ALL SELECT 1 FROM calls)")[0][0])


def conduct_counts(save: Save) -> ConductCounts:
    """Returns the counts behind the alarms of a save, as a run adds them up."""
    counts = ConductCounts()
    # Others are seats that the rules play, or the contents of a damaged save.
    names = {agent.name for agent in save.tournament.agents}
    # The inner query reads an index alone, and leaves few rows to look up matches for.
    for game, agent, answers in save._select(
        f"SELECT game, {_OF_AGENT}, sum(answers.total) FROM"
        " (SELECT match, seat, count(*) AS total FROM answers GROUP BY match, seat) AS answers"
        f" {_OF_MATCHES} GROUP BY 1, 2"
    ):
        if agent in names:
            counts.games[tidy(str(game))].answers += answers
            counts.agents[agent].answers += answers
    for game, agent, fault, answers in save._select(
        f"SELECT game, {_OF_AGENT}, fault, count(*) FROM answers {_OF_MATCHES}"
        " WHERE fault IS NOT NULL GROUP BY 1, 2, 3"
    ):
        if agent in names:
            counts.games[tidy(str(game))].faults += answers
            its = counts.agents[agent]
            its.faults += answers
            its.refusals += answers if fault == FaultKind.REFUSAL else 0
    for agent, its in counts.agents.items():
        newest_first = [(False,)] * min(its.answers, RECENT)
        if its.refusals:
            newest_first = save._select(
                f"SELECT fault IS 'refusal' FROM answers {_OF_MATCHES}"
                f" WHERE {_OF_AGENT} = ? ORDER BY seq DESC LIMIT ?",
                *(agent, RECENT),
            )
        its.recent.extend(bool(refused) for (refused,) in reversed(newest_first))
    for serving in servings(save):
        counts.add_calls(serving.agent, serving.asked, serving.served or None, serving.calls)
    return counts
