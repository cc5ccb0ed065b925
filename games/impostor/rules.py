"""The impostor game, the rules.

Four players. Three, the majority, hold the same word; the impostor holds another one, and nobody
is told its role. Each describes its word once, then all vote at once. With its vote a player may
declare itself the impostor and guess the majority's word.

Larger groups may have up to three impostors, and more rounds of descriptions.

Source: the impostor paper, section 2 and appendix A. Its endings overlap; here the first of these
that applies decides: the impostor declares itself, another player does, two of the majority name
the impostor (in larger groups more than half of them, or as many as make it the one named most),
the votes for the impostor outnumber all others, otherwise the impostor wins.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, WithJsonSchema, model_validator

from parlour.games.common.text import ENGLISH, Text, same_word, without_article
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Frozen
from parlour.games.engine.moves import REASONS, Outcome, Rules, Seat, Tell, ask
from parlour.games.engine.wordings import PLAIN, Language, Wording
from parlour.games.families import word_games
from parlour.games.families.group_sizes import Dealt, Group, special_won, vote_out

LONGEST_CLUE = 750
"""Characters of a description. Impostor paper, appendix A."""
Tier = Literal["easy", "medium", "hard", "expert"]
TEAMS = frozenset({"team_blind", "team_aware", "team_semi_aware"})
"""Assignments in which two agents have half of the seats each, such as 0 and 1, and 2 and 3."""
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

    majority_word: word_games.Word
    impostor_word: word_games.Word
    difficulty: Tier

    @model_validator(mode="after")
    def _two_words(self) -> "Pair":
        if same_word(self.majority_word, self.impostor_word):
            raise ValueError(f"both words are {self.majority_word!r}; the two must differ")
        return self


class Variant(Group):
    """Keys that a tournament may change.

    ``assignment`` fills the seats and says what team mates are told, ``difficulty`` picks the pairs
    of words, and ``false_declaration`` says who wins if one of the majority declares itself.
    ``disclosure``: the prompts of the paper tell what the game is about, but not who wins when;
    "full" tells that too.
    """

    when_changed: ClassVar = frozenset({"clue_rounds"})
    players: int = Field(default=4, ge=4, le=10)
    assignment: Literal[
        "cross_play", "homogeneous", "team_blind", "team_aware", "team_semi_aware"
    ] = "cross_play"
    difficulty: Literal["all", "easy", "medium", "hard", "expert"] = "all"
    false_declaration: Literal["majority_wins", "majority_loses"] = "majority_wins"
    disclosure: Literal["paper", "full"] = "paper"
    probes: Literal["per_round", "faithful", "off"] = "per_round"
    language: Language = ENGLISH
    wording: Wording = PLAIN

    @model_validator(mode="after")
    def _possible_match(self) -> "Variant":
        if self.difficulty == "expert" and self.language != ENGLISH:
            raise ValueError("difficulty = 'expert' is there in english alone: leave it out")
        if self.assignment in TEAMS and self.players % 2:
            raise ValueError(f"assignment = {self.assignment!r} needs an even number of players")
        return self


class Setting(Dealt):
    """Setting of a match."""

    when_changed: ClassVar = Variant.when_changed
    players: int = Field(default=4, ge=4, le=10)
    majority_word: word_games.Word
    impostor_word: word_games.Word
    impostor_seat: int = Field(ge=0, le=9)
    assignment: str
    false_declaration: str
    disclosure: str
    probes: str
    language: Language = ENGLISH
    wording: Wording = PLAIN

    @property
    def special(self) -> tuple[Seat, ...]:
        """The impostors: the seat of the setting, and others that are drawn."""
        return self.with_others(self.impostor_seat)

    @property
    def words(self) -> tuple[str, ...]:
        """The word of each seat."""
        return self.roles(self.impostor_word, self.majority_word)


class Accusation(word_games.Ballot):
    """A vote with confidence and reason, and optionally a declaration with a guess of the word.

    The fields are in the order of the paper's answer.
    """

    required_of_models: ClassVar[frozenset[str]] = REASONS | {"confidence"}
    reason_first: ClassVar[bool] = False
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.5
    reasoning: Text = ""
    self_declaration: bool = False
    word_guess: Annotated[
        Text | None, WithJsonSchema({"anyOf": [word_games.GUESS_SCHEMA, {"type": "null"}]})
    ] = None


def rules(setting: Setting, seats: Sequence[Seat], dice: Dice) -> Rules:
    """Rounds of descriptions, then one simultaneous vote with declarations."""
    seats, roles = tuple(seats), setting.roles("impostor", "majority")
    words = dict(zip(seats, setting.words, strict=True))
    announced, rounds = {**setting.told}, setting.clue_rounds
    if setting.disclosure == "full":
        announced["false_declaration"] = setting.false_declaration
    yield Tell("rules", announced | setting.told_otherwise)
    for seat in seats:
        yield Tell("word", {"word": words[seat]}, to=(seat,))
        if setting.assignment in {"team_aware", "team_semi_aware"}:
            yield Tell("team", _team(seat, setting), to=(seat,))

    def probe() -> word_games.Steps:
        yield from ask(word_games.beliefs(playing, round))

    after_each = probe if setting.probes == "faithful" else None
    playing, ending = seats, ""
    for round in range(1, rounds + 1):
        order = dice.shuffled(playing)
        yield Tell("order", {"speakers": list(order)}, round=round)
        yield from word_games.say_clues(
            words, order, round, LONGEST_CLUE, after=after_each, language=setting.language
        )
        if setting.probes != "off":
            yield from ask(word_games.own_role(playing, round))
        if setting.probes == "per_round":
            yield from probe()
        if not setting.elimination and round < rounds:
            continue
        yield from word_games.open_talk(words, order, round, setting.talk_rounds)
        votes = yield from ask(word_games.ballot(playing, round, Accusation, _declaration))
        ending = _declared(votes, setting)
        if ending:
            break
        accused = word_games.most_voted(votes)
        ending, caught = _by_votes(votes, accused, setting)
        if setting.elimination:
            playing = yield from vote_out(caught or accused, playing, roles, round)
            won = special_won(setting, playing, round)
            if won is not None:
                ending = "escaped" if won else ending
                break
    impostors_won = {
        "impostor_guessed": True,
        "tie": True,
        "escaped": True,
        "false_declaration": setting.false_declaration == "majority_loses",
    }.get(ending, False)
    winner = "impostor" if impostors_won else "majority"
    return Outcome(
        ending=ending,
        payoffs=tuple(1 if role == winner else 0 for role in roles),
        roles=roles,
        sides=roles,
        winners=tuple(seat for seat in seats if roles[seat] == winner),
    )


@lru_cache
def teams_of(players: int) -> tuple[tuple[Seat, ...], tuple[Seat, ...]]:
    """The seats of both teams: the first half and the second."""
    seats = tuple(map(Seat, range(players)))
    return seats[: players // 2], seats[players // 2 :]


def team_mates(seat: Seat, players: int) -> list[Seat]:
    """The other seats of the seat's team."""
    own = next(team for team in teams_of(players) if seat in team)
    return [mate for mate in own if mate != seat]


