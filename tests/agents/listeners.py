"""Scripted listeners measured: how well they understand clues in other words.

``python -m tests.agents.listeners`` prints the tables of docs/listeners.md.

A speaker gives each clue in one form: as the bank has it (``exact``), with empty words behind it
(``tailed``), in other words (``paraphrase``; ``short``), half or wholly in letters that mean
nothing, as empty talk, as a repetition of what was said last (``echo``), or as a list of the
words most like its own (``list``). The other forms are of clues.txt. The opponents are `bayesian`
and hold the other side. All forms play the same settings with the same seeds.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, product
from math import sqrt
from operator import attrgetter
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parlour.agents.scripted.bayesian import BayesianPlayer
from parlour.agents.scripted.strategy import Strategy
from parlour.agents.scripted.words import Heard, LiteralPlayer
from parlour.games.common.text import names_word
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Fault
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.games.families.clues.clue_bank import UNIT, ClueBank, shipped_bank
from parlour.games.families.clues.evidence import NEAR, Meanings
from parlour.games.families.clues.honesty import is_honest
from parlour.games.impostor import GAME as IMPOSTOR
from parlour.games.undercover import GAME as UNDERCOVER

CLUES = Path(__file__).parents[1] / "data" / "clues.txt"


class OtherWords(NamedTuple):
    """A word's last two clues in other words, and a short clue."""

    word: str
    last: str
    last_but_one: str
    short: str


@cache
def other_words() -> dict[str, OtherWords]:
    """The clues of the file by word."""
    lines = CLUES.read_text(encoding="utf-8").splitlines()
    rows = [OtherWords(*line.split(" | ")) for line in lines if not line.startswith("#")]
    return {row.word: row for row in rows}


Form = Callable[[str, int, Heard], str]
"""The clue for a word, as the nth of it, after some clues."""


def exact(word: str, n: int, heard: Heard) -> str:
    """The last clue of the bank, then the last but one, and so on."""
    return shipped_bank().clues[word][-1 - n]


def paraphrase(word: str, n: int, heard: Heard) -> str:
    """These in other words."""
    return other_words()[word][1 + n]


def short(word: str, n: int, heard: Heard) -> str:
    """A short clue of other content, then the paraphrases."""
    return other_words()[word][(3, 1, 2)[n]]


def gibberish(word: str, n: int, heard: Heard) -> str:
    """Letters that mean nothing, in words as long as those of the paraphrase."""
    return " ".join(map(_noise, paraphrase(word, n, heard).split()))


def half_gibberish(word: str, n: int, heard: Heard) -> str:
    """The paraphrase with every second word of letters that mean nothing."""
    words = paraphrase(word, n, heard).split()
    return " ".join(_noise(each) if place % 2 else each for place, each in enumerate(words))


def _noise(word: str) -> str:
    dice = Dice("noise", word)
    return "".join(dice.choice("bdfgjkqvxz") for _ in range(max(3, len(word))))


EMPTY = (
    "Something that most people know quite well",
    "I like it and so do many others",
    "You have surely come across it before",
)


def listing(word: str, n: int, heard: Heard) -> str:
    """The three words nearest to the own one, then the next three, and so on."""
    evidence = shipped_bank().evidence
    near = sorted(evidence.place, key=lambda other: -evidence(word)[evidence.place[other]])
    return ", ".join([each for each in near if not names_word(each, word)][3 * n : 3 * n + 3])


def echo(word: str, n: int, heard: Heard) -> str:
    """The last clue that does not name the own word; an exact one if there is none."""
    said = sorted(chain.from_iterable(heard.clues.values()), key=lambda said: len(said[1]))
    texts = [text for text, _earlier in said if not names_word(text, word)]
    return texts[-1] if texts else exact(word, n, heard)


FORMS: dict[str, Form] = {
    "exact": exact,
    "tailed": lambda *clue: exact(*clue) + ", I would say",
    "paraphrase": paraphrase,
    "short": short,
    "half gibberish": half_gibberish,
    "gibberish": gibberish,
    "empty talk": lambda word, n, heard: EMPTY[n],
    "echo": echo,
    "echo in part": lambda *clue: echo(*clue) + " as I think too",
    "list": listing,
    "bare list": lambda *clue: listing(*clue).replace(",", ""),
}


