"""Cost sharing, the rules.

Three airlines share one airport, whose fixed fee of $1,000,000 they must pay together. Everybody
knows how much each airline uses it. In each of at most five rounds every player in turn proposes
a split in whole percent, for all to hear; then all vote at once for one of this round's proposals,
their own allowed. If the three votes are for the same split, whoever proposed it, they agree and
the match ends. Without an agreement in the last round the negotiation fails.

Source: the MAGIC paper, section 3.1 and appendices A.1 and A.6.
"""

import json
from collections.abc import Generator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, field_validator

from parlour.games.common.suggestions import suggestion
from parlour.games.common.text import ENGLISH, Text
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Frozen
from parlour.games.engine.moves import (
    PLAYER_SCHEMA,
    Answer,
    Ask,
    Fault,
    NamedSeat,
    Outcome,
    Record,
    Rules,
    Seat,
    Tell,
    Whole,
    ask,
    illegal,
    named,
    player,
)
from parlour.games.engine.wordings import PLAIN, Language, Told
from parlour.games.families.openings import FirstMoves
from parlour.games.families.word_games import plain_word

Name = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(plain_word)]


class Airline(Frozen):
    """An airline's use of the airport: figures of a month, and its aircraft.

    ``hours`` is the average duration of a flight.
    """

    name: Name
    flights: int = Field(ge=1, le=100_000)
    passengers: int = Field(ge=0, le=100_000_000)
    hours: float = Field(gt=0, le=24)
    aircraft: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(plain_word)]


@cache
def pool() -> dict[str, Airline]:
    """The shipped airlines by name."""
    text = (Path(__file__).parent / "data" / "airlines.json").read_text(encoding="utf-8")
    airlines = [Airline.model_validate(entry) for entry in json.loads(text)]
    return {airline.name: airline for airline in airlines}


def from_pool(value: object) -> object:
    """Reads a name as the airline of the pool; leaves figures to the validator."""
    if isinstance(value, str):
        if value not in pool():
            raise ValueError(
                f"no airline of the pool is called {value!r}; " + suggestion(value, pool())
            )
        return pool()[value]
    return value


FEE = 1_000_000
"""Dollars that the airport costs. MAGIC, table 3."""

Shares = tuple[int, int, int]
"""Percent of the fee by seat."""


class Triple(Frozen):
    """One entry of a settings file: the three airlines, by seat; optionally first proposals.

    An airline is a name of the shipped pool, or its figures. ``openings`` are splits that seats
    propose in the first round without being asked (null: the seat is asked).
    """

    airlines: tuple[
        Annotated[Airline, BeforeValidator(from_pool)],
        Annotated[Airline, BeforeValidator(from_pool)],
        Annotated[Airline, BeforeValidator(from_pool)],
    ]
    openings: tuple[Shares | None, Shares | None, Shares | None] = (None, None, None)

    @field_validator("openings")
    @classmethod
    def _whole(cls, openings: tuple[Shares | None, ...]) -> tuple[Shares | None, ...]:
        for shares in openings:
            problem = _problem(shares) if shares is not None else None
            if problem:
                raise ValueError(problem)
        return openings


class Variant(Told):
    """Keys that a tournament may change: the rounds, and if each vote is heard before the next.

    ``first_moves``: shipped splits are proposed by the seats before the first that counts.
    """

    rounds: int = Field(default=5, ge=1, le=20)
    sequential_votes: bool = False
    first_moves: FirstMoves = "asked"
    wording: Literal["plain", "again", "paraphrase", "paraphrase_2", "reversed", "renamed"] = PLAIN
    language: Language = ENGLISH


class Setting(Triple, Variant):
    """Record and variant together: what a match is played with."""


