"""Events in words: one line each, for whoever looks on."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from parlour.games.engine.moves import Record, player
from parlour.games.engine.table import Event, Table
from parlour.games.families.encounters import pair, rewards

_SEATS = frozenset({"speaker", "suspect", "viewer", "proposer", "voter", "accused"})
"""Fields that hold a seat."""
_TOLD_NEXT = frozenset({"clue", "gossip", "report", "choose", "contribute", "propose", "approve"})
"""Kinds of answers that all are told in the next event."""


def transcript(events: Iterable[Event]) -> Iterator[Event]:
    """The events worth a line: what all are told in the next one is not said twice.

    That is a clue or a proposal, gossip or a report, a choice, a contribution or an approval,
    each only without a private reason.
    """
    for event in events:
        published = event.kind in _TOLD_NEXT and event.by is not None
        reason = event.record.get("justification") or event.record.get("reasoning")
        if not published or event.fault is not None or reason:
            yield event


def sentence(event: Event) -> str:
    """An event as one line. Whatever a player wrote stands in quotation marks."""
    if event.by is not None:
        who = player(event.by)
    elif event.to is not None:
        who = f"To {', '.join(player(seat) for seat in event.to)}"
    else:
        who = "Table"
    fault = f" [fault: {event.fault}]" if event.fault else ""
    return f"{who}: {_in_words(event)}{fault}"


def _in_words(event: Event) -> str:
    record = event.record
    match event.kind:
        case "said":
            return f"{player(record['speaker'])} says {quoted(record['text'])}"
        case "clue":
            return f"gives the clue {quoted(record['text'])}"
        case "word":
            return f"your word is {quoted(record['word'])}"
        case "order":
            return f"speaking order {', '.join(player(seat) for seat in record['speakers'])}"
        case "vote":
            return _vote(record)
        case "own_role":
            return f"takes itself for {record['role'] or 'nothing'}"
        case "beliefs":
            own_first = sorted(record["beliefs"], key=lambda b: b["viewer"] != event.by)
            return "; ".join(
                ("" if belief["viewer"] == event.by else f"thinks {_seat(belief['viewer'])} ")
                + f"suspects {_seat(belief['suspect'])}"
                for belief in own_first
            )
        case "topic":
            return f"the topic is {quoted(record['topic'])}"
        case "role":
            return f"your role is {record['role']}"
        case "team":
            mate = record["teammate"]
            return f"your team mate is {'one of the others' if mate is None else player(mate)}"
        case "accused":
            return f"{player(record['accused'])} is found out"
        case "guess" | "supposed_word":
            guess = "no word" if record["word"] is None else quoted(record["word"])
            return f"guesses {guess}" if event.kind == "guess" else f"takes the word for {guess}"
        case "choose":
            return f"chooses to {record['action']}{_because(record)}"
        case "choices":
            return _each(record["actions"], [f"{earned:g}" for earned in record["points"]])
        case "contribute":
            return f"gives {record['amount']}{_because(record)}"
        case "contributions":
            return _each(record["amounts"], [f"{left} left" for left in record["left"]])
        case "airlines":
            return "; ".join(
                f"{player(seat)} is {quoted(each['name'])}, {each['flights']} flights"
                for seat, each in enumerate(record["airlines"])
            )
        case "propose" | "proposed":
            who = f"{player(record['proposer'])} " if "proposer" in record else ""
            split = " / ".join(map(str, record["shares"]))
            return f"{who}proposes {split}{_because(record)}"
        case "approve":
            return f"votes for the proposal of {_seat(record['proposer'])}{_because(record)}"
        case "approved":
            voter, proposer = player(record["voter"]), _seat(record["proposer"])
            return f"{voter} votes for the proposal of {proposer}"
        case "approvals":
            return ", ".join(
                f"{player(seat)} for {_seat(proposer)}"
                for seat, proposer in enumerate(record["proposers"])
            )
        case "turn":
            return _meeting(record)
        case "investment":
            who, sent = player(record["investor"]), exact(record["investment"])
            return f"{who} sends {sent} and {exact(record['received'])} arrive"
        case "invest" | "return":
            does = "invests" if event.kind == "invest" else "returns"
            return f"{does} {exact(record['amount'])}{_because(record)}"
        case "donate" | "report":
            does = "chooses to" if event.kind == "donate" else "reports of itself:"
            who = player(record["speaker"]) + " " if "speaker" in record else ""
            if "amount" in record:
                given = record["amount"]
                what = "nothing" if given is None else f"gave {exact(given)}"
            else:
                what = record["action"] or "nothing"
            return f"{who}{does} {what}{_because(record)}"
        case "encounter":
            return f"{_what_passed(record)}: {' and '.join(map(exact, rewards(record)))}"
        case "gossip":
            told = (
                f"signal {record['signal']}"
                if "signal" in record
                else f"{record['tone']} {quoted(record['message'])}"
            )
            if "speaker" not in record:
                return f"tells {told}{_because(record)}"
            return f"{player(record['speaker'])} about {player(record['about'])}: {told}"
    return f"{event.kind}: " + ", ".join(f"{key} {_shown(key, record[key])}" for key in record)


def _meeting(turn: Record) -> str:
    """Whom a player learns that it meets."""
    if "players" in turn:
        return f"{' and '.join(map(player, turn['players']))} meet"
    if "investor" in turn:
        return f"you meet {player(turn['responder'])} as the investor"
    return f"you meet {player(turn['recipient'])} as the donor"


def _what_passed(met: Record) -> str:
    """Who met whom, and what they did."""
    one, other = map(player, pair(met))
    if "donor" in met:
        return f"{one} met {other} and chose to {met['action']}"
    if "investor" in met:
        sent = f"{exact(met['investment'])} of {exact(met['investor_resources'])}"
        returned = f"{exact(met['returned'])} of {exact(met['received'])}"
        return f"{one} invested {sent} in {other} and got back {returned}"
    return f"{one} and {other} met and chose to {' and to '.join(met['actions'])}"


def exact(amount: float) -> str:
    """An amount of money as it is, without a needless .0."""
    return f"{amount:.15g}"


def _vote(record: Record) -> str:
    """Whom a player accuses, how surely, and its declaration where the game knows them."""
    surely = ""
    if "confidence" in record and record["suspect"] is not None:
        surely = f" with confidence {record['confidence']:g}"
    declares = ""
    if record.get("self_declaration"):
        guess = "no word" if record["word_guess"] is None else quoted(record["word_guess"])
        declares = f" and declares itself, guessing {guess}"
    return f"votes for {_seat(record['suspect'])}{surely}{declares}{_because(record)}"


def _because(record: Record) -> str:
    """A private reason, if there is one."""
    reason = record.get("justification") or record.get("reasoning")
    return f", because {quoted(reason)}" if reason else ""


def counted(number: float, what: str) -> str:
    """A number with its noun: "1 match", "2 matches"."""
    plural = what if number == 1 else what + ("es" if what.endswith("ch") else "s")
    return f"{number:g} {plural}" if isinstance(number, float) else f"{number} {plural}"


def _each(what: Iterable[object], more: Iterable[str]) -> str:
    """What each seat did, and what came of it."""
    pairs = enumerate(zip(what, more, strict=True))
    return ", ".join(f"{player(seat)} {did} ({then})" for seat, (did, then) in pairs)


def earned(table: Table, seat: int) -> str:
    """What a seat has from a finished match: credits, or points in a game that has none."""
    assert table.outcome is not None
    credits = table.game.roles[table.outcome.roles[seat]] is not None
    return counted(table.outcome.payoffs[seat], "credit" if credits else "point")


def quoted(text: str) -> str:
    """A player's words in quotation marks, on one line."""
    return json.dumps(text, ensure_ascii=False)


def _seat(seat: int | None) -> str:
    return "nobody" if seat is None else player(seat)


def _shown(key: str, value: Any) -> str:
    """A field of an event that no game of ours has told us how to say."""
    if key in _SEATS:
        return _seat(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} {_shown(k, v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "(" + ", ".join(_shown(key.removesuffix("s"), entry) for entry in value) + ")"
    return str(value)
