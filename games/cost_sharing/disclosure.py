"""Disclosure of cost sharing: the fee, the airlines, proposals and votes, and the length.

Source: the MAGIC paper, appendix A.6.
"""

import re

from parlour.games.cost_sharing.rules import FEE
from parlour.games.engine.disclosure import Fact, Reader, Where
from parlour.games.engine.events import Event
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import quoted
from parlour.games.families.round_disclosure import before, length_of

IN_TURN, AT_ONCE = {"sequential_votes": True}, {"sequential_votes": False}


def _airlines(reader: Reader) -> str:
    lines = []
    for seat, airline in enumerate(reader.setting.airlines):
        name = player(seat) + (" (you)" if seat == reader.view.seat else "")
        figures = f"{airline.flights} flights, {airline.passengers} passengers"
        lines.append(re.escape(f"{name}, {quoted(airline.name)}: {figures}, {airline.hours:g} h"))
    return ".*".join(lines)


def _last_proposal(reader: Reader) -> str:
    last = reader.view.told("proposed")[-1]
    shares = [f"{player(seat)} {share} %" for seat, share in enumerate(last.record["shares"])]
    return f"round {last.round}, {player(last.record['proposer'])} proposes: {', '.join(shares)}"


def _voted(proposer: int | None, more: str) -> str:
    return f"{more} {'no proposal' if proposer is None else f'the proposal of {player(proposer)}'}"


def _last_ballot(reader: Reader) -> str:
    last = reader.view.told("approvals")[-1]
    votes = enumerate(last.record["proposers"])
    shown = [_voted(proposer, f"{player(seat)} for") for seat, proposer in votes]
    return f"round {last.round}, the vote: {', '.join(shown)}"


def _last_vote(reader: Reader) -> str:
    last: Event = reader.view.told("approved")[-1]
    voter = player(last.record["voter"])
    return _voted(last.record["proposer"], f"round {last.round}, {voter} votes for")


FACTS = (
    Fact("the number of players", lambda reader: f"a table of {len(reader.view.seats)}, and you"),
    Fact("the fee", rf"the airport costs \${FEE:,}, which the \d airlines must pay together"),
    Fact("who uses more pays more", "who uses it more is expected to pay more"),
    Fact("the figures of all airlines", _airlines),
    Fact(
        "the number of rounds",
        length_of("there", "is one round", "are at most {} rounds"),
    ),
    Fact(
        "the round that is played",
        lambda reader: rf"in round \d+ of {reader.setting.rounds}[.:]",
    ),
    Fact("all propose in turn", "each player in turn proposes a split for all to hear"),
    Fact("shares are whole and sum to 100", "whole percentage for each player, together 100"),
    Fact(
        "votes are cast in turn",
        "then each player in turn votes, for all to hear, for one of the proposals",
        (Where(keys=IN_TURN),),
        "in turn votes",
    ),
    Fact(
        "votes are cast at the same time",
        "then everybody votes at the same time for one of the proposals",
        (Where(keys=AT_ONCE),),
        "votes at the same time",
    ),
    Fact("a player may vote for its own", "you may vote for your own"),
    Fact("when there is an agreement", "if all vote for the same split, it is agreed"),
    Fact(
        "what a failure costs",
        "the negotiation has failed, which is worse for everybody than paying",
    ),
    Fact("what to aim for", "what to aim for: an agreement that is fair, and in which your own"),
    Fact(
        "all earlier proposals, once there are some",
        _last_proposal,
        (Where(once=before("proposed")),),
        r"player \d proposes",
    ),
    Fact(
        "the earlier ballots, after the first round",
        _last_ballot,
        (Where(keys=AT_ONCE, once=before("approvals")),),
        "the vote: player",
    ),
    Fact(
        "the earlier votes, once there are some",
        _last_vote,
        (Where(keys=IN_TURN, once=before("approved")),),
        r"player \d votes for",
    ),
    Fact("the reasons stay private", "reasoning, which no other player will see"),
)
