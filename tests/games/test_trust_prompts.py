"""Prompts of reciprocity and investment: every combination of blocks, and each switch its own."""

import pytest

from parlour.games.engine.game import Game
from parlour.games.engine.moves import Seat
from parlour.games.engine.prompts import Prompt, render
from parlour.games.engine.table import Table
from parlour.games.investment import GAME as INVESTMENT
from parlour.games.reciprocity import GAME as RECIPROCITY
from parlour.games.testing.playthrough import play, saying
from tests.games.test_donation_prompts import NOTE, combinations

GAMES = [pytest.param(game, id=game.name) for game in (RECIPROCITY, INVESTMENT)]
ACTIONS = {"choose", "invest", "return"}


def prompts(game: Game, **keys: object) -> list[tuple[str, Seat, Prompt]]:
    """Every prompt of a match of three in which every free text is the note."""
    variant = game.variant.model_validate({"agents_per_match": 3, **keys})
    match = Table(game, game.make_setting(game.shipped()[0], variant), 3, seed=5)
    rendered: list[tuple[str, Seat, Prompt]] = []

    def watch(at: Table) -> None:
        assert at.pending is not None
        kind = at.pending.kind
        rendered.extend((kind, seat, render(game, at.view(seat), kind)) for seat in at.waiting)

    play(match, saying(NOTE), watch)
    return rendered


@pytest.mark.parametrize("game", GAMES)
def test_every_combination_of_blocks_leaves_nothing_unfilled_and_says_what_holds(
    game: Game,
) -> None:
    for keys in combinations():
        knows, finite = bool(keys["equilibrium_knowledge"]), keys["horizon"] == "finite"
        monitoring, gossip = keys.get("monitoring", "gossip"), keys.get("gossip")
        for kind, _seat, prompt in prompts(game, **keys):
            whole = prompt.system + prompt.question
            for slot in ("{{", "{%", "{#", "None", "Undefined", "[]"):
                assert slot not in whole, (keys, kind, slot)
            assert ("exactly 3 rounds" in prompt.system) == finite
            assert ("expected horizon is infinite" in prompt.system) == (not finite)
            assert ("backward induction" in whole) == (knows and finite)
            assert ("one-shot deviation" in whole) == (knows and not finite)
            assert ("subgame-perfect" in prompt.question) == knows
            assert ("Everybody sees what" in prompt.system) == (monitoring == "public")
            assert ("nobody can tell the others" in prompt.system) == (monitoring == "private")
            assert ("1 is good, 0 is bad" in whole) == (gossip == "binary_convention")
            assert ("what the two mean is not laid down" in whole) == (gossip == "binary")
            assert ("Nobody checks whether it is true" in prompt.system) == bool(
                keys.get("self_report")
            )
            assert ("The public log" in whole) <= (monitoring == "gossip")
            assert ("What everybody saw" in whole) <= (monitoring == "public")
            assert ("your own note" in whole) <= bool(keys["reflection"])


@pytest.mark.parametrize("game", GAMES)
def test_the_own_notes_come_back_just_with_reflection_and_to_nobody_else(game: Game) -> None:
    for reflection in (True, False):
        with_notes = [
            prompt
            for kind, _, prompt in prompts(game, reflection=reflection, monitoring="public")
            if kind in ACTIONS and f'your own note: "{NOTE}"' in prompt.question
        ]
        assert bool(with_notes) == reflection
        for prompt in with_notes:
            # What everybody saw of the others stands without their notes.
            for line in prompt.question.splitlines():
                assert (NOTE in line) == ("your own note" in line)


@pytest.mark.parametrize(
    ("game", "keys", "numbers"),
    [
        (RECIPROCITY, {"benefit": 7.0, "cost": 2.0}, ("pays 2", "gains 7", "each gets 5", "-2")),
        (INVESTMENT, {"multiplier": 4.0, "endowment": 6.0}, ("multiplied by 4 ", "hold 6 units")),
    ],
    ids=["reciprocity", "investment"],
)
def test_prompts_give_the_numbers_of_the_variant(
    game: Game, keys: dict[str, object], numbers: tuple[str, ...]
) -> None:
    system = prompts(game, **keys)[0][2].system
    usual = prompts(game)[0][2].system
    for number in numbers:
        assert number in system
    assert system != usual
