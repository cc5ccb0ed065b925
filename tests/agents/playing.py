"""Playing undercover with scripted players in memory, and views made by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

from parlour.agents.registry import strategies
from parlour.agents.scripted.strategy import Strategy
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Event, View
from parlour.games.engine.game import Frozen
from parlour.games.engine.moves import Fault, Seat, player
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.families.clues.clue_bank import UNIT, ClueBank
from parlour.games.undercover import GAME
from parlour.games.undercover.rules import Pair, Variant

SEATS = (Seat(0), Seat(1), Seat(2))
WORD_STRATEGIES = tuple(
    name for name, each in strategies().items() if each.games is None or "undercover" in each.games
)
"""Those that play undercover."""

# Small enough to work by hand. Cat and dog share two clues, each shares one with cow.
TINY = ClueBank(
    {
        "cat": ("pet", "fur", "purrs", "meows"),
        "dog": ("pet", "fur", "barks", "fetches"),
        "cow": ("fur", "milk", "moos", "horns", "hay"),
    }
)


class Listed:
    """Evidence to work by hand: of 600 shared by the words that list a clue, 1 each if none does.

    Stands in for the evidence of a bank, which comes from word vectors.
    """

    def __init__(self, bank: ClueBank) -> None:
        self._bank = bank

    def of(self, word: str, clue: str, earlier: tuple[str, ...] = ()) -> int:
        """The evidence for a word, in units of 1 / UNIT."""
        listing = self._bank.words_by_clue.get(clue)
        return UNIT if listing is None else 600 * UNIT // len(listing) * (word in listing)


TINY.evidence = Listed(TINY)


def heard(seat: int, word: str, said: Mapping[int, Sequence[str]]) -> View:
    """The view of a seat that holds a word, after each seat has said these clues."""
    events = [Event("rules", 0, {"players": 3, "clue_rounds": 2}, None)]
    events.append(Event("word", 0, {"word": word}, (Seat(seat),)))
    for speaker, clues in said.items():
        for round, text in enumerate(clues, start=1):
            record = {"speaker": speaker, "text": text, "position": 0}
            events.append(Event("said", round, record, None))
    return View("undercover", Seat(seat), SEATS, tuple(events))


def table(pair: Frozen, seed: int, **keys: object) -> Table:
    """A table of undercover before its first answer."""
    setting = GAME.make_setting(pair, Variant.model_validate(keys), seed)
    return Table(GAME, setting, GAME.seats(setting), seed)


def cat_and_dog() -> Table:
    """Seat 1 holds dog, the others cat; they speak in the order 2, 0, 1, then 2, 1, 0."""
    return table(Pair(civilian_word="cat", undercover_word="dog", undercover_seat=1), seed=4)


def play(match: Table, players: Sequence[Strategy]) -> list[str]:
    """Plays a match to its end without a single fault; returns what each seat answered.

    Written short: clues as said, roles by their first letter, a suspect by its seat (- for
    nobody), beliefs as three of these.
    """
    answers = []
    while (ask := match.pending) is not None:
        given = {}
        for seat in match.waiting:
            dice = Dice(match.seed, "agent", match.ask_number, seat)
            judged = ask.judge(seat, players[seat].decide(ask, match.view(seat), dice))
            assert not isinstance(judged, Fault), f"{player(seat)}, {ask.kind}: {judged}"
            given[seat] = judged
            answers.append(f"{seat} {ask.kind} {_short(ask.kind, judged.model_dump())}")
        match.answer(given)
    return answers


def _short(kind: str, record: dict[str, object]) -> str:
    if kind == "beliefs":
        return "".join(_seat(belief["suspect"]) for belief in record["beliefs"])
    if kind == "own_role":
        return str(record["role"])
    return _seat(record["suspect"]) if kind == "vote" else str(record["text"])


def _seat(seat: object) -> str:
    return "-" if seat is None else str(seat)


def village(
    name: str, players: Sequence[tuple[str, dict[str, object]] | str], seed: int = 1, **keys: object
) -> list[dict[str, Any]]:
    """The encounters of a match of these players (a strategy, or one with its keys) in turn."""
    game = games()[name]
    variant = game.variant.model_validate({**keys, "agents_per_match": len(players)})
    match = Table(game, game.make_setting(game.shipped()[0], variant), len(players), seed)
    minds = []
    for each in players:
        strategy_name, own = (each, {}) if isinstance(each, str) else each
        strategy = strategies()[strategy_name]
        minds.append(strategy(ClueBank({}), strategy.parameters.model_validate(own)))
    while (ask := match.pending) is not None:
        answers = {}
        for seat in match.waiting:
            dice = Dice(seed, "agent", match.ask_number, seat)
            answers[seat] = ask.judge(seat, minds[seat].decide(ask, match.view(seat), dice))
            assert not isinstance(answers[seat], Fault), answers[seat]
        match.answer(answers)
    return match.outcome.facts["encounters"]
