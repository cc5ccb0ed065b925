"""Reputation: before two players meet, each learns what the other did last.

Source: Nowak and Sigmund (1998), "Evolution of Indirect Reciprocity by Image Scoring".
"""

from collections import defaultdict
from typing import Any, ClassVar

from parlour.games.engine.counting import Measure
from parlour.games.engine.events import Event
from parlour.games.engine.game import Rounds
from parlour.games.engine.moves import Seat, Tell, player
from parlour.games.mechanisms.layer import Mechanism, Round, Steps


def _reputation(event: Event) -> str:
    acts = ["cooperated" if good else "defected" for good in event.record["acts"]]
    return f"{player(event.record['player'])} {', '.join(acts) or 'has not acted yet'}"


class Reputation(Mechanism):
    """Each of a pair learns the last ``acts_shown`` actions of the other, toward whomever."""

    name = "reputation"
    title = "Reputation"
    keys: ClassVar = {"acts_shown": 5.0}
    kinds: ClassVar = {"reputation": "what the other one of a pair did last, oldest first"}
    phrases: ClassVar = {"reputation": _reputation}
    measures = (Measure("reputation_heeded", "as_the_other_did"),)

    def __init__(self, *match: Any) -> None:
        super().__init__(*match)
        self._acts: dict[Seat, list[bool]] = defaultdict(list)
        self._shown = int(self.setting.acts_shown)

    @classmethod
    def fits(cls, rounds: Rounds) -> bool:
        """Only where players do not see all that others did."""
        return rounds.pair is not None

    def before(self, round: int, players: tuple[Seat, ...]) -> Steps:
        """Both are told at once, each of the other."""
        for seat, other in (players, players[::-1]):
            acts = self._acts[other][-self._shown :] if self._shown else []
            yield Tell("reputation", {"player": other, "acts": acts}, (seat,), round)

    def after(self, round: Round) -> Steps:
        """The actions enter the records, after a comparison with what the other one had done."""
        for seat, cooperated in round.cooperated.items():
            (other,) = (each for each in round.players if each != seat)
            if self._shown and self._acts[other]:
                same = cooperated == self._acts[other][-1]
                self.count("", round.number, seat, "as_the_other_did", same)
        for seat, cooperated in round.cooperated.items():
            self._acts[seat].append(cooperated)
        yield from ()
