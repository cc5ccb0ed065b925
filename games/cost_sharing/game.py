"""Cost sharing: its words, board, counts and metadata."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from parlour.games.cost_sharing.rules import Setting, Triple, Variant, rules
from parlour.games.engine import game as metadata
from parlour.games.engine import talk
from parlour.games.engine.board import Board, Comparisons, StackedBar, StackedBars
from parlour.games.engine.counting import Count, Counting, Measure
from parlour.games.engine.events import Event, View
from parlour.games.engine.moves import Outcome, Record, Seat, player
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.transcript import because, quoted, seat_name
from parlour.games.families.openings import before_counted, with_shipped_openings
from parlour.games.families.usage import by_usage
from parlour.games.mechanisms import with_mechanisms


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


def conversation(
    seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
) -> tuple[talk.TalkItem, ...]:
    """The airlines, then each round, the one to come with its heading."""
    if not events:
        return ()
    rules = events[0].record
    rounds = rules["rounds"]
    items: list[talk.TalkItem] = [talk.Note(_stages(rules))]
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
    players = f"{talk.number_word(rules['players'])} players"
    return f"{players}, {rules['rounds']} rounds to agree on ${rules['fee']:,}"


def _heading(round: int, rounds: int) -> talk.Heading:
    return talk.Heading(f"round {round}", f"of {rounds}")


def _airlines(events: Sequence[Event]) -> Iterator[talk.Fact]:
    """Yields the name and the use of each airline."""
    for event in events:
        for seat, airline in enumerate(event.record["airlines"]):
            flights = f"{airline['flights']:,} flights"
            use = (airline["name"], flights, f"{airline['passengers']:,} passengers")
            yield talk.Fact(Seat(seat), use)


def _round(events: Sequence[Event], seats: Sequence[Seat]) -> Iterator[talk.TalkItem]:
    """Yields the proposals of a round in their order, and the votes."""
    reasons = {
        (event.kind, event.by): talk.reason_of(event.record)
        for event in events
        if event.by is not None
    }
    splits: dict[Seat, tuple[int, ...]] = {}
    for event in events:
        if event.kind == "propose":  # all hear it in the next event
            yield from talk.fault_lines([event])
        elif event.kind == "proposed":
            seat, parts = event.record["proposer"], tuple(event.record["shares"])
            splits[seat] = parts
            yield talk.Proposal(seat, parts, reasons.get(("propose", seat), ""))
    votes = votes_in(events)
    if votes:
        lines = tuple(
            talk.Vote(voter, votes[voter], reasons.get(("approve", voter), ""))
            for voter in seats
            if voter in votes
        )
        yield talk.Approvals(lines, tuple(seats), _result(votes, splits, len(seats)))
        answers = [event for event in events if event.kind == "approve"]
        yield from talk.fault_lines(answers, "its vote is for nobody")


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


def _ending(outcome: Outcome) -> talk.Ending:
    shares, rounds = outcome.facts["shares"], outcome.facts["rounds"]
    if shares is None:
        return talk.Ending(f"no agreement after {rounds} rounds: nobody keeps anything")
    authors = " and ".join(player(seat) for seat in outcome.facts["authors"])
    split = " / ".join(map(str, shares))
    return talk.Ending(f"all agree on the split of {authors}", (f"{split} percent of the fee",))


def board(
    seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
) -> tuple[Board, ...]:
    """One bar a proposal with the seats that voted for it, and at last the split agreed on.

    Below, the share that each asks for itself now, against its use.
    """
    bars = []
    for event in events:
        if event.kind == "proposed":
            proposer, parts = event.record["proposer"], tuple(event.record["shares"])
            votes = votes_in([each for each in events if each.round == event.round])
            supporters = tuple(voter for voter in sorted(votes) if votes[voter] == proposer)
            bars.append(StackedBar(proposer, event.round, parts, supporters))
    result = ""
    if outcome is not None:
        shares = outcome.facts["shares"]
        result = "No agreement" if shares is None else "Agreed: " + " / ".join(map(str, shares))
    airlines = next((event for event in events if event.kind == "airlines"), None)
    if airlines is None:
        return (StackedBars("Proposals", tuple(bars), result),)
    usage = by_usage(airlines.record["airlines"])
    asked = {bar.seat: bar.parts[bar.seat] for bar in bars}  # the newest of each
    pairs = tuple((usage[seat], asked.get(seat)) for seat in seats)
    return (
        StackedBars("Proposals", tuple(bars), result, usage, "use"),
        Comparisons("asked of each, against its use", pairs, "uses", "would pay"),
    )


def count(record: MatchRecord) -> Iterator[Count]:
    """Yields agreements, accepted own proposals and costs, once for each agent.

    A fallback, or a split fixed by the setting, is not an agent's own proposal: an agent without
    one in the round of the agreement is not counted for Coordination there.

    Source: the MAGIC paper, section 3.2 and appendix A.2.
    """
    facts, outcome = record.outcome.facts, record.outcome
    agreed = outcome.ending == "agreed"
    proposals = record.decisions("propose")
    asked = {each.seat for each in proposals if each.round == facts["rounds"]}
    for agent in sorted({record.agents[seat] for seat in record.counted}):
        seats = [seat for seat in record.counted if record.agents[seat] == agent]
        yield agent, facts["setting"], "agreed", agreed, 1
        if not agreed:
            yield agent, facts["setting"], "authored_of_all", 0, 1
        elif asked.intersection(seats):
            own = any(seat in facts["authors"] for seat in asked.intersection(seats))
            yield agent, facts["setting"], "authored_of_all", own, 1
            yield agent, facts["setting"], "authored", own, 1
        if agreed:
            cost = sum(facts["shares"][seat] for seat in seats) / len(seats)
            yield agent, facts["setting"], "cost", cost, 1


def cooperated(_rules: Record, shown: Sequence[Record]) -> Mapping[Seat, bool]:
    """Of each player whether it did not stand alone: another voted for the same split.

    Reads the proposals and the votes of a round.
    """
    splits = {each["proposer"]: tuple(each["shares"]) for each in shown if "shares" in each}
    votes = {each["voter"]: each["proposer"] for each in shown if "voter" in each}
    for each in shown:
        votes |= {Seat(voter): by for voter, by in enumerate(each.get("proposers", ()))}
    chosen = Counter(splits.get(by) for by in votes.values())
    return {seat: by is not None and chosen[splits[by]] > 1 for seat, by in votes.items()}


PLAIN = metadata.Game(
    name="cost_sharing",
    version=1,
    folder=Path(__file__).parent,
    rules=rules,
    record=Triple,
    variant=Variant,
    setting=Setting,
    texts=metadata.Texts(
        title="Cost sharing",
        summary="Three airlines propose and vote until they agree on who pays how much.",
        endings={
            "agreed": "all three voted for the same split: each keeps what its share leaves of 100",
            "failed": "no agreement in the last round: nobody keeps anything",
        },
        kinds={
            "rules": "the fee, the rounds, and how votes are cast",
            "airlines": "how much each airline uses the airport, known to all",
            "propose": "a player's split of the fee",
            "proposed": "a proposal as all hear it",
            "approve": "for whose proposal a player votes",
            "approvals": "all votes of a round, shown together",
            "approved": "one vote, heard before the next is cast",
        },
        sentences={
            "airlines": _airlines_sentence,
            "propose": _proposal,
            "proposed": _proposal,
            "approve": _approval,
            "approved": _approved,
            "approvals": _approvals,
        },
        published=frozenset({"propose", "approve"}),
        family="bargain",
        short_endings={"agreed": "agreed", "failed": "no agreement"},
        phases={"propose": "proposals", "approve": "votes"},
        pending={"propose": "draws up a proposal", "approve": "weighs the proposals"},
        asks={
            "propose": metadata.AskTexts(
                _propose,
                {"shares": metadata.FieldTexts("share of {player}, %", "my share, %", total=100)},
            ),
            "approve": metadata.AskTexts(_approve, {"proposer": metadata.FieldTexts("I vote for")}),
        },
    ),
    seating=metadata.Seating(
        sides=lambda setting: ("airlines",) * 3, pairing="each_seat", for_counted=before_counted
    ),
    settings_file=metadata.SettingsFile(
        select_records=with_shipped_openings(Triple, Path(__file__).parent)
    ),
    scoring=metadata.Scoring(
        roles={"airline": None},
        # An agreement is a joint result: nobody beats anybody.
        rated="none",
        wins=True,
        draw_probability=0.1,
    ),
    hints=metadata.Hints(
        analysis=metadata.Analysis(
            beliefs=False,
            guidance={
                "propose": (
                    "Adjust your proposal to it, so that all the others will agree. If some of them"
                    " hold on to a split that you find fair, take it over: that is agreement too."
                )
            },
        ),
        # Whoever stands alone with a split gains nothing in that round, and at most all of the fee
        # later. There are no rounds without a player, since all have to pay.
        rounds=metadata.Rounds(
            frozenset({"proposed", "approvals", "approved"}),
            cooperated,
            temptation=lambda _rules: 100.0,
            highest_wins=False,
        ),
    ),
    counting=Counting(
        match=count,
        measures=(
            Measure("cooperation", "agreed", sliced=True),
            Measure("coordination", "authored_of_all"),
            Measure("coordination_agreed", "authored"),
            Measure("cost", "cost", "amount", sliced=True, title="Cost"),
        ),
        strict_profile=True,
        profile={"cooperation": "agreed", "coordination": "authored_of_all"},
    ),
    board=board,
    talk=conversation,
)
GAME = with_mechanisms(PLAIN)
