"""A game with mechanisms: its metadata, with the key ``mechanism`` and what each one adds."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import inf
from typing import Any, ClassVar, Literal

from pydantic import Field, create_model, model_serializer, model_validator

from parlour.games.common.validation_messages import in_toml
from parlour.games.engine import board, talk
from parlour.games.engine.counting import Count, Counting, Measure
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Event
from parlour.games.engine.game import Frozen, Game, Sentence, Sparse, Texts
from parlour.games.engine.moves import Outcome, Rules, Seat, player
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.games.engine.transcript import because
from parlour.games.mechanisms.contract import Contract
from parlour.games.mechanisms.exclusion import Exclusion, shut_out
from parlour.games.mechanisms.layer import Mechanism, count_mechanism, play
from parlour.games.mechanisms.mediation import Mediation
from parlour.games.mechanisms.punishment import Punishment
from parlour.games.mechanisms.reputation import Reputation
from parlour.games.mechanisms.side_payments import SidePayments

MECHANISMS: tuple[type[Mechanism], ...] = (
    Punishment,
    Contract,
    SidePayments,
    Mediation,
    Reputation,
    Exclusion,
)
"""All mechanisms, in the order of their page."""
BY_NAME = {each.name: each for each in MECHANISMS}
NONE = "none"
"""The value of the key ``mechanism`` for the game as it is."""

OUT = "is shut out"

ALONE = frozenset({"partners", "generations"})
"""Keys of games that no mechanism goes with: who is fined or paid must be known, and be there."""


class MechanismKeys(Sparse):
    """Keys of mechanisms; those of a mechanism that is not played stand nowhere."""

    keys_of: ClassVar[Mapping[str, frozenset[str]]] = {}
    part_of: ClassVar[tuple[str, str]]
    """The game, and which of its parts the class is: it is made at run time, so it has no name."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (*self.part_of, self.model_dump())

    @model_validator(mode="after")
    def _of_the_mechanism(self) -> "MechanismKeys":
        # Not before the fields: JSON would be read as Python then, and its lists be no tuples.
        chosen, fields = getattr(self, "mechanism", NONE), type(self).model_fields
        needs = dict.fromkeys(fields.keys() & ALONE if chosen != NONE else (), NONE)
        for name, keys in self.keys_of.items():
            needs |= dict.fromkeys(keys if name != chosen else (), name)
        for key, name in needs.items():
            if (value := getattr(self, key)) != fields[key].default:
                raise ValueError(f"{key} = {in_toml(value)} needs mechanism = {name!r}")
        return self

    @model_serializer(mode="wrap")
    def _without_unused(self, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        name = getattr(self, "mechanism", NONE)
        unused = self.unchanged() | ({"mechanism"} if name == NONE else set())
        unused.update(*(keys for other, keys in self.keys_of.items() if other != name))
        return {key: value for key, value in handler(self).items() if key not in unused}


def _unpickled(game: str, part: str, keys: Mapping[str, Any]) -> Frozen:
    """A variant or a setting that was pickled."""
    made: Frozen = getattr(find_game(game, game), part).model_validate(keys)
    return made


def with_mechanisms(game: Game) -> Game:
    """The game with the key ``mechanism``; at "none" it is played as it is."""
    rounds = game.hints.rounds
    assert rounds is not None
    own = tuple(m for m in MECHANISMS if m.fits(rounds))

    def rules(setting: Any, seats: Sequence[Seat], dice: Dice) -> Rules:
        """The game's rules, with the mechanism of the setting over them."""
        name = getattr(setting, "mechanism", NONE)
        if name == NONE:
            return game.rules(setting, seats, dice)
        return play(game, BY_NAME[name], setting, seats, dice)

    keys = dict(chain.from_iterable(each.keys.items() for each in own))
    fields: dict[str, Any] = {
        "mechanism": (Literal[(NONE, *(each.name for each in own))], NONE),
        **{key: _key(default, rounds.stake) for key, default in keys.items()},
        "keys_of": (
            ClassVar[Mapping[str, frozenset[str]]],
            {each.name: frozenset(each.keys) for each in own},
        ),
    }
    parts: dict[str, type[Frozen]] = {"variant": game.variant, "setting": game.setting}
    variant, setting = (
        create_model(
            model.__name__,
            __base__=(MechanismKeys, model),
            part_of=(ClassVar[tuple[str, str]], (game.name, part)),
            **fields,
        )
        for part, model in parts.items()
    )
    return replace(
        game,
        rules=rules,
        variant=variant,
        setting=setting,
        texts=_texts(game, own),
        counting=_counting(game, own),
        board=_board(game.board),
        talk=_talk(game.talk),
    )


def _key(default: float, stake: float) -> tuple[type, Any]:
    """The field of a key of a mechanism: a count, or points."""
    if isinstance(default, int):
        return int, Field(default=default, ge=1, le=50)
    return float, Field(default=default * stake, ge=0, le=1_000_000)


def _merged(own: Sequence[type[Mechanism]], part: str) -> dict[str, Any]:
    """One of the mappings of all these mechanisms."""
    return dict(chain.from_iterable(getattr(each, part).items() for each in own))


def _texts(game: Game, own: Sequence[type[Mechanism]]) -> Texts:
    """The game's words and those of the mechanisms."""
    texts, rounds = game.texts, game.hints.rounds
    assert rounds is not None
    kinds = {
        "mechanism": "the mechanism and its numbers",
        **({"meeting": "two players learn whom they meet"} if rounds.pair else {}),
        **_merged(own, "kinds"),
    }

    def told(events: Sequence[Event]) -> Iterator[Event]:
        """Yields the events; who was shut out of a round has no move in its result."""
        out = shut_out(events)
        for event in events:
            moves = event.record.get(rounds.moves) if event.by is None else None
            if moves and out[event.round]:
                own = [OUT if seat in out[event.round] else move for seat, move in enumerate(moves)]
                yield event._replace(record={**event.record, rounds.moves: own})
            else:
                yield event

    return replace(
        texts,
        told=told,
        kinds={**texts.kinds, **kinds},
        sentences={**texts.sentences, **{kind: _sentence(kind) for kind in kinds}},
        phases={**texts.phases, **_merged(own, "phases")},
        pending={**texts.pending, **_merged(own, "pending")},
        asks={**texts.asks, **_merged(own, "asks")},
    )


def _sentence(kind: str) -> Sentence:
    return lambda event: f"{_PHRASES[kind](event)}{because(event.record)}"


def _announcement(event: Event) -> str:
    mechanism = BY_NAME[event.record["name"]]
    numbers = (f"{key.replace('_', ' ')} {event.record[key]:g}" for key in mechanism.keys)
    return ", ".join((mechanism.title, *numbers))


_PHRASES: Mapping[str, Sentence] = {
    "mechanism": _announcement,
    "meeting": lambda event: " meets ".join(map(player, event.record["players"])),
    **_merged(MECHANISMS, "phrases"),
}


def _counting(game: Game, own: Sequence[type[Mechanism]]) -> Counting:
    """The game's counts, and those of the mechanism of a match.

    What is rational in the game alone is not so under a mechanism, and is not counted there.
    """
    counting = game.counting
    rational = counting.profile.get("rationality")

    def match(record: MatchRecord) -> Iterator[Count]:
        """Yields the counts of one match."""
        layered = "mechanism" in record.outcome.facts
        for count in counting.match(record):
            if not (layered and count[2] == rational):
                yield count
        if layered:
            yield from count_mechanism(record)

    measures: chain[Measure] = chain.from_iterable(each.measures for each in own)
    return replace(counting, match=match, measures=(*counting.measures, *measures))


def _board(inner: board.MakeBoards) -> board.MakeBoards:
    """The game's pictures with net points, and one of those that the mechanism brought and cost."""

    def pictures(
        seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
    ) -> tuple[board.Board, ...]:
        """The pictures of the game from its own events, then the mechanism's."""
        boards = inner(seats, [event for event in events if event.kind not in _PHRASES], outcome)
        announced = next((event for event in events if event.kind == "mechanism"), None)
        if announced is None:
            return boards
        rows = [(e.round, dict(e.record["changes"])) for e in events if e.record.get("changes")]

        def moved(seat: int, last: float = inf) -> float:
            """The points of a seat by the mechanism, up to a round."""
            of_seat = (points.get(seat, 0.0) for round, points in rows if round <= last)
            return float(sum(of_seat))

        grid = [board.GridRow(str(round), _cells(seats, points)) for round, points in rows]
        if grid:
            totals = {seat: moved(seat) for seat in seats}
            grid.append(board.GridRow("total", _cells(seats, totals), total=True))
        out = shut_out(events)
        return (
            *(_net(each, moved, out) for each in boards),
            board.Grid(BY_NAME[announced.record["name"]].title, tuple(grid)),
        )

    return pictures


def _net(
    picture: board.Board, moved: Callable[..., float], out: Mapping[int, Collection[Seat]]
) -> board.Board:
    """A picture of the game with the points of the mechanism in its sums; who is out has no move.

    What players hold stays as it is: they cannot give these points away.
    """
    match picture:
        case board.Bars():
            results = (None if b.result is None else b.result + moved(b.seat) for b in picture.bars)
            bars = map(lambda bar, result: replace(bar, result=result), picture.bars, results)
            return replace(picture, bars=tuple(bars))
        case board.Lines():
            values = []
            for seat, line in enumerate(picture.values):
                net = (value + moved(seat, round) for round, value in enumerate(line))
                values.append(tuple(net))
            return replace(picture, values=tuple(values))
        case board.HelpMatrix(holding="earned"):
            earned = (points + moved(seat) for seat, points in enumerate(picture.holdings))
            return replace(picture, holdings=tuple(earned))
        case board.Grid():
            return replace(picture, rows=tuple(_net_row(row, moved, out) for row in picture.rows))
    return picture


def _net_row(
    row: board.GridRow, moved: Callable[..., float], out: Mapping[int, Collection[Seat]]
) -> board.GridRow:
    if row.total:
        totals = (float(cell.text) + moved(seat) for seat, cell in enumerate(row.cells))
        return replace(row, head="net", cells=tuple(board.GridCell(f"{net:g}") for net in totals))
    absent = out[int(row.head)]
    if not absent:
        return row
    cells = (
        replace(cell, text="out", good=None) if seat in absent else cell
        for seat, cell in enumerate(row.cells)
    )
    return replace(row, cells=tuple(cells), note="")


def _cells(seats: Sequence[Seat], points: Mapping[Seat, float]) -> tuple[board.GridCell, ...]:
    changes = [points.get(seat, 0.0) for seat in seats]
    return tuple(board.GridCell(f"{change:+g}" if change else "·") for change in changes)


def _talk(inner: talk.MakeTalk) -> talk.MakeTalk:
    """The game's conversation, with what the mechanism asked and told in its rounds."""

    def conversation(
        seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
    ) -> tuple[talk.TalkItem, ...]:
        """The items of the game, and those of the mechanism at the end of their rounds."""
        plain = inner(seats, [e for e in events if e.kind not in _PHRASES], outcome)
        items = list(_present(plain, shut_out(events)))
        added = [event for event in events if event.kind in _PHRASES]
        for number in dict.fromkeys(event.round for event in added):
            own = [event for event in added if event.round == number]
            end = _end_of(number, items)
            items[end:end] = _items(own)
        return tuple(items)

    return conversation


def _present(
    items: Iterable[talk.TalkItem], out: Mapping[int, Collection[Seat]]
) -> Iterator[talk.TalkItem]:
    """Yields the items; moves of those who are shut out are none of their own."""
    round = 0
    for item in items:
        if isinstance(item, talk.Heading):
            round = _round_of(item)
        if isinstance(item, talk.Action) and item.seat in out[round]:
            yield replace(item, words=OUT, sign="", share=None, short="out", good=None)
        else:
            yield item


def _end_of(number: int, items: Sequence[talk.TalkItem]) -> int:
    """The place after the last item of a round."""
    for place, item in enumerate(items):
        if isinstance(item, talk.Ending) or (
            isinstance(item, talk.Heading) and _round_of(item) > number
        ):
            return place
    return len(items)


def _round_of(heading: talk.Heading) -> int:
    return int(heading.words.removeprefix("round "))


def _items(events: Sequence[Event]) -> Iterator[talk.TalkItem]:
    """Yields what players did by the mechanism, once others know of it, and what was told."""
    shown = [place for place, event in enumerate(events) if event.by is None]
    for place, event in enumerate(events):
        if event.by is None:
            yield talk.Note(_PHRASES[event.kind](event))
        elif event.fault is not None:
            yield from talk.fault_lines([event])
        elif place > max(shown, default=-1):
            yield talk.Chosen(event.by)
        else:
            yield talk.Action(
                event.by, _PHRASES[event.kind](event), reason=talk.reason_of(event.record)
            )
