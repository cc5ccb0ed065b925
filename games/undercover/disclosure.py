"""Disclosure of undercover: the rules and one's own word, but nobody's role.

Source: the MAGIC paper, appendix A.7.
"""

import re

from parlour.games.engine.disclosure import NOWHERE, Fact, Reader, Where
from parlour.games.families.word_disclosure import own_word, probes, said_so_far

VOTE = (Where(("vote",)),)
TOLD = (Where(keys={"scoring_told": True}),)
UNTOLD = (Where(keys={"scoring_told": False}),)
WINNING = r"\bwins?\b|most often|\blevel\b|shared top place"
"""Wordings of who wins when."""


def _rounds(reader: Reader) -> str:
    rounds = reader.setting.clue_rounds
    return "there is one round of clues" if rounds == 1 else f"there are {rounds} rounds of clues"


FACTS = (
    Fact("the number of players", lambda reader: f"a table of {len(reader.view.seats)} in"),
    Fact(
        "all but one have the same word, the undercover one that is close in meaning",
        "all players but one are dealt the same word: they are the civilians. "
        "the remaining player, the undercover, holds a different word that is close in meaning",
    ),
    Fact("nobody is told its role", "nobody is told which of the two it is"),
    own_word(lambda reader: f"{reader.side}_word"),
    Fact(
        "the word of the civilians",
        lambda reader: re.escape(reader.setting.civilian_word),
        (Where(sides=("civilian",)),),
    ),
    Fact(
        "the word of the undercover",
        lambda reader: re.escape(reader.setting.undercover_word),
        (Where(sides=("undercover",)),),
    ),
    Fact(
        "who the undercover is",
        told=NOWHERE,
        hint=r"(?<!think )you are (the undercover|a civilian)|player \d is the undercover",
        example="You are the undercover.",
    ),
    Fact("the number of rounds of clues", _rounds),
    Fact(
        "the order of clues is random",
        "in a round each player, in a new random order",
        (Where(keys={"order": "shuffled"}),),
        "random order",
    ),
    Fact(
        "the order of clues stays the same",
        "in a round each player, always in the same order",
        (Where(keys={"order": "seat"}),),
        "same order",
    ),
    Fact(
        "the round that is played",
        lambda reader: rf"in round \d+ of {reader.setting.clue_rounds}\.",
        (Where(("clue",)),),
        r"in round \d+ of",
    ),
    Fact("a clue does not say the word", "never say it, nor a form of it"),
    Fact("the longest clue", "in at most two sentences", (Where(("clue",)),)),
    said_so_far(),
    Fact("all vote at the same time", "everybody names, at the same time"),
    Fact(
        "who wins",
        "if the undercover alone is named most often, the civilians win. "
        "if a civilian is, the undercover wins",
        TOLD,
        WINNING,
    ),
    Fact("a shared top place convicts nobody", "a shared top place convicts nobody", TOLD),
    Fact(
        "the goals of both sides alone",
        "the civilians' goal is to identify the undercover and to keep their word from it. "
        "the undercover's goal is to blend in and go undetected",
        UNTOLD,
    ),
    Fact("the reasons of a vote stay private", "reasoning, which no other player will see", VOTE),
    Fact("advice on how to play", "what to aim for"),
    *probes("own_role", "beliefs"),
)
