"""Game metadata: all that the rest of the program knows of a game besides its rules."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from math import factorial
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Self

from pydantic import BaseModel, ValidationError, model_serializer

from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import read_plain
from parlour.games.common.validation_messages import first_problem
from parlour.games.engine.board import MakeBoards
from parlour.games.engine.counting import Counting
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Encounter, Event, View
from parlour.games.engine.moves import Ask, Record, Rules, Seat, acted
from parlour.games.engine.talk import MakeTalk

BUILT_IN = "(built in)"
"""The agent name of a seat that the rules themselves play."""


class Frozen(BaseModel, frozen=True, extra="forbid", strict=True, defer_build=True):
    """Base of settings and variants: immutable, nothing extra, no silent conversion."""


class Sparse(Frozen):
    """Base of settings and variants with keys that stand nowhere at their defaults.

    So plans and saves from before these keys are the same.
    """

    when_changed: ClassVar[frozenset[str]] = frozenset()
    """The keys: in a class body its own, afterwards with those of its bases."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Adds the keys of the bases."""
        super().__init_subclass__(**options)
        bases = [base for base in cls.__mro__ if issubclass(base, Sparse)]
        cls.when_changed = frozenset().union(*(base.when_changed for base in bases))

    def unchanged(self) -> set[str]:
        """The keys that stand nowhere, since they are at their defaults."""
        return {key for key, usual in self._usual() if getattr(self, key) == usual}

    @classmethod
    @cache
    def _usual(cls) -> list[tuple[str, Any]]:
        """The keys with their defaults. It is asked several times a match."""
        fields = cls.model_fields
        return [(key, fields[key].default) for key in cls.when_changed & fields.keys()]

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy without what the original has cached of itself."""
        copied = super().model_copy(update=update, deep=deep)
        for name in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[name]
        return copied

    @model_serializer(mode="wrap")
    def _without_unused(self, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        unused = self.unchanged()
        return {key: value for key, value in handler(self).items() if key not in unused}


JESTER: Final = "jester"
"""The role of a third side, which wins alone if it is voted out."""
Sentence = Callable[[Event], str]
"""Function that puts one event in words, without the name of the player."""


@dataclass(frozen=True, slots=True)
class FieldTexts:
    """A field of an answer in the words of a person who fills it in.

    In a list with a row for each player, ``{player}`` in the ``label`` stands for the player of
    the row, and ``own`` is the label of one's own row. ``options`` has words for the values of a
    choice. The numbers of a list must make the ``total`` together, if there is one.
    """

    label: str
    own: str = ""
    options: Mapping[Any, str] = field(default_factory=dict)
    total: int | None = None


@dataclass(frozen=True, slots=True)
class AskTexts:
    """A kind of ask in words for a person: the question from the seat's view, and its fields.

    ``fields`` are by name; a field of a part or row by its path, such as "beliefs.suspect".
    """

    question: Callable[[View], str]
    fields: Mapping[str, FieldTexts] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Texts:
    """A game in plain words.

    ``endings`` and ``kinds`` explain every ending and every kind of event. ``sentences`` gives
    the line of a transcript for a kind of event; a kind without one gets its fields. The answers
    of the ``published`` kinds are told to all in the next event, so a transcript leaves them out.

    For lists: ``family`` groups games ("bluff", "gossip", "dilemma", "bargain", or another word),
    ``short_endings`` has an ending in at most 18 columns. For each kind of ask, ``phases`` has a
    word for where the match is ("ballot") and ``pending`` what its player does meanwhile ("makes
    up its mind"). ``asks`` has the questions to people; a kind without one gets the prompt of
    models and labels made of the names of its fields. ``told`` makes of the events of a match those
    that a transcript has.
    """

    title: str
    endings: Mapping[str, str]
    kinds: Mapping[str, str]
    summary: str = ""
    sentences: Mapping[str, Sentence] = field(default_factory=dict)
    published: frozenset[str] = frozenset()
    family: str = ""
    short_endings: Mapping[str, str] = field(default_factory=dict)
    phases: Mapping[str, str] = field(default_factory=dict)
    pending: Mapping[str, str] = field(default_factory=dict)
    asks: Mapping[str, AskTexts] = field(default_factory=dict)
    told: Callable[[Sequence[Event]], Iterable[Event]] = iter


@dataclass(frozen=True, slots=True)
class Seating:
    """Filling of the seats.

    ``sides`` names the side of each seat under a setting. ``pairing`` says how two agents fill
    the seats: each a side ("sides"), taking turns ("shared"), one in each seat in turn among
    copies of the other ("each_seat"), or in blocks of matches by the variant key ``assignment``
    ("blocks"). In the assignments of ``teams`` two agents have two seats each. The rules play the
    last ``built_in`` seats themselves. ``for_counted`` makes the setting of a match in which these
    seats are counted.
    """

    sides: Callable[[Any], tuple[str, ...]]
    pairing: Literal["sides", "shared", "each_seat", "blocks"] = "sides"
    built_in: Callable[[Any], int] = lambda _setting: 0
    for_counted: Callable[[Any, Sequence[Seat]], Any] = lambda setting, _counted: setting
    teams: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Scoring:
    """Roles, credits and ranking.

    ``roles`` maps each role to the most credits a seat in it can earn (None: the game has no
    credits). ``special`` is the role that the others look for, ``roles_told`` the roles whose
    seats are told so, and ``deception_endings`` the endings in which the special role got away.
    ``rated`` says what TrueSkill ranks: sides that win or lose, agents by their mean payoff, or
    nothing. ``wins``: where a game has no credits, its win rate is the share of matches won.
    """

    roles: Mapping[str, float | None]
    draw_probability: float
    special: str | None = None
    roles_told: frozenset[str] = frozenset()
    deception_endings: frozenset[str] = frozenset()
    rated: Literal["sides", "payoff", "none"] = "sides"
    wins: bool = False

    @property
    def special_told(self) -> bool:
        """True if the special players are told that they are."""
        return self.special in self.roles_told


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """Conversion of a settings file into settings.

    ``parse`` reads a file that is no array of records (text, place). ``select_records`` picks
    the records that a variant is played on. Each record makes one setting with each of those that
    ``expand_settings`` gives for a variant: what a setting has beyond record and variant.
    """

    parse: Callable[[str, str], tuple[Frozen, ...]] | None = None
    select_records: Callable[[Sequence[Frozen], Any], tuple[Frozen, ...]] = (
        lambda records, _variant: tuple(records)
    )
    expand_settings: Callable[[Any], Sequence[Mapping[str, Any]]] = lambda _variant: ({},)


@dataclass(frozen=True, slots=True)
class Testing:
    """Declarations for the conformance suite.

    ``secrets`` gives the strings that each seat must not see before the match is over (None:
    there are none). ``test_variant`` are variant keys that keep a long game short, and
    ``facts_variant`` those besides under which the facts of ``disclosure.toml`` are checked.
    ``further_variants`` are keys that are played together, besides those one at a time.
    """

    secrets: Callable[[Any], tuple[tuple[str, ...], ...]] | None = None
    test_variant: Mapping[str, Any] = field(default_factory=dict)
    facts_variant: Mapping[str, Any] = field(default_factory=dict)
    further_variants: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Analysis:
    """The analysis that a deliberating model makes in this game.

    ``beliefs``: it ends in a matrix of who suspects whom of the special role; otherwise it is
    words alone. There is a new one after each told event of the kind ``after``, or, with "",
    after each finished round. ``guidance`` is advice on how to act on it, by kind of ask.
    """

    beliefs: bool
    after: str = ""
    guidance: Mapping[str, str] = field(default_factory=dict)


Rewards = Callable[[Event], Mapping[Seat, float]]
"""Function that is called with the events of one match in their order, and returns rewards."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Reading of a game that is played in rounds, for what is laid over the game.

    The events of the kinds ``results`` tell what came of a round. From the rules that were told
    and these events, ``cooperated`` says of each player that acted whether it cooperated.
    ``temptation`` is the most points that a player gains in a round by not cooperating, and
    ``stake`` the points by which the game's amounts are measured. The asks of the kinds ``acts``
    decide who cooperates, and ``act`` is the answer of a seat that does or does not, under these
    rules; none where no third party can act for a player. ``among`` are the points of a round
    that these seats play without the others (None: it takes all), and ``moves`` is the field of its
    result with the move of each seat. ``pair`` reads who meets from the event that opens a round;
    None where all play each round. ``highest_wins``: the winners are those with the highest payoff;
    otherwise payoffs decide nothing.
    """

    results: frozenset[str]
    cooperated: Callable[[Record, Sequence[Record]], Mapping[Seat, bool]]
    temptation: Callable[[Record], float]
    acts: frozenset[str] = frozenset()
    act: Callable[[Ask[Any], Seat, bool, Record], Any] = acted
    among: Callable[[Record, Record, Collection[Seat]], Mapping[Seat, float]] | None = None
    moves: str = ""
    stake: float = 1.0
    pair: Callable[[Record], tuple[Seat, Seat]] | None = None
    highest_wins: bool = True


@dataclass(frozen=True, slots=True)
class Hints:
    """Declarations for scripted players, deliberating models and prompts.

    ``words`` are the words of a setting that scripted players need clues for. ``analysis`` is
    for deliberating models (None: they decide at once). ``encounter`` reads the record of a
    meeting of two players. ``sustains_cooperation`` says whether theory has players cooperate
    under the variant's keys (None: theory says nothing). ``rewards`` makes of a setting the
    function that reads the part of the payoffs that an event brought (None: all come at the end).
    ``rounds`` are those of a game of rounds.
    """

    words: Callable[[Any], tuple[str, ...]] = lambda _setting: ()
    analysis: Analysis | None = None
    encounter: Callable[[Record], Encounter] | None = None
    sustains_cooperation: Callable[[Mapping[str, Any]], bool] | None = None
    rewards: Callable[[Any], Rewards] | None = None
    rounds: Rounds | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """A game and its metadata; a game's folder exports one of these as ``GAME``.

    ``record`` is one entry of a settings file, ``variant`` the keys that a tournament file may
    set, and ``setting`` both together: what the rules are played with. ``probes`` are the kinds
    of private asks. ``board`` makes the pictures of a match, ``talk`` its conversation: without
    them screens list what each player did.

    ``version`` rises when the same tournament file is played differently than before. A save
    of another version is read but not continued.
    """

    name: str
    version: int
    folder: Path
    rules: Callable[[Any, Sequence[Seat], Dice], Rules]
    record: type[Frozen]
    variant: type[Frozen]
    setting: type[Frozen]
    texts: Texts
    seating: Seating
    scoring: Scoring
    settings_file: SettingsFile = field(default_factory=SettingsFile)
    testing: Testing = field(default_factory=Testing)
    hints: Hints = field(default_factory=Hints)
    counting: Counting = field(default_factory=Counting)
    probes: frozenset[str] = frozenset()
    board: MakeBoards = lambda _seats, _events, _outcome: ()
    talk: MakeTalk = lambda _seats, _events, _outcome: ()

    def sides(self, setting: Any) -> tuple[str, ...]:
        """The side of each seat under this setting."""
        return self.seating.sides(setting)

    def secrets(self, setting: Any) -> tuple[tuple[str, ...], ...]:
        """The strings that each seat must not see under this setting."""
        secrets = self.testing.secrets
        return secrets(setting) if secrets else ((),) * self.seats(setting)

    def seats(self, setting: Any) -> int:
        """Number of seats of a match under this setting."""
        return len(self.sides(setting))

    def agents(self, setting: Any) -> int:
        """Number of agents that meet in a match which the schedule plans: one a side, or two."""
        return len({*self.sides(setting)}) if self.seating.pairing == "sides" else 2

    def matches_of_a_group(self, setting: Any, defended: bool) -> int:
        """Number of matches of the agents that meet on one setting; ``defended``: with a defender.

        Where each plays a side, they do so in every order.
        """
        if self.seating.pairing == "each_seat":
            return self.seats(setting) * (1 if defended else 2)
        return factorial(self.agents(setting)) if self.seating.pairing == "sides" else 1

    def shipped(self) -> tuple[Frozen, ...]:
        """The settings that ship with the game."""
        return self.records(self.folder / "data" / "settings.json")

    def records(self, path: Path) -> tuple[Frozen, ...]:
        """The settings of a user's file. Raises BadInput naming file, record and field."""
        return read_records(self.record, self.settings_file.parse, path)

    def make_setting(self, record: Frozen, variant: Frozen, number: int = 0) -> Frozen:
        """The setting of a match, by its number; settings are numbered record by record.

        A setting with the field ``deal`` gets the number of its record.
        """
        further = self.settings_file.expand_settings(variant)
        deal, part = divmod(number, len(further))
        parts = {**record.model_dump(), **variant.model_dump(), **further[part], "deal": deal}
        fields = self.setting.model_fields
        return self.setting.model_validate({key: parts[key] for key in parts if key in fields})

    def defaults(self) -> dict[str, Any]:
        """The variant's keys where a file gives none."""
        return _all_keys(self.variant)

    def condition(self, variant: Frozen) -> str:
        """The variant keys that differ from the defaults, as ``key=value`` joined by commas."""
        usual = self.defaults()
        changed = variant.model_dump(mode="json")
        return ",".join(
            f"{key}={value}"
            for key, value in changed.items()
            # None: another key makes this one meaningless.
            if value != usual[key] and value is not None
        )


def _all_keys(variant: type[Frozen]) -> dict[str, Any]:
    """The variant's keys at their defaults, those included that are left out where unused."""
    usual = variant()
    dumped = usual.model_dump(mode="json")
    return {name: dumped.get(name, getattr(usual, name)) for name in variant.model_fields}


@lru_cache(maxsize=1024)
def variant_keys(variant: type[Frozen], condition: str) -> dict[str, Any]:
    """The variant's keys under a condition as ``Game.condition`` writes it."""
    keys = _all_keys(variant)
    for part in filter(None, condition.split(",")):
        key, _, text = part.partition("=")
        usual = keys.get(key)
        if isinstance(usual, bool):
            keys[key] = text == "True"
        else:
            keys[key] = float(text) if isinstance(usual, int | float) else text
    return keys


@cache
def read_records(
    record: type[Frozen], parse: Callable[[str, str], tuple[Frozen, ...]] | None, path: Path
) -> tuple[Frozen, ...]:
    """The records of a settings file, by the game's own ``parse`` if it has one.

    Raises BadInput naming file, record and field.
    """
    try:
        text = read_plain(path.resolve()).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(str(path), f"cannot be read ({error})", "check the path") from None
    return parse(text, str(path)) if parse else parse_records(record, text, str(path))


def parse_records(record: type[Frozen], text: str, place: str) -> tuple[Frozen, ...]:
    """Settings from the text of a settings file: a JSON array of records.

    Raises BadInput naming the place, the record's number (from 1), the field and the value.
    """
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(place, f"is not JSON ({error})", "fix it at that line") from None
    if not isinstance(entries, list) or not entries:
        raise BadInput(place, "holds no settings", "give a JSON array of at least one record")
    records = []
    for number, entry in enumerate(entries, start=1):
        try:
            # Validated as JSON, where strict mode still lets an array stand for a tuple.
            records.append(record.model_validate_json(json.dumps(entry)))
        except ValidationError as error:
            where, problem = first_problem(error)
            fix = "fields: " + ", ".join(record.model_fields)
            raise BadInput(f"{place}, record {number}{where}", problem, fix) from None
    return tuple(records)
