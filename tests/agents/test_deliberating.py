"""Requests to a deliberating model, without a server: prompts, answer schema and notes."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from parlour.agents.base import Call, Reply
from parlour.agents.llm.agent import LLMAgent
from parlour.agents.llm.deliberation import DeliberatingAgent
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.agents.model_calls import Client, Completion, Request
from parlour.agents.registry import make_agent
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Fault, FaultKind, Seat
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import opened
from tests.models import config

SAID = "Player 3 said less than it could."


def table(name: str, **keys: Any) -> Table:
    game = find_game(name, "test")
    return opened(game, game.shipped()[0], game.variant(**keys), 1)


def agent(form: str = "pgm_text", **more: Any) -> DeliberatingAgent:
    own = config("http://x/v1", deliberation=form, **more)
    return DeliberatingAgent(own, OpenAIClient(own))


def acted(
    player: DeliberatingAgent,
    match: Table,
    seat: Seat,
    *analysis: object,
    notes: tuple[Mapping[str, Any], ...] = (),
    earlier: tuple[tuple[str, Fault], ...] = (),
) -> tuple[Reply, list[Request]]:
    """One act; the model writes the analysis where one is asked for, then answers with {}."""
    asked: list[Request] = []

    async def complete(client: Client, request: Request) -> Completion:
        asked.append(request)
        wished = "analysis" in request.schema["properties"]
        return Completion(json.dumps(analysis[0] if wished else {}))

    assert match.pending is not None
    call = Call(Dice("any"), earlier, complete, notes)
    return asyncio.run(player.act(match.pending, match.view(seat), call)), asked


def heard(match: Table, *clues: str) -> Seat:
    """Lets the next speakers give these clues; who is asked then."""
    for clue in clues:
        match.answer({match.waiting[0]: {"text": clue}})
    return match.waiting[0]


def verdicts(*said: tuple[int, int, str]) -> dict[str, Any]:
    return {
        "analysis": SAID,
        "verdicts": [
            {"viewer": f"Player {viewer}", "about": f"Player {about}", "verdict": verdict}
            for viewer, about, verdict in said
        ],
    }


def test_the_first_to_speak_has_nothing_to_analyse() -> None:
    match = table("undercover", probes="off")
    reply, asked = acted(agent(), match, match.waiting[0])
    assert len(asked) == 1
    assert reply.notes == {}


def test_the_decision_prompt_has_the_analysis_and_the_target() -> None:
    match = table("undercover", probes="off")
    seat = heard(match, "It is round")
    assert seat == 0
    reply, (first, second) = acted(
        agent(parameters={"temperature": 1}, for_ask={"analysis": {"max_tokens": 600}}),
        match,
        seat,
        verdicts((1, 2, "less"), (1, 3, "no change")),
    )
    wish, decision = first.messages[1][1], second.messages[1][1]
    question = decision.partition("\n\nYour own private analysis")[0]
    assert '"It is round"' in question
    assert wish.startswith(question)  # the analysis is asked for with the same knowledge
    assert first.messages[0] == second.messages[0]
    assert "a diagnosis of yourself" in wish
    assert "the last time" not in wish
    assert f'Your own private analysis, which nobody else reads: "{SAID}"' in decision
    assert "By it, Player 3 is the one whom you suspect most." in decision
    assert first.parameters == {"temperature": 1, "max_tokens": 600}
    assert second.parameters == {"temperature": 1}
    assert {name for name, _text in first.templates} >= {"verdicts.j2", "about_others.j2"}
    assert {name for name, _text in second.templates} >= {"decision.j2", "clue.j2", "system.j2"}
    assert [round(value, 3) for value in reply.notes["beliefs"][0]] == [0.337, 0.326, 0.337]
    assert {**reply.notes, "beliefs": 0} == {
        "heard": 1,
        "analysis": SAID,
        "beliefs": 0,
        "target": 2,
    }


def test_the_next_analysis_starts_from_the_noted_matrix_and_words() -> None:
    match = table("undercover", probes="off")
    seat = heard(match, "It is round")
    first, _asked = acted(agent(), match, seat, verdicts((1, 2, "less")))
    noted = json.loads(json.dumps(dict(first.notes)))
    heard(match, "It is red", "It is old", "It is new")
    reply, asked = acted(agent(), match, seat, verdicts((1, 2, "less")), notes=(noted, {"x": 1}))
    assert f'before the latest of what stands above: "{SAID}"' in asked[0].messages[1][1]
    assert [round(value, 3) for value in reply.notes["beliefs"][0]] == [0.338, 0.324, 0.338]
    assert reply.notes["heard"] == 4


def test_a_second_try_goes_by_the_analysis_of_the_first() -> None:
    match = table("undercover", probes="off")
    seat = heard(match, "It is round")
    first, _asked = acted(agent(), match, seat, verdicts((1, 2, "less")))
    earlier = (("{}", Fault(FaultKind.UNPARSABLE, "no text")),)
    again, (decision,) = acted(agent(), match, seat, notes=(first.notes,), earlier=earlier)
    assert SAID in decision.messages[1][1]
    assert len(decision.messages) == 2
    assert "no text" in decision.messages[1][1]
    assert json.dumps(again.notes) == json.dumps(first.notes)


def test_a_matrix_is_asked_for_and_shown_the_next_time() -> None:
    match = table("undercover", probes="off")
    seat = heard(match, "It is round")
    rows = [[6, 1, 3], [1, 1, 2], [1, 0, 0]]
    first, asked = acted(agent("pgm_matrix"), match, seat, {"analysis": SAID, "matrix": rows})
    assert first.notes["beliefs"] == [[0.6, 0.1, 0.3], [0.25, 0.25, 0.5], [1, 0, 0]]
    assert "you are likely to be the undercover yourself" in asked[1].messages[1][1]
    # Player 2 suspects this one by .25, Player 3 by 1.
    assert "win the trust of Player 2, who suspects you least" in asked[1].messages[1][1]
    heard(match, "It is red", "It is old", "It is new")
    _reply, (wish, _decision) = acted(
        agent("pgm_matrix"), match, seat, {"analysis": SAID, "matrix": 0}, notes=(first.notes,)
    )
    shown = "[[0.60, 0.10, 0.30], [0.25, 0.25, 0.50], [1.00, 0.00, 0.00]]"
    assert shown in wish.messages[1][1]


@pytest.mark.parametrize(
    ("special", "one"), [({}, "the undercover"), ({"special_seats": 2}, "an undercover")]
)
def test_an_undercover_comes_to_suspect_itself_and_its_clue_prompt_says_so(
    special: dict[str, int], one: str
) -> None:
    players = 5 if special else 3
    match = table("undercover", probes="off", players=players, **special)
    seat = heard(match, "It is round")
    odd = verdicts((1, 1, "more"), (1, 2, "less"))
    first, asked = acted(agent(), match, seat, odd)
    assert "a verdict about Player 1 too" in asked[0].messages[1][1]
    heard(match, *(f"It is number {number}" for number in range(2 * players - 3)))
    second, (_wish, decision) = acted(agent(), match, seat, odd, notes=(first.notes,))
    assert match.pending.kind == "clue"
    own = second.notes["beliefs"][seat]
    assert own[seat] == max(own)
    assert own.count(max(own)) == 1
    assert f"you are {one}. Do you think so?" in asked[0].messages[1][1]
    assert f"By it, you are likely to be {one} yourself." in decision.messages[1][1]


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("cost_sharing", "so that all the others will agree"),
        ("prisoners_dilemma", "defects before the others mean to"),
        ("public_good", "the total that you give must be the least"),
    ],
)
def test_the_decisions_of_the_dilemmas_carry_the_papers_guidance(name: str, advice: str) -> None:
    match = table(name)
    while match.pending is not None and match.pending.round == 1:
        ask = match.pending
        match.answer({seat: ask.sample(seat, Dice(seat)) for seat in match.waiting})
    _reply, (wish, decision) = acted(agent(), match, match.waiting[0], {"analysis": SAID})
    assert advice in decision.messages[1][1]
    assert advice not in wish.messages[1][1]


def test_a_chameleon_s_prompt_names_whose_trust_to_win() -> None:
    match = table("chameleon", probes="off", order="seat")
    chameleon = Seat(match.setting.chameleon_seat)
    heard(match, *("It is round", "It is red")[:chameleon])
    assert chameleon > 0
    rest = [seat + 1 for seat in range(3) if seat != chameleon]
    said = verdicts((rest[0], chameleon + 1, "more"), (chameleon + 1, rest[1], "more"))
    reply, (wish, decision) = acted(agent(), match, chameleon, said)
    assert "your own view" not in wish.messages[1][1]
    assert "what the secret word may be" in wish.messages[1][1]
    assert f"By it, Player {rest[1]} suspects you least." in decision.messages[1][1]
    own = [0.0, 0.0, 0.0]
    own[chameleon] = 1.0
    assert reply.notes["beliefs"][chameleon] == own


@pytest.mark.parametrize("name", ["donation", "reciprocity", "investment"])
def test_games_of_gossip_are_played_without_an_analysis(name: str) -> None:
    match = table(name)
    for _ in range(30):
        ask = match.pending
        if ask is None:
            break
        for seat in match.waiting:
            reply, asked = acted(agent(), match, seat)
            assert (len(asked), reply.notes) == (1, {})
        match.answer({seat: ask.sample(seat, Dice(match.ask_number)) for seat in match.waiting})


def test_odd_notes_are_refused_and_not_played_on() -> None:
    match = table("undercover", probes="off")
    seat = heard(match, "It is round")
    for odd in ({"beliefs": [[1, 0, 0]]}, {"beliefs": [[1, 0], [0, 1]]}, {"beliefs": "even"}):
        with pytest.raises(ValueError, match="no 3 × 3 matrix"):
            acted(agent(), match, seat, notes=({"heard": 1, "analysis": "", **odd},))


def test_a_template_of_the_users_own_goes_before_ours(tmp_path: Path) -> None:
    own = tmp_path / "undercover"
    own.mkdir()
    (own / "decision.j2").write_text("Mind {{ target }}, {{ me }}: {{ analysis | quoted }}")
    match = table("undercover", probes="off")
    seat = heard(match, "It is round")
    said = verdicts((1, 2, "more"))
    _reply, asked = acted(agent(prompts=str(tmp_path)), match, seat, said)
    assert f'Mind Player 2, Player 1: "{SAID}"' in asked[1].messages[1][1]
    assert "private analysis" not in asked[1].messages[1][1]


def test_a_block_says_whether_its_model_deliberates() -> None:
    assert type(make_agent(config("http://x/v1"))) is LLMAgent
    assert type(make_agent(config("http://x/v1", deliberation="none"))) is LLMAgent
    for form in ("pgm_text", "pgm_matrix"):
        assert type(make_agent(config("http://x/v1", deliberation=form))) is DeliberatingAgent
    with pytest.raises(ValidationError, match="'pgm_text' does not work with client = 'http'"):
        config("http://x/v1", carrier="http", deliberation="pgm_text")