def _team(seat: Seat, setting: Setting) -> dict[str, Any]:
    """The team mate, or several, as a seat is told of them: who they are, or only that they are."""
    mates, aware = team_mates(seat, setting.players), setting.assignment == "team_aware"
    if len(mates) > 1:
        return {"teammates": mates if aware else len(mates)}
    return {"teammate": mates[0] if aware else None}


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


def _declared(votes: Mapping[Seat, Accusation], setting: Setting) -> str:
    """The ending that declarations lead to, "" if there are none."""
    declared = [seat for seat, vote in votes.items() if vote.self_declaration]
    guesses = [votes[seat].word_guess for seat in declared if seat in setting.special]
    if guesses:
        right = any(_is_right(guess, setting) for guess in guesses)
        return "impostor_guessed" if right else "impostor_misguessed"
    return "false_declaration" if declared else ""


def _by_votes(
    votes: Mapping[Seat, Accusation], accused: tuple[Seat, ...], setting: Setting
) -> tuple[str, tuple[Seat, ...]]:
    """The ending that the votes alone lead to, and the impostor that is caught."""
    majority = [vote.suspect for seat, vote in votes.items() if seat not in setting.special]
    for impostor in setting.special:
        against = majority.count(impostor)
        if 2 * against > len(majority) or (against > 1 and accused == (impostor,)):
            return "convicted", (impostor,)
    if len(accused) > 1:
        return "tie", ()
    if accused and accused[0] in setting.special:
        return "sole_suspect", accused
    return "escaped", ()
