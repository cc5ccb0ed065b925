"""Finished matches of reciprocity and investment, written out by hand."""

from collections.abc import Iterable, Sequence

from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import Outcome, Record, Seat
from parlour.games.engine.record import Answered, MatchRecord


def pair_match(
    game: str,
    agents: Sequence[str],
    encounters: Sequence[Record],
    payoffs: Sequence[float],
    *,
    greedy: int = 0,
    faults: Iterable[tuple[str, int, int]] = (),
    condition: str = "",
    number: int = 1,
) -> MatchRecord:
    """A match of either game; ``faults`` are kind, step (from 1) and seat of faulty answers."""
    seats = len(agents) + greedy
    return MatchRecord(
        number,
        game,
        condition,
        "empty",
        (*agents, *[BUILT_IN] * greedy),
        tuple(map(Seat, range(len(agents)))),
        Outcome(
            ending="played",
            payoffs=tuple(payoffs),
            roles=("player",) * len(agents) + ("greedy",) * greedy,
            sides=tuple(f"seat {seat}" for seat in range(seats)),
            facts={"encounters": list(encounters)},
        ),
        tuple(
            Answered(number, kind, step, Seat(seat), {}, "illegal")
            for number, (kind, step, seat) in enumerate(faults)
        ),
    )


def both(
    one: int,
    other: int,
    actions: str,
    reports: Sequence[str | None] = (None, None),
    gossip: Sequence[Record] = ({}, {}),
) -> Record:
    """An encounter of reciprocity at benefit 5 and cost 1, its actions as "CD"."""
    rewards = {"CC": [4, 4], "CD": [-1, 5], "DC": [5, -1], "DD": [0, 0]}[actions]
    done = [{"C": "cooperate", "D": "defect"}[letter] for letter in actions]
    return {
        **{"players": [one, other], "actions": done, "rewards": rewards},
        **{"reports": list(reports), "told": list(gossip)},
    }


def trust(
    investor: int,
    responder: int,
    held: float,
    invested: float,
    returned: float,
    reports: Sequence[float | None] = (None, None),
    gossip: Sequence[Record] = ({}, {}),
) -> Record:
    """An encounter of investment at multiplier 3."""
    return {
        **{"investor": investor, "responder": responder, "investor_resources": held},
        **{"responder_resources": 5.0, "investment": invested, "received": 3 * invested},
        **{"returned": returned, "rewards": [returned - invested, 3 * invested - returned]},
        **{"reports": list(reports), "told": list(gossip)},
    }
