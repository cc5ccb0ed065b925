"""Finished matches of the impostor game: written out by hand, or really played."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

from parlour.games.engine.moves import Outcome, Seat
from parlour.games.engine.record import Answered, Covariates, MatchRecord
from tests.ratings.records import drawn, numbered

BLIND, AWARE = "assignment=team_blind", "assignment=team_aware"


def impostor(
    agents: Sequence[str],
    ballot: Sequence[int | None],
    ending: str,
    *,
    seat: int = 0,
    declared: Iterable[int] = (),
    clues: Sequence[str | None] = (),
    condition: str = "",
    experiment: str = "one",
    number: int = 1,
    counted: Sequence[int] = (0, 1, 2, 3),
) -> MatchRecord:
    """A finished match with the impostor in ``seat``; a vote for nobody or no clue is a fault."""
    roles = tuple("impostor" if place == seat else "majority" for place in range(4))
    winner = "impostor" if ending in {"impostor_guessed", "tie", "escaped"} else "majority"
    answers = [
        Answered(place, "clue", 1, Seat(place), {"text": text or "(no clue)"}, _fault(text))
        for place, text in enumerate(clues)
    ]
    answers += [
        Answered(
            4,
            "vote",
            1,
            Seat(place),
            {"suspect": suspect, "self_declaration": place in declared},
            _fault(suspect),
        )
        for place, suspect in enumerate(ballot)
    ]
    return MatchRecord(
        number,
        "impostor",
        condition,
        "pair",
        tuple(agents),
        tuple(map(Seat, counted)),
        Outcome(
            ending=ending,
            payoffs=tuple(float(role == winner) for role in roles),
            roles=roles,
            sides=roles,
            winners=tuple(Seat(place) for place in range(4) if roles[place] == winner),
        ),
        tuple(answers),
        experiment,
    )


def _fault(given: object) -> str | None:
    return "illegal" if given is None else None


def season(spares: str, experiment: str = "one") -> list[MatchRecord]:
    """Matches in a row: x in seat 0 votes for its team mate ("b") or not ("t"), or abstains ("-").

    Its second seat abstains, and so does y.
    """
    votes = {"t": 2, "b": 1, "-": None}
    return [
        impostor(
            "xxyy",
            (votes[each], None, None, None),
            "escaped",
            seat=3,
            condition=AWARE,
            experiment=experiment,
        )
        for each in spares
    ]


def played_impostor() -> list[MatchRecord]:
    """Matches in four assignments, by fair draws, with faults."""
    seats = {"": "yxxx", BLIND: "xxyy", AWARE: "yyxx", "assignment=homogeneous": "xxxx"}
    return numbered(
        replace(
            drawn("impostor", agents, seed),
            condition=condition,
            experiment=condition,
            covariates=Covariates(
                "expert" if seed % 2 else "easy",
                condition.removeprefix("assignment=") or "cross_play",
            ),
        )
        for seed, (condition, agents) in product(range(12), seats.items())
    )
