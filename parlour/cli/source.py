"""The tournament that the arguments of a command name."""

from pathlib import Path

from parlour.games.common.errors import BadInput
from parlour.tournament.plan.loader import read_preset, read_tournament
from parlour.tournament.plan.model import Tournament


def asked_for(tournament: Path | None, preset: str | None, seed: int | None) -> Tournament | None:
    """The tournament that the arguments name, None if they name none."""
    if tournament is not None and preset is not None:
        fix = 'give one of them; a file can build on a preset with preset = "NAME"'
        raise BadInput("--preset", "cannot be combined with a tournament file", fix)
    if tournament is None and preset is None:
        if seed is not None:
            fix = "add a tournament file or --preset NAME; a save keeps its seed"
            raise BadInput("--seed", "needs a tournament", fix)
        return None
    if preset is not None:
        return read_preset(preset, seed)
    assert tournament is not None
    return read_tournament(tournament, seed)
