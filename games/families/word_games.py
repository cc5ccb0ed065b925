"""Shared parts of the word games: a clue round, a ballot, and the private probes."""

from __future__ import annotations  # else those of inner functions are evaluated at every ask

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from parlour.games.common.text import ENGLISH, Text, clean, languages, names_word
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import (
    PLAYER_SCHEMA,
    Answer,
    Ask,
    Fault,
    NamedSeat,
    Record,
    Seat,
    Tell,
    ask,
    illegal,
    named,
    player,
)

SILENCE = "(silence)"
"""Replacement of a speech in the open talk that stayed faulty."""
LONGEST_SPEECH = 300
"""Characters of a speech in the open talk."""

# A model is always asked for a player, or for a role; None is only what a fault leaves behind.
Suspect = Annotated[NamedSeat | None, WithJsonSchema(PLAYER_SCHEMA)]
Role = Annotated[
    Literal["special", "ordinary", "unsure"] | None,
    WithJsonSchema({"type": "string", "enum": ["special", "ordinary", "unsure"]}),
]


def _opening(text: str | None) -> str | None:
    if text is not None and not clean(text).strip():
        raise ValueError("an opening clue is blank: give null for a seat that shall be asked")
    return text if text is None else clean(text)


Opening = Annotated[Annotated[str, Field(max_length=300)] | None, AfterValidator(_opening)]
Openings = tuple[Opening, Opening, Opening]
"""First clues by seat of a setting that fixes them, None for a seat that is asked."""


def plain_word(word: str) -> str:
    """A word or name of a setting; ValueError if a screen would not show it as the file has it."""
    if clean(word).strip() != word or "\n" in word or "\t" in word:
        raise ValueError(f"the word {clean(word)!r} has stray spaces or control characters")
    return word


def refuse_named(
    openings: Sequence[str | None], words: Sequence[str], language: str = ENGLISH
) -> None:
    """ValueError if an opening clue names the word that its seat must not say."""
    for opening, word in zip(openings, words, strict=True):
        if opening is not None and names_word(opening, word, language):
            raise ValueError(f"the opening clue {opening!r} names the word {word!r}")


LONGEST_WORD = 60
Word = Annotated[str, Field(min_length=1, max_length=LONGEST_WORD), AfterValidator(plain_word)]
"""A word of a setting."""
GUESS_SCHEMA = {"type": "string", "maxLength": LONGEST_WORD}
"""The JSON schema of a guessed word, which is no longer than a word of a setting."""

_SAMPLES = ("It makes me think of number", "My memory holds this one under")


class Clue(Answer):
    """One clue about the own word, as said aloud."""

    text: Text


class Ballot(Answer):
    """The seat's suspect; nobody only where a fault made it an abstention."""

    suspect: Suspect


class Reasoned(Answer):
    """An answer with its reason."""

    reasoning: Text = ""


class Vote(Ballot, Reasoned):
    """A vote with its reason, which comes first: fields are in the order of the last base."""


V = TypeVar("V", bound=Ballot)


class OwnRole(Answer):
    """The role that the seat believes to have; None only from a fault."""

    role: Role


class Belief(Answer):
    """The suspect of one player (``viewer``); None: nobody yet."""

    viewer: NamedSeat
    suspect: NamedSeat | None


def _by_viewer(beliefs: object) -> object:
    """Beliefs as a list, which models give as an object: a suspect under each viewer's name."""
    if not isinstance(beliefs, dict):
        return beliefs
    return [{"viewer": viewer, "suspect": suspect} for viewer, suspect in beliefs.items()]


class Beliefs(Answer):
    """The seat's own belief, and what it believes that each other player believes.

    A seat that knows itself for the special one gives only the others' beliefs.
    """

    beliefs: Annotated[tuple[Belief, ...], BeforeValidator(_by_viewer)]


def clue(
    seat: Seat,
    word: str | None,
    round: int,
    longest: int,
    language: str = ENGLISH,
    *,
    talk: bool = False,
) -> Ask[Clue]:
    """Asks one seat for a clue that neither names its own word nor is longer than allowed.

    ``talk``: for a speech in the open talk, under the same rules.

    Only the word that this seat was given (None: it has none) is checked, since checking another
    word would reveal it.
    """

    it = "the speech" if talk else "the clue"

    def check(_seat: Seat, answer: Clue) -> Fault | None:
        """The fault of a clue that is blank, too long, or names the word."""
        if not answer.text.strip():
            wish = "" if talk else " about your word"
            return illegal(f"{it} is blank: say something{wish}")
        if len(answer.text) > longest:
            return illegal(f"{it} has {len(answer.text)} characters: at most {longest}")
        if word is not None and names_word(answer.text, word, language):
            return illegal(f"{it} names your word {word!r}: describe it without saying it")
        return None

    def sample(_seat: Seat, dice: Dice) -> Clue:
        while True:  # the word may be one of these, or a number
            text = f"{dice.choice(_SAMPLES)} {dice.below(1000)}"
            if word is None or not names_word(text, word, language):
                return Clue(text=text)

    def bounds(_seat: Seat) -> Mapping[str, Record]:
        return {"text": {"maxLength": longest}}

    def silent(*_: object) -> Clue:
        return Clue(text=SILENCE if talk else languages()[language].no_clue)

    kind = "talk" if talk else "clue"
    return Ask(kind, (seat,), Clue, silent, sample, check, round, bounds=bounds)


Steps = Generator[Tell | Ask[Any], Any, None]
"""A part of a game in play that returns nothing."""


