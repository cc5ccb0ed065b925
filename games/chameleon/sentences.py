"""Sentences of the chameleon game that other word games do not have."""

from collections.abc import Mapping

from parlour.games.engine.metadata import Sentence
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import quoted
from parlour.games.families.word_sentences import guessed

OWN_SENTENCES: Mapping[str, Sentence] = {
    "topic": lambda event: f"the topic is {quoted(event.record['topic'])}",
    "role": lambda event: f"your role is {event.record['role']}",
    "supposed_word": lambda event: f"supposes that the word is {guessed(event.record['word'])}",
    "accused": lambda event: f"{player(event.record['accused'])} is found out",
    "guess": lambda event: f"guesses {guessed(event.record['word'])}",
}
