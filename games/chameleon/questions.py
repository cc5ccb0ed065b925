"""Questions of the chameleon game to people."""

from collections.abc import Mapping

from parlour.games.engine.metadata import AskTexts, FieldTexts
from parlour.games.families.word_questions import PRIVATE, word_asks

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