def say_clues(
    words: Mapping[Seat, str | None],
    order: Sequence[Seat],
    round: int,
    longest: int,
    openings: Sequence[str | None] = (),
    before: Callable[[Seat], Steps] | None = None,
    after: Callable[[], Steps] | None = None,
    language: str = ENGLISH,
) -> Steps:
    """Each seat in speaking order gives one clue, heard by all before the next one speaks.

    ``openings`` are clues by seat that are said without asking. ``before`` and ``after`` ask
    further questions before and after each clue.
    """
    for position, seat in enumerate(order):
        if before is not None:
            yield from before(seat)
        text = openings[seat] if openings else None
        if text is None:
            text = (yield from ask(clue(seat, words[seat], round, longest, language)))[seat].text
        yield Tell("said", {"speaker": seat, "text": text, "position": position}, round=round)
        if after is not None:
            yield from after()


def open_talk(
    words: Mapping[Seat, str | None], order: Sequence[Seat], round: int, times: int
) -> Steps:
    """Each seat in speaking order says something to all, so many times."""
    for _ in range(times):
        for position, seat in enumerate(order):
            speech = clue(seat, words[seat], round, LONGEST_SPEECH, talk=True)
            text = (yield from ask(speech))[seat].text
            record = {"speaker": seat, "text": text, "position": position, "talk": True}
            yield Tell("said", record, round=round)


def ballot(
    seats: tuple[Seat, ...],
    round: int,
    form: type[V],
    more: Callable[[Dice], Mapping[str, Any]] = lambda _dice: {},
) -> Ask[V]:
    """Asks all seats at once for a vote against another player at the table.

    ``form`` is the answer, and ``more`` draws its further fields, for random players.
    """

    def check(seat: Seat, answer: V) -> Fault | None:
        """The fault of a vote for nobody, oneself, or a seat that does not exist."""
        if answer.suspect is None:
            return illegal("nobody is named: name one of the other players")
        if answer.suspect == seat:
            return illegal("you cannot vote for yourself: name one of the other players")
        if answer.suspect not in seats:
            return illegal(f"there is no {player(answer.suspect)} at this table")
        return None

    def sample(seat: Seat, dice: Dice) -> V:
        suspect = dice.choice([other for other in seats if other != seat])
        return form(suspect=suspect, **more(dice))

    def others(seat: Seat) -> Mapping[str, Record]:
        return {"suspect": named(other for other in seats if other != seat)}

    return Ask(
        "vote", seats, form, lambda *_: form(suspect=None), sample, check, round, bounds=others
    )


def most_voted(votes: Mapping[Seat, Ballot]) -> tuple[Seat, ...]:
    """The seats that share the most votes, in seat order; empty if nobody voted."""
    return top_of(vote.suspect for vote in votes.values())


def top_of(suspects: Iterable[Seat | None]) -> tuple[Seat, ...]:
    """The seats that are named most often, in seat order; empty if nobody is named."""
    named = [suspect for suspect in suspects if suspect is not None]
    most = max(map(named.count, named), default=0)
    return tuple(sorted(seat for seat in {*named} if named.count(seat) == most))


def own_role(seats: tuple[Seat, ...], round: int) -> Ask[OwnRole]:
    """Asks all seats, privately, if they take themselves for the special one."""

    def check(_seat: Seat, answer: OwnRole) -> Fault | None:
        if answer.role is None:
            return illegal("no role is named: special, ordinary or unsure")
        return None

    def sample(_seat: Seat, dice: Dice) -> OwnRole:
        return OwnRole(role=dice.choice(("special", "ordinary", "unsure")))

    return Ask(
        "own_role", seats, OwnRole, lambda *_: OwnRole(role=None), sample, check, round, probe=True
    )


def beliefs(seats: tuple[Seat, ...], round: int, knows: Collection[Seat] = ()) -> Ask[Beliefs]:
    """Asks all seats, privately, for the suspect of each player.

    Every seat answers once for its own view and once for each other player's view. The seats
    that ``knows`` has know their special role and answer for the others alone.
    """

    def viewers(seat: Seat) -> list[Seat]:
        return [viewer for viewer in seats if not (seat == viewer and seat in knows)]

    def check(seat: Seat, answer: Beliefs) -> Fault | None:
        if sorted([belief.viewer for belief in answer.beliefs]) != viewers(seat):
            if seat in knows:
                return illegal("give exactly one belief for each other player")
            return illegal("give exactly one belief for each player, yourself included")
        for belief in answer.beliefs:
            if belief.suspect is not None and belief.suspect not in seats:
                return illegal(f"there is no {player(belief.suspect)} at this table")
        return None

    def sample(seat: Seat, dice: Dice) -> Beliefs:
        options = (None, *seats)
        return Beliefs(
            beliefs=tuple(
                Belief(viewer=viewer, suspect=dice.choice(options)) for viewer in viewers(seat)
            )
        )

    def bounds(seat: Seat) -> Mapping[str, Record]:
        suspect = {"anyOf": [named(seats), {"type": "null"}]}
        names = [player(viewer) for viewer in viewers(seat)]
        fields = {"properties": dict.fromkeys(names, suspect), "required": names}
        return {"beliefs": {"additionalProperties": False, "type": "object", **fields}}

    return Ask(
        "beliefs",
        seats,
        Beliefs,
        lambda *_: Beliefs(beliefs=()),
        sample,
        check,
        round,
        probe=True,
        bounds=bounds,
    )
