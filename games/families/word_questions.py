"""Questions of the word games to people."""

from collections.abc import Mapping

from parlour.games.engine.events import View
from parlour.games.engine.metadata import AskTexts, FieldTexts

PRIVATE = "Only for the record: no player sees your answer."


def word_of(view: View) -> str | None:
    """The seat's own word in quotation marks, None if it was given none."""
    events = view.told("word")
    return f"“{events[0].record['word']}”" if events else None


def _clue(view: View) -> str:
    word = word_of(view)
    if word is None:
        return (
            "Say a clue for all to hear, one or two sentences, as if you knew the word. You have"
            " the topic and what the others said."
        )
    return f"Give a clue about {word} for all to hear, in one or two sentences, without saying it."


def word_asks(special: str, ordinary: str) -> Mapping[str, AskTexts]:
    """The questions that all word games have, with the names of the two roles."""
    roles = {"special": special, "ordinary": ordinary, "unsure": "I cannot tell"}
    suspect = FieldTexts("{player} suspects", "I suspect", {None: "nobody yet"})
    return {
        "clue": AskTexts(_clue, {"text": FieldTexts("Your clue")}),
        "own_role": AskTexts(
            lambda _view: f"Which side are you on, as far as you can tell? {PRIVATE}",
            {"role": FieldTexts("I am", options=roles)},
        ),
        "beliefs": AskTexts(
            lambda _view: f"Whom does each player take for {special}, as you see it? {PRIVATE}",
            {"beliefs.suspect": suspect},
        ),
        "vote": AskTexts(
            lambda _view: f"Whom do you take for {special}? No other player reads your reason.",
            {"suspect": FieldTexts("I suspect")},
        ),
    }
