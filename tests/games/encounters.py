"""Matches of the games of indirect reciprocity, for their tests."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from parlour.games.engine.events import Encounter
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Fault, FaultKind, Seat
from parlour.games.engine.prompts import Prompt, render
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import Choice, play, sampled, saying

REFUSES = Fault(FaultKind.REFUSAL)
GAMES = [game for game in games().values() if game.hints.encounter is not None]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
NOTE = "zqnote"
USUAL = {
    "horizon": "infinite",
    "monitoring": "gossip",
    "gossip": "tones",
    "equilibrium_knowledge": True,
    "reflection": True,
    "discount": 0.99,
    "discount_by": "appearance",
    "self_report": True,
    "steps": None,
}
"""The rules that every game of this kind tells by default, with self-reports."""


def table(game: Game, players: int = 3, seed: int = 1, **keys: object) -> Table:
    """A table before its first answer."""
    variant = game.variant.model_validate({"agents_per_match": players, **keys})
    return Table(game, game.make_setting(game.shipped()[0], variant), players, seed)


def tables_of(game: Game) -> Callable[..., Table]:
    """The function ``table`` for one game."""
    return partial(table, game)


def ended(match: Table, choose: Choice = sampled) -> Table:
    """The table once its match is over."""
    play(match, choose)
    assert match.outcome is not None
    return match


def met(match: Table) -> list[dict[str, Any]]:
    """The encounters of a finished match, as stored."""
    return match.outcome.facts["encounters"]


def encounters(match: Table) -> list[Encounter]:
    """The same in the form that all games have."""
    assert match.game.hints.encounter is not None
    return [match.game.hints.encounter(each) for each in met(match)]


def last(match: Table, kind: str) -> dict[str, Any]:
    """The record that was told last of a kind."""
    return [event.record for event in match.events if event.by is None and event.kind == kind][-1]


def sharing(invested: float, returned: float) -> Choice:
    """Everybody gives the same shares of what it could; it helps if that is not 0."""

    def choose(at: Table, seat: Seat) -> object:
        if at.pending.kind in {"donate", "choose"}:
            return {"action": "cooperate" if invested else "defect"}
        if at.pending.kind == "invest":
            return {"amount": invested * last(at, "turn")["investor_resources"]}
        if at.pending.kind == "return":
            return {"amount": returned * last(at, "investment")["received"]}
        return sampled(at, seat)

    return choose


ALL_HELP, NOBODY_HELPS = sharing(1, 0.5), sharing(0, 0)


def up_to(kind: str, match: Table, choose: Choice = ALL_HELP) -> Table:
    """The table at its first ask of a kind."""
    while match.pending is not None and match.pending.kind != kind:
        match.answer({seat: choose(match, seat) for seat in match.waiting})
    assert match.pending is not None
    return match


def published(match: Table, *kinds: str) -> list[dict[str, Any]]:
    """Records that all were told by events of these kinds."""
    return [event.record for event in match.events if event.by is None and event.kind in kinds]


noting = saying(NOTE)


def prompts(match: Table, choose: Choice = noting) -> list[tuple[str, Seat, Prompt]]:
    """Every prompt of a match, in which by default every free text is the note."""
    rendered: list[tuple[str, Seat, Prompt]] = []

    def watch(at: Table) -> None:
        kind = at.pending.kind
        rendered.extend((kind, seat, render(at.game, at.view(seat), kind)) for seat in at.waiting)

    play(match, choose, watch)
    return rendered
