"""Makes the leaderboard of finished matches."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from math import inf

from parlour.games.engine.game import BUILT_IN
from parlour.ratings.counting.counted import AlikeMatches, Counted, Finished, counted
from parlour.ratings.measures.conditions import condition_name
from parlour.ratings.measures.measures import Row, leaderboard_measures
from parlour.ratings.reports.head_to_head import meetings
from parlour.ratings.reports.leaderboard import (
    BY_ROLE,
    NOT_SHOWN,
    Cell,
    Group,
    Leaderboard,
    Standing,
    column_titles,
)
from parlour.ratings.reports.never_met import NeverMet, never_met
from parlour.ratings.skill.checkpoints import rated
from parlour.ratings.skill.strength import Strength
from parlour.ratings.skill.strength_model import strengths
from parlour.ratings.skill.trueskill_ladders import Skill
from parlour.ratings.statistics.clusters import Clusters


def leaderboard(
    finished: Finished, *, without_faults: bool = False, clusters: Clusters | None = None
) -> Leaderboard:
    """Returns the leaderboard of finished matches, given in order of match number.

    ``without_faults`` leaves out the matches in which any answer but to a private probe was a
    fault. ``clusters`` are given where the records are a part of those that the clusters are of.
    """
    every = counted(finished, details=False)
    if without_faults:
        return _left_out(every, leaderboard(every.without_faults()))
    clusters = clusters or every.clusters
    skills, strong = rated(every), strengths(every, clusters=clusters)
    cells = _cells(every, clusters)
    standings = []
    seated = every.alike(
        clusters, lambda each: (each.game, each.agents, each.counted, each.outcome.roles)
    )
    for (game, role, agent), matches in _matches_played(seated).items():
        skill: Skill | None
        strength: Strength | None
        if game is None:
            skill, strength = skills.overall.get(agent), strong.overall.get(agent)
        elif role is None:
            skill, strength = skills.by_game.get((game, agent)), strong.by_game.get((game, agent))
        else:
            skill = skills.by_role.get((game, role, agent))
            strength = strong.by_role.get((game, role, agent))
        standings.append(
            Standing(
                game,
                role,
                agent,
                matches,
                strength,
                skill.mu if skill else None,
                skill.sigma if skill else None,
                skill.conservative if skill else None,
                cells.get((game, role, agent), {}),
            )
        )
    standings.sort(key=_order)
    return Leaderboard(
        tuple(standings),
        len(every.rows),
        skills.skipped,
        {**clusters.units},
        meetings=meetings(every, clusters),
        never_met=never_met((each.record for each in seated), _ranked(standings)),
        distinct=every.distinct,
    )


def _left_out(every: Counted, sound: Leaderboard) -> Leaderboard:
    """Returns the leaderboard of sound matches with what is not in it."""
    left = {*chain.from_iterable(record.agents for record in every.records)} - {BUILT_IN}
    left -= {standing.agent for standing in sound.standings}
    out = len(every.rows) - sound.matches
    return replace(sound, left_out=out, agents_left_out=tuple(sorted(left)))


def _ranked(standings: Sequence[Standing]) -> dict[str | None, list[str]]:
    """Returns the agents with a rank in each game, and overall by None."""
    ranked: dict[str | None, list[str]] = {}
    for standing in standings:
        if standing.role is None and (standing.strength or standing.rating is not None):
            ranked.setdefault(standing.game, []).append(standing.agent)
    return ranked


def leaderboard_by_condition(finished: Finished, *, without_faults: bool = False) -> Leaderboard:
    """Returns the leaderboard with a line for each condition of each game.

    Each condition is rated by its own matches alone: nothing is pooled over conditions.
    """
    every = counted(finished, details=False)
    if without_faults:
        return _left_out(every, leaderboard_by_condition(every.without_faults()))
    clusters = every.clusters
    slices: dict[tuple[str, str], list[int]] = {}
    for row, record in zip(every.rows, every.records, strict=True):
        slices.setdefault((record.game, record.condition), []).append(row)
    standings: list[Standing] = []
    skipped, splits = 0, list[NeverMet]()
    for (game, condition), rows in sorted(slices.items(), key=lambda each: each[0]):
        board = leaderboard(Counted(every.book, rows), clusters=clusters)
        name = condition_name(condition)
        standings += [replace(standing, condition=name) for standing in board.by("game")]
        skipped += board.skipped
        # Overall and in the game are the same here.
        splits += [replace(each, game=game, condition=name) for each in board.never_met[:1]]
    units: dict[str, str] = {**clusters.units}
    board = Leaderboard(tuple(standings), len(every.rows), skipped, units)
    return replace(board, never_met=tuple(splits), distinct=every.distinct)


def _cells(matches: Counted, clusters: Clusters) -> dict[Group, dict[str, Cell]]:
    """Returns the measures of a leaderboard by game, role and agent.

    Games pay in different units, so the overall standings have payoffs only of a single game.
    """
    shown = {*column_titles(), *NOT_SHOWN}
    single_game = len(matches.games) == 1
    cells: dict[Group, dict[str, Cell]] = {}
    for row in leaderboard_measures(matches, clusters):
        if row.measure not in shown:
            continue
        cells.setdefault((row.game, row.role, row.agent), {})[row.measure] = _cell(row)
        if single_game and row.role is None and row.measure in BY_ROLE:
            cells.setdefault((None, None, row.agent), {}).setdefault(row.measure, _cell(row))
    return cells


def _matches_played(seated: AlikeMatches) -> dict[Group, int]:
    """Returns each agent's number of counted matches: in all, by game, and by game and role.

    A defender is rated although none of its seats is counted, so it has 0 here.
    """
    played: dict[Group, int] = {}
    for record, number, _ in seated:
        groups: set[Group] = set()
        for seat in record.counted:
            agent = record.agents[seat]
            groups |= {(None, None, agent), (record.game, None, agent)}
            groups.add((record.game, record.outcome.roles[seat], agent))
        for group in groups:
            played[group] = played.get(group, 0) + number
        for agent in {*record.agents} - {BUILT_IN}:
            played.setdefault((None, None, agent), 0)
            played.setdefault((record.game, None, agent), 0)
    return played


def _order(standing: Standing) -> tuple[object, ...]:
    """Sorts by game and role, then by strength, and agents without one by rating."""
    strength = -inf if standing.strength is None else standing.strength.value
    rating = -inf if standing.rating is None else standing.rating
    return standing.game or "", standing.role or "", -strength, -rating, standing.agent


def _cell(row: Row) -> Cell:
    return Cell(row.value, row.n, row.k, row.low, row.high, row.se)
