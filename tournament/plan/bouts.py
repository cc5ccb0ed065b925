"""The bouts of an adaptive tournament: two agents, one game and one setting drawn by the seed.

A bout has all matches of its two agents on its setting, so that every role is played equally often.
Games and settings are drawn for each bout, each as likely as any other: whatever is decided
on agents, every game and setting stays represented.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations

from parlour.games.common.errors import BadInput
from parlour.games.engine.dice import Dice
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.plan.schedule import PlannedMatch, match_count, planned_pair

Bout = tuple[int, int]
"""The places of two agents in the tournament, the lower one first."""


def first_bouts(tournament: Tournament) -> tuple[Bout, ...]:
    """The bouts of the first round: everybody meets everybody else once."""
    return tuple(combinations(range(len(tournament.agents)), 2))


def round_of_all(tournament: Tournament, decision: int, number: int) -> list[PlannedMatch]:
    """The matches of a decision of one round in which all meet once, from ``number`` on."""
    bouts = matches_of_bouts(tournament, decision, first_bouts(tournament), 1, number)
    return list(chain.from_iterable(bouts))


def matches_of_bouts(
    tournament: Tournament, decision: int, bouts: Sequence[Bout], rounds: int, number: int
) -> Iterator[list[PlannedMatch]]:
    """Yields the matches of each bout of a decision, round by round, from ``number`` on."""
    for index, pair in enumerate([*bouts] * rounds):
        dice = Dice(tournament.seed, "bout", decision, index)
        entry = dice.below(len(tournament.games))
        setting = dice.below(tournament.games[entry].setting_count)
        agents = tuple(tournament.agents[place] for place in pair)
        matches = list(planned_pair(replace(tournament, agents=agents), entry, setting))
        seeds = [dice.below(2**63) for _ in matches]
        if tournament.seeding == "common":
            seeds = seeds[:1] * len(matches)
        yield [
            replace(match, number=number + place, seed=own)
            for place, (match, own) in enumerate(zip(matches, seeds, strict=True))
        ]
        number += len(matches)


def refuse_unpaired(tournament: Tournament, place: str) -> None:
    """BadInput for what the adaptive schedule cannot play, and for its keys in another schedule."""
    if tournament.schedule != "adaptive":
        if tournament.most_matches is not None:
            fix = 'set schedule = "adaptive", or write repetitions'
            problem = f"is not a key of the schedule {tournament.schedule!r}"
            raise BadInput(f"{place}: matches", problem, fix)
        return
    if tournament.most_matches is None:
        fix = "write matches = 2000, or what you can afford"
        raise BadInput(f"{place}: matches", "is missing for the adaptive schedule", fix)
    if tournament.repetitions != 1:
        fix = "leave it out; matches is the most that are played"
        raise BadInput(f"{place}: repetitions", "is not used by the adaptive schedule", fix)
    for index, entry in enumerate(tournament.games):
        refuse_unpaired_game(entry, f"{place}: games[{index}]")
    least = match_count(tournament)
    if tournament.most_matches < least:
        problem = f"{tournament.most_matches} are too few: each two agents meet first"
        raise BadInput(f"{place}: matches", problem, f"at least {least}")


def refuse_unpaired_game(entry: GameEntry, place: str) -> None:
    """BadInput for a game that has no bouts of two agents."""
    if problem := _unpaired(entry):
        raise BadInput(place, problem, "play it in a round robin")


def _unpaired(entry: GameEntry) -> str:
    """Why a game has no bouts of two agents; "" if it has."""
    name = entry.game.name
    if entry.lineup is not None:
        return f"{name} has a line-up, and the adaptive schedule pairs agents itself"
    if entry.game.seating.pairing == "blocks":
        return f"{name} is scheduled in blocks, which the adaptive schedule does not have"
    if entry.game.scoring.rated == "none":
        return f"{name} ranks nobody"
    return ""


def refuse_rule(tournament: Tournament, until: str | None, place: str = "--until") -> None:
    """BadInput for a rule for the end that cannot be read, or of a schedule that is fixed."""
    if until is None:
        return
    if tournament.schedule != "adaptive":
        fix = 'leave it out, or set schedule = "adaptive"'
        problem = f"is not used by the schedule {tournament.schedule!r}"
        raise BadInput(place, problem, fix)
    from parlour.ratings.adaptive.until import until_of  # light commands load no ratings

    rule, agents = until_of(until, place), len(tournament.agents)
    if rule.ranks is not None and rule.ranks > agents:
        problem = f"{until!r} is beyond the {agents} agents"
        raise BadInput(place, problem, "write rank for all of them")
