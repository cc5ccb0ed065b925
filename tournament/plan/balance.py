"""Balance of a plan: the games whose matches cannot give all agents the same seats and roles."""

from parlour.tournament.plan.blocks import block_length, matches_of_an_experiment
from parlour.tournament.plan.model import GameEntry, Tournament


def unbalanced(tournament: Tournament) -> list[str]:
    """Sentences on the blocks of a file that favour agents, each with the number that does not."""
    if tournament.schedule == "adaptive" or tournament.fork is not None:
        return []
    entries = enumerate(tournament.games)
    problems = [(f"games[{index}], {e.game.name}", _problem(tournament, e)) for index, e in entries]
    return [f"{place}: {problem}" for place, problem in problems if problem]


def _problem(tournament: Tournament, entry: GameEntry) -> str:
    """Why the matches of an entry are not balanced, and what would be; "" if they are."""
    if entry.lineup is not None:
        return ""
    pairing = entry.game.seating.pairing
    if pairing == "blocks" and (length := block_length(entry)) and (entry.matches or 0) % length:
        whole = matches_of_an_experiment(entry) // length * length + length
        return (
            f"{entry.matches} matches an experiment are no whole blocks of {length}, so some have"
            f" the special role more often; matches = {whole} would balance them"
        )
    # A pair shares an odd seat by turns. Among an odd number of agents all have as many in sum.
    turns = entry.setting_count * tournament.repetitions
    odd = pairing == "shared" and tournament.defender is None and entry.agent_seats % 2
    if odd and turns % 2 and len(tournament.agents) % 2 == 0:
        return (
            "some agents have a seat more than others; an even number of settings, or repetitions ="
            f" {tournament.repetitions + 1}, would balance them"
        )
    return ""
