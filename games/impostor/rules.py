"""The impostor game, the rules.

Four players. Three, the majority, hold the same word; the impostor holds another one, and nobody
is told its role. Each describes its word once, then all vote at once. With its vote a player may
declare itself the impostor and guess the majority's word.

Source: the impostor paper, section 2 and appendix A. Its endings overlap; here the first of these
that applies decides: the impostor declares itself, another player does, two of the majority name
the impostor, the votes for the impostor outnumber all others, otherwise the impostor wins.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, WithJsonSchema, model_validator

from parlour.games.common.text import ENGLISH, Text, same_word, without_article
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Frozen
from parlour.games.engine.moves import REASONS, Outcome, Rules, Seat, Tell, ask
from parlour.games.families.languages import Language, Spoken
from parlour.games.families.word_games import (
    GUESS_SCHEMA,
    Ballot,
    Steps,
    Word,
    ballot,
    beliefs,
    most_voted,
    own_role,
    say_clues,
)

LONGEST_CLUE = 750
"""Characters of a description. Impostor paper, appendix A."""
Tier = Literal["easy", "medium", "hard", "expert"]
TEAMS = frozenset({"team_blind", "team_aware", "team_semi_aware"})
"""Assignments in which two agents have two seats each: seats 0 and 1, seats 2 and 3."""
ENDINGS = {
    "impostor_guessed": "the impostor declared itself and named the word: it wins",
    "impostor_misguessed": "the impostor declared itself and guessed wrong: the majority wins",
    "false_declaration": "one of the majority declared itself: by default the majority wins",
    "convicted": "two or more of the majority named the impostor: the majority wins",
    "sole_suspect": "more votes for the impostor than for all others: the majority wins",
    "tie": "the top of the ballot is shared and convicts nobody: the impostor wins",
    "escaped": "another player was named most, or nobody voted: the impostor wins",
}


class Pair(Frozen):
    """A pair of words of one difficulty."""

    majority_word: Word
    impostor_word: Word
    difficulty: Tier

    @model_validator(mode="after")
    def _two_words(self) -> "Pair":
        if same_word(self.majority_word, self.impostor_word):
            raise ValueError(f"both words are {self.majority_word!r}; the two must differ")
        return self


class Variant(Spoken):
    """Keys that a tournament may change.

    ``assignment`` fills the seats and says what team mates are told, ``difficulty`` picks the pairs
    of words, and ``false_declaration`` says who wins if one of the majority declares itself.
    ``disclosure``: the prompts of the paper tell what the game is about, but not who wins when;
    "full" tells that too.
    """

    assignment: Literal[
        "cross_play", "homogeneous", "team_blind", "team_aware", "team_semi_aware"
    ] = "cross_play"
    difficulty: Literal["all", "easy", "medium", "hard", "expert"] = "all"
    false_declaration: Literal["majority_wins", "majority_loses"] = "majority_wins"
    disclosure: Literal["paper", "full"] = "paper"
    probes: Literal["per_round", "faithful", "off"] = "per_round"
    language: Language = ENGLISH


class Setting(Spoken):
    """Setting of a match."""

    majority_word: Word
    impostor_word: Word
    impostor_seat: int = Field(ge=0, le=3)
    assignment: str
    false_declaration: str
    disclosure: str
    probes: str
    language: Language = ENGLISH


class Accusation(Ballot):
    """A vote with confidence and reason, and optionally a declaration with a guess of the word.

    The fields are in the order of the paper's answer.
    """

    required_of_models: ClassVar[frozenset[str]] = REASONS | {"confidence"}
    reason_first: ClassVar[bool] = False
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.5
    reasoning: Text = ""
    self_declaration: bool = False
    word_guess: Annotated[
        Text | None, WithJsonSchema({"anyOf": [GUESS_SCHEMA, {"type": "null"}]})
    ] = None


def rules(setting: Setting, seats: Sequence[Seat], dice: Dice) -> Rules:
    """One round of descriptions, then one simultaneous vote with declarations."""
    seats = tuple(seats)
    impostor = Seat(setting.impostor_seat)
    words = {s: setting.impostor_word if s == impostor else setting.majority_word for s in seats}
    announced: dict[str, Any] = {"players": len(seats)}
    if setting.disclosure == "full":
        announced["false_declaration"] = setting.false_declaration
    if setting.told_language is not None:
        announced["language"] = setting.told_language
    yield Tell("rules", announced)
    for seat in seats:
        yield Tell("word", {"word": words[seat]}, to=(seat,))
        if setting.assignment == "team_aware":
            yield Tell("team", {"teammate": seat ^ 1}, to=(seat,))
        elif setting.assignment == "team_semi_aware":
            yield Tell("team", {"teammate": None}, to=(seat,))

    def probe() -> Steps:
        yield from ask(beliefs(seats, 1))

    order = dice.shuffled(seats)
    yield Tell("order", {"speakers": list(order)}, round=1)
    after_each = probe if setting.probes == "faithful" else None
    yield from say_clues(words, order, 1, LONGEST_CLUE, after=after_each, language=setting.language)
    if setting.probes != "off":
        yield from ask(own_role(seats, 1))
    if setting.probes == "per_round":
        yield from probe()

    votes = yield from ask(ballot(seats, 1, Accusation, _declaration))
    ending = _ending(impostor, votes, setting)
    won = {
        "impostor_guessed": True,
        "tie": True,
        "escaped": True,
        "false_declaration": setting.false_declaration == "majority_loses",
    }.get(ending, False)
    roles = tuple("impostor" if seat == impostor else "majority" for seat in seats)
    winner = "impostor" if won else "majority"
    return Outcome(
        ending=ending,
        payoffs=tuple(1 if role == winner else 0 for role in roles),
        roles=roles,
        sides=roles,
        winners=tuple(seat for seat in seats if roles[seat] == winner),
    )


def _declaration(dice: Dice) -> dict[str, Any]:
    """The rest of a drawn vote: one in eight declares itself, and guesses some word."""
    confidence = dice.below(101) / 100
    if dice.below(8):
        return {"confidence": confidence}
    guess = f"word {dice.below(1000)}"
    return {"confidence": confidence, "self_declaration": True, "word_guess": guess}


def _is_right(guess: str | None, setting: Setting) -> bool:
    """True if the guess names the majority's word, with or without an article."""
    if guess is None:
        return False
    words = (guess, setting.majority_word)
    return same_word(*(without_article(word, setting.language) for word in words))


def _ending(impostor: Seat, votes: Mapping[Seat, Accusation], setting: Setting) -> str:
    """The ending that the ballot leads to: the first rule that applies."""
    own = votes[impostor]
    if own.self_declaration:
        right = _is_right(own.word_guess, setting)
        return "impostor_guessed" if right else "impostor_misguessed"
    if any(vote.self_declaration for vote in votes.values()):
        return "false_declaration"
    against = [seat for seat, vote in votes.items() if vote.suspect == impostor]
    elsewhere = [v for v in votes.values() if v.suspect is not None and v.suspect != impostor]
    if len(against) >= 2:  # the impostor cannot name itself, so these are of the majority
        return "convicted"
    if len(against) > len(elsewhere):
        return "sole_suspect"
    return "tie" if len(most_voted(votes)) > 1 else "escaped"
