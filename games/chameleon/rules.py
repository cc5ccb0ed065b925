"""Chameleon, the rules.

Three players learn a topic. Two of them, the non-chameleons, also learn the secret word; the
third, the chameleon, does not. Every player is told its own role. Each gives one clue, then all
vote at once for the player they take for the chameleon. If the chameleon alone has the most votes
it is found out, and may still guess the word. Larger groups play likewise, with up to three
chameleons, and there may be more rounds of clues.

Source: the MAGIC paper, section 3.1 and appendices A.1, A.2, A.5. The paper lists the endings in
two orders; the credits here are those of its worked example (figure 5).
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field, WithJsonSchema, model_validator

from parlour.games.common.text import ENGLISH, Text, names_word, same_word, without_article
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Frozen
from parlour.games.engine.moves import Answer, Ask, Fault, Outcome, Rules, Seat, Tell, ask, illegal
from parlour.games.engine.wordings import PLAIN, Language, Wording
from parlour.games.families import word_games
from parlour.games.families.group_sizes import Dealt, Group, special_won, vote_out
from parlour.games.families.openings import FirstMoves

LONGEST_CLUE = 300
"""Characters of a clue. The paper sets no limit; this is room for two or three sentences."""

CREDITS = {"caught": (0, 2), "guessed": (1, 1), "escaped": (2, 0), "even": (1, 1)}
"""Credits by ending for (chameleon, each non-chameleon). MAGIC, appendix A.2."""


class Secret(Frozen):
    """One entry of a settings file: topic and word, and the seat that does not know the word.

    ``openings`` are clues that seats say without being asked (null: the seat is asked).
    """

    topic: word_games.Word
    secret_word: word_games.Word
    chameleon_seat: int = Field(ge=0, le=2)
    openings: word_games.Openings = (None, None, None)

    @model_validator(mode="after")
    def _word_untold(self) -> "Secret":
        language = getattr(self, "language", ENGLISH)
        if names_word(self.topic, self.secret_word, language):
            raise ValueError(f"the topic {self.topic!r} reveals the word {self.secret_word!r}")
        word_games.refuse_named(self.openings, (self.secret_word,) * 3, language)
        return self


class Variant(Group):
    """Keys that a tournament may change: the order of speaking, and when beliefs are asked.

    ``first_moves``: shipped clues are said by the seats before the first that counts.
    ``scoring_told``: players are told who wins when, beside the aims of both sides.
    """

    when_changed: ClassVar = frozenset({"clue_rounds"})
    order: Literal["shuffled", "seat"] = "shuffled"
    probes: Literal["faithful", "per_round", "off"] = "per_round"
    first_moves: FirstMoves = "asked"
    scoring_told: bool = True
    language: Language = ENGLISH
    wording: Wording = PLAIN


class Setting(Secret, Variant, Dealt):
    """Record and variant together: what a match is played with."""

    @property
    def special(self) -> tuple[Seat, ...]:
        """The chameleons: in a group of three the seat of the record, else drawn."""
        return self.with_others(self.chameleon_seat if self.is_usual else self.deal % self.players)

    @property
    def words(self) -> tuple[str, ...]:
        """The word of each seat, "" for a chameleon."""
        return self.roles("", self.secret_word)


class WordGuess(Answer):
    """The chameleon's guess of the secret word; None only where a fault left no guess."""

    word: Annotated[Text | None, WithJsonSchema(word_games.GUESS_SCHEMA)]


def guess(chameleons: tuple[Seat, ...], round: int, probe: bool = False) -> Ask[WordGuess]:
    """Asks chameleons for the secret word; as a probe, privately and without effect."""

    def check(_seat: Seat, answer: WordGuess) -> Fault | None:
        if answer.word is None or not answer.word.strip():
            return illegal("no word is given: guess one word")
        return None

    def sample(_seat: Seat, dice: Dice) -> WordGuess:
        return WordGuess(word=f"word {dice.below(1000)}")

    kind = "supposed_word" if probe else "guess"
    return Ask(
        kind, chameleons, WordGuess, lambda *_: WordGuess(word=None), sample, check, round, probe
    )


def is_right(guess: str | None, word: str, language: str) -> bool:
    """True if a guess is the word. An article before it does not count, but in English it does."""
    if guess is not None and language != ENGLISH:
        guess = without_article(guess, language)
    return guess is not None and same_word(guess, word)


def rules(setting: Setting, seats: Sequence[Seat], dice: Dice) -> Rules:
    """Rounds of clues, one accusation, and a last guess for a chameleon that is found out."""
    seats, roles = tuple(seats), setting.roles("chameleon", "non_chameleon")
    chameleons, rounds = setting.special, setting.clue_rounds
    words = {seat: word or None for seat, word in zip(seats, setting.words, strict=True)}
    announced = {**setting.told}
    if not setting.scoring_told:
        announced["scoring_told"] = False
    yield Tell("rules", announced | setting.told_otherwise)
    yield Tell("topic", {"topic": setting.topic})
    for seat in seats:
        yield Tell("role", {"role": roles[seat]}, to=(seat,))
        if words[seat] is not None:
            yield Tell("word", {"word": words[seat]}, to=(seat,))

    def ask_role(_seat: Seat) -> word_games.Steps:
        yield from ask(word_games.own_role(playing, round))

    def ask_beliefs() -> word_games.Steps:
        left = tuple(seat for seat in chameleons if seat in playing)
        yield from ask(word_games.beliefs(playing, round, knows=left))
        yield from ask(guess(left, round, probe=True))

    faithful, playing = setting.probes == "faithful", seats
    ending = ""
    for round in range(1, rounds + 1):
        order = dice.shuffled(playing) if setting.order == "shuffled" else playing
        yield Tell("order", {"speakers": list(order)}, round=round)
        if setting.probes == "per_round":
            yield from ask(word_games.own_role(playing, round))
        yield from word_games.say_clues(
            words,
            order,
            round,
            LONGEST_CLUE,
            setting.openings if round == 1 and setting.is_usual else (),
            before=ask_role if faithful else None,
            after=ask_beliefs if faithful else None,
            language=setting.language,
        )
        if setting.probes == "per_round":
            yield from ask_beliefs()
        if not setting.elimination and round < rounds:
            continue
        yield from word_games.open_talk(words, order, round, setting.talk_rounds)
        accused = word_games.most_voted(
            (yield from ask(word_games.ballot(playing, round, word_games.Vote)))
        )
        if len(accused) != 1:  # a tie at the top, or nobody voted at all
            ending = "even"
        elif accused[0] in chameleons:
            yield Tell("accused", {"accused": accused[0]}, round=round)
            guessed = (yield from ask(guess(accused, round)))[accused[0]].word
            right = is_right(guessed, setting.secret_word, setting.language)
            ending = "guessed" if right else "caught"
        else:
            ending = "escaped"
        if ending == "guessed" or not setting.elimination:
            break
        playing = yield from vote_out(accused, playing, roles, round)
        won = special_won(setting, playing, round)
        if won is not None:
            ending = "escaped" if won else "caught"
            break

    facts = {"secret_word": setting.secret_word}
    if setting.language != ENGLISH:
        facts["language"] = setting.language
    for_chameleon, for_others = CREDITS[ending]
    winner = {"caught": "non_chameleon", "escaped": "chameleon"}.get(ending)
    return Outcome(
        ending=ending,
        payoffs=tuple(for_chameleon if role == "chameleon" else for_others for role in roles),
        roles=roles,
        sides=roles,
        winners=tuple(seat for seat in seats if roles[seat] == winner),
        facts=facts,  # ratings compare it with the supposed word
    )
