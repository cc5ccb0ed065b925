"""Disclosure of the impostor game: what the paper's prompts tell, and who wins when on demand.

Source: the impostor paper, appendix A.
"""

import re

from parlour.games.engine.disclosure import NOWHERE, Fact, Reader, Where
from parlour.games.engine.moves import player
from parlour.games.families.word_disclosure import own_word, probes, said_so_far

VOTE = (Where(("vote",)),)
FULL = {"disclosure": "full"}
AWARE = {"assignment": "team_aware"}
WINNING = r"\bwho wins\b|\b(wins?|loses?) (if|when|unless|all the same)\b|\bties?\b|more votes"
"""Wordings of a winning condition."""


def _mate(reader: Reader) -> str:
    return rf"you and {player(reader.view.seat ^ 1)} are team mates"


def _false_declaration(reader: Reader) -> str:
    wins = reader.setting.false_declaration == "majority_wins"
    result = "wins all the same" if wins else "loses"
    return f"if a player of the majority declares itself, the majority {result}"


FACTS = (
    Fact("the number of players", lambda reader: f"a table of {len(reader.view.seats)} in"),
    Fact(
        "three have one word, the impostor another",
        r"three of the four players, the majority, were dealt the same word\. "
        r"the fourth, the impostor, was dealt another",
    ),
    Fact("nobody is told its role", "nobody is told which of the two it is"),
    own_word(lambda reader: f"{reader.side}_word"),
    Fact(
        "the word of the majority",
        lambda reader: re.escape(reader.setting.majority_word),
        (Where(sides=("majority",)),),
    ),
    Fact(
        "the word of the impostor",
        lambda reader: re.escape(reader.setting.impostor_word),
        (Where(sides=("impostor",)),),
    ),
    Fact(
        "who the impostor is",
        told=NOWHERE,
        hint=r"you (are|hold) (the|an) impostor|you are of the majority|player \d is the impostor",
        example="You are the impostor.",
    ),
    Fact(
        "the goals of both sides",
        r"the majority's goal is to identify the impostor\. "
        r"the impostor's goal is to blend in and go undetected",
    ),
    Fact("one or two sentences a description", "its word in one or two sentences"),
    Fact("a description does not say the word", "never say it, nor a form of it"),
    Fact("a description does not analyse the others", "does not analyse what the others said"),
    Fact("the longest description", "at most 750 characters", (Where(("clue",)),)),
    said_so_far(),
    Fact("all vote at the same time", "all vote at the same time"),
    Fact(
        "a vote has a suspect, a confidence and reasons, in this order",
        "the player that you take for the impostor.* how sure you are.* your reasoning",
        VOTE,
    ),
    Fact("the reasons stay private", "reasoning in brief, which no other player will see", VOTE),
    Fact(
        "a player may declare itself the impostor",
        "declare (yourself|itself) the impostor",
        (*VOTE, Where(keys=FULL)),
        "declare (yourself|itself)",
    ),
    Fact("a word guess counts only with a declaration", "counts only with a declaration", VOTE),
    Fact(
        "who wins if the impostor declares itself",
        "an impostor that declares itself wins if its guess is the majority's word, and loses",
        (Where(keys=FULL),),
        WINNING,
    ),
    Fact(
        "who wins if one of the majority declares itself",
        _false_declaration,
        (Where(keys=FULL),),
        "majority declares|false declaration",
    ),
    Fact(
        "who wins by the votes",
        "the majority wins if at least two of its players vote for the impostor, or if there are "
        r"more votes for the impostor than for all others together\. otherwise the impostor wins",
        (Where(keys=FULL),),
        r"at least two|\btwo votes|more votes|otherwise the impostor",
    ),
    Fact(
        "advice on how to play",
        "what to aim for",
        (Where(keys=FULL),),
        "what to aim for|draws suspicion|let the others see",
    ),
    Fact(
        "there are two teams",
        "the players were paired into two teams",
        (Where(keys=AWARE), Where(keys={"assignment": "team_semi_aware"})),
        r"\bteams?\b",
    ),
    Fact(
        "who one's team mate is",
        _mate,
        (Where(keys=AWARE),),
        r"player \d are team mates|player \d is your team",
    ),
    Fact(
        "a team mate that is the impostor wins by going undetected",
        "if it is the impostor, it wins by going undetected",
        (Where(("vote",), keys=AWARE),),
        "it wins",
    ),
    *probes("own_role", "beliefs"),
)
