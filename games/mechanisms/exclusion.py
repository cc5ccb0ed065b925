"""Exclusion: after a round players vote whether one of them is shut out of the next rounds.

Whoever is shut out is no part of the group: the others play among themselves, and it gets nothing.
The rules go on with all seats, so its move is the one by which it gives nothing, and what each gets
is put right after the round.

Source: Cinyabuguma, Page and Putterman (2005), "Cooperation under the Threat of Expulsion in a
Public Goods Experiment".
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar

from parlour.games.engine.counting import Measure
from parlour.games.engine.events import Event
from parlour.games.engine.game import AskTexts, FieldTexts, Rounds
from parlour.games.engine.moves import Ask, Seat, Tell, ask, player
from parlour.games.engine.transcript import seat_name
from parlour.games.mechanisms.asks import name_player
from parlour.games.mechanisms.layer import Mechanism, Playing, Round, Steps, in_points

FEWEST_VOTERS = 3
"""Two cannot be more than half of those who vote on one of them."""


def _exclusion(event: Event) -> str:
    record = event.record
    votes = ", ".join(f"{player(by)} names {seat_name(named)}" for by, named in record["votes"])
    if record["player"] is None:
        return f"{votes}: nobody is shut out"
    return f"{votes}: {player(record['player'])} is shut out until round {record['until']} is over"


def shut_out(events: Iterable[Event]) -> Mapping[int, Collection[Seat]]:
    """The seats that are shut out of each round, as far as it was told."""
    out: dict[int, set[Seat]] = defaultdict(set)
    for event in events:
        if event.kind == "exclusion" and event.record["player"] is not None:
            for round in range(event.round + 1, event.record["until"] + 1):
                out[round].add(event.record["player"])
    return out


class Exclusion(Mechanism):
    """Whoever more than half of the voters name is shut out of ``excluded_rounds`` rounds."""

    name = "exclusion"
    title = "Exclusion"
    keys: ClassVar = {"excluded_rounds": 1}
    kinds: ClassVar = {
        "exclude": "whom a player votes to shut out",
        "exclusion": "who voted for whom, and who is shut out, if anybody is",
        "absence": "what it changed for each that a player was shut out",
    }
    phrases: ClassVar = {
        "exclude": lambda event: f"votes to shut out {seat_name(event.record['player'])}",
        "exclusion": _exclusion,
        "absence": lambda event: f"what that changes: {in_points(event.record)}",
    }
    phases: ClassVar = {"exclude": "exclusion"}
    pending: ClassVar = {"exclude": "decides whom to shut out"}
    asks: ClassVar = {
        "exclude": AskTexts(
            lambda _view: "Whom do you vote to shut out, if anybody?",
            {"player": FieldTexts("I vote to shut out")},
        )
    }
    measures = (
        Measure("exclusion_votes", "voted_to_exclude"),
        Measure("antisocial_votes", "voted_against_a_cooperator"),
        Measure("shut_out", "shut_out"),
    )

    def __init__(self, *match: Any) -> None:
        super().__init__(*match)
        self._until: dict[Seat, int] = {}

    @classmethod
    def fits(cls, rounds: Rounds) -> bool:
        """Only where those who are left can play on."""
        return rounds.among is not None

    def _present(self, round: int) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seats if self._until.get(seat, 0) < round)

    def plays(self, move: Ask[Any]) -> Playing:
        """The moves of those who are shut out: they give nothing, and are not asked."""
        yield from ()
        out = set(move.seats).difference(self._present(move.round))
        return {seat: self.rounds.act(move, seat, False, self.rules) for seat in out}

    def after(self, round: Round) -> Steps:
        """The points become those of the players who were in; who will be in votes on the next."""
        present, among = self._present(round.number), self.rounds.among
        assert among is not None
        if present != self.seats:
            own = among(self.rules, round.told[-1], present)
            for seat, points in among(self.rules, round.told[-1], self.seats).items():
                self.changes[seat] += own.get(seat, 0.0) - points
            yield from self.settle("absence", round)
        for seat in self.seats:
            self.count("", round.number, seat, "shut_out", seat not in present)
        voters = self._present(round.number + 1)
        if round.number < self.rules["rounds"] and len(voters) >= FEWEST_VOTERS:
            yield from self._vote(round, voters)

    def _vote(self, round: Round, voters: tuple[Seat, ...]) -> Steps:
        """All vote at once, and then learn who voted for whom."""
        answers = yield from ask(name_player("exclude", voters, voters, round.number))
        votes = {seat: answer.player for seat, answer in answers.items()}
        for seat, named in votes.items():
            self.count("exclude", round.number, seat, "voted_to_exclude", named is not None)
            if named is not None:
                acted = named not in self._present(round.number) or round.cooperated[named]
                self.count("exclude", round.number, seat, "voted_against_a_cooperator", acted)
        ((most, number),) = Counter(votes.values()).most_common(1)
        out = most if 2 * number > len(voters) else None
        until = round.number + self.setting.excluded_rounds
        if out is not None:
            self._until[out] = until
        record = {"votes": [list(each) for each in votes.items()], "player": out, "until": until}
        yield Tell("exclusion", record, round=round.number)
