"""Costly punishment: after each round every player may fine one of those it played with.

Source: Fehr and Gächter (2000), "Cooperation and Punishment in Public Goods Experiments".
"""

from typing import ClassVar

from parlour.games.engine.counting import Measure
from parlour.games.engine.events import Event
from parlour.games.engine.game import AskTexts, FieldTexts
from parlour.games.engine.moves import Tell, ask, player
from parlour.games.engine.transcript import seat_name
from parlour.games.mechanisms.asks import name_player
from parlour.games.mechanisms.layer import Mechanism, Round, Steps, in_points


def _fines(event: Event) -> str:
    fines = [f"{player(by)} fines {player(fined)}" for by, fined in event.record["fines"]]
    return f"{', '.join(fines)} ({in_points(event.record)})" if fines else "nobody is fined"


class Punishment(Mechanism):
    """A fine takes ``fine`` points from one player and ``fine_cost`` from the one who fines."""

    name = "punishment"
    title = "Fines"
    keys: ClassVar = {"fine": 3.0, "fine_cost": 1.0}
    kinds: ClassVar = {
        "punish": "whom a player fines after a round",
        "fines": "who fined whom, and what that took",
    }
    phrases: ClassVar = {
        "punish": lambda event: f"fines {seat_name(event.record['player'])}",
        "fines": _fines,
    }
    phases: ClassVar = {"punish": "fines"}
    pending: ClassVar = {"punish": "decides whom to fine"}
    asks: ClassVar = {
        "punish": AskTexts(
            lambda _view: "Whom do you fine, if anybody?", {"player": FieldTexts("I fine")}
        )
    }
    measures = (Measure("fined", "fined"), Measure("antisocial_fines", "fined_a_cooperator"))

    def after(self, round: Round) -> Steps:
        """Everybody who met decides at once whom to fine; those who met learn of it."""
        asked = tuple(seat for seat in round.players if seat in self.asked)
        question = name_player("punish", asked, round.players, round.number)
        answers = (yield from ask(question)) if asked else {}
        fines = [(seat, each.player) for seat, each in answers.items() if each.player is not None]
        for seat, fined in fines:
            self.pay(seat, (), self.setting.fine_cost)
            self.pay(fined, (), self.setting.fine)
            acted = round.cooperated.get(fined, True)
            self.count("punish", round.number, seat, "fined_a_cooperator", acted)
        for seat, each in answers.items():
            self.count("punish", round.number, seat, "fined", each.player is not None)
        record = {"fines": [list(pair) for pair in fines], "changes": self.changed(round.players)}
        yield Tell("fines", record, round.players, round.number)
