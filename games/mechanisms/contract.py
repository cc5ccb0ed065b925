"""Contracts: players propose penalties for defecting, and sign one of them.

All do so before the first round, a pair each time that it meets. A contract binds if all who meet
have signed the same penalty. From then on each of them that acts without cooperating pays it to the
others, in equal parts.

Source: Jackson and Wilkie (2005), "Endogenous Games and Mechanisms: Side Payments Among Players";
contracts among language models: CoopEval (arXiv 2604.15267).
"""

from typing import Any, ClassVar

from parlour.games.engine.counting import Measure
from parlour.games.engine.events import Event
from parlour.games.engine.game import AskTexts, FieldTexts
from parlour.games.engine.moves import Seat, Tell, ask, player
from parlour.games.engine.transcript import seat_name
from parlour.games.mechanisms.asks import name_amount, name_player
from parlour.games.mechanisms.layer import Mechanism, Round, Steps, in_points


def _drafts(event: Event) -> str:
    drafts = event.record["drafts"]
    return ", ".join(f"{player(by)} proposes a penalty of {amount:g}" for by, amount in drafts)


def _contract(event: Event) -> str:
    penalty = event.record["penalty"]
    signed = [
        f"{player(by)} signs that of {seat_name(draft)}" for by, draft in event.record["signed"]
    ]
    bound = "no contract binds" if penalty is None else f"who defects pays {penalty:g}"
    return f"{', '.join(signed)}: {bound}"


class Contract(Mechanism):
    """A contract's penalty is at most ``most_penalty``; the rules' own players sign none."""

    name = "contract"
    title = "Contracts"
    keys: ClassVar = {"most_penalty": 10.0}
    kinds: ClassVar = {
        "draft": "the penalty that a player proposes for defecting",
        "drafts": "all proposed penalties of those who meet",
        "sign": "whose contract a player signs",
        "contract": "who signed what, and the penalty that binds, if any does",
        "penalties": "what players paid for defecting, and who got it",
    }
    phrases: ClassVar = {
        "draft": lambda event: f"proposes a penalty of {event.record['amount']:g}",
        "drafts": _drafts,
        "sign": lambda event: f"signs that of {seat_name(event.record['player'])}",
        "contract": _contract,
        "penalties": lambda event: in_points(event.record),
    }
    phases: ClassVar = {"draft": "drafts", "sign": "signing"}
    pending: ClassVar = {"draft": "drafts a contract", "sign": "weighs the contracts"}
    asks: ClassVar = {
        "draft": AskTexts(
            lambda _view: "Which penalty for defecting do you propose?",
            {"amount": FieldTexts("The penalty")},
        ),
        "sign": AskTexts(
            lambda _view: "Whose contract do you sign?", {"player": FieldTexts("I sign that of")}
        ),
    }
    measures = (
        Measure("contracts_signed", "contract_signed"),
        Measure("contracts_kept", "contract_kept"),
    )

    def __init__(self, *match: Any) -> None:
        super().__init__(*match)
        self._penalties: dict[tuple[Seat, ...], float | None] = {}

    def before(self, round: int, players: tuple[Seat, ...]) -> Steps:
        """All draft at once, and then sign at once; a pair does so each time that it meets."""
        asked = self.negotiators(players, done=bool(self._penalties))
        if not asked:
            return
        most = self.setting.most_penalty
        drafts = yield from ask(name_amount("draft", asked, most, round))
        amounts = {seat: draft.amount for seat, draft in drafts.items()}
        yield Tell("drafts", {"drafts": [list(each) for each in amounts.items()]}, players, round)
        signed = yield from ask(name_player("sign", asked, asked, round, own=True))
        chosen = {seat: answer.player for seat, answer in signed.items()}
        penalties = {None if draft is None else amounts[draft] for draft in chosen.values()}
        bound = len(penalties) == 1 and asked == players
        penalty = penalties.pop() if bound else None
        self._penalties[players] = penalty
        for seat in asked:
            self.count("sign", round, seat, "contract_signed", penalty is not None)
        record = {"signed": [list(each) for each in chosen.items()], "penalty": penalty}
        yield Tell("contract", record, players, round)

    def after(self, round: Round) -> Steps:
        """Every player that is bound and did not cooperate pays the others."""
        penalty = self._penalties.get(round.players)
        if penalty is None:
            return
        for seat, cooperated in round.cooperated.items():
            self.count("", round.number, seat, "contract_kept", cooperated)
            if not cooperated:
                self.pay(seat, [other for other in round.players if other != seat], penalty)
        yield from self.settle("penalties", round)
