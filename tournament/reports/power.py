"""Power of a tournament: the planned matches of an agent by game and role."""

from collections import defaultdict
from collections.abc import Mapping

from parlour.games.engine.game import BUILT_IN, JESTER
from parlour.ratings.reliability.power import Design
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import PlannedMeeting


def designs_of(wanted: Tournament, matches: Mapping[PlannedMeeting, int]) -> list[Design]:
    """Returns the design of each game and role: the matches of the agent that has the fewest.

    Each agent of a match is taken to hold a special role equally often. Where outcomes decide on
    matches, there is no design.
    """
    if wanted.schedule == "adaptive":
        return []
    names = [agent.name for agent in wanted.agents if agent.name != wanted.defender]
    apart: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: dict.fromkeys(names, 0.0))
    played: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys(names, 0.0))
    settings: dict[str, int] = defaultdict(int)
    for meeting, count in matches.items():
        entry = wanted.games[meeting.entry]
        game, agents = entry.game.name, {*meeting.agents} - {BUILT_IN}
        settings[game] = max(settings[game], len(entry.records))
        sides = entry.game.sides(entry.setting(0))
        rare = {entry.game.scoring.special or "", JESTER}.intersection(sides)
        for agent in agents & {*names}:
            played[game][agent] += count
            for role in rare:
                apart[game, role][agent] += count / len(agents)
    designs = []
    for game, by_agent in played.items():
        scoring = next(e.game.scoring for e in wanted.games if e.game.name == game)
        fewest = min(by_agent.values())
        in_role = dict.fromkeys([*scoring.roles][:1], fewest)
        if scoring.special is not None:
            as_rare = {role: min(apart[game, role].values()) for role in (scoring.special, JESTER)}
            in_role = dict.fromkeys(scoring.roles, fewest - sum(as_rare.values())) | as_rare
        for role, number in in_role.items():
            if number:
                designs.append(Design(game, role, min(settings[game], int(fewest)), number))
    return designs
