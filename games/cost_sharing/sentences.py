"""Sentences of cost sharing."""

from collections.abc import Mapping

from parlour.games.engine.events import Event
from parlour.games.engine.metadata import Sentence
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import because, quoted, seat_name


def _airlines(event: Event) -> str:
    return "; ".join(
        f"{player(seat)} is {quoted(airline['name'])}, {airline['flights']} flights"
        for seat, airline in enumerate(event.record["airlines"])
    )


def _proposal(event: Event) -> str:
    """A split, with its proposer where all are told of it."""
    record = event.record
    proposer = f"{player(record['proposer'])} " if "proposer" in record else ""
    split = " / ".join(map(str, record["shares"]))
    return f"{proposer}proposes {split}{because(record)}"


def _approval(event: Event) -> str:
    proposer = seat_name(event.record["proposer"])
    return f"votes for the proposal of {proposer}{because(event.record)}"


def _approved(event: Event) -> str:
    voter, proposer = player(event.record["voter"]), seat_name(event.record["proposer"])
    return f"{voter} votes for the proposal of {proposer}"


def _approvals(event: Event) -> str:
    return ", ".join(
        f"{player(seat)} for {seat_name(proposer)}"
        for seat, proposer in enumerate(event.record["proposers"])
    )


SENTENCES: Mapping[str, Sentence] = {
    "airlines": _airlines,
    "propose": _proposal,
    "proposed": _proposal,
    "approve": _approval,
    "approved": _approved,
    "approvals": _approvals,
}
