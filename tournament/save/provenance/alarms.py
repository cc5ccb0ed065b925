"""Alarms: figures of a run that an operator should look at before it goes on.

``alarms`` has the rules, over counts that a run adds up; ``conduct_counts`` counts a whole save.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable
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


ANY_FAULT = "SELECT 1 FROM stored_answers WHERE fault IS NOT NULL"
"""SQL for faulty answers, which an index has."""
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
    for game, agent, answers in _answer_totals(save):
        if agent in names:
            counts.games[game].answers += answers
            counts.agents[agent].answers += answers
    for game, agent, fault, answers in _fault_counts(save):
        if agent in names:
            counts.games[game].faults += answers
            its = counts.agents[agent]
            its.faults += answers
            its.refusals += answers if fault == FaultKind.REFUSAL else 0
    for agent, its in counts.agents.items():
        no_refusal = [False] * min(its.answers, RECENT)
        its.recent.extend(_last_refusals(save, agent, RECENT) if its.refusals else no_refusal)
    for serving in servings(save):
        counts.add_calls(serving.agent, serving.asked, serving.served or None, serving.calls)
    return counts


def _fault_counts(save: Save) -> list[tuple[str, str, str, int]]:
    """Game, agent, class of fault, and the number of answers with such a fault."""
    rows = save._select(
        f"SELECT game, {_OF_AGENT}, fault, count(*) FROM answers"
        " JOIN matches ON matches.number = answers.match WHERE fault IS NOT NULL GROUP BY 1, 2, 3"
    )
    return [(tidy(str(game)), *its) for game, *its in rows]


def _answer_totals(save: Save) -> list[tuple[str, str, int]]:
    """Game, agent and number of answers."""
    # The inner query reads an index alone, and leaves few rows to look up matches for.
    rows = save._select(
        f"SELECT game, {_OF_AGENT}, sum(answers.total) FROM"
        " (SELECT match, seat, count(*) AS total FROM answers GROUP BY match, seat) AS answers"
        " JOIN matches ON matches.number = answers.match GROUP BY 1, 2"
    )
    return [(tidy(str(game)), agent, answers) for game, agent, answers in rows]


def _last_refusals(save: Save, agent: str, limit: int) -> list[bool]:
    """True for each refusal among the last answers of an agent, the newest last."""
    rows = save._select(
        "SELECT fault IS 'refusal' FROM answers JOIN matches ON matches.number = answers.match"
        f" WHERE {_OF_AGENT} = ? ORDER BY seq DESC LIMIT ?",
        *(agent, limit),
    )
    return [bool(refused) for (refused,) in reversed(rows)]
