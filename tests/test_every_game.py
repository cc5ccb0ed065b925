"""Variants, prompts, scripted players and measures of every game there is.

The rules in each variant are held by tests/conformance, the screens by tests/tui/test_every_game.
"""

import re
from itertools import product

import pytest

from parlour.agents.registry import strategies
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.moves import Fault
from parlour.games.engine.prompts import render
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.families.clues.clue_bank import shipped_bank
from parlour.games.testing.playthrough import informed, openings, play, sampled, variants
from parlour.ratings.measures.measures import measures
from tests.blocks import text_of
from tests.ratings.records import drawn, numbered

DESCRIBED = set(re.findall(r"^### `(\w+)`$", text_of("docs/measures.md"), re.MULTILINE))
COMPOSED = {"win_rate"}
"""Measures whose interval is of another number than they show."""

every_game = pytest.mark.parametrize("game", [pytest.param(g, id=n) for n, g in games().items()])
every_player = pytest.mark.parametrize(
    ("game", "strategy"),
    [
        pytest.param(game, strategy, id=f"{game.name}-{strategy}")
        for game, (strategy, player) in product(games().values(), strategies().items())
        if player.games is None or game.name in player.games
    ],
)


@every_game
def test_the_conformance_suite_plays_each_key_of_a_variant_at_two_values(game: Game) -> None:
    for key in game.variant.model_fields:
        values = {repr(getattr(variant, key)) for variant in variants(game)}
        assert len(values) > 1, f"{key} is played at {values} alone"


@pytest.mark.parametrize("wording", ["full", "short"])
@every_game
def test_every_template_of_a_game_is_used_for_some_prompt(game: Game, wording: str) -> None:
    used: set[str] = set()

    def watch(table: Table) -> None:
        assert table.pending is not None
        for seat in table.waiting:
            view, kind = table.view(seat), table.pending.kind
            prompt = render(game, view, kind, wording=wording)
            # The system prompt of a match is kept, but not for a view with events of its own.
            assert prompt == render(game, view.copied(), kind, wording=wording)
            assert not re.search(r"\{[{%#]|[}%#]\}", prompt.system + prompt.question)
            used.update(name for name, _ in prompt.templates)

    for number, variant in enumerate(variants(game)):
        for table in openings(game, variant, seeds=[number]):
            play(table, (sampled, informed)[number % 2], watch=watch)
    folder = game.folder / "prompts"
    written = {
        path.name for path in (folder if wording == "full" else folder / wording).glob("*.j2")
    }
    assert written
    assert written <= used, f"never used: {sorted(written - used)}"


def _play_alone(game: Game, strategy: str, variant: Frozen, seed: int) -> Table:
    """A match in which a scripted player holds every seat, without a single fault."""
    (table,) = list(openings(game, variant, seeds=seed + 1))[seed:]
    players = [strategies()[strategy](shipped_bank()) for _ in table.seats]
    while (ask := table.pending) is not None:
        answers = {}
        for seat in table.waiting:
            dice = Dice(seed, strategy, table.ask_number, seat)
            view = table.view(seat)
            answers[seat] = ask.judge(seat, players[seat].speaking(view).decide(ask, view, dice))
            assert not isinstance(answers[seat], Fault), (ask.kind, answers[seat])
        table.answer(answers)
    return table


@every_player
def test_a_scripted_player_plays_every_variant_of_its_games_without_a_fault(
    game: Game, strategy: str
) -> None:
    for variant in variants(game):
        outcome = _play_alone(game, strategy, variant, seed=1).outcome
        assert outcome.ending in game.texts.endings


@every_game
def test_each_measure_of_a_game_is_described_and_lies_inside_its_interval(game: Game) -> None:
    (opening,) = openings(game, game.variant(), seeds=1)
    agents = ("ab" * len(opening.seats))[: len(opening.seats)]
    records = numbered([drawn(game.name, agents, seed, faulty=0.1) for seed in range(12)])
    rows = [row for row in measures(records) if row.game == game.name]
    assert {"payoff", "welfare", "fault_rate"} <= {row.measure for row in rows}
    for row in rows:
        assert row.measure in DESCRIBED, row
        assert row.n > 0, row
        if row.k is not None:
            assert 0 <= row.k <= row.n, row
            assert row.value == pytest.approx(row.k / row.n), row
        if row.low is not None and row.high is not None and row.measure not in COMPOSED:
            assert row.low <= row.value <= row.high, row
