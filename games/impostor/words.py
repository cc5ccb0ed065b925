"""Words of impostor: questions to people, and the conversation."""

from collections.abc import Mapping

from parlour.games.engine.metadata import AskTexts, FieldTexts
from parlour.games.engine.moves import player
from parlour.games.engine.talk import Ending
from parlour.games.families.word_game_words import End, word_asks

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


_WORDS = {
    "impostor_guessed": "{} stood up and named the word",
    "impostor_misguessed": "{} stood up and guessed wrong",
    "convicted": "{} is caught: at least two of the others named the impostor",
    "sole_suspect": "{} is caught: most of the votes named the impostor",
    "tie": "the vote is split, and {} gets away as the impostor",
    "escaped": "{} gets away as the impostor",
}


def ending(end: End) -> Ending:
    """The fate of the impostor, and the two words."""
    confessed = [player(seat) for seat in end.declared if seat != end.special]
    if end.outcome.ending == "false_declaration":
        who = " and ".join(confessed) or "one of the majority"
        words = f"{who} stood up, but {end.name} is the impostor"
    else:
        words = _WORDS[end.outcome.ending].format(end.name)
    return Ending(words, end.pair_of_words())
