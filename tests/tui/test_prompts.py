"""The screen of prompts: one call after another, as it was sent and answered."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.model_calls import Request
from parlour.games.engine.moves import Seat
from parlour.tournament.reports.prompts import Exchange
from parlour.tournament.save.rows import StoredCall
from parlour.tui.screens.prompts import PromptsScreen
from parlour.tui.screens.replay import ReplayScreen
from parlour.tui.views.prompts import exchange_lines
from tests.hostile import PAYLOADS
from tests.tournament.test_prompts import played
from tests.tui.playing import driven, live, looped, pane_text, shown, until


def exchange(text: str = "{}", **changed: Any) -> Exchange:
    call = StoredCall(
        *(1, 2, Seat(0), 1, 1, 1, "Ada", "ada-1", "digest", "[]", "{}", None, None),
        *(text, "", "stop", 10, 5, 0.1, 0.2, "id"),
    )
    request = Request((("system", f"be {text}"), ("user", text)), {}, {"type": "object"})
    return Exchange(**{"seq": 1, "call": call, "request": request, "problem": None, **changed})


@pytest.mark.parametrize("payload", PAYLOADS[:40])
def test_nothing_that_was_sent_or_written_controls_the_terminal(payload: str) -> None:
    lines = "".join(line.plain for line in exchange_lines(exchange(payload, fault=payload)))
    assert not [letter for letter in lines if not letter.isprintable() and letter != "\t"]


def test_what_is_not_verified_says_why() -> None:
    lines = [line.plain for line in exchange_lines(exchange(request=None, problem="no replay"))]
    assert lines[0] == "✗ not verified: no replay"
    assert lines[-1] == "{}"
    assert lines[1] == "parameters: {}"


@looped
async def test_x_in_a_replay_shows_the_calls_up_to_the_ask_and_steps_through_all(
    tmp_path: Path,
) -> None:
    save, _ = await asyncio.to_thread(played, tmp_path)
    async with driven(save, size=(160, 48)) as pilot:
        live(pilot).show_match(1)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
        await pilot.press("home", "x")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptsScreen))
        screen = pilot.app.screen
        first = "call 1 of" in shown(pilot)
        assert first or "call 2 of" in shown(pilot)
        assert "✓ verified" in pane_text(screen, "#prompt")
        assert "You are Player" in pane_text(screen, "#prompt")
        await pilot.press("left", "left", "left")
        await until(pilot, lambda: "call 1 of" in shown(pilot))
        await pilot.press("right")
        await until(pilot, lambda: "call 2 of" in shown(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
