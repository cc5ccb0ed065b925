"""Alarms of a save, from its stored answers and calls."""

from typing import NamedTuple

from parlour.agents.registry import ScriptedConfig
from parlour.games.engine.moves import FaultKind
from parlour.tournament.save.provenance.alarms import RECENT, Alarm, ConductCounts, alarms
from parlour.tournament.save.provenance.servings import servings
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import tidy

_OF_AGENT = "json_extract(matches.agents, '$[' || answers.seat || ']')"


def alarms_of(save: Save) -> list[Alarm]:
    """Returns the alarms of a save. Reads every answer: less than a second for a million."""
    return alarms(conduct_counts(save)) if _may_raise(save) else []


def counts_to_go_on(save: Save) -> ConductCounts:
    """Returns the counts with which a run goes on: none for scripted players, who commit no faults.

    Counting reads every answer: a second for a million, at each resume.
    """
    scripted = all(isinstance(agent, ScriptedConfig) for agent in save.tournament.agents)
    return ConductCounts() if scripted and not _may_raise(save) else conduct_counts(save)


def _may_raise(save: Save) -> bool:
    """True if there is a call or a faulty answer: most saves of scripted players have neither."""
    of_any = "SELECT 1 FROM stored_answers WHERE fault IS NOT NULL UNION ALL SELECT 1 FROM calls"
    return bool(save._select(f"SELECT EXISTS ({of_any})")[0][0])


def conduct_counts(save: Save) -> ConductCounts:
    """Returns the counts behind the alarms of a save, as a run adds them up."""
    counts = ConductCounts()
    # Others are seats that the rules play, or the contents of a damaged save.
    names = {agent.name for agent in save.tournament.agents}
    for game, agent, answers in _answer_totals(save):
        if agent in names:
            counts.games[game].answers += answers
            counts.agents[agent].answers += answers
    for row in _fault_counts(save):
        if row.agent in names:
            counts.games[row.game].faults += row.answers
            its = counts.agents[row.agent]
            its.faults += row.answers
            its.refusals += row.answers if row.fault == FaultKind.REFUSAL else 0
    for agent, its in counts.agents.items():
        no_refusal = [False] * min(its.answers, RECENT)
        its.recent.extend(_last_refusals(save, agent, RECENT) if its.refusals else no_refusal)
    for serving in servings(save):
        counts.add_calls(serving.agent, serving.asked, serving.served or None, serving.calls)
    return counts


class _FaultCount(NamedTuple):
    """Answers of an agent in a game by the class of their fault."""

    game: str
    agent: str
    fault: str
    answers: int


def _fault_counts(save: Save) -> list[_FaultCount]:
    """The faulty answers by game, agent and class of fault."""
    rows = save._select(
        f"SELECT game, {_OF_AGENT}, fault, count(*) FROM answers"
        " JOIN matches ON matches.number = answers.match WHERE fault IS NOT NULL GROUP BY 1, 2, 3"
    )
    return [_FaultCount(tidy(str(game)), *row) for game, *row in rows]


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
