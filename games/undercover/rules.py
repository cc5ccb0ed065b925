"""Undercover, the rules.

Three players. Two, the civilians, are given the same word; the third, the undercover, is given
a word close to it. Nobody is told its role: each player must find out from the clues whether
its own word is the odd one. Rounds of clues (two by default), then one vote, all at once. The
undercover is caught if it alone has the most votes. A clue may not contain the speaker's own
word, and nobody may vote for itself. Larger groups play likewise, with up to three undercovers,
and with a jester: a third side, with the word of the civilians, which wins alone if it is voted
out. It alone is told who it is.

Source: the MAGIC paper, section 3.1 and appendices A.1, A.2, A.7; the jester is that of Mittal,
Triadic Werewolf, arXiv 2606.27909.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from parlour.games.common.text import ENGLISH
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import JESTER, Frozen
from parlour.games.engine.moves import Outcome, Rules, Seat, Tell, ask
from parlour.games.engine.wordings import PLAIN, Language, Wording
from parlour.games.families import group_sizes, word_games
from parlour.games.families.openings import FirstMoves

LONGEST_CLUE = 300
"""Characters of a clue. The paper sets no limit; this is room for two or three sentences."""

ROLES = ("undercover", "civilian", JESTER)
CREDITS = {"caught": (0, 3, 0), "escaped": (3, 0, 0), "tie": (2, 1, 0), JESTER: (0, 0, 3)}
"""Credits by ending for (undercover, each civilian, jester). MAGIC, appendix A.2; the jester's are
Parlour's: it gains nothing by sharing the top of the ballot."""
WINNERS = {"caught": "civilian", "escaped": "undercover", JESTER: JESTER}
"""The role that wins by ending; nobody does in a tie."""
_ENDS = {"undercover": "caught", "civilian": "escaped", JESTER: JESTER}


class Pair(Frozen):
    """One entry of a settings file: two close words, and the seat that holds the odd one.

    ``openings`` are clues that seats say in the first round without being asked (null: asked).
    """

    civilian_word: str = Field(min_length=1, max_length=60)
    undercover_word: str = Field(min_length=1, max_length=60)
    undercover_seat: int = Field(ge=0, le=2)
    openings: word_games.Openings = (None, None, None)

    @model_validator(mode="after")
    def _two_words(self) -> "Pair":
        for word in (self.civilian_word, self.undercover_word):
            word_games.plain_word(word)
        if self.civilian_word.casefold() == self.undercover_word.casefold():
            raise ValueError(f"both words are {self.civilian_word!r}; the two must differ")
        words = [self.civilian_word] * 3
        words[self.undercover_seat] = self.undercover_word
        word_games.refuse_named(self.openings, words, getattr(self, "language", ENGLISH))
        return self


class Variant(group_sizes.Group):
    """Keys that a tournament may change: the clue rounds, the order, and private questions.

    ``first_moves``: shipped clues are said by the seats before the first that counts.
    ``scoring_told``: players are told who wins when, beside the aims of both sides.
    ``difficulty`` picks from the pairs that ship in every language; "mixed": in English the pairs
    that are there in English alone, otherwise all. ``jester``: one of the players is the jester.
    """

    when_changed: ClassVar = frozenset({"difficulty", JESTER})
    clue_rounds: int = Field(default=2, ge=1, le=10)
    order: Literal["shuffled", "seat"] = "shuffled"
    probes: Literal["faithful", "per_round", "off"] = "per_round"
    first_moves: FirstMoves = "asked"
    scoring_told: bool = True
    language: Language = ENGLISH
    difficulty: Literal["mixed", "all", "easy", "medium", "hard"] = "mixed"
    jester: bool = False
    wording: Wording = PLAIN


class Setting(Pair, Variant, group_sizes.Dealt):
    """Record and variant together: what a match is played with."""

    @cached_property
    def special(self) -> tuple[Seat, ...]:
        """The undercovers: in a group of three the seat of the record, else drawn."""
        return self.with_others(self._first)

    @property
    def _first(self) -> int:
        return self.undercover_seat if self.is_usual else self.deal % self.players

    @cached_property
    def sides(self) -> tuple[str, ...]:
        """The role of each seat; the jester's is drawn after the undercovers'."""
        sides = list(self.roles("undercover", "civilian"))
        if self.jester:
            sides[
                group_sizes.drawn_seats(self.players, self.deal, self._first)[self.special_seats]
            ] = JESTER
        return tuple(sides)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The word of each seat."""
        return self.roles(self.undercover_word, self.civilian_word)


def rules(setting: Setting, seats: Sequence[Seat], dice: Dice) -> Rules:
    """Clues in rounds, then one simultaneous vote; a tie at the top convicts nobody."""
    seats, roles = tuple(seats), setting.sides
    words = dict(zip(seats, setting.words, strict=True))
    announced = {**setting.told}
    in_seat_order = setting.order == "seat"
    if in_seat_order:
        announced["order"] = "seat"
    if not setting.scoring_told:
        announced["scoring_told"] = False
    if setting.jester:
        announced[JESTER] = True
    yield Tell("rules", announced | setting.told_otherwise)
    for seat in seats:
        if roles[seat] == JESTER:
            yield Tell("role", {"role": JESTER}, to=(seat,))
        yield Tell("word", {"word": words[seat]}, to=(seat,))

    playing, ending = seats, ""
    for round in range(1, setting.clue_rounds + 1):
        order = playing if in_seat_order else dice.shuffled(playing)
        yield Tell("order", {"speakers": list(order)}, round=round)
        openings = setting.openings if round == 1 and setting.is_usual else ()
        yield from word_games.say_clues(
            words, order, round, LONGEST_CLUE, openings, language=setting.language
        )
        if setting.probes != "off":
            unaware = tuple(seat for seat in playing if roles[seat] != JESTER)
            yield from ask(word_games.own_role(unaware, round))
            yield from ask(word_games.beliefs(playing, round))
        if not setting.elimination and round < setting.clue_rounds:
            continue
        yield from word_games.open_talk(words, order, round, setting.talk_rounds)
        accused = word_games.most_voted(
            (yield from ask(word_games.ballot(playing, round, word_games.Vote)))
        )
        # As if a civilian were accused where nobody voted at all.
        ending = "tie" if len(accused) > 1 else _ENDS[roles[accused[0]] if accused else "civilian"]
        if setting.elimination:
            playing = yield from group_sizes.vote_out(accused, playing, roles, round)
            won = group_sizes.special_won(setting, playing, round)
            if ending == JESTER:
                break
            if won is not None:
                ending = "escaped" if won else "caught"
                break

    credits = dict(zip(ROLES, CREDITS[ending], strict=True))
    return Outcome(
        ending=ending,
        payoffs=tuple(credits[role] for role in roles),
        roles=roles,
        sides=roles,
        winners=tuple(seat for seat in seats if roles[seat] == WINNERS.get(ending)),
    )
