"""A match in play, determined by its setting, seed and answers."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from json import JSONEncoder, encoder
from pathlib import Path
from traceback import extract_tb
from typing import Any

from parlour.games.common.errors import GameFailed, ParlourError
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import GENERATION, Event, View
from parlour.games.engine.game import Game
from parlour.games.engine.moves import (
    Answer,
    Ask,
    Fault,
    FaultKind,
    Outcome,
    Record,
    Seat,
    Tell,
    player,
)
from parlour.games.engine.registry import find_game

# What ``encode`` of JSONEncoder(sort_keys=True, separators=(",", ":"), check_circular=False)
# makes again for each text.
_texts_of = encoder.c_make_encoder(  # type: ignore[attr-defined]
    None, JSONEncoder().default, encoder.encode_basestring_ascii, None, ":", ",", True, False, True
)

_event = tuple.__new__
"""Makes an Event of its fields without the overhead of a call by their names."""


Given = tuple[Seat, Record, FaultKind | None]
"""A seat, its recorded answer, and the fault if that is a fallback."""


class NotAsked(ValueError):
    """An answer from a seat that has no open question."""


class IllegalAnswer(ValueError):
    """An answer that the pending ask does not accept."""


class Table:
    """Wraps a game's generator: shows the pending ask, takes answers, and records events.

    A table is rebuilt from the stored answers, so resuming, replaying, rewinding, forking, copying
    and pickling are the same operation.
    """

    def __init__(
        self, game: Game, setting: Any, seats: int, seed: int, version: int | None = None
    ) -> None:
        """``version`` is that of the game by which a stored match was played, None for today's."""
        self.game, self.setting, self.seed, self._version = game, setting, seed, version
        self.seats = tuple(Seat(i) for i in range(seats))
        self.events: list[Event] = []
        self.outcome: Outcome | None = None
        self.pending: Ask[Any] | None = None
        """The question on the table, None once the match is over."""
        self.ask_number = -1
        """Number of asks before the pending one."""
        self.answered: dict[Seat, Answer] = {}
        """Answers to the pending ask so far; no player sees them before all have answered."""
        self._faults: dict[Seat, FaultKind] = {}
        # One list and one running hash per seat: views and digests take no pass over all events.
        self._views: tuple[list[Event], ...] = tuple([] for _ in self.seats)
        of_game = blake2b(f"{game.name} {version or game.version}".encode())
        self._born = [0] * seats
        """The events in each view from before the generation that plays."""
        self._hashes = [of_game.copy() for _ in self.seats]
        self._hashed = 0
        self._rules = game.rules(setting, self.seats, Dice(seed, "match"))
        self._advance(None)

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """The seats that have yet to answer the pending ask."""
        if self.pending is None:
            return ()
        return tuple(seat for seat in self.pending.seats if seat not in self.answered)

    @property
    def so_far(self) -> list[Event]:
        """The events, and at their end the answers to the pending ask that have come in.

        For onlookers alone: no player sees these answers before all have been given.
        """
        ask = self.pending
        if ask is None:
            return self.events
        answered = [seat for seat in ask.seats if seat in self.answered]
        return [*self.events, *self._answer_events(ask, answered)]

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is the same game on the same setting and seed, given the same answers."""
        made = self.game.name, self.setting, len(self.seats), self.seed, self._version
        return _replayed, (*made, tuple(self.given()))

    def given(self) -> Iterator[Given]:
        """Yields the answers so far in the order in which a replay takes them."""
        for event in self.so_far:
            if event.by is not None:
                yield event.by, event.record, event.fault

    def take_again(self, given: Given) -> None:
        """Takes an answer as ``given`` yields it."""
        seat, record, fault = given
        ask = self._asked((seat,))
        value = ask.answer.model_validate(record) if fault is None else Fault(fault)
        self._take(ask, {seat: value})

    def view(self, seat: Seat) -> View:
        """The knowledge of this seat now: of its generation, and from before the first round."""
        events, born = self._views[seat], self._born[seat]
        if born:
            events = [event for event in events[:born] if not event.round] + events[born:]
        return View(self.game.name, seat, self.seats, tuple(events))

    def told(self, seat: Seat, since: int = 0) -> list[Event]:
        """The events of the seat's view from the one with this number on."""
        return self._views[seat][since:]

    def fallback(self, seat: Seat) -> Any:
        """The replacement of this seat's faulty answer, drawn from a separate stream."""
        if self.pending is None:
            raise NotAsked("the match is over")
        return self.pending.fallback(seat, Dice(self.seed, "fallback", self.ask_number, seat))

    def answer(self, answers: Mapping[Seat, object]) -> None:
        """Takes answers (or faults) of some waiting seats, and moves on when all have answered.

        Raises NotAsked or IllegalAnswer, and then nothing has changed.
        """
        ask = self._asked(answers)
        judged: dict[Seat, Answer | Fault] = {}
        for seat, raw in answers.items():
            if isinstance(raw, Fault):
                judged[seat] = raw
                continue
            value = judged[seat] = ask.judge(seat, raw)
            if isinstance(value, Fault):
                raise IllegalAnswer(f"{player(seat)}, {ask.kind}: {value.message}")
        self._take(ask, judged)

    def take(self, judged: Mapping[Seat, Answer | Fault]) -> None:
        """The same for answers that the pending ask has judged already.

        Raises NotAsked, and then nothing has changed.
        """
        self._take(self._asked(judged), judged)

    def _take(self, ask: Ask[Any], judged: Mapping[Seat, Answer | Fault]) -> None:
        answered = self.answered
        for seat, value in judged.items():
            if isinstance(value, Fault):
                self._faults[seat] = value.kind
                answered[seat] = self.fallback(seat)
            else:
                answered[seat] = value
        if len(answered) == len(ask.seats):
            self._close(ask)

    def _asked(self, answers: Iterable[Seat]) -> Ask[Any]:
        """The pending ask, if all these seats are waited for. Raises NotAsked."""
        ask = self.pending
        if ask is None:
            raise NotAsked("the match is over")
        for seat in answers:
            if seat not in ask.seats or seat in self.answered:
                raise NotAsked(f"{player(seat)} is not waited for")
        return ask

    def digest(self) -> str:
        """Digest of the pending ask and of all that the asked seats were told.

        Covers rules version, kind, seats and the seats' views, not the wording of prompts:
        editing a template must not freeze saves.
        """
        if self.pending is None:
            raise NotAsked("the match is over")
        whole = blake2b(digest_size=8)
        whole.update(f"{self.ask_number} {self.pending.kind} {self.pending.round}".encode())
        self._hash_news()
        for seat in self.pending.seats:
            whole.update(f" {seat} ".encode())
            whole.update(self._hashes[seat].digest())
        return whole.hexdigest()

    def _hash_news(self) -> None:
        """Adds the events since the last time to the hashes of all seats that saw them."""
        for kind, round, record, to, by, *_ in self.events[self._hashed :]:
            seen_by = self.seats if to is None else to
            if seen_by:
                text = "".join(_texts_of([kind, round, by is None, record], 0)).encode()
                for seat in seen_by:
                    self._hashes[seat].update(text)
        self._hashed = len(self.events)

    def _close(self, ask: Ask[Any]) -> None:
        """Puts the answers on record in seat order and lets the game go on."""
        events = self._answer_events(ask, ask.seats)
        self.events += events
        if not ask.probe:
            for seat, event in zip(ask.seats, events, strict=True):
                self._views[seat].append(event)
        answers = {seat: self.answered[seat] for seat in ask.seats}
        self.answered, self._faults = {}, {}
        self._advance(answers)

    def _answer_events(self, ask: Ask[Any], seats: Iterable[Seat]) -> list[Event]:
        """The answers of these seats as events."""
        kind, round, number = ask.kind, ask.round, self.ask_number
        answered, faults = self.answered, self._faults
        events = []
        for seat in seats:
            value = answered[seat]
            # model_dump without its overhead.
            record = value.__pydantic_serializer__.to_python(value, mode="json")
            # Nobody sees an answer but its author; the rules tell the others what they may know.
            to = () if ask.probe else (seat,)
            fault = faults.get(seat) if faults else None
            events.append(_event(Event, (kind, round, record, to, seat, number, fault)))
        return events

    def _advance(self, answers: dict[Seat, Answer] | None) -> None:
        self.pending = None
        events, views, rules = self.events, self._views, self._rules
        try:
            move = rules.send(answers)
            while isinstance(move, Tell):  # tells need no answer, so the rules run on to an ask
                kind, record, to, round = move
                event = _event(Event, (kind, round, record, to, None, None, None))
                events.append(event)
                if kind == GENERATION:
                    self._born = list(map(len, views))
                for seat in self.seats if to is None else to:
                    views[seat].append(event)
                move = next(rules)
        except StopIteration as stop:
            self.outcome = self._checked(stop.value)
        except ParlourError:
            raise
        except Exception as error:
            last = extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}, line {last.lineno}"
            problem = f"its rules failed with {type(error).__name__}: {error} ({where})"
            raise GameFailed(f"game {self.game.name!r}: {problem}; fix its rules") from error
        else:
            self.pending = move
            self.ask_number += 1

    def _checked(self, outcome: Outcome) -> Outcome:
        """The outcome, if it has a payoff and a role for every seat. GameFailed otherwise."""
        for name in ("payoffs", "roles"):
            entries = getattr(outcome, name)
            if len(entries) != len(self.seats):
                problem = f"its outcome has {len(entries)} {name} for {len(self.seats)} seats"
                raise GameFailed(f"game {self.game.name!r}: {problem}; fix its rules")
        return outcome


def _replayed(
    game: str, setting: Any, seats: int, seed: int, version: int | None, given: Iterable[Given]
) -> Table:
    """A table that is given recorded answers."""
    table = Table(find_game(game, "table"), setting, seats, seed, version)
    for each in given:
        table.take_again(each)
    return table
