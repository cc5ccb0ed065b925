"""End of undercover in a sentence."""

from parlour.games.engine.talk import Ending
from parlour.games.families.word_talk import End

_WORDS = {
    "caught": "{} is caught: it was the undercover",
    "escaped": "{} gets away as the undercover",
    "tie": "the vote is split, and {} gets away as the undercover",
}


def ending(end: End) -> Ending:
    """The fate of the undercover, and the two words."""
    return Ending(_WORDS[end.outcome.ending].format(end.name), end.pair_of_words())
