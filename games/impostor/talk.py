"""End of the impostor game in a sentence."""

from parlour.games.engine.moves import player
from parlour.games.engine.talk import Ending
from parlour.games.families.word_talk import End

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
