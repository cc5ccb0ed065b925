"""Matches of scripted players played in memory: the reference pool's and those of newcomers."""

from collections.abc import Iterable
from dataclasses import fields, replace

from parlour.agents.registry import ScriptedConfig, make_agent
from parlour.agents.scripted.strategy import ScriptedAgent
from parlour.games.engine.moves import Fault
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.table import Table
from parlour.ratings.reference.placing import Rating, placed
from parlour.ratings.reference.scale import shipped_scale
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.rating import pool, rating_matches
from parlour.tournament.plan.schedule import PlannedMatch
from parlour.tournament.run.quick_turn import quick_turn
from parlour.tournament.save.rows import StoredMatch

NEWCOMER = "Newton"


def newcomer_like(agent: str, seed: int, repetitions: int = 1) -> Tournament:
    """The rating of a newcomer that plays as an agent of the pool does."""
    (config,) = (each for each in pool().agents if each.name == agent)
    own = config.model_copy(update={"name": NEWCOMER})
    agents = (*pool().agents, own)
    return replace(pool(), seed=seed, repetitions=repetitions, agents=agents)


def of_strategy(
    *strategies: str, seed: int, repetitions: int = 1, games: Iterable[str] = ()
) -> Tournament:
    """The rating of a newcomer with these strategies."""
    own = ScriptedConfig(name=NEWCOMER, strategy=strategies)
    entries = tuple(each for each in pool().games if not games or each.game.name in games)
    agents = (*pool().agents, own)
    return replace(pool(), seed=seed, repetitions=repetitions, games=entries, agents=agents)


def played(tournament: Tournament, matches: Iterable[PlannedMatch]) -> list[MatchRecord]:
    """The matches of a tournament of scripted players, finished, without their answers."""
    agents = {agent.name: make_agent(agent) for agent in tournament.agents}
    return [_played(tournament, match, agents) for match in matches]


def _played(
    tournament: Tournament, match: PlannedMatch, agents: dict[str, ScriptedAgent]
) -> MatchRecord:
    entry = tournament.games[match.entry]
    setting = entry.setting(match.setting)
    table = Table(entry.game, setting, entry.game.seats(setting), match.seed)
    stored = StoredMatch(*(getattr(match, field.name) for field in fields(match)))
    while (ask := table.pending) is not None:
        answers = {}
        for seat in ask.seats:
            decide = agents[match.agents[seat]].decide
            judged = quick_turn(decide, stored, table, seat, "").judged
            assert not isinstance(judged, Fault)
            answers[seat] = judged
        table.answer(answers)
    assert table.outcome is not None
    return MatchRecord(
        *(match.number, match.game, match.condition, match.setting_key, match.agents),
        *(match.counted, table.outcome, (), match.experiment),
    )


def rated(tournament: Tournament) -> Rating:
    """The rating of the newcomer of a tournament."""
    return placed(played(tournament, rating_matches(tournament)), NEWCOMER, shipped_scale())