class Speaker(LiteralPlayer):
    """A literal player that gives its clues in one form.

    ``common``: it speaks of this word, whatever it holds; else of the word it holds or supposes.
    """

    def __init__(self, form: str, common: str | None = None) -> None:
        super().__init__(shipped_bank())
        self.form, self.common = FORMS[form], common

    def clue(self, heard: Heard, view: View, dice: Dice) -> str:
        """The clue in its form; an exact one for a word of which there are no other words."""
        word = self.common or heard.word
        form = self.form if word in other_words() else exact
        said = heard.said()
        texts = [form(word, n, heard) for n in range(3)]
        usable = [text for text in texts if not names_word(text, heard.word)] or texts
        return next((text for text in usable if text not in said), usable[0])


class Result(NamedTuple):
    """A speaker's share of the credits, and its share of the listeners' votes."""

    share: float
    suspicion: float


class Speech(NamedTuple):
    """A game, a role, and how the speaker speaks.

    ``common``: it speaks of the word of most players, whatever it holds. ``alone``: it holds one
    seat, also where the role has several.
    """

    game: str
    special: bool
    form: str
    common: bool = False
    alone: bool = False


@cache
def results(speech: Speech, matches: int) -> tuple[Result, ...]:
    """The result of each match."""
    game = find_game(speech.game, "listeners")
    keys = {"probes": "off"} | ({"clue_rounds": 1} if speech.game == "undercover" else {})
    variant = game.variant.model_validate(keys)
    ways = range(len(game.settings_file.expand_settings(variant)))
    settings = [
        game.make_setting(record, variant, way) for record, way in product(game.shipped(), ways)
    ]
    usable = [setting for setting in settings if _spoken(game, setting, speech) in other_words()]
    if game.name == "chameleon" and speech.special and not speech.common:
        usable = settings  # it may suppose any word
    step = max(1, len(usable) // matches)
    return tuple(_result(game, usable[n * step % len(usable)], speech, n) for n in range(matches))


def _spoken(game: Game, setting: object, speech: Speech) -> str:
    """The word that a clue is about: of most players, or of the special one."""
    words = game.hints.words(setting)
    return words[-1 if speech.special and not speech.common else 0]


def _result(game: Game, setting: object, speech: Speech, seed: int) -> Result:
    match = Table(game, setting, game.seats(setting), seed)
    sides = game.sides(setting)
    speaking = [
        seat for seat in match.seats if (sides[seat] == game.scoring.special) == speech.special
    ]
    most_credits = game.scoring.roles[sides[speaking[0]]] or 1
    if speech.alone:
        speaking = [speaking[seed % len(speaking)]]
    speaker = Speaker(speech.form, _spoken(game, setting, speech) if speech.common else None)
    listener = BayesianPlayer(shipped_bank())
    suspicion = 0.0
    while (ask := match.pending) is not None:
        given = {}
        for seat in match.waiting:
            player: Strategy = speaker if seat in speaking else listener
            dice = Dice(match.seed, "agent", match.ask_number, seat)
            given[seat] = ask.judge(seat, player.decide(ask, match.view(seat), dice))
            assert not isinstance(given[seat], Fault), given[seat]
        if ask.kind == "vote":
            suspicion = fmean(
                given[seat].suspect in speaking for seat in given if seat not in speaking
            )
        match.answer(given)
    assert match.outcome is not None
    share = fmean(match.outcome.payoffs[seat] for seat in speaking) / most_credits
    return Result(share, suspicion)


def mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    return fmean(values), stdev(values) / sqrt(len(values))


def pairs() -> dict[str, list[tuple[str, str]]]:
    """The shipped pairs of undercover, and of impostor by difficulty."""
    by_group = {"undercover": [(p.civilian_word, p.undercover_word) for p in UNDERCOVER.shipped()]}
    for pair in IMPOSTOR.shipped():
        by_group.setdefault(pair.difficulty, []).append((pair.majority_word, pair.impostor_word))
    return by_group


def rivals(group: str, word: str) -> Iterator[tuple[str, ...]]:
    """Yields the words among which a clue must find its own: of its topic, or of each pair."""
    if group == "topic":
        yield from (words for words in shipped_bank().topics.values() if word in words)
    else:
        yield from (pair for pair in pairs()[group] if word in pair)


GROUPS = ("topic", "undercover", "easy", "medium", "hard", "expert")


def in_other_words(group: str, *columns: int) -> list[bool]:
    """For each clue of these columns of the file: does its own word get the most evidence?"""
    hits = []
    for row in other_words().values():
        for words, column in product(rivals(group, row.word), columns):
            hits.append(_finds(row[column], row.word, words))
    return hits


def _finds(clue: str, word: str, words: Iterable[str]) -> bool:
    return evidence_of(clue, word) == max(evidence_of(clue, other) for other in words)


def evidence_of(clue: str, word: str, earlier: Sequence[str] = ()) -> float:
    """The evidence of a clue for a word: 1 if it is as likely as before."""
    return shipped_bank().evidence.of([word], clue, tuple(earlier))[word] / UNIT


def left_out(group: str) -> list[bool]:
    """The same for each clue that one word of them alone has, from a bank without that clue."""
    bank = shipped_bank()
    hits = []
    for word in bank.clues:
        for words in rivals(group, word):
            hits += [_scores_most(clue, word, words) for clue in _own(bank, word, words)]
    return hits


def _own(bank: ClueBank, word: str, words: Collection[str]) -> Iterator[str]:
    """Yields the clues that a word alone has among some."""
    for clue in bank.clues[word]:
        if sum(clue in bank.clues[other] for other in words) == 1:
            yield clue


@cache
def _vector(text: str) -> NDArray[np.int64]:
    return Meanings()(text)[0].astype(np.int64)


def _scores_most(clue: str, word: str, words: Iterable[str]) -> bool:
    return _score(clue, word) == max(_score(clue, other) for other in words)


def _score(clue: str, word: str) -> int:
    """The nearness of a clue to a word and its other clues."""
    others = [_vector(each) for each in shipped_bank().clues[word] if each != clue]
    cosines = [int(_vector(clue) @ other) for other in others]
    near = (int(_vector(clue) @ _vector(word)), max(cosines), sum(cosines) // len(cosines))
    return sum(int(100 * slope) * each for slope, each in zip(NEAR, near, strict=True))


def judged(form: str, own: bool) -> list[bool | None]:
    """For each word of a pair, whether a clue of it, or of the other word, is held to be honest."""
    columns = {"exact": (), "paraphrase": (1, 2), "short": (3,)}[form]
    shipped = {*chain.from_iterable(pairs().values())}
    marks = []
    for one, other in shipped | {pair[::-1] for pair in shipped}:
        texts = list(_own(shipped_bank(), one, (one, other)))
        if columns:
            row = other_words().get(one)
            texts = [row[column] for column in columns if row]
        marks += [is_honest(text, one if own else other, None, None) for text in texts]
    return marks


ROLES = tuple(product(("undercover", "chameleon", "impostor"), (False, True)))


def main() -> None:
    """Prints how often clues find their words; suspicion and share of every form in each role."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    for name, of in (
        ("left out", left_out),
        ("paraphrase", lambda group: in_other_words(group, 1, 2)),
        ("short", lambda group: in_other_words(group, 3)),
    ):
        hits = {group: of(group) for group in GROUPS}
        cells = [f"{fmean(each):.2f} ({len(each)})" if each else "–" for each in hits.values()]
        print(f"| {name} | " + " | ".join(cells) + " |")
    for form, own in product(("exact", "paraphrase", "short"), (True, False)):
        marks = judged(form, own)
        cells = [f"{marks.count(mark) / len(marks):.2f}" for mark in (True, False, None)]
        whose = "own" if own else "other"
        print(f"| {form} | {whose} | {' | '.join(cells)} | {len(marks)} |")
    print("| Game | Role | " + " | ".join(FORMS) + " |")
    for what, common, alone in (
        ("suspicion", True, True),
        ("share", True, False),
        ("share", False, False),
    ):
        print(what, "of a speaker of the common word" if common else "of its own word")
        for name, special in ROLES:
            speeches = [Speech(name, special, form, common, alone) for form in FORMS]
            means = [fmean(map(attrgetter(what), results(speech, matches))) for speech in speeches]
            row = " | ".join(f"{value:.2f}".lstrip("0") for value in means)
            print(f"| {name} | {'special' if special else 'others'} | {row} |", flush=True)


if __name__ == "__main__":
    main()
