"""The command `replay`."""

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Optional

import typer

from parlour.cli.options import NewestSave
from parlour.cli.output import find_save, safe_print
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat, player
from parlour.tournament.reports.thoughts import Thought
from parlour.tournament.reports.thoughts import thoughts as thoughts_of
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import Diverged, not_replayable, rebuild, transcript_lines

AsSeat = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option("--as", min=1, metavar="SEAT", help="Only what Player SEAT saw, from 1."),
]


def replay(
    save: NewestSave = None,
    match: Annotated[int, typer.Argument(metavar="MATCH", help="The match's number.", min=1)] = ...,  # type: ignore[assignment]
    seat: AsSeat = None,
    thoughts: Annotated[
        bool, typer.Option("--thoughts", help="Also the thoughts that players noted.")
    ] = False,
) -> int:
    """Print what happened in a match."""
    path = find_save(save)
    with Save(path) as opened:
        stored = opened.match(match)
        answers = opened.answers_of(match)
        try:
            table = rebuild(opened.tournament, stored, answers)
        except Diverged as difference:
            raise not_replayable(path, difference) from None
    if seat is not None and seat > len(table.seats):
        fix = f"the match has players 1 to {len(table.seats)}"
        raise BadInput("--as", f"there is no Player {seat}", fix)
    shown = table.seats if seat is None else (Seat(seat - 1),)
    for line in transcript_lines(stored, table, None if seat is None else shown[0]):
        safe_print(line)
    if thoughts:
        noted = thoughts_of(answers, len(table.seats))
        for each in shown:
            for line in _thoughts(noted, stored.agents, each):
                safe_print(line)
    return 0


def _thoughts(noted: list[Thought], agents: Sequence[str], seat: Seat) -> Iterator[str]:
    """Yields one player's thoughts in lines, as on the screen of thoughts."""
    from parlour.tui.views import beliefs

    yield ""
    yield f"Thoughts of {player(seat)} ({agents[seat]})"
    own = [each for each in noted if each.seat == seat]
    if not own:
        yield beliefs.NOTHING
    elif any(each.beliefs for each in own):
        yield from (line.plain.rstrip() for line in beliefs.heat(own, agents, seat, 0, sys.maxsize))
    yield from (line.plain for line in beliefs.words(own, seat))
