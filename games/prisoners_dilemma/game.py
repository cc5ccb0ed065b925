"""The prisoner's dilemma for three: its words, board, counts and metadata."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from parlour.games.engine import game as metadata
from parlour.games.engine.board import Board, Grid, GridCell, GridRow, Lines, Payoff, Payoffs
from parlour.games.engine.counting import Count, Counting, Measure
from parlour.games.engine.events import Event, View
from parlour.games.engine.moves import Outcome, Record, Seat, player
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.talk import Action, number_word
from parlour.games.engine.transcript import each_seat
from parlour.games.families.gossip_counting import SHARED, count_inequality
from parlour.games.families.gossip_words import action_sentence
from parlour.games.families.round_talk import Reasons, round_talk
from parlour.games.mechanisms import with_mechanisms
from parlour.games.prisoners_dilemma.rules import Action as Move
from parlour.games.prisoners_dilemma.rules import (
    PointTable,
    Setting,
    Variant,
    points,
    rewards,
    rules,
)


def _choose(view: View) -> str:
    rounds = view.rules["rounds"]
    now = len(view.told("choices")) + 1
    return f"Round {now} of {rounds}: do you cooperate or defect? All choose at the same time."


def _choices(event: Event) -> str:
    actions = event.record["actions"]
    if "points" not in event.record:
        return ", ".join(f"{player(seat)} {action}" for seat, action in enumerate(actions))
    return each_seat(actions, [f"{earned:g}" for earned in event.record["points"]])


def _scoring(rules: Record) -> PointTable:
    """The points of the rules as they were told; 0 before that."""
    return PointTable.model_validate({name: rules.get(name, 0) for name in PointTable.model_fields})


def _actions(rules: Record, choices: Record, reasons: Reasons) -> Sequence[Action]:
    """C or D of each player, with its points."""
    scoring = _scoring(rules)
    actions = {Seat(seat): action for seat, action in enumerate(choices["actions"])}
    return [
        Action(
            seat,
            f"{actions[seat]}s",
            sign=actions[seat][0].upper(),
            result=f"{earned:+g}",
            reason=reasons.get(seat, ""),
            good=actions[seat] == "cooperate",
        )
        for seat, earned in points(scoring, actions).items()
    ]


def _stages(rules: Record) -> str:
    players = number_word(rules["players"])
    return f"{players} players, {rules['rounds']} rounds of C or D, all at once"


COOPERATE, DEFECT = get_args(Move)


def board(
    seats: Sequence[Seat], events: Sequence[Event], _outcome: Outcome | None
) -> tuple[Board, ...]:
    """C or D of each player with its points in each round, the totals, and the points so far."""
    rules = events[0].record if events else {}
    scoring = _scoring(rules)
    rounds = rules.get("rounds", 0)
    sums = {seat: [0.0] for seat in seats}
    rows = []
    for event in events:
        if event.kind != "choices":
            continue
        actions = dict(zip(seats, event.record["actions"], strict=True))
        cells = []
        for seat, earned in points(scoring, actions).items():
            sums[seat].append(sums[seat][-1] + earned)
            cells.append(_cell(actions[seat], earned))
        together = sum(action == COOPERATE for action in actions.values())
        note = f"{together}/{len(actions)}"
        rows.append(GridRow(str(event.round), tuple(cells), note=note))
    if rows:
        cells = [GridCell(f"{values[-1]:g}") for values in sums.values()]
        rows.append(GridRow("total", tuple(cells), total=True))
    return (
        Grid("Choices", tuple(rows), rounds, "together"),
        Lines("points so far", tuple(map(tuple, sums.values())), rounds),
        Payoffs("what a round pays", tuple(_payoffs(scoring, seats))),
    )


def _cell(action: Move, earned: float | None = None) -> GridCell:
    note = "" if earned is None else f"{earned:+g}"
    return GridCell(action[0].upper(), note, good=action == COOPERATE)


def _payoffs(scoring: PointTable, seats: Sequence[Seat]) -> list[Payoff]:
    """The points for each number of defectors, who stand last."""
    rows = []
    for defectors in range(len(seats) + 1):
        cooperators = len(seats) - defectors
        chosen = [COOPERATE] * cooperators + [DEFECT] * defectors
        earned = points(scoring, dict(zip(seats, chosen, strict=True)))
        rows.append(Payoff(tuple(map(_cell, chosen)), tuple(earned.values())))
    return rows


def count(record: MatchRecord) -> Iterator[Count]:
    """Yields for each choice what it is; faulted choices are not counted.

    Source: the MAGIC paper, section 3.2 and appendix A.2. Where its sum of two ratios for
    Rationality could pass 1, decisions are pooled instead, as its own tables seem to.
    """
    setting = record.outcome.facts["setting"]
    for answer in record.decisions("choose"):
        defects = answer.value["action"] == "defect"
        yield record.agents[answer.seat], setting, "rational", defects, 1
        yield record.agents[answer.seat], setting, "cooperated", not defects, 1
    for seat in record.counted:
        yield record.agents[seat], setting, "score", record.outcome.payoffs[seat], 1
    yield from count_inequality(record)


PLAIN = metadata.Game(
    name="prisoners_dilemma",
    version=2,
    folder=Path(__file__).parent,
    rules=rules,
    record=PointTable,
    variant=Variant,
    setting=Setting,
    texts=metadata.Texts(
        title="Prisoner's dilemma",
        summary="Three players, five rounds: whoever defects gains from those who cooperate.",
        endings={"played": "the rounds are over: the highest total wins"},
        kinds={
            "rules": "the points of a round and how many rounds there are",
            "choose": "whether a player cooperates or defects",
            "choices": "what everybody chose in a round, and what it earned if that is shown",
        },
        sentences={"choose": action_sentence, "choices": _choices},
        published=frozenset({"choose"}),
        family="dilemma",
        phases={"choose": "choices"},
        pending={"choose": "chooses"},
        asks={"choose": metadata.AskTexts(_choose, {"action": metadata.FieldTexts("My choice")})},
    ),
    seating=metadata.Seating(
        sides=lambda setting: ("seat 0", "seat 1", "seat 2"), pairing="each_seat"
    ),
    scoring=metadata.Scoring(
        roles={"prisoner": None},
        rated="payoff",
        wins=True,
        # Equal totals are common if players behave alike: about a quarter of random matches.
        draw_probability=0.25,
    ),
    hints=metadata.Hints(
        analysis=metadata.Analysis(
            beliefs=False,
            guidance={
                "choose": (
                    "Be strategic. Trust is worth building up, and pays most to the one who defects"
                    " before the others mean to. Choose what brings you the most points."
                )
            },
        ),
        sustains_cooperation=lambda keys: keys["lone_defector"] < keys["all_cooperate"],
        rewards=rewards,
        rounds=metadata.Rounds(
            results=frozenset({"choices"}),
            cooperated=lambda _rules, shown: {
                Seat(seat): action == "cooperate"
                for seat, action in enumerate(shown[-1]["actions"])
            },
            acts=frozenset({"choose"}),
            moves="actions",
            among=lambda rules, shown, seats: points(
                _scoring(rules), {seat: shown["actions"][seat] for seat in seats}
            ),
            temptation=lambda rules: max(
                rules["lone_defector"] - rules["all_cooperate"],
                rules["joint_defectors"],
                rules["all_defect"],
            ),
        ),
    ),
    counting=Counting(
        match=count,
        measures=(
            *SHARED,
            Measure("rationality", "rational", sliced=True),
            Measure("score", "score", "mean", sliced=True, title="Score"),
        ),
        strict_profile=True,
        profile={"rationality": "rational"},
    ),
    board=board,
    talk=round_talk("choose", "choices", _actions, _stages),
)
GAME = with_mechanisms(PLAIN)
