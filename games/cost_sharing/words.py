"""Words of cost sharing: questions to people, sentences, and the conversation."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from parlour.games.engine.events import Event, View
from parlour.games.engine.game import AskTexts, FieldTexts, Sentence
from parlour.games.engine.moves import Outcome, Record, Seat, player
from parlour.games.engine.talk import (
    Approvals,
    Ending,
    Fact,
    Heading,
    Note,
    Proposal,
    TalkItem,
    Vote,
    fault_lines,
    number_word,
    reason_of,
)
from parlour.games.engine.transcript import because, quoted, seat_name


def _propose(view: View) -> str:
    rules = view.rules
    now = len(view.told("proposed")) // len(view.seats) + 1
    return (
        f"Round {now} of {rules['rounds']}: who pays which part of the ${rules['fee']:,}? Give"
        " whole percent that make 100 together. All hear your proposal, nobody your reason."
    )


def _approve(view: View) -> str:
    rules, proposals = view.rules, view.told("proposed")[-len(view.seats) :]
    splits = [
        f"{player(event.record['proposer'])} {' / '.join(map(str, event.record['shares']))}"
        for event in proposals
    ]
    now = len(view.told("proposed")) // len(view.seats)
    return f"Round {now} of {rules['rounds']}: whose split are you for? {', '.join(splits)}."


ASKS: Mapping[str, AskTexts] = {
    "propose": AskTexts(
        _propose, {"shares": FieldTexts("share of {player}, %", "my share, %", total=100)}
    ),
    "approve": AskTexts(_approve, {"proposer": FieldTexts("I vote for")}),
}


def _airlines_sentence(event: Event) -> str:
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
    "airlines": _airlines_sentence,
    "propose": _proposal,
    "proposed": _proposal,
    "approve": _approval,
    "approved": _approved,
    "approvals": _approvals,
}


def talk(
    seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
) -> tuple[TalkItem, ...]:
    """The airlines, then each round, the one to come with its heading."""
    if not events:
        return ()
    rules = events[0].record
    rounds = rules["rounds"]
    items: list[TalkItem] = [Note(_stages(rules))]
    for round, group in groupby(events[1:], lambda event: event.round):
        if round == 0:
            items += _airlines(list(group))
        else:
            items += [_heading(round, rounds), *_round(list(group), seats)]
    if outcome is not None:
        items.append(_ending(outcome))
    elif events[-1].round < rounds and _goes_on(events, seats):
        items.append(_heading(events[-1].round + 1, rounds))
    return tuple(items)


def _stages(rules: Record) -> str:
    players = f"{number_word(rules['players'])} players"
    return f"{players}, {rules['rounds']} rounds to agree on ${rules['fee']:,}"


def _heading(round: int, rounds: int) -> Heading:
    return Heading(f"round {round}", f"of {rounds}")


def _airlines(events: Sequence[Event]) -> Iterator[Fact]:
    """Yields the name and the use of each airline."""
    for event in events:
        for seat, airline in enumerate(event.record["airlines"]):
            flights = f"{airline['flights']:,} flights"
            use = (airline["name"], flights, f"{airline['passengers']:,} passengers")
            yield Fact(Seat(seat), use)


def _round(events: Sequence[Event], seats: Sequence[Seat]) -> Iterator[TalkItem]:
    """Yields the proposals of a round in their order, and the votes."""
    reasons = {
        (event.kind, event.by): reason_of(event.record) for event in events if event.by is not None
    }
    splits: dict[Seat, tuple[int, ...]] = {}
    for event in events:
        if event.kind == "propose":  # all hear it in the next event
            yield from fault_lines([event])
        elif event.kind == "proposed":
            seat, parts = event.record["proposer"], tuple(event.record["shares"])
            splits[seat] = parts
            yield Proposal(seat, parts, reasons.get(("propose", seat), ""))
    votes = votes_in(events)
    if votes:
        lines = tuple(
            Vote(voter, votes[voter], reasons.get(("approve", voter), ""))
            for voter in seats
            if voter in votes
        )
        yield Approvals(lines, tuple(seats), _result(votes, splits, len(seats)))
        answers = [event for event in events if event.kind == "approve"]
        yield from fault_lines(answers, "its vote is for nobody")


def votes_in(events: Sequence[Event]) -> dict[Seat, Seat | None]:
    """The votes of a round, those told to all and those of the ballot on the table."""
    votes: dict[Seat, Seat | None] = {}
    for event in events:
        if event.kind == "approve" and event.by is not None:
            votes[event.by] = event.record["proposer"]
        elif event.kind == "approvals":
            votes |= {Seat(voter): to for voter, to in enumerate(event.record["proposers"])}
        elif event.kind == "approved":
            votes[event.record["voter"]] = event.record["proposer"]
    return votes


def _result(
    votes: Mapping[Seat, Seat | None], splits: Mapping[Seat, tuple[int, ...]], seats: int
) -> str:
    """The split with most votes, by the player that proposed it; "" without one."""
    chosen = Counter(splits[to] for to in votes.values() if to is not None and to in splits)
    ranked = chosen.most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return ""
    split, most = ranked[0]
    authors = [player(seat) for seat in splits if splits[seat] == split]
    return f"{most} of {seats} for {' and '.join(authors)}"


def _goes_on(events: Sequence[Event], seats: Sequence[Seat]) -> bool:
    """True where the next round begins: before the first, or after votes without agreement."""
    last = events[-1]
    if last.kind == "airlines":
        return True
    public = [event for event in events if event.round == last.round and event.by is None]
    votes = votes_in(public)
    if len(votes) < len(seats):
        return False
    splits = {
        event.record["proposer"]: tuple(event.record["shares"])
        for event in public
        if event.kind == "proposed"
    }
    return len({None if vote is None else splits.get(vote) for vote in votes.values()}) > 1


def _ending(outcome: Outcome) -> Ending:
    shares, rounds = outcome.facts["shares"], outcome.facts["rounds"]
    if shares is None:
        return Ending(f"no agreement after {rounds} rounds: nobody keeps anything")
    authors = " and ".join(player(seat) for seat in outcome.facts["authors"])
    split = " / ".join(map(str, shares))
    return Ending(f"all agree on the split of {authors}", (f"{split} percent of the fee",))
