"""Side payments: players promise the others points for cooperating.

All do so before the first round, a pair each time that it meets. A promise binds: whoever
cooperates in a round gets what each of the others has promised.

Source: Jackson and Wilkie (2005), "Endogenous Games and Mechanisms: Side Payments Among Players".
"""

from typing import Any, ClassVar

from parlour.games.engine.counting import Measure
from parlour.games.engine.events import Event
from parlour.games.engine.game import AskTexts, FieldTexts
from parlour.games.engine.moves import Seat, Tell, ask, player
from parlour.games.mechanisms.asks import name_amount
from parlour.games.mechanisms.layer import Mechanism, Round, Steps, in_points


def _offers(event: Event) -> str:
    offers = (f"{player(by)} promises {amount:g}" for by, amount in event.record["offers"])
    return f"for cooperating {', '.join(offers)}"


class SidePayments(Mechanism):
    """A promise is at most ``most_offer`` a round; the rules' own players promise nothing."""

    name = "side_payments"
    title = "Side payments"
    keys: ClassVar = {"most_offer": 10.0}
    kinds: ClassVar = {
        "offer": "what a player promises to each of the others for cooperating",
        "offers": "all promises of those who meet",
        "payments": "what was paid for cooperating, and who paid it",
    }
    phrases: ClassVar = {
        "offer": lambda event: f"promises {event.record['amount']:g} for cooperating",
        "offers": _offers,
        "payments": lambda event: in_points(event.record),
    }
    phases: ClassVar = {"offer": "offers"}
    pending: ClassVar = {"offer": "weighs a promise"}
    asks: ClassVar = {
        "offer": AskTexts(
            lambda _view: "How many points do you promise to each of the others for cooperating?",
            {"amount": FieldTexts("I promise")},
        )
    }
    measures = (Measure("offers", "offered"), Measure("paid_cooperation", "cooperated_for_pay"))

    def __init__(self, *match: Any) -> None:
        super().__init__(*match)
        self._offers: dict[tuple[Seat, ...], dict[Seat, float]] = {}

    def before(self, round: int, players: tuple[Seat, ...]) -> Steps:
        """All promise at once, and then learn all promises; a pair does so each time it meets."""
        asked = self.negotiators(players, done=bool(self._offers))
        if not asked:
            return
        answers = yield from ask(name_amount("offer", asked, self.setting.most_offer, round))
        offers = {seat: answer.amount for seat, answer in answers.items()}
        self._offers[players] = offers
        for seat, amount in offers.items():
            self.count("offer", round, seat, "offered", amount > 0)
        yield Tell("offers", {"offers": [list(each) for each in offers.items()]}, players, round)

    def after(self, round: Round) -> Steps:
        """Every player that cooperated is paid by each of the others."""
        offers = self._offers.get(round.players, {})
        for seat, cooperated in round.cooperated.items():
            promised = {by: amount for by, amount in offers.items() if by != seat and amount}
            if promised:
                self.count("", round.number, seat, "cooperated_for_pay", cooperated)
            for by, amount in promised.items() if cooperated else ():
                self.pay(by, [seat], amount)
        yield from self.settle("payments", round)
