"""The public good game: its words, board, counts and metadata."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from parlour.games.engine import game as metadata
from parlour.games.engine.board import Bar, Bars, Board, StackedColumns
from parlour.games.engine.counting import Count, Counting, Measure
from parlour.games.engine.events import Event, View
from parlour.games.engine.moves import Outcome, Record, Seat
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.talk import Action, number_word
from parlour.games.engine.transcript import because, each_seat
from parlour.games.families.gossip_counting import SHARED, count_inequality
from parlour.games.families.round_talk import Reasons, round_talk
from parlour.games.mechanisms import with_mechanisms
from parlour.games.public_good.rules import (
    Contribution,
    Multiplier,
    Setting,
    Variant,
    earned,
    gives_enough,
    rewards,
    rules,
)


def _contribute(view: View) -> str:
    """The question, with the points left where the prompt tells them, too."""
    rules, past = view.rules, view.told("contributions")
    points = "points"
    if "overspending" not in rules:
        left = past[-1].record["left"][view.seat] if past else rules["endowment"]
        points = f"of the {left} points that you have left"
    return f"Round {len(past) + 1} of {rules['rounds']}: how many {points} do you give to the pool?"


def _contributions(event: Event) -> str:
    left = [f"{points} left" for points in event.record["left"]]
    return each_seat(event.record["amounts"], left)


def _actions(rules: Record, shown: Record, reasons: Reasons) -> Sequence[Action]:
    """Points that each player gives and what it keeps, in columns."""
    amounts, left = shown["amounts"], shown["left"]
    widest = max(len(str(amount)) for amount in (*amounts, rules["endowment"]))
    widest_left = max(len(str(points)) for points in left)
    return [
        Action(
            Seat(seat),
            f"gives {amount:>{widest}}",
            share=amount / rules["endowment"],
            result=f"keeps {left[seat]:>{widest_left}}",
            reason=reasons.get(Seat(seat), ""),
            short=str(amount),
        )
        for seat, amount in enumerate(amounts)
    ]


def _stages(rules: Record) -> str:
    players = f"{number_word(rules['players'])} players, {rules['rounds']} rounds"
    return f"{players}, {rules['endowment']} points each, the pool counts × {rules['multiplier']:g}"


def board(
    seats: Sequence[Seat], events: Sequence[Event], _outcome: Outcome | None
) -> tuple[Board, ...]:
    """Contributions of each round, who gave and kept how much, and what the pool comes to.

    Each player's result is what it would end with if nobody gave more.
    """
    rules = events[0].record if events else {"endowment": 0, "multiplier": 0, "rounds": 0}
    rounds = [event for event in events if event.kind == "contributions"]
    columns = tuple(tuple(event.record["amounts"]) for event in rounds)
    endowment, multiplier = rules["endowment"], rules["multiplier"]
    left = rounds[-1].record["left"] if rounds else [endowment] * len(seats)
    pool = sum(endowment - points for points in left)
    share = pool * multiplier / len(seats)
    bars = tuple(
        Bar("", endowment - left[seat], seat, rest=left[seat], result=left[seat] + share)
        for seat in seats
    )
    note = f"pool {pool:,} × {multiplier:g} = {pool * multiplier:,.10g} · {share:,.1f} back to each"
    return (
        StackedColumns("Pool", columns, rules["rounds"], "given in each round"),
        Bars("who gave, who kept", bars, note, "ends"),
    )


def count(record: MatchRecord) -> Iterator[Count]:
    """Yields for each contribution whether nobody gave less in its round, and the amounts.

    A fallback is not counted itself, but other contributions are compared with it.

    Source: the MAGIC paper, section 3.2 and appendix A.2. Where its sum of two ratios for
    Rationality could pass 1, decisions are pooled instead, as its own tables seem to.
    """
    facts, keys = record.outcome.facts, metadata.variant_keys(Variant, record.condition)
    amounts: dict[int, list[int]] = {}
    for answer in record.answers:
        if answer.kind == "contribute":
            amounts.setdefault(answer.round, []).append(answer.value["amount"])
    for answer in record.decisions("contribute"):
        agent, amount = record.agents[answer.seat], answer.value["amount"]
        least = amount == min(amounts[answer.round])
        yield agent, facts["setting"], "rational", least, 1
        yield agent, facts["setting"], "cooperated", gives_enough(amount, keys), 1
        yield agent, f"round {answer.round}", "contribution_of_a_round", amount, 1
    for seat in record.counted:
        agent = record.agents[seat]
        yield agent, facts["setting"], "contribution", facts["contributed"][seat], 1
        yield agent, facts["setting"], "payback", facts["share"], 1
    yield from count_inequality(record)


PLAIN = metadata.Game(
    name="public_good",
    version=2,
    folder=Path(__file__).parent,
    rules=rules,
    record=Multiplier,
    variant=Variant,
    setting=Setting,
    texts=metadata.Texts(
        title="Public good",
        summary="Three players fill a pool that is multiplied and shared; givers fall behind.",
        endings={"played": "the rounds are over and the pool is shared: the highest score wins"},
        kinds={
            "rules": "the points at the start, the rounds and the multiplier",
            "contribute": "how many points a player gives to the pool",
            "contributions": "what everybody gave in a round, and has left",
        },
        sentences={
            "contribute": lambda event: f"gives {event.record['amount']}{because(event.record)}",
            "contributions": _contributions,
        },
        published=frozenset({"contribute"}),
        family="dilemma",
        phases={"contribute": "pool"},
        pending={"contribute": "decides what to give"},
        asks={
            "contribute": metadata.AskTexts(_contribute, {"amount": metadata.FieldTexts("I give")})
        },
    ),
    seating=metadata.Seating(
        sides=lambda setting: ("seat 0", "seat 1", "seat 2"), pairing="each_seat"
    ),
    scoring=metadata.Scoring(
        roles={"contributor": None},
        rated="payoff",
        wins=True,
        # Equal scores occur only if players behave alike.
        draw_probability=0.1,
    ),
    hints=metadata.Hints(
        analysis=metadata.Analysis(
            beliefs=False,
            guidance={
                "contribute": (
                    "To win, the total that you give must be the least of all. Yet aim for as many"
                    " points as you can get in the end, and so encourage the others to fill the"
                    " pool."
                )
            },
        ),
        sustains_cooperation=lambda keys: keys["multiplier"] >= keys["players"],
        rewards=rewards,
        rounds=metadata.Rounds(
            results=frozenset({"contributions"}),
            cooperated=lambda rules, shown: {
                Seat(seat): gives_enough(amount, rules)
                for seat, amount in enumerate(shown[-1]["amounts"])
            },
            moves="amounts",
            among=lambda rules, shown, seats: earned(
                rules["multiplier"], {seat: shown["amounts"][seat] for seat in seats}
            ),
            acts=frozenset({"contribute"}),
            act=lambda _ask, _seat, cooperates, rules: Contribution(
                amount=rules["endowment"] // rules["rounds"] if cooperates else 0
            ),
            temptation=lambda rules: (
                rules["endowment"] / rules["rounds"] * (1 - rules["multiplier"] / rules["players"])
            ),
            stake=5.0,
        ),
    ),
    counting=Counting(
        match=count,
        measures=(
            *SHARED,
            Measure("rationality", "rational", sliced=True),
            Measure("payback", "payback", "amount", sliced=True, title="Payback"),
            Measure("contribution", "contribution", "amount", sliced=True, title="Contribution"),
            Measure("contribution", "contribution_of_a_round", "amount", sliced=True, total=False),
        ),
        strict_profile=True,
        profile={"rationality": "rational"},
    ),
    board=board,
    talk=round_talk("contribute", "contributions", _actions, _stages),
)
GAME = with_mechanisms(PLAIN)
