"""Whole matches by drawn answers, for the conformance suite and the golden histories.

Draws are keyed by the match's seed, so the same call plays the same match.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import ValidationError

from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.moves import Answer, Fault, FaultKind, Seat
from parlour.games.engine.table import Table
from parlour.games.engine.wordings import KEY, PLAIN, TEMPLATES, wordings_of

MOST_ASKS = 10_000
"""Maximum number of asks; a match with more is taken to have no end."""

Choice = Callable[[Table, Seat], object]
"""Chooses the answer, or the Fault, of a seat of a table."""


def variants(game: Game, further: Mapping[str, Any] | None = None) -> list[Frozen]:
    """The test variant, then those with one key at another literal or a number nearby.

    Numbers that only another literal makes use of are taken nearby, too. ``further`` keys are added
    to the test variant. Then come those that the game declares to be played together, and last the
    wordings with templates of their own, and languages in which no other words are played.
    """
    base = {**game.testing.test_variant, **(further or {})}
    usual = game.variant.model_validate(base)
    changes: list[Mapping[str, Any]] = []
    languages: list[Mapping[str, Any]] = []
    others = TEMPLATES.intersection(wordings_of(game)) - {getattr(usual, KEY, PLAIN)}
    worded = [{KEY: wording} for wording in sorted(others)]
    for key, field in game.variant.model_fields.items():
        changed_key = [{key: value} for value in _others(field.annotation, getattr(usual, key))]
        if key == "language" and not hasattr(usual, "told_language"):  # it changes prompts alone
            languages += changed_key
        elif key != KEY:
            changes += changed_key
    result = [usual]
    for changed in (*changes, *game.testing.further_variants, *worded, *languages):
        try:
            variant = game.variant.model_validate({**base, **changed})
        except ValidationError:  # past a bound, or against another key
            continue
        used = variant.model_dump().keys() - usual.model_dump().keys() - changed.keys()
        unused = {name: getattr(variant, name) for name in used}
        nearby = {name: n + 1 if isinstance(n, int) else n / 2 for name, n in unused.items()}
        result.append(variant.model_copy(update=nearby))
    return result


def _others(annotation: Any, usual: object) -> list[object]:
    options: list[object] = []
    if get_origin(annotation) is Literal:
        options = list(get_args(annotation))
    elif get_origin(annotation) in {Union, UnionType}:
        of_parts = (_others(part, usual) for part in get_args(annotation))
        options = list(chain.from_iterable(of_parts))
    elif annotation is bool:
        options = [True, False]
    elif annotation is int and isinstance(usual, int):
        options = [usual - 1, usual + 1]
    elif annotation is float and isinstance(usual, float):
        options = [usual / 2 or 0.25]
    return [value for value in options if value != usual]


def disguised(game: Game, record: Frozen, mark: str = "zqxv", only: Sequence[str] = ()) -> Frozen:
    """The record with its words, or with ``only`` these, replaced by some found nowhere else."""
    setting = game.make_setting(record, game.variant())
    words = only or [*game.hints.words(setting), *chain.from_iterable(game.secrets(setting))]
    names = {word: f"{mark}{number}q" for number, word in enumerate(dict.fromkeys(words))}

    def renamed(value: Any) -> Any:
        """The value with every word in it replaced."""
        if isinstance(value, str):
            return names.get(value, value)
        if isinstance(value, dict):
            return {key: renamed(entry) for key, entry in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(renamed(entry) for entry in value)
        return value

    return game.record.model_validate(renamed(record.model_dump()))


def opened(game: Game, record: Frozen, variant: Frozen, seed: int) -> Table:
    """A table before its first answer."""
    setting = game.make_setting(record, variant, seed)
    return Table(game, setting, game.seats(setting), seed)


def openings(
    game: Game, variant: Frozen, seeds: int | Sequence[int], disguise: bool = False
) -> Iterator[Table]:
    """Yields a fresh table for each seed (so many, or these), taking the settings in turn."""
    records = game.settings_file.select_records(game.shipped(), variant)
    for seed in range(seeds) if isinstance(seeds, int) else seeds:
        record = records[seed % len(records)]
        yield opened(game, disguised(game, record) if disguise else record, variant, seed)


def again(table: Table) -> Table:
    """The same table as before its first answer."""
    return Table(table.game, table.setting, len(table.seats), table.seed)


def sampled(table: Table, seat: Seat) -> object:
    """A legal answer, the same one for the same seed, ask and seat."""
    assert table.pending is not None
    return table.pending.sample(seat, Dice(table.seed, "sample", table.ask_number, seat))


def informed(table: Table, seat: Seat) -> object:
    """As ``sampled``, but with a word of the setting for every text, where that is legal.

    It reaches endings that chance would not, such as a word guessed right.
    """
    ask, answer = table.pending, sampled(table, seat)
    if ask is None or not isinstance(answer, Answer):
        return answer
    for word in table.game.hints.words(table.setting):
        texts = [name for name, value in answer.model_dump().items() if isinstance(value, str)]
        other = answer.model_copy(update=dict.fromkeys(texts, word))
        if texts and ask.judge(seat, other) == other:
            return other
    return answer


def stumbling(table: Table, seat: Seat) -> object:
    """As ``sampled``, but one answer in three is a fault."""
    dice = Dice(table.seed, "stumble", table.ask_number, seat)
    return Fault(dice.choice(list(FaultKind))) if dice.below(3) == 0 else sampled(table, seat)


@dataclass(frozen=True, slots=True)
class Played:
    """A finished match: each ask's answers by seat, and each ask's digest."""

    table: Table
    given: list[dict[Seat, object]]
    digests: list[str]

    def transcript(self) -> dict[str, Any]:
        """The history that the same setting, seed and answers must always give, as plain data."""
        assert self.table.outcome is not None
        return {
            "digests": self.digests,
            "events": [event._asdict() for event in self.table.events],
            "outcome": asdict(self.table.outcome),
        }


def hold(condition: object, table: Table, problem: str) -> None:
    """Raises AssertionError with the problem and where it arose, unless the condition holds."""
    if not condition:
        where = f"{table.game.name}, {table.setting!r}, seed {table.seed}, ask {table.ask_number}"
        raise AssertionError(f"{where}: {problem}")


def play(
    table: Table, choose: Choice = sampled, watch: Callable[[Table], None] | None = None
) -> Played:
    """Plays a table to its end; ``watch`` sees it at every ask, before the answers."""
    given: list[dict[Seat, object]] = []
    digests: list[str] = []
    while table.pending is not None:
        if table.ask_number >= MOST_ASKS:
            raise AssertionError(f"{table.game.name}: no end after {MOST_ASKS} asks")
        if watch is not None:
            watch(table)
        digests.append(table.digest())
        given.append({seat: choose(table, seat) for seat in table.waiting})
        table.answer(given[-1])
    return Played(table, given, digests)


def replay(table: Table, given: Sequence[Mapping[Seat, object]]) -> Played:
    """Plays a fresh table by the answers of another match."""
    return play(table, lambda at, seat: given[at.ask_number][seat])


def saying(text: str) -> Choice:
    """As ``sampled``, but with the text in the place of every free text where that is legal."""

    def choose(table: Table, seat: Seat) -> object:
        """A sampled answer with the text in its free texts."""
        assert table.pending is not None
        answer: Any = sampled(table, seat)
        for name, field in type(answer).model_fields.items():
            if field.annotation in (str, str | None):
                spoken = table.pending.judge(seat, {**answer.model_dump(), name: text})
                answer = answer if isinstance(spoken, Fault) else spoken
        return answer

    return choose
