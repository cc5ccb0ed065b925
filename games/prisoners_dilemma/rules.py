"""The iterated prisoner's dilemma for three players, the rules.

In each of five rounds all three choose at once to cooperate or to defect, and are then shown all
choices, with the points if ``shown`` says so. The points of a round depend on how many defect.
Points are added up; the highest total wins, and several players with the highest total all win.

Source: the MAGIC paper, section 3.1 and appendices A.1 and A.6.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from parlour.games.common.text import ENGLISH, Text
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import Event
from parlour.games.engine.game import Frozen, Rewards
from parlour.games.engine.moves import Answer, Ask, Outcome, Rules, Seat, Tell, ask
from parlour.games.engine.wordings import PLAIN, LabelledWording, Language, Told

Action = Literal["cooperate", "defect"]


class PointTable(Frozen):
    """One entry of a settings file: the points of a round, by how many defect.

    A player that cooperates while another defects gets nothing.
    """

    all_cooperate: float = Field(ge=0, le=1000)
    all_defect: float = Field(ge=0, le=1000)
    lone_defector: float = Field(ge=0, le=1000)
    joint_defectors: float = Field(ge=0, le=1000)


class Variant(Told):
    """Keys that a tournament may change: the rounds, and what is shown after each."""

    rounds: int = Field(default=5, ge=1, le=50)
    shown: Literal["decisions", "points"] = "decisions"
    wording: LabelledWording = PLAIN
    language: Language = ENGLISH


class Setting(PointTable, Variant):
    """Record and variant together: what a match is played with."""


class Choice(Answer):
    """A player's action in this round, and its private reasoning."""

    reasoning: Text = ""
    action: Action


def choose(seats: tuple[Seat, ...], round: int) -> Ask[Choice]:
    """Asks all players at once."""

    def draw(_seat: Seat, dice: Dice) -> Choice:
        return Choice(action="cooperate" if dice.chance(0.5) else "defect")

    return Ask("choose", seats, Choice, draw, draw, round=round)


def points(scoring: PointTable, actions: Mapping[Seat, Action]) -> dict[Seat, float]:
    """Points of each player in a round."""
    defectors = [seat for seat, action in actions.items() if action == "defect"]
    if not defectors:
        return dict.fromkeys(actions, scoring.all_cooperate)
    if len(defectors) == len(actions):
        return dict.fromkeys(actions, scoring.all_defect)
    earned = scoring.lone_defector if len(defectors) == 1 else scoring.joint_defectors
    return {seat: earned if seat in defectors else 0.0 for seat in actions}


def rewards(setting: Setting) -> Rewards:
    """The points of each round."""

    def of(event: Event) -> dict[Seat, float]:
        if event.kind != "choices":
            return {}
        actions = enumerate(event.record["actions"])
        return points(setting, {Seat(seat): action for seat, action in actions})

    return of


def rules(setting: Setting, seats: Sequence[Seat], dice: Dice) -> Rules:
    """Round by round: all choose, all are shown; the totals decide."""
    seats = tuple(seats)
    totals = dict.fromkeys(seats, 0.0)
    keys = setting.model_dump(mode="json", exclude={"shown"})
    yield Tell("rules", {"players": len(seats), **keys})
    for round in range(1, setting.rounds + 1):
        choices = yield from ask(choose(seats, round))
        actions: dict[Seat, Action] = {seat: choices[seat].action for seat in seats}
        earned = points(setting, actions)
        for seat in seats:
            totals[seat] += earned[seat]
        shown: dict[str, Any] = {"actions": list(actions.values())}
        if setting.shown == "points":
            shown["points"] = list(earned.values())
        yield Tell("choices", shown, round=round)
    highest = max(totals.values())
    amounts = [f"{getattr(setting, name):g}" for name in PointTable.model_fields]
    return Outcome(
        ending="played",
        payoffs=tuple(totals.values()),
        roles=("prisoner",) * len(seats),
        sides=tuple(f"seat {seat}" for seat in seats),
        winners=tuple(seat for seat in seats if totals[seat] == highest),
        facts={"setting": f"points {'/'.join(amounts)}"},
    )
