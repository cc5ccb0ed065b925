"""Words of chameleon: questions to people, sentences, and the conversation."""

from collections.abc import Mapping

from parlour.games.engine.metadata import AskTexts, FieldTexts, Sentence
from parlour.games.engine.moves import player
from parlour.games.engine.talk import Ending, in_marks
from parlour.games.engine.transcript import quoted
from parlour.games.families.word_game_words import PRIVATE, End, guessed, word_asks

_GUESS = {"word": FieldTexts("The word is")}
ASKS: Mapping[str, AskTexts] = {
    **word_asks("the chameleon", "a non-chameleon"),
    "guess": AskTexts(
        lambda _view: "You are found out. Guess the word: if you are right, the match is level.",
        _GUESS,
    ),
    "supposed_word": AskTexts(
        lambda _view: f"Which word is it, by what you have heard so far? {PRIVATE}", _GUESS
    ),
}


OWN_SENTENCES: Mapping[str, Sentence] = {
    "topic": lambda event: f"the topic is {quoted(event.record['topic'])}",
    "role": lambda event: f"your role is {event.record['role']}",
    "supposed_word": lambda event: f"supposes that the word is {guessed(event.record['word'])}",
    "accused": lambda event: f"{player(event.record['accused'])} is found out",
    "guess": lambda event: f"guesses {guessed(event.record['word'])}",
}


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
