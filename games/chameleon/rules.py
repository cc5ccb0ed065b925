"""Chameleon, the rules.

Three players learn a topic. Two of them, the non-chameleons, also learn the secret word; the
third, the chameleon, does not. Every player is told its own role. Each gives one clue, then all
vote at once for the player they take for the chameleon. If the chameleon alone has the most votes
it is found out, and may still guess the word.

Source: the MAGIC paper, section 3.1 and appendices A.1, A.2, A.5. The paper lists the endings in
two orders; the credits here are those of its worked example (figure 5).
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema, model_validator

from parlour.games.common.text import ENGLISH, Text, names_word, same_word, without_article
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Frozen
from parlour.games.engine.moves import Answer, Ask, Fault, Outcome, Rules, Seat, Tell, ask, illegal
from parlour.games.families.languages import Language, Spoken
from parlour.games.families.openings import FirstMoves
from parlour.games.families.word_games import (
    GUESS_SCHEMA,
    Openings,
    Steps,
    Vote,
    Word,
    ballot,
    beliefs,
    most_voted,
    own_role,
    refuse_named,
    say_clues,
)

LONGEST_CLUE = 300
"""Characters of a clue. The paper sets no limit; this is room for two or three sentences."""

CREDITS = {"caught": (0, 2), "guessed": (1, 1), "escaped": (2, 0), "even": (1, 1)}
"""Credits by ending for (chameleon, each non-chameleon). MAGIC, appendix A.2."""


class Secret(Frozen):
    """One entry of a settings file: topic and word, and the seat that does not know the word.

    ``openings`` are clues that seats say without being asked (null: the seat is asked).
    """

    topic: Word
    secret_word: Word
    chameleon_seat: int = Field(ge=0, le=2)
    openings: Openings = (None, None, None)

    @model_validator(mode="after")
    def _word_untold(self) -> "Secret":
        language = getattr(self, "language", ENGLISH)
        if names_word(self.topic, self.secret_word, language):
            raise ValueError(f"the topic {self.topic!r} reveals the word {self.secret_word!r}")
        refuse_named(self.openings, (self.secret_word,) * 3, language)
        return self


class Variant(Spoken):
    """Keys that a tournament may change: the order of speaking, and when beliefs are asked.

    ``first_moves``: shipped clues are said by the seats before the first that counts.
    ``scoring_told``: players are told who wins when, beside the aims of both sides.
    """

    order: Literal["shuffled", "seat"] = "shuffled"
    probes: Literal["faithful", "per_round", "off"] = "per_round"
    first_moves: FirstMoves = "asked"
    scoring_told: bool = True
    language: Language = ENGLISH


class Setting(Secret, Variant):
    """Record and variant together: what a match is played with."""


class WordGuess(Answer):
    """The chameleon's guess of the secret word; None only where a fault left no guess."""

    word: Annotated[Text | None, WithJsonSchema(GUESS_SCHEMA)]


def guess(chameleon: Seat, probe: bool = False) -> Ask[WordGuess]:
    """Asks the chameleon for the secret word; as a probe, privately and without effect."""

    def check(_seat: Seat, answer: WordGuess) -> Fault | None:
        if answer.word is None or not answer.word.strip():
            return illegal("no word is given: guess one word")
        return None

    def sample(_seat: Seat, dice: Dice) -> WordGuess:
        return WordGuess(word=f"word {dice.below(1000)}")

    def none(_seat: Seat, _dice: Dice) -> WordGuess:
        return WordGuess(word=None)

    kind = "supposed_word" if probe else "guess"
    return Ask(kind, (chameleon,), WordGuess, none, sample, check, 1, probe)


def is_right(guess: str | None, word: str, language: str) -> bool:
    """True if a guess is the word. An article before it does not count, but in English it does."""
    if guess is not None and language != ENGLISH:
        guess = without_article(guess, language)
    return guess is not None and same_word(guess, word)


def rules(setting: Setting, seats: Sequence[Seat], dice: Dice) -> Rules:
    """One round of clues, one accusation, and a last guess for a chameleon that is found out."""
    seats = tuple(seats)
    chameleon = Seat(setting.chameleon_seat)
    roles = tuple("chameleon" if seat == chameleon else "non_chameleon" for seat in seats)
    words = {seat: None if seat == chameleon else setting.secret_word for seat in seats}
    announced: dict[str, Any] = {"players": len(seats)}
    if not setting.scoring_told:
        announced["scoring_told"] = False
    if setting.told_language is not None:
        announced["language"] = setting.told_language
    yield Tell("rules", announced)
    yield Tell("topic", {"topic": setting.topic})
    for seat in seats:
        yield Tell("role", {"role": roles[seat]}, to=(seat,))
        if words[seat] is not None:
            yield Tell("word", {"word": words[seat]}, to=(seat,))

    def ask_role(seat: Seat) -> Steps:
        yield from ask(own_role(seats, 1))

    def ask_beliefs() -> Steps:
        yield from ask(beliefs(seats, 1, knows=chameleon))
        yield from ask(guess(chameleon, probe=True))

    order = dice.shuffled(seats) if setting.order == "shuffled" else seats
    yield Tell("order", {"speakers": list(order)}, round=1)
    if setting.probes == "per_round":
        yield from ask(own_role(seats, 1))
    faithful = setting.probes == "faithful"
    yield from say_clues(
        words,
        order,
        1,
        LONGEST_CLUE,
        setting.openings,
        before=ask_role if faithful else None,
        after=ask_beliefs if faithful else None,
        language=setting.language,
    )
    if setting.probes == "per_round":
        yield from ask_beliefs()

    votes = yield from ask(ballot(seats, 1, Vote))
    accused = most_voted(votes)
    if accused == (chameleon,):
        yield Tell("accused", {"accused": chameleon}, round=1)
        guessed = (yield from ask(guess(chameleon)))[chameleon].word
        right = is_right(guessed, setting.secret_word, setting.language)
        ending = "guessed" if right else "caught"
    elif len(accused) == 1:
        ending = "escaped"
    else:  # a tie at the top, or nobody voted at all
        ending = "even"
    facts = {"secret_word": setting.secret_word}
    if setting.language != ENGLISH:
        facts["language"] = setting.language
    for_chameleon, for_others = CREDITS[ending]
    winner = {"caught": "non_chameleon", "escaped": "chameleon"}.get(ending)
    return Outcome(
        ending=ending,
        payoffs=tuple(for_chameleon if seat == chameleon else for_others for seat in seats),
        roles=roles,
        sides=roles,
        winners=tuple(seat for seat in seats if roles[seat] == winner),
        facts=facts,  # ratings compare it with the supposed word
    )
