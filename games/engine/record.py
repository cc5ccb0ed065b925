"""Finished matches as ratings read them: plain data, filled by the save."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from parlour.games.engine.moves import Outcome, Record, Seat


@dataclass(frozen=True, slots=True)
class Answered:
    """One stored answer: ``value`` has the fields of its model, ``fault`` is its class if any.

    ``digest`` is that of what is stored, b"" if nobody needs it.
    """

    ask: int
    kind: str
    round: int
    seat: Seat
    value: Record
    fault: str | None = None
    digest: bytes = field(default=b"", compare=False)


@dataclass(frozen=True, slots=True)
class Covariates:
    """Properties of a match that exports show and measures compare, besides its condition.

    ``tier`` is the difficulty of the setting, ``mode`` says how seats are assigned to agents.
    ``words`` has the word of each seat, "" for none, of a ``topic`` and in a ``language`` if
    players are told one.
    """

    tier: str | None = None
    mode: str | None = None
    words: tuple[str, ...] = ()
    topic: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """One finished match.

    ``setting`` names the setting within the game (matches that share it form a cluster),
    ``agents`` has one name a seat, and ``counted`` the seats whose agents enter capabilities
    and win rates (a challenger schedule counts the challengers' seats only). ``experiment`` names
    the pairing whose matches follow each other. ``seed`` is that of its random numbers where
    matches of other agents and conditions share it, None where each match has its own.
    ``transcript`` is a fingerprint of agents, setting, condition, answers and outcome: matches that
    have the same one are copies. It is None where the answers were not read in full.
    ``covariates`` are those that the game declares. ``place`` is the match's place in the order of
    ratings, None for its number.
    """

    number: int
    game: str
    condition: str
    setting: str
    agents: tuple[str, ...]
    counted: tuple[Seat, ...]
    outcome: Outcome
    answers: tuple[Answered, ...]
    experiment: str = ""
    seed: int | None = None
    transcript: int | None = None
    covariates: Covariates = Covariates()
    place: int | None = None

    @property
    def order(self) -> int:
        """The place of the match among all: growing a tournament keeps numbers, not places."""
        return self.number if self.place is None else self.place

    @property
    def observation(self) -> int:
        """The key within its game of what counts as one observation.

        Matches that share a seed by design are one observation, and so are copies.
        """
        if self.seed is not None:
            return self.seed
        return self.order if self.transcript is None else self.transcript

    def is_faulty(self, probes: Collection[str] = ()) -> bool:
        """True if a fallback stands for any answer that moved the match: those to probes do not."""
        return any(a.fault is not None and a.kind not in probes for a in self.answers)

    def seats_of(self) -> dict[tuple[str, str], list[Seat]]:
        """Returns the counted seats by agent and role."""
        seats: dict[tuple[str, str], list[Seat]] = {}
        for seat in self.counted:
            seats.setdefault((self.agents[seat], self.outcome.roles[seat]), []).append(seat)
        return seats

    def decisions(self, kind: str) -> Iterator[Answered]:
        """Yields the answers of one kind that are no fallback, of the counted seats."""
        for answer in self.answers:
            if answer.kind == kind and answer.fault is None and answer.seat in self.counted:
                yield answer
