"""Disclosure of chameleon: roles are known to their players, the word to all but one.

Source: the MAGIC paper, appendix A.5.
"""

import re

from parlour.games.engine.disclosure import NOWHERE, Fact, Reader, Where
from parlour.games.engine.transcript import quoted
from parlour.games.families.word_disclosure import probes, said_so_far

CHAMELEON, OTHERS = ("chameleon",), ("non_chameleon",)
TOLD = (Where(keys={"scoring_told": True}),)
UNTOLD = (Where(keys={"scoring_told": False}),)
WINNING = r"\bwins?\b|most often|\blevel\b|shared top place"
"""Wordings of who wins when."""


def _topic(reader: Reader) -> str:
    return re.escape(f"the topic is {quoted(reader.setting.topic)}")


def _secret(reader: Reader) -> str:
    word: str = reader.setting.secret_word
    return re.escape(word)


FACTS = (
    Fact("the number of players", lambda reader: f"a table of {len(reader.view.seats)} in"),
    Fact(
        "all but the chameleon know the word",
        "all but one, the non-chameleons, also know a secret word that belongs to it. "
        "the remaining player, the chameleon, does not",
    ),
    Fact(
        "everybody knows its own role alone",
        "everybody knows its own role, and nobody is told the others' roles",
    ),
    Fact("the topic", _topic),
    Fact(
        "one's own role: the chameleon",
        "you are the chameleon: you do not know the word",
        (Where(sides=CHAMELEON),),
        "you are the chameleon",
    ),
    Fact(
        "one's own role: a non-chameleon",
        "you are a non-chameleon",
        (Where(sides=OTHERS),),
    ),
    Fact("the secret word", _secret, (Where(sides=OTHERS),)),
    Fact(
        "which of the others is the chameleon",
        told=NOWHERE,
        hint=r"player \d is the chameleon",
        example="Player 1 is the chameleon.",
    ),
    Fact(
        "a clue does not say the word",
        "never say it, nor a form of it",
        (Where(sides=OTHERS),),
    ),
    Fact("the longest clue", "in at most two sentences", (Where(("clue",)),)),
    said_so_far(),
    Fact("all vote at the same time", "everybody names, at the same time"),
    Fact(
        "who wins",
        "if a non-chameleon alone is named most often, the chameleon wins. if the chameleon is, "
        "it may guess the secret word: a wrong guess wins the match for the non-chameleons, "
        "a right one makes it level. a shared top place makes it level",
        TOLD,
        WINNING,
    ),
    Fact(
        "the goals of both sides alone",
        "the non-chameleons' goal is to identify the chameleon and to keep the word from it. "
        "the chameleon's goal is to blend in, to go undetected, and to find out the word",
        UNTOLD,
    ),
    Fact("an accused chameleon may guess", "may (then )?guess the secret word"),
    Fact(
        "the reasons of a vote stay private",
        "reasoning, which no other player will see",
        (Where(("vote",)),),
    ),
    Fact(
        "the chameleon is found out",
        "you have been found out",
        (Where(("guess",)),),
        "found out",
    ),
    Fact("advice on how to play", "what to aim for"),
    *probes("own_role", "beliefs", "supposed_word"),
)
