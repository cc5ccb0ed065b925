"""End of the chameleon game in a sentence."""

from parlour.games.engine.talk import Ending, in_marks
from parlour.games.families.word_talk import End

_WORDS = {
    "caught": "{} is caught: it was the chameleon and did not know the word",
    "guessed": "{} is caught, but the chameleon guessed the word",
    "escaped": "{} gets away as the chameleon",
    "even": "the vote is split, and {} gets away as the chameleon",
}


def ending(end: End) -> Ending:
    """The fate of the chameleon, and the word."""
    words = _WORDS[end.outcome.ending].format(end.name)
    if end.common_word is None:
        return Ending(words)
    return Ending(words, (f"the word was {in_marks(end.common_word)}",))
