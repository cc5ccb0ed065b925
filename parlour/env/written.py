"""Observations of a table as text and as data, each made once and extended by what is new."""

from collections.abc import Hashable, Mapping
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from jinja2 import Environment, nodes
from jinja2.meta import find_referenced_templates, find_undeclared_variables

from parlour.agents.question import as_data
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Seat, player
from parlour.games.engine.prompts import Prompt, filled, known, learn, prompt_folders, templates_of
from parlour.games.engine.table import Table

_ABOUT_THE_SEAT = frozenset({"me", "seat", "others", "own"})
"""Names in a template whose values differ between seats that were told the same."""


FEW_EVENTS, MOST_SHORT = 8, 10_000
_SHORT: dict[Hashable, str] = {}
"""Texts that were made of few events, at most ``MOST_SHORT``."""


class Reads(NamedTuple):
    """The parts of the context that a template reads, and the templates that it includes.

    ``kinds`` are the kinds of events that were told (None: any).
    """

    names: frozenset[str]
    kinds: tuple[str, ...] | None

    def state(self, context: Mapping[str, Any]) -> Hashable:
        """A value that is another one as soon as the template would make another text."""
        # Seats share their events, so equal ids are equal texts wherever no name says whose.
        events = tuple(map(id, self._events(context)))
        return events, context["round"] if "round" in self.names else 0

    def content(self, context: Mapping[str, Any]) -> str:
        """The same for all matches; "" where there are many events."""
        events = self._events(context)
        few = len(events) <= FEW_EVENTS
        return repr((events, context["round"] if "round" in self.names else 0)) if few else ""

    def _events(self, context: Mapping[str, Any]) -> list[Event]:
        events = context["told"]
        kinds = sorted(events) if self.kinds is None else self.kinds
        own = context["own"] if "own" in self.names else ()
        return [*chain.from_iterable(events.get(kind, ()) for kind in kinds), *own]


@cache
def reads_of(templates: Environment, name: str) -> Reads:
    """The parts of the context that the template of this name reads."""
    assert templates.loader is not None
    parsed = templates.parse(templates.loader.get_source(templates, name)[0])
    names, kinds = find_undeclared_variables(parsed), _kinds(parsed)
    if "rules" in names and kinds is not None:
        kinds.add("rules")
    for included in find_referenced_templates(parsed):
        if included is None:  # known only when the template is filled
            return Reads(_ABOUT_THE_SEAT | {"round"}, None)
        more = reads_of(templates, included)
        names |= more.names
        kinds = None if kinds is None or more.kinds is None else kinds.union(more.kinds)
    return Reads(frozenset(names), None if kinds is None else tuple(sorted(kinds)))


def _kinds(parsed: nodes.Template) -> set[str] | None:
    """The kinds of events that a template itself reads; None if they are not named in it."""
    uses = [each for each in parsed.find_all(nodes.Name) if each.name == "told"]
    named = [each for each in parsed.find_all(nodes.Getattr) if each.node in uses]
    return {each.attr for each in named} if len(named) == len(uses) else None


class Written:
    """The observations of the seats of one table.

    A text is filled again only if something was told since that its template reads, and then for
    all seats that it is the same for; one of few events, such as the rules, for many matches.
    """

    def __init__(self, table: Table, wording: str = "full") -> None:
        language = table.view(table.seats[0]).language
        folder, shorter = prompt_folders(table.game, wording, language)
        self._table, self.wording = table, wording
        self._templates = templates_of(table.game, folder, None, shorter)
        self._contexts = [known(table.view(seat)) for seat in table.seats]
        self._learnt = [len(table.told(seat)) for seat in table.seats]
        self._texts: dict[tuple[str, Seat | None], tuple[Hashable, str]] = {}
        self._events: list[list[dict[str, Any]]] = [[] for _ in table.seats]
        self.heard: dict[Seat, KnownLines] = {}
        """The news that each seat was given last."""

    def prompt(self, seat: Seat) -> Prompt:
        """The prompt of the pending ask, as every agent gets it."""
        ask = self._table.pending
        assert ask is not None
        if news := self._table.told(seat, self._learnt[seat]):
            learn(self._contexts[seat], news)
            self._learnt[seat] += len(news)
        return Prompt(self._text("system.j2", seat), self._text(f"{ask.kind}.j2", seat))

    def _text(self, name: str, seat: Seat) -> str:
        context, reads = self._contexts[seat], reads_of(self._templates, name)
        place = name, None if reads.names.isdisjoint(_ABOUT_THE_SEAT) else seat
        state, last = reads.state(context), self._texts.get(place)
        if last is None or last[0] != state:
            key = self._templates, place, len(self._contexts), reads.content(context)
            text = _SHORT.get(key)
            if text is None:
                (text,), _ = filled(self._table.game, self._templates, (name,), context)
            if key[-1]:
                if len(_SHORT) >= MOST_SHORT:
                    _SHORT.clear()
                _SHORT[key] = text
            last = self._texts[place] = state, text
        return last[1]

    def delta(self, seat: Seat) -> str:
        """The part of the prompt that is new since the last ask at which the seat took its delta.

        A question begins with the history, one line a record, before its first blank line. Of this
        part only the new lines are left; a first delta is the whole prompt.
        """
        prompt = self.prompt(seat)
        system, question = prompt.system, prompt.question
        history, blank, rest = question.partition("\n\n")
        lines = tuple(history.split("\n")) if blank else ()
        number, before = self._table.ask_number, self.heard.get(seat)
        known_lines = before.known_at(number) if before else None
        self.heard[seat] = KnownLines(number, known_lines, lines)
        if known_lines is None:
            return f"{system}\n\n{question}"
        new = [line for line in lines if line not in known_lines]
        return "\n".join([*new, "", rest] if new else [rest or question])

    def data(self, seat: Seat) -> dict[str, Any]:
        """The knowledge of a seat as plain data, and the kind and round of what it is asked."""
        ask, events = self._table.pending, self._events[seat]
        new = self._table.told(seat, len(events))
        events += [as_data(self._table.game, event) for event in new]
        return {
            "game": self._table.game.name,
            "player": player(seat),
            "kind": ask.kind if ask is not None else None,
            "round": ask.round if ask is not None else None,
            "events": events.copy(),
        }


class KnownLines(NamedTuple):
    """The lines that a seat knew before an ask (None: nothing), and those of the ask's history."""

    ask: int
    before: frozenset[str] | None
    lines: tuple[str, ...]

    def known_at(self, ask: int) -> frozenset[str] | None:
        """The lines that the seat knows before this ask."""
        return self.before if ask == self.ask else (self.before or frozenset()).union(self.lines)
