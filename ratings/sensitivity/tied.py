"""Sensitivity of the order to how ties count."""

from dataclasses import dataclass, replace
from typing import Literal

from parlour.games.engine.moves import Seat
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.sensitivity.fits import Weighted, fitted, rank_correlation

TIED_ENDING = "tie"
"""The ending of a match whose ballot was tied, whoever wins it by the rules."""
Policy = Literal["as_played", "draws", "left_out", "to_special", "to_others"]
POLICIES: tuple[Policy, ...] = ("as_played", "draws", "left_out", "to_special", "to_others")
"""As the rules have it; a draw for both sides; no result; a win of the special role's side, or of
the other side."""


@dataclass(frozen=True, slots=True)
class TiePolicy:
    """The order of agents under a policy, the strongest first.

    ``tau`` is Kendall's rank correlation with the order as played, ``moved`` the most places that
    an agent moves.
    """

    policy: Policy
    order: tuple[str, ...]
    tau: float | None
    moved: int


@dataclass(frozen=True, slots=True)
class TieChecks:
    """The number of tied matches, and the order under each policy."""

    tied: int
    n: int
    policies: tuple[TiePolicy, ...]


def ties(matches: Weighted) -> TieChecks:
    """Returns the order under each policy, with all matches fitted again.

    Tied are matches that end in a tied ballot, and those without a single winning side. Equal
    payoffs are draws under every policy but ``left_out``.
    """
    count = sum(times for record, times in matches if is_tied(record))
    played = other = fitted(matches)
    before = played.ranks()
    policies = []
    for policy in POLICIES:
        # Without a draw all policies are alike, unless equal payoffs may be left out.
        if policy != "as_played" and (count or policy == "left_out"):
            decided = [
                (_decided(record, policy) if is_tied(record) else record, times)
                for record, times in matches
            ]
            other = fitted(decided, draws=policy != "left_out")
        after = other.ranks()
        moves = [abs(after[agent] - before[agent]) for agent in after.keys() & before.keys()]
        tau, order = rank_correlation(played, other), tuple(other.order)
        policies.append(TiePolicy(policy, order, tau, max(moves, default=0)))
        other = played
    return TieChecks(count, sum(times for _, times in matches), tuple(policies))


def is_tied(record: MatchRecord) -> bool:
    """True for a match of sides with a tied ballot, or without a single winning side."""
    outcome = record.outcome
    if find_game(record.game, f"match {record.number}").scoring.rated != "sides":
        return False
    winning = {outcome.sides[seat] for seat in outcome.winners}
    return outcome.ending == TIED_ENDING or len(winning) != 1


def _decided(record: MatchRecord, policy: Policy) -> MatchRecord:
    """Returns a tied match with the winners that a policy gives to it."""
    outcome = record.outcome
    special = find_game(record.game, f"match {record.number}").scoring.special
    winners: tuple[Seat, ...] = ()
    if policy in {"to_special", "to_others"} and special is not None:
        side = outcome.sides[outcome.roles.index(special)]
        wanted = policy == "to_special"
        seats = enumerate(outcome.sides)
        winners = tuple(Seat(seat) for seat, own in seats if (own == side) == wanted)
    return replace(record, outcome=replace(outcome, winners=winners))
