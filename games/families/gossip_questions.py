"""Questions of the games of indirect reciprocity to people."""

from collections.abc import Callable, Mapping

from parlour.games.engine.events import View
from parlour.games.engine.metadata import AskTexts, FieldTexts
from parlour.games.engine.moves import Record, Seat, player

_ACTION_WORDS = {"cooperate": "help (cooperate)", "defect": "give nothing (defect)"}
ACTION = FieldTexts("My choice", options=_ACTION_WORDS)
_SIGNALS = {
    "binary_convention": "1 is good, 0 is bad.",
    "binary": "0 or 1; what the two mean is not laid down.",
}


def rules_of(view: View) -> Record:
    """The rules as the seat was told them."""
    return view.told("rules")[0].record


def seen_by(view: View, other: Seat) -> str:
    """A sentence on who learns of an action towards another player."""
    rules = rules_of(view)
    if rules["monitoring"] == "public":
        return "Everybody will see what you do."
    if rules["monitoring"] == "private":
        return f"Only {player(other)} will know what you do."
    words = "a message" if rules["gossip"] == "tones" else "a signal"
    return f"Only {player(other)} will see it, and then publish {words} about it."


def gossip_asks(partner: Callable[[View], Seat]) -> Mapping[str, AskTexts]:
    """The questions that these games have in common.

    ``partner`` reads from a view whom the seat has just met.
    """

    def publish(view: View) -> str:
        """The question for a tone and words, or for a signal."""
        about = player(partner(view))
        meaning = _SIGNALS.get(rules_of(view)["gossip"])
        if meaning is None:
            return f"Tell everybody about {about}: a tone, and at most 150 words in it."
        return f"Publish a signal about {about} for all to read: {meaning}"

    reported = FieldTexts("I report", options={"cooperate": "I helped", "defect": "I gave nothing"})
    return {
        "gossip": AskTexts(
            publish,
            {
                "tone": FieldTexts("Tone"),
                "message": FieldTexts("Your message"),
                "signal": FieldTexts("Your signal"),
            },
        ),
        "report": AskTexts(
            lambda _view: "Report to everybody what you did. Nobody checks whether it is true.",
            {
                "action": reported,
                "amount": FieldTexts("I report that I gave"),
            },
        ),
    }
