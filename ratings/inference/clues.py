"""Covariates of clues: length, hedging, sentiment, and similarity to words.

The similarity of a clue to a word is a function that the caller gives, so that any measure will do.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HEDGES = _words("""
    about almost apparently appear appears approximately arguably basically could fairly feel
    feels generally guess kinda likely mainly maybe might mostly nearly often partly perhaps
    possible possibly potentially presumably probably quite rather relatively roughly seem seems
    seemingly somehow sometimes somewhat sort sorta suggest suggests suppose supposedly tend tends
    typically unclear unsure usually vaguely
""")
"""Single words that weaken a statement."""
HEDGING_PHRASES = (
    *("a bit", "a kind of", "a little", "as far as i", "i believe", "i think", "in a sense"),
    *("in a way", "in general", "in some ways", "kind of", "more or less", "not sure", "sort of"),
    *("to some extent", "you could say", "can be", "may be", "may have"),
)
"""Phrases that do; the words of a phrase are not counted again."""
POSITIVE = _words("""
    admire amazing attractive beautiful beloved benefit best better bright calm charming cheerful
    clean clever comfort comfortable comforting cozy cute delicious delight delightful easy elegant
    enjoy enjoyable enjoyed excellent exciting famous favorite favourite festive fine free fresh
    friend friendly fun gentle good graceful great happy harmony healthy helpful hope impressive
    joy joyful liked lively love loved lovely loves lucky luxurious magical nice
    peace peaceful perfect playful pleasant pleased pleasing pleasure popular powerful
    proud pure refreshing relax relaxing reliable rich romantic safe satisfying smart smile soft
    soothing special strong sweet tasty trust useful valuable warm welcome wise wonderful
""")
"""Words of a positive tone."""
NEGATIVE = _words("""
    afraid aggressive alone anger angry annoying anxious awful bad bitter boring broken burden
    complain crime cruel danger dangerous dark dead deadly death deceptive destroy destruction
    difficult dirty disaster disease disgusting dislike dull enemy evil fail failure fake fear
    filthy foul ghastly grim harm harmful harsh hate hated horrible hostile hurt ill lie lonely
    lose loss lost messy miserable mistake nasty noisy pain painful poison poisonous poor
    problem risk risky rough rude sad scary severe sick sinister smelly sorrow stressful stupid
    suffering suspicious terrible threat tired toxic tragic trouble ugly uncomfortable unhappy
    unpleasant unsafe useless violent war weak wicked worried worse worst wrong
""")
"""Words of a negative tone."""
NEGATIONS = _words("cannot hardly neither never no nobody none nor not nothing without")
"""Words that turn the tone of the next words round; so does every word that ends in n't."""


Similarity = Callable[[str, str], float | None]
"""From a clue and a word to their similarity; None for a word that is not known."""
REACH = 3
"""Words before a word of tone in which a negation turns it round."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PHRASES = re.compile(rf"\b(?:{'|'.join(map(re.escape, HEDGING_PHRASES))})\b")


@dataclass(frozen=True, slots=True)
class GivenClue:
    """A clue as it was given.

    ``own_word`` is the word of its seat, None if it had none. ``majority_word`` is that of most
    seats. ``special`` is true for the role that stands alone.
    """

    match: int
    game: str
    agent: str
    role: str
    special: bool
    text: str
    own_word: str | None = None
    majority_word: str | None = None


@dataclass(frozen=True, slots=True)
class ClueCovariates:
    """The covariates of one clue.

    ``words`` counts words, ``hedges`` the hedging words and phrases per word. ``sentiment`` is
    positive less negative words, per word. Similarities are those to the own word and to the
    majority's word.
    """

    words: float
    hedges: float
    sentiment: float
    own_similarity: float | None
    majority_similarity: float | None


NAMES = tuple(field.name for field in fields(ClueCovariates))
"""The covariates, in order."""


def covariates(clue: GivenClue, similarity: Similarity) -> ClueCovariates:
    """Returns the covariates of a clue; a clue without words has 0 of everything."""
    words = words_of(clue.text)
    count = max(1, len(words))
    own, majority = (
        None if word is None else similarity(clue.text, word)
        for word in (clue.own_word, clue.majority_word)
    )
    return ClueCovariates(
        len(words), hedges(clue.text) / count, sentiment(words) / count, own, majority
    )


def words_of(text: str) -> list[str]:
    """Returns the words of a text in small letters; "it's" is one word."""
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def hedges(text: str) -> int:
    """Counts the hedging phrases of a text, and the hedging words outside them."""
    plain = " ".join(words_of(text))
    rest, phrases = _PHRASES.subn(" ", plain)
    return phrases + sum(word in HEDGES for word in rest.split())


def sentiment(words: Sequence[str]) -> int:
    """Returns the positive less the negative words; one after a negation counts the other way."""
    total = 0
    for index, word in enumerate(words):
        tone = (word in POSITIVE) - (word in NEGATIVE)
        if tone and any(map(_negates, words[max(0, index - REACH) : index])):
            tone = -tone
        total += tone
    return total


def _negates(word: str) -> bool:
    return word in NEGATIONS or word.endswith("n't")
