"""Questions of cost sharing to people."""

from collections.abc import Mapping

from parlour.games.engine.events import View
from parlour.games.engine.metadata import AskTexts, FieldTexts
from parlour.games.engine.moves import player


def _propose(view: View) -> str:
    rules = view.told("rules")[0].record
    now = len(view.told("proposed")) // len(view.seats) + 1
    return (
        f"Round {now} of {rules['rounds']}: who pays which part of the ${rules['fee']:,}? Give"
        " whole percent that make 100 together. All hear your proposal, nobody your reason."
    )


def _approve(view: View) -> str:
    rules, proposals = view.told("rules")[0].record, view.told("proposed")[-len(view.seats) :]
    splits = [
        f"{player(event.record['proposer'])} {' / '.join(map(str, event.record['shares']))}"
        for event in proposals
    ]
    now = len(view.told("proposed")) // len(view.seats)
    return f"Round {now} of {rules['rounds']}: whose split are you for? {', '.join(splits)}."


ASKS: Mapping[str, AskTexts] = {
    "propose": AskTexts(
        _propose,
        {
            "shares": FieldTexts("share of {player}, %", "my share, %", total=100),
        },
    ),
    "approve": AskTexts(_approve, {"proposer": FieldTexts("I vote for")}),
}
