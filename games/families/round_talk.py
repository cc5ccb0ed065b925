"""Conversation of games in which all players decide at once, round by round."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from parlour.games.engine import talk
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Record, Seat, player

Reasons = Mapping[Seat, str]
Actions = Callable[[Record, Record, Reasons], Sequence[talk.Action]]
"""The actions of a round, from the rules, what all were shown, and the private reasons."""


def round_talk(
    asked: str, shown: str, actions: Actions, stages: Callable[[Record], str]
) -> talk.MakeTalk:
    """The conversation of a game of rounds.

    All answer an ask of the kind ``asked`` and are told of it by the kind ``shown``. ``stages``
    puts the rules in a sentence.
    """

    def conversation(
        seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
    ) -> tuple[talk.TalkItem, ...]:
        """The rules, then each round, the one to come with its heading."""
        if not events:
            return ()
        rules = events[0].record
        items: list[talk.TalkItem] = [talk.Note(stages(rules)), talk.Heading("round 1")]
        for round, group in groupby(events[1:], lambda event: event.round):
            if round > 1:
                items.append(talk.Heading(f"round {round}"))
            items += _round(rules, list(group))
        last = events[-1]
        if outcome is None and last.kind == shown and last.round < rules["rounds"]:
            items.append(talk.Heading(f"round {last.round + 1}"))
        if outcome is not None:
            items.append(talk.Ending(_ending(outcome)))
        return tuple(items)

    def _round(rules: Record, events: Sequence[Event]) -> Iterator[talk.TalkItem]:
        """Yields what all chose, or, as long as that is not shown, who has chosen."""
        answers = [event for event in events if event.kind == asked]
        result = next((event for event in events if event.kind == shown), None)
        yield from talk.fault_lines(answers)
        reasons = {
            event.by: talk.reason_of(event.record) for event in answers if event.by is not None
        }
        if result is not None:
            yield from actions(rules, result.record, reasons)
            return
        for seat in reasons:
            yield talk.Chosen(seat)

    return conversation


def _ending(outcome: Outcome) -> str:
    """The winners and their points."""
    names = [player(seat) for seat in outcome.winners]
    points = f"{max(outcome.payoffs):g} points"
    if len(names) == len(outcome.payoffs):
        return f"all end level with {points}"
    if len(names) == 1:
        return f"{names[0]} wins with {points}"
    return f"{' and '.join(names)} win with {points} each"
