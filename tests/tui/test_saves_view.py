"""The saves as drawn, without an app: every width, any number of agents, odd data."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from parlour.tournament.save.rows import MatchCount
from parlour.tournament.save.summary import GameCount, SaveSummary
from parlour.tui.look.look import Look
from parlour.tui.look.palette import PLAIN, SIXTEEN
from parlour.tui.models.saves import SaveRow, agent_words, places_of
from parlour.tui.views.header import header_lines
from parlour.tui.views.run_header import run_state, state_pill, state_text
from parlour.tui.views.saves import age, first_visit, preview, save_lines, start_lines

WIDTHS = (20, 34, 38, 54, 80, 120, 220)
LOOKS = (Look(), Look(SIXTEEN, PLAIN))
NAMES = ("Bea", "Otto", "gpt-5-mini", "村上", "x" * 60, "[red]", *"ABCDEF")


def row(agents: int = 3, **changes: object) -> SaveRow:
    """A save of two games, one of them of nobody here."""
    standings = [
        {
            "game": None,
            "role": None,
            "agent": name,
            "condition": None,
            "strength": {"value": 1 - place / 4, "low": -1.0, "high": 2.0, "rank": 1}
            | {"last_rank": place + 1.0},
        }
        for place, name in enumerate(NAMES[:agents])
    ]
    summary = SaveSummary(
        name="autumn cup",
        seed=11,
        schedule="round_robin",
        defender=None,
        repetitions=2,
        agents={name: {"strategy": ["bayesian", "fair"]} for name in NAMES[:agents]},
        games=(GameCount("impostor", 56, 22), GameCount("dice_of_a_plugin", 8, 3)),
        count=MatchCount(64, 24, 1),
        board=None,
        dollars=1.84,
        budget=5.0,
    )
    places = places_of(json.dumps({"standings": standings}))
    made = SaveRow(Path("saves/autumn-cup.db"), "running", 1.7e9, summary, places)
    return replace(made, **changes)


@pytest.mark.parametrize("look", LOOKS, ids=["fancy", "plain"])
@pytest.mark.parametrize("agents", range(1, 13))
def test_every_line_has_the_width_of_its_pane(agents: int, look: Look) -> None:
    shown = row(agents, note="budget reached")
    unread = row(problem="saves/a.db: is not a save", summary=None)
    for width in WIDTHS:
        for save in (shown, unread, SaveRow(Path("b.db"))):
            lines = save_lines(save, look, width, cursor=True, now=1.8e9)
            lines += preview(save, look, width, 40)
            assert {line.cell_len for line in lines} == {width}
        assert {line.cell_len for line in start_lines("keys.toml", look, width)} == {width}
        lines, first = first_visit(look, 1, width, 24)
        assert {line.cell_len for line in lines} == {width}
        assert "Watch the demo"[: width - 12] in lines[first].plain
        title = header_lines(look, "Parlour", lines[0], lines[0], width)
        assert {line.cell_len for line in title} == {width}


def test_a_save_in_two_lines() -> None:
    first, second = save_lines(row(), Look(), 90, cursor=False, now=1.8e9)
    assert first.plain.split() == [
        *("autumn-cup.db", "►", "running", "━━━━━─────────", "25", "of", "64", "now")
    ]
    assert second.plain.split() == [
        *("♠♥♦♣", "2", "games", "·", "3", "agents", "leads", "Bea", "$1.84")
    ]
    # Only the family of a game that is played is not in the colour of grids.
    grid = [span for span in second.spans if span.style == Look().palette.grid]
    assert [second.plain[span.start : span.end] for span in grid] == ["♥", "♦", "♣"]


def test_the_preview_tells_games_standings_agents_and_how_it_is_played() -> None:
    text = "\n".join(line.plain.rstrip() for line in preview(row(), Look(), 62, 40))
    for words in (
        "25 of 64 matches",
        "♠ Impostor",
        "22/56",
        "dice_of_a_plugin"[:12],
        "+1.00",
        "1–3",
        "bayesian, fair",
        "seed 11   schedule round robin × 2   $1.84 of $5.00",
    ):
        assert words in text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(5, "now"), (150, "2 min"), (7300, "2 h"), (100_000, "yesterday"), (300_000, "3 days")],
)
def test_ages_are_in_words(seconds: float, words: str) -> None:
    assert age(1.7e9, 1.7e9 + seconds) == words


@pytest.mark.parametrize(
    "board",
    [
        *("", "[]", "{}", '{"standings": 3}', '{"standings": [{"game": null}]}', "[" * 100_000),
        '{"standings": [{"game": null, "agent": "A", "strength": {"value": "much"}}]}',
    ],
)
def test_a_damaged_leaderboard_ranks_nobody(board: str) -> None:
    assert places_of(board) == ()
    save = row(places=places_of(board))
    assert save.leader is None
    assert "nobody is ranked yet" in "\n".join(line.plain for line in preview(save, Look(), 60, 40))


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"strategy": "random"}, "random"),
        ({"strategy": ["bayesian", "fair"]}, "bayesian, fair"),
        ({"strategy": 3}, ""),
        ({"kind": "llm", "model": "openai/gpt-5-mini"}, "openai/gpt-5-mini"),
        ({"kind": "llm", "model": "a\x1b[31mb\nc"}, "a[31mb c"),
        ({"kind": "human"}, "a person"),
        ({"kind": "python"}, "python"),
    ],
)
def test_an_agent_in_a_few_words(block: dict[str, object], words: str) -> None:
    assert agent_words(block) == words


STATES = {
    "running": "► running",
    "pausing": "‖ pausing",
    "paused": "‖ paused",
    "stopping": "○ stopping",
    "finished": "✓ finished",
    "not running": "○ not running",
    "failed": "✗ failed",
    "stopped": "○ stopped",
    "unfinished": "○ unfinished",
}


@pytest.mark.parametrize("state", STATES)
def test_a_state_has_one_word_on_a_pill_and_in_the_list(state: str) -> None:
    pill, text = state_pill(state, Look()), state_text(state, Look())
    assert pill.plain.strip() == text.plain.strip() == STATES[state]


def test_an_unknown_state_is_trouble_and_one_line() -> None:
    shown = run_state("[red]odd\nstate", Look())
    assert (shown.sign, shown.colour) == (Look().signs.failed, Look().palette.bad)
    assert "\n" not in shown.word
    assert "[red]" in shown.word
