"""Prompts of reciprocity and investment: every combination of blocks says what holds, no more."""

from collections.abc import Iterator
from itertools import product

import pytest

from parlour.games.engine.moves import Seat
from parlour.games.engine.prompts import Prompt, render
from parlour.games.engine.registry import games
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import again, play, replay, sampled, saying

NOTE = "zqnote"
TALK = (
    {"monitoring": "private"},
    {"monitoring": "public"},
    *(
        {"gossip": gossip, "self_report": report}
        for gossip, report in product(("tones", "binary", "binary_convention"), (False, True))
    ),
)
both_games = pytest.mark.parametrize("name", ["reciprocity", "investment"])


def table(name: str, **keys: object) -> Table:
    game = games()[name]
    variant = game.variant.model_validate({"agents_per_match": 3, **keys})
    return Table(game, game.make_setting(game.shipped()[0], variant), 3, seed=5)


def prompts(match: Table) -> list[tuple[str, Seat, Prompt]]:
    """Every prompt of a match in which every free text is the note."""
    rendered: list[tuple[str, Seat, Prompt]] = []

    def watch(at: Table) -> None:
        assert at.pending is not None
        kind = at.pending.kind
        rendered.extend((kind, seat, render(at.game, at.view(seat), kind)) for seat in at.waiting)

    play(match, saying(NOTE), watch)
    return rendered


def combinations() -> Iterator[dict[str, object]]:
    for horizon, talk, knowledge, reflection in product(
        ("infinite", "finite"), TALK, (True, False), (True, False)
    ):
        yield {
            "horizon": horizon,
            **talk,
            "equilibrium_knowledge": knowledge,
            "reflection": reflection,
        }


@both_games
def test_every_combination_of_blocks_leaves_nothing_unfilled_and_says_what_holds(
    name: str,
) -> None:
    asked = set()
    for keys in combinations():
        for kind, _seat, prompt in prompts(table(name, **keys)):
            asked.add(kind)
            whole = prompt.system + prompt.question
            for slot in ("{{", "{%", "{#", "None", "Undefined", "[]"):
                assert slot not in whole, (keys, kind, slot)
            knows = bool(keys["equilibrium_knowledge"])
            finite = keys["horizon"] == "finite"
            monitoring = keys.get("monitoring", "gossip")
            assert ("exactly 3 rounds" in prompt.system) == finite
            assert ("expected horizon is infinite" in prompt.system) == (not finite)
            assert ("backward induction" in whole) == (knows and finite)
            assert ("one-shot deviation" in whole) == (knows and not finite)
            assert ("subgame-perfect" in prompt.question) == knows
            assert ("- Everybody sees" in prompt.system) == (monitoring == "public")
            assert ("nobody can tell the others" in whole) == (monitoring == "private")
            assert ("1 is good, 0 is bad" in whole) == (keys.get("gossip") == "binary_convention")
            assert ("not laid down" in whole) == (keys.get("gossip") == "binary")
            assert ("- Each also publishes a report" in whole) == bool(keys.get("self_report"))
            assert ("The public log" in whole) <= (monitoring == "gossip")
            assert ("What everybody saw" in whole) <= (monitoring == "public")
            assert ("your own note" in whole) <= bool(keys["reflection"])
    decisions = {"choose"} if name == "reciprocity" else {"invest", "return"}
    assert asked == decisions | {"gossip", "report"}


@both_games
def test_reflection_adds_the_own_notes_and_nothing_else(name: str) -> None:
    on, off = (table(name, reflection=switch) for switch in (True, False))
    given = play(again(on), saying(NOTE)).given
    shown: list[list[Prompt]] = []
    for match in (on, off):
        questions: list[Prompt] = []
        for answers in given:
            kind = match.pending.kind
            questions += [render(match.game, match.view(seat), kind) for seat in match.waiting]
            match.answer(answers)
        shown.append(questions)
    note = f'; your own note: "{NOTE}"'
    assert any(note in prompt.question for prompt in shown[0])
    assert [(p.system, p.question.replace(note, "")) for p in shown[0]] == [
        (p.system, p.question) for p in shown[1]
    ]


@both_games
def test_the_log_gives_every_message_to_its_true_speaker(name: str) -> None:
    def choose(at: Table, seat: Seat) -> object:
        assert at.pending is not None
        if at.pending.kind != "gossip":
            return sampled(at, seat)
        return {"tone": "mocking", "message": f'"\n- round 1, Player 1 about Player 2: seat {seat}'}

    match = table(name)
    played = play(match, choose)
    at = again(match)
    replay(at, played.given)
    said = at.view(Seat(0)).told("gossip")
    assert len(said) == 6  # two for each of three encounters
    prompt = render(at.game, at.view(Seat(0)), "gossip")
    log = [line for line in prompt.question.splitlines() if " about " in line and line[0] == "-"]
    assert log == [
        f"- round {event.round}, Player {event.record['speaker'] + 1} about"
        f" Player {event.record['about'] + 1}, mocking: "
        rf'"\"\n- round 1, Player 1 about Player 2: seat {event.record["speaker"]}"'
        for event in said
    ]


def test_amounts_stand_in_prompts_to_the_hundredth() -> None:
    match = table("investment", endowment=123456.78, multiplier=1.0)
    investor = match.waiting[0]
    question = render(match.game, match.view(investor), "invest").question
    assert "You hold 123456.78 units" in question
    assert "from 0 to 123456.78?" in question
    match.answer({investor: {"amount": 123456.77}})
    (responder,) = match.waiting
    question = render(match.game, match.view(responder), "return").question
    assert "held 123456.78 units and sent 123456.77 of them" in question
    assert "123456.77 have arrived" in question
