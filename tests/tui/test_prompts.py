"""The screen of prompts: one call after another, as it was sent and answered."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.model_calls import Request
from parlour.games.engine.moves import Seat
from parlour.tournament.reports.prompts import Exchange
from parlour.tournament.save.rows import StoredCall
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.screens.prompts import PromptsScreen, call_title, exchange_lines, prompts_header
from parlour.tui.screens.replay import ReplayScreen
from tests.hostile import PAYLOADS
from tests.tournament.test_prompts import played
from tests.tui.playing import driven, pane_text
from tests.tui.test_talk import NAMES, WIDTHS, strange


def exchange(text: str = "{}", **changed: Any) -> Exchange:
    call = StoredCall(
        *(1, 2, Seat(0), 1, 1, 1, "Ada", "ada-1", "digest", "[]", "{}", None, None),
        *(text, "", "stop", 10, 5, 0.1, 0.2, None, None, None, None, "id"),
    )
    request = Request((("system", f"be {text}"), ("user", text)), {}, {"type": "object"})
    return Exchange(**{"seq": 1, "call": call, "request": request, "problem": None, **changed})


def lines_of(each: Exchange, width: int = 80) -> list[str]:
    """The lines of an exchange as text, each checked to be exactly so wide."""
    lines = exchange_lines(each, Look(), width)
    assert {line.cell_len for line in lines} == {width}
    return [line.plain.rstrip() for line in lines]


@pytest.mark.parametrize("payload", PAYLOADS[:40])
def test_nothing_that_was_sent_or_written_controls_the_terminal(payload: str) -> None:
    for width in WIDTHS:
        for line in lines_of(exchange(payload, fault=payload), width):
            assert not strange(line)


def test_what_is_not_verified_says_why() -> None:
    lines = lines_of(exchange(request=None, problem="no replay"))
    assert lines[0] == "✗ not verified: no replay"
    assert lines[1:4] == ["", "── parameters " + "─" * 66, "{}"]
    assert lines[-1] == "{}"


def test_messages_are_wrapped_below_their_titles() -> None:
    lines = lines_of(exchange("every word of a long sentence " * 4), 40)
    assert lines[0].startswith("✓ verified")
    assert [line.split()[1] for line in lines if line.startswith("──")] == [
        *("system", "user", "response", "parameters", "answer")
    ]
    text = " ".join(lines)
    assert "be every word of a long sentence every word" in text


@pytest.mark.parametrize("count", range(13))
def test_header_and_title_fit_any_width_and_number_of_agents(count: int) -> None:
    who = Cast(NAMES, Look().palette).seats(NAMES[:count])
    for width in WIDTHS:
        header = prompts_header(Look(), "Undercover", 3, 0, count, width)
        assert [line.cell_len for line in header] == [width, width]
    title = call_title(Look(), exchange() if count else None, who).plain
    assert title == (" B  Bea · ask 2, try 1, call 1" if count else "Calls")


async def test_x_in_a_replay_shows_the_calls_up_to_the_ask_and_steps_through_all(
    tmp_path: Path,
) -> None:
    save, _ = await asyncio.to_thread(played, tmp_path)
    async with driven(save, size=(160, 48)) as pilot:
        pilot.live.show_match(1)
        await pilot.press("r", at=ReplayScreen)
        await pilot.press("home", "x", at=PromptsScreen)
        screen = pilot.app.screen
        first = "call 1 of" in pilot.shown
        assert first or "call 2 of" in pilot.shown
        assert "✓ verified" in pane_text(screen, "#prompt")
        assert "You are Player" in pane_text(screen, "#prompt")
        await pilot.press("left", "left", "left", sees="call 1 of")
        assert "This is the first call." in pilot.toasts
        await pilot.press("e")
        file = save.with_name(f"{save.stem}-match-1-call-1.txt")
        assert pilot.toasts[-1] == f"Written: {file}"
        assert "You are Player" in file.read_text(encoding="utf-8")
        await pilot.press("right", sees="call 2 of")
        await pilot.press("escape", at=ReplayScreen)
        await pilot.press("end", "exclamation_mark", at=PromptsScreen)
        await pilot.until(lambda: bool(pilot.app.screen.query("#prompt")))
        assert "fault: " in pane_text(pilot.app.screen, "#prompt")