def exact(shares: Shares) -> Shares:
    """Shares in whole percent that sum to 100, in proportion to those given.

    Each is rounded down, and what is missing goes to the largest remainders, the first of equal
    ones. Legal shares stay as they are; so do numbers that are no shares at all.
    """
    total = sum(shares)
    if total in {0, 100} or not all(0 <= share <= 100 for share in shares):
        return shares
    whole = [100 * share // total for share in shares]
    by_remainder = sorted(range(3), key=lambda seat: -(100 * shares[seat] % total))
    for seat in by_remainder[: 100 - sum(whole)]:
        whole[seat] += 1
    first, second, third = whole
    return first, second, third


_SHARE = {"type": "integer", "minimum": 0, "maximum": 100}


class Proposal(Answer):
    """A split of the fee: percent for Player 1, Player 2, Player 3; the reasoning is its own.

    No schema can say that the shares sum to 100, so those of another sum are made exact.
    """

    reasoning: Text = ""
    shares: Annotated[
        tuple[Whole, Whole, Whole],
        AfterValidator(exact),
        WithJsonSchema({"type": "array", "items": _SHARE, "minItems": 3, "maxItems": 3}),
    ]


class Approval(Answer):
    """A vote for a player's proposal; for nobody's only where a fault made it so."""

    reasoning: Text = ""
    proposer: Annotated[NamedSeat | None, WithJsonSchema(PLAYER_SCHEMA)]


def _problem(shares: Sequence[int]) -> str | None:
    """The problem of a split that is not legal, None for a legal one."""
    # The shares are not shown: a number may have any number of digits.
    if not all(0 <= share <= 100 for share in shares):
        return "a share is less than 0 or more than 100: give whole percent from 0 to 100"
    if sum(shares) != 100:
        return f"the shares {list(shares)} sum to {sum(shares)}: they must sum to 100"
    return None


def propose(seat: Seat, round: int) -> Ask[Proposal]:
    """Asks one player for a split of the fee."""

    def check(_seat: Seat, answer: Proposal) -> Fault | None:
        problem = _problem(answer.shares)
        return illegal(problem) if problem else None

    def draw(_seat: Seat, dice: Dice) -> Proposal:
        first, second = sorted((dice.below(101), dice.below(101)))
        return Proposal(shares=(first, second - first, 100 - second))

    return Ask(
        "propose", (seat,), Proposal, lambda *_: Proposal(shares=(34, 33, 33)), draw, check, round
    )


def approve(seats: tuple[Seat, ...], proposers: tuple[Seat, ...], round: int) -> Ask[Approval]:
    """Asks each player to vote for one proposal of this round."""

    def check(_seat: Seat, answer: Approval) -> Fault | None:
        if answer.proposer not in proposers:
            named = "nobody" if answer.proposer is None else player(answer.proposer)
            return illegal(f"{named} has no proposal on the table: name one who has")
        return None

    def draw(_seat: Seat, dice: Dice) -> Approval:
        return Approval(proposer=dice.choice(proposers))

    def bounds(_seat: Seat) -> Mapping[str, Record]:
        return {"proposer": named(proposers)}

    return Ask(
        "approve",
        seats,
        Approval,
        lambda *_: Approval(proposer=None),
        draw,
        check,
        round,
        bounds=bounds,
    )


def rules(setting: Setting, seats: Sequence[Seat], dice: Dice) -> Rules:
    """Proposals in seat order, then a vote, until three votes are for the same split."""
    seats = tuple(seats)
    keys = setting.model_dump(include={"rounds", "sequential_votes"}) | setting.told_otherwise
    yield Tell("rules", {"players": len(seats), "fee": FEE, **keys})
    yield Tell("airlines", {"airlines": [each.model_dump() for each in setting.airlines]})
    agreed: Shares | None = None
    proposals: dict[Seat, Shares] = {}
    round = 0
    while agreed is None and round < setting.rounds:
        round += 1
        for seat in seats:
            opening = setting.openings[seat] if round == 1 else None
            if opening is None:
                opening = (yield from ask(propose(seat, round)))[seat].shares
            proposals[seat] = opening
            proposed = {"proposer": seat, "shares": list(opening)}
            yield Tell("proposed", proposed, round=round)
        votes = yield from _votes(setting, seats, round)
        # Splits are compared, not their authors: two players may have proposed the same one.
        chosen = {None if vote is None else proposals[vote] for vote in votes.values()}
        if len(chosen) == 1:
            agreed = chosen.pop()
    authors = [seat for seat in seats if agreed is not None and proposals[seat] == agreed]
    return Outcome(
        ending="failed" if agreed is None else "agreed",
        payoffs=(0.0,) * len(seats) if agreed is None else tuple(100.0 - share for share in agreed),
        roles=("airline",) * len(seats),
        sides=("airlines",) * len(seats),
        winners=() if agreed is None else seats,
        facts={
            "setting": " + ".join(airline.name for airline in setting.airlines),
            "rounds": round,
            "shares": None if agreed is None else list(agreed),
            "authors": [int(seat) for seat in authors],
        },
    )


def _votes(
    setting: Setting, seats: tuple[Seat, ...], round: int
) -> Generator[Tell | Ask[Any], Any, Mapping[Seat, Seat | None]]:
    """The votes of a round: all at once, or one by one and heard by the next."""
    votes: dict[Seat, Seat | None] = {}
    if not setting.sequential_votes:
        answers = yield from ask(approve(seats, seats, round))
        votes = {seat: answers[seat].proposer for seat in seats}
        yield Tell("approvals", {"proposers": list(votes.values())}, round=round)
        return votes
    for seat in seats:
        answers = yield from ask(approve((seat,), seats, round))
        votes[seat] = answers[seat].proposer
        yield Tell("approved", {"voter": seat, "proposer": votes[seat]}, round=round)
    return votes
