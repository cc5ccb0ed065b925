"""The stages of a save: how its plan grew, from the one that it began with."""

import json

from parlour.tournament.plan.model import Tournament

ADD_STAGE = "INSERT INTO stages (kind, since, program, last_match, body) VALUES (?, ?, ?, ?, ?)"


def stage_body(tournament: Tournament, **asked: object) -> str:
    """The JSON of a stage: the size of the tournament by then, and what was asked for."""
    size = {
        "agents": len(tournament.agents),
        "games": len(tournament.games),
        "repetitions": tournament.repetitions,
    }
    return json.dumps(size | asked)
