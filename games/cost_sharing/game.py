"""Cost sharing: its board, counts and metadata."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from parlour.games.cost_sharing.rules import Setting, Triple, Variant, rules
from parlour.games.cost_sharing.words import ASKS, SENTENCES, talk
from parlour.games.engine.board import Board, Comparisons, StackedBar, StackedBars
from parlour.games.engine.counting import Count, Counting, Measure
from parlour.games.engine.events import Event
from parlour.games.engine.game import (
    Analysis,
    Game,
    Hints,
    Rounds,
    Scoring,
    Seating,
    SettingsFile,
    Texts,
)
from parlour.games.engine.moves import Outcome, Record, Seat
from parlour.games.engine.record import MatchRecord
from parlour.games.families.openings import before_counted, with_shipped_openings
from parlour.games.families.usage import by_usage
from parlour.games.mechanisms import with_mechanisms

Voters = Mapping[tuple[int, Seat], Sequence[Seat]]
"""The seats that voted for each proposal, by round and proposer."""


def board(
    seats: Sequence[Seat], events: Sequence[Event], outcome: Outcome | None
) -> tuple[Board, ...]:
    """One bar a proposal with the seats that voted for it, and at last the split agreed on.

    Below, the share that each asks for itself now, against its use.
    """
    voters = _voters(events)
    bars = []
    for event in events:
        if event.kind == "proposed":
            proposer = event.record["proposer"]
            supporters = tuple(voters.get((event.round, proposer), ()))
            parts = tuple(event.record["shares"])
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


def _voters(events: Sequence[Event]) -> Voters:
    """The votes that were told, and those of the ballot on the table."""
    votes: dict[tuple[int, Seat], Seat | None] = {}
    for event in events:
        if event.kind == "approve" and event.by is not None:
            votes[event.round, event.by] = event.record["proposer"]
        elif event.kind == "approvals":
            for voter, proposer in enumerate(event.record["proposers"]):
                votes[event.round, Seat(voter)] = proposer
        elif event.kind == "approved":
            votes[event.round, event.record["voter"]] = event.record["proposer"]
    voters: dict[tuple[int, Seat], list[Seat]] = defaultdict(list)
    for (round, voter), proposer in sorted(votes.items()):
        if proposer is not None:
            voters[round, proposer].append(voter)
    return voters


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


PLAIN = Game(
    name="cost_sharing",
    version=1,
    folder=Path(__file__).parent,
    rules=rules,
    record=Triple,
    variant=Variant,
    setting=Setting,
    texts=Texts(
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
        sentences=SENTENCES,
        published=frozenset({"propose", "approve"}),
        family="bargain",
        short_endings={"agreed": "agreed", "failed": "no agreement"},
        phases={"propose": "proposals", "approve": "votes"},
        pending={"propose": "draws up a proposal", "approve": "weighs the proposals"},
        asks=ASKS,
    ),
    seating=Seating(
        sides=lambda setting: ("airlines",) * 3, pairing="each_seat", for_counted=before_counted
    ),
    settings_file=SettingsFile(select_records=with_shipped_openings(Triple, Path(__file__).parent)),
    scoring=Scoring(
        roles={"airline": None},
        # An agreement is a joint result: nobody beats anybody.
        rated="none",
        wins=True,
        draw_probability=0.1,
    ),
    hints=Hints(
        analysis=Analysis(
            beliefs=False,
            guidance={
                "propose": (
                    "Adjust your proposal to it, so that all the others will agree. If some of them"
                    " hold on to a split that you find fair, take it over: that is agreement too."
                ),
            },
        ),
        # Whoever stands alone with a split gains nothing in that round, and at most all of the fee
        # later. There are no rounds without a player, since all have to pay.
        rounds=Rounds(
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
    talk=talk,
)
GAME = with_mechanisms(PLAIN)
