"""Board of the games of indirect reciprocity: the help between players, and the gossip feed."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from parlour.games.engine.board import (
    Arrow,
    Board,
    Feed,
    FeedItem,
    HelpMatrix,
    MakeBoards,
    Ratio,
    Ring,
)
from parlour.games.engine.encounter import Encounter
from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Record, Seat
from parlour.games.engine.transcript import exact
from parlour.games.families.gossip_games import NEGATIVE, POSITIVE

MEETINGS = frozenset({"turn", "encounter"})
Read = Callable[[Record], Encounter]
Pair = Callable[[Record], tuple[Seat, Seat]]


def gossip_board(read: Read, pair: Pair, title: str = "Who helped whom") -> MakeBoards:
    """The board of a game whose encounters ``read`` understands.

    ``pair`` reads who meets from the event that opens an encounter.
    """

    def board(
        seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
    ) -> tuple[Board, ...]:
        """The matrix of encounters, its cells as a ring, and the feed of gossip."""
        rules: Record = events[0].record if events else {}
        # Where partners are unknown, those who meet are told of a stranger, who has no place here.
        events = [e for e in events if e.kind not in MEETINGS or max(pair(e.record)) < len(seats)]
        items = [
            feed_item(event, rules, met_in(events, event.round, read))
            for event in events
            if event.kind in {"gossip", "report"} and event.by is None
        ]
        met = [read(event.record) for event in events if event.kind == "encounter"]
        actions = list(chain.from_iterable(encounter.actions for encounter in met))
        meeting = () if outcome is not None else _meeting(events, pair)
        acts = [Arrow(action.by, action.to, action.helped, action.share) for action in actions]
        matrix = HelpMatrix(
            title,
            tuple(acts),
            "holds" if "endowment" in rules else "earned",
            _holdings(seats, met, float(rules.get("endowment", 0))),
            tuple("".join(_known_of(seat, events, rules, read)) for seat in seats),
            meeting,
            _ratios(len(seats), met, items),
        )
        helped = tuple(act for act in acts if act.good is not None)
        return (
            matrix,
            Ring("Help", helped, marked=meeting, again=True),
            Feed("Gossip", tuple(items)),
        )

    return board


def _meeting(events: Sequence[Event], pair: Pair) -> tuple[Seat, ...]:
    """The pair whose encounter has begun and whose action is yet to be told."""
    for event in reversed(events):
        if event.kind == "encounter":
            return ()
        if event.kind == "turn":
            return pair(event.record)
    return ()


def _ratios(players: int, met: Sequence[Encounter], items: Sequence[FeedItem]) -> tuple[Ratio, ...]:
    """Encounters so far, how many of their actions helped, and untrue messages."""
    actions = chain.from_iterable(encounter.actions for encounter in met)
    helped = [action.helped for action in actions if action.helped is not None]
    ratios = [
        Ratio("met", len(met), players * (players - 1) // 2),
        Ratio("helped", sum(helped), len(helped)),
    ]
    if items:
        untrue = sum(item.true is False for item in items)
        ratios.append(Ratio("untrue", untrue, len(items), bad=True))
    return tuple(ratios)


def met_in(events: Sequence[Event], round: int, read: Read) -> Encounter | None:
    """The encounter of a round, None as long as it is not told."""
    met = (event for event in events if event.kind == "encounter" and event.round == round)
    first = next(met, None)
    return None if first is None else read(first.record)


def feed_item(event: Event, rules: Record, met: Encounter | None) -> FeedItem:
    """A published message or report, checked against the encounter that it is about."""
    record = event.record
    speaker, about = record["speaker"], record["about"]
    action = met.action_of(about) if met is not None else None
    true: bool | None = None
    if event.kind == "report":
        reported = record["action"] if "action" in record else record["amount"]
        text = reported if isinstance(reported, str) else f"gave {exact(reported)}"
        if action is not None:
            true = bool(reported == action.done)
        return FeedItem(event.round, speaker, about, "", text, true)
    tone = record["tone"] if "tone" in record else f"signal {record['signal']}"
    sign = _sign(record, rules)
    if action is not None and action.helped is not None and sign != "·":
        true = (sign == "+") == action.helped
    return FeedItem(event.round, speaker, about, tone, record.get("message", ""), true, sign)


def _sign(record: Record, rules: Record) -> str:
    """+ for a good word, - for a bad one, · for what is neither.

    A signal is a word only under the convention that 1 is good.
    """
    tone, signal = record.get("tone"), record.get("signal")
    if tone in POSITIVE:
        return "+"
    if tone in NEGATIVE:
        return "-"
    if signal is not None and rules.get("gossip") == "binary_convention":
        return "+" if signal == 1 else "-"
    return "·"


def _known_of(seat: Seat, events: Sequence[Event], rules: Record, read: Read) -> Iterator[str]:
    """Signs of what everybody knows of a seat: gossip, and actions under public monitoring."""
    for event in events:
        if event.kind == "gossip" and event.by is None and event.record["about"] == seat:
            yield _sign(event.record, rules)
        elif event.kind == "encounter" and event.to is None:
            action = read(event.record).action_of(seat)
            if action is not None and action.helped is not None:
                yield "+" if action.helped else "-"


def _holdings(
    seats: Sequence[Seat], met: Sequence[Encounter], endowment: float
) -> tuple[float, ...]:
    holdings = dict.fromkeys(seats, endowment)
    for encounter in met:
        for seat, reward in zip(encounter.pair, encounter.rewards, strict=True):
            holdings[seat] += reward
    return tuple(holdings.values())
