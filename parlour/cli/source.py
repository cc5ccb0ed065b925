"""The tournament that the arguments of a command name."""

from collections.abc import Sequence
from pathlib import Path

from parlour.games.common.errors import BadInput
from parlour.tournament.plan.expansion import Expanded, expanded, expanded_preset
from parlour.tournament.plan.loader import read_preset, read_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.rating import model_block


def asked_for(
    tournament: Path | None,
    preset: str | None,
    seed: int | None,
    model: str | None = None,
    settings: Sequence[str] | None = None,
) -> Tournament | None:
    """The tournament that the arguments name, None if they name none.

    ``model`` takes part in it, too. ``settings`` are those of ``--set``.
    """
    if tournament is not None and preset is not None:
        fix = 'give one of them; a file can build on a preset with preset = "NAME"'
        raise BadInput("--preset", "cannot be combined with a tournament file", fix)
    if tournament is None and preset is None:
        if seed is not None:
            fix = "add a tournament file or --preset NAME; a save keeps its seed"
            raise BadInput("--seed", "needs a tournament", fix)
        if model is not None:
            fix = "add a tournament file or --preset NAME; to a save: parlour add SAVE AGENT.toml"
            raise BadInput("--model", "needs a tournament", fix)
        if settings:
            fix = "add a tournament file or --preset NAME; a save keeps what it was made with"
            raise BadInput("--set", "needs a tournament", fix)
        return None
    more = () if model is None else (model_block(model),)
    if preset is not None:
        return read_preset(preset, seed, more, settings or ())
    assert tournament is not None
    return read_tournament(tournament, seed, more, settings or ())


def understood(
    tournament: Path | None, preset: str | None, seed: int | None, settings: Sequence[str] | None
) -> Expanded:
    """The file or the preset that the arguments name, with everything put in."""
    given = [*(settings or ()), *([] if seed is None else [f"seed={seed}"])]
    if preset is not None:
        return expanded_preset(preset, "--preset", given)
    assert tournament is not None
    return expanded(tournament, given)
