"""Mediation: a third party plays for the players that delegate to it.

Before the first round each player decides whether to delegate. Where all who meet have delegated,
the mediator cooperates for them; where one has not, it defects for the others.

Source: Monderer and Tennenholtz (2009), "Strong Mediated Equilibrium".
"""

from typing import Any, ClassVar

from parlour.games.common.text import Text
from parlour.games.engine.counting import Measure
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import AskTexts, FieldTexts, Rounds
from parlour.games.engine.moves import REASONS, Answer, Ask, Seat, Tell, ask, player
from parlour.games.mechanisms.layer import Mechanism, Playing, Round, Steps


class Delegation(Answer):
    """A decision to delegate or not, and its private reasoning."""

    reasoning: Text = ""
    delegate: bool


def delegate(asked: tuple[Seat, ...], round: int) -> Ask[Delegation]:
    """Asks all players at once."""

    def draw(_seat: Seat, dice: Dice) -> Delegation:
        return Delegation(delegate=dice.chance(0.5))

    return Ask(
        "delegate", asked, Delegation, lambda *_: Delegation(delegate=False), draw, round=round
    )


class Mediation(Mechanism):
    """The mediator cooperates among those who delegate; the rules' own players never do."""

    name = "mediation"
    title = "Mediation"
    kinds: ClassVar = {
        "delegate": "whether a player lets the mediator play for it",
        "mediated": "what the mediator did for a player, told to it alone",
    }
    phrases: ClassVar = {
        "delegate": lambda event: (
            "lets the mediator play" if event.record["delegate"] else "plays for itself"
        ),
        "mediated": lambda event: (
            f"the mediator {'cooperates' if event.record['cooperates'] else 'defects'}"
            f" for {player((event.to or ())[0])}"
        ),
    }
    phases: ClassVar = {"delegate": "delegation"}
    pending: ClassVar = {"delegate": "decides who plays for it"}
    asks: ClassVar = {
        "delegate": AskTexts(
            lambda _view: "Do you let the mediator play for you in the whole match?",
            {"delegate": FieldTexts("The mediator plays for me")},
        )
    }
    measures = (Measure("delegation", "delegated"),)

    def __init__(self, *match: Any) -> None:
        super().__init__(*match)
        self._delegated: frozenset[Seat] | None = None
        self._meeting: tuple[Seat, ...] = ()

    @classmethod
    def fits(cls, rounds: Rounds) -> bool:
        """Only where it is known how to act for a player."""
        return bool(rounds.acts)

    def before(self, round: int, players: tuple[Seat, ...]) -> Steps:
        """All players decide at once, before the first round."""
        self._meeting = players
        if self._delegated is None:
            answers = yield from ask(delegate(self.asked, round))
            self._delegated = frozenset(s for s, answer in answers.items() if answer.delegate)
            for seat in self.asked:
                self.count("delegate", round, seat, "delegated", seat in self._delegated)

    def plays(self, move: Ask[Any]) -> Playing:
        """The mediator acts for the seats that have delegated, and tells each what it did."""
        answers: dict[Seat, Answer] = {}
        if move.kind not in self.rounds.acts or self._delegated is None:
            return answers
        cooperates = self._delegated.issuperset(self._meeting)
        for seat in move.seats:
            if seat in self._delegated:
                answers[seat] = self.rounds.act(move, seat, cooperates, self.rules)
                done = {"ask": move.kind, "cooperates": cooperates}
                done |= answers[seat].model_dump(mode="json", exclude=set(REASONS))
                yield Tell("mediated", done, (seat,), move.round)
        return answers

    def after(self, round: Round) -> Steps:
        """Counts as done by those who delegated what the mediator did."""
        if not self.rounds.pair:
            for seat in self._delegated or ():
                self.count("", round.number, seat, "cooperated", round.cooperated[seat])
        yield from ()
