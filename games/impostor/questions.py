"""Questions of the impostor game to people."""

from collections.abc import Mapping

from parlour.games.engine.metadata import AskTexts, FieldTexts
from parlour.games.families.word_questions import word_asks

ASKS: Mapping[str, AskTexts] = {
    **word_asks("the impostor", "one of the majority"),
    "vote": AskTexts(
        lambda _view: (
            "Whom do you take for the impostor? If you believe that it is you, you may declare"
            " yourself and guess the word of the others. No other player reads your reason."
        ),
        {
            "suspect": FieldTexts("I suspect"),
            "confidence": FieldTexts("How sure, 0 to 1"),
            "self_declaration": FieldTexts("I declare myself", options={True: "as the impostor"}),
            "word_guess": FieldTexts("Their word is"),
        },
    ),
}
