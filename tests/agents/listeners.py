"""How well scripted listeners understand clues in other words, measured in matches.

``python -m tests.agents.listeners`` prints the tables of docs/listeners.md.

A speaker gives each clue in one form: as the bank has it (``exact``), with empty words behind it
(``tailed``), in other words (``paraphrase``; ``short``), half or wholly in letters that mean
nothing, as empty talk, as a repetition of what was said last (``echo``), or as a list of the
words most like its own (``list``). The other forms are of clues.txt. The opponents are `bayesian`
and hold the other side. All forms play the same settings with the same seeds.
"""

import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

from parlour.agents.scripted.bayesian import BayesianPlayer
from parlour.agents.scripted.clue_bank import shipped_bank
from parlour.agents.scripted.strategy import Strategy
from parlour.agents.scripted.words import Heard, LiteralPlayer
from parlour.games.common.text import names_word
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Fault
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table

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
    said = sorted(chain.from_iterable(heard.clues.values()), key=lambda said: len(said.earlier))
    texts = [each.text for each in said if not names_word(each.text, word)]
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


class Gain(NamedTuple):
    """Mean share of the credits and its standard error."""

    mean: float
    se: float


def gains(
    name: str, special: bool, forms: Sequence[str], matches: int, common: bool = False
) -> dict[str, Gain]:
    """What the speaker gains with each form, as the special player or as all the others."""
    return {form: _gain(name, special, form, matches, common) for form in forms}


@cache
def shares(name: str, special: bool, form: str, matches: int, common: bool) -> tuple[float, ...]:
    """The speaker's share of the credits in each match."""
    game = find_game(name, "listeners")
    variant = game.variant.model_validate(
        {"probes": "off", **({"clue_rounds": 1} if name == "undercover" else {})}
    )
    settings = [
        game.make_setting(record, variant, way)
        for record in game.shipped()
        for way in range(len(game.settings_file.expand_settings))
    ]
    usable = [each for each in settings if _usable(game, each, special, common)]
    step = max(1, len(usable) // matches)
    return tuple(
        _share(game, usable[n * step % len(usable)], special, form, common, n)
        for n in range(matches)
    )


def _gain(name: str, special: bool, form: str, matches: int, common: bool) -> Gain:
    values = shares(name, special, form, matches, common)
    return Gain(fmean(values), stdev(values) / sqrt(len(values)))


def _words(game: Game, setting: object) -> tuple[str, str | None]:
    """The word of most players, and that of the special one."""
    words = game.hints.words(setting)
    return words[0], words[1] if len(words) > 1 else None


def _usable(game: Game, setting: object, special: bool, common: bool) -> bool:
    most, odd = _words(game, setting)
    spoken = odd if special and not common else most
    return spoken is None or spoken in other_words()


def _share(game: Game, setting: object, special: bool, form: str, common: bool, seed: int) -> float:
    match = Table(game, setting, game.seats(setting), seed)
    sides = game.sides(setting)
    mine = [seat for seat in match.seats if (sides[seat] == game.scoring.special) == special]
    most, _ = _words(game, setting)
    most_credits = game.scoring.roles[sides[mine[0]]] or 1
    speaker: Strategy = Speaker(form, most if common else None)
    listener = BayesianPlayer(shipped_bank())
    while (ask := match.pending) is not None:
        given = {}
        for seat in match.waiting:
            player = speaker if seat in mine else listener
            dice = Dice(match.seed, "agent", match.ask_number, seat)
            given[seat] = ask.judge(seat, player.decide(ask, match.view(seat), dice))
            assert not isinstance(given[seat], Fault), given[seat]
        match.answer(given)
    assert match.outcome is not None
    return fmean(match.outcome.payoffs[seat] for seat in mine) / most_credits


ROLES = (
    *(("undercover", False), ("undercover", True), ("chameleon", False), ("chameleon", True)),
    *(("impostor", False), ("impostor", True)),
)


def main() -> None:
    """Prints the gains of every form in each role."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 80
    for common in (False, True):
        for name, special in ROLES:
            found = gains(name, special, tuple(FORMS), matches, common)
            row = "  ".join(f"{form} {gain.mean:.3f}" for form, gain in found.items())
            print(
                f"{name} {'special' if special else 'others'}{' common' if common else ''}: {row}",
                flush=True,
            )


if __name__ == "__main__":
    main()
