"""A model whose analyses are right plays better with them than without: they reach the decision.

The model is ``tests/sleuth.py``, behind a real server. It finds out in an analysis who holds
another word, and votes by what the question says of an analysis, or else by chance. All chance is
seeded and made from what was asked, so the counts are the same each time.
"""

from collections import Counter
from pathlib import Path

import pytest

from parlour.ratings.comparison.comparison import compare
from parlour.ratings.measures.measures import measures
from parlour.tournament.save.reader import Save
from tests.models import models, played_by
from tests.tournament.test_journal import rows

SETTINGS = 12
PLAYERS = {"Plain": "none", "Texts": "pgm_text", "Grids": "pgm_matrix", "Other": "none"}
"""One and the same model; each of the first three plays Other on both sides of every setting."""

PLAIN = {"caught": 5, "escaped": 4, "tie": 3}
"""Endings of the agent without analyses; both civilians are right once in four."""

RIGHT_VOTES = 16
"""Number of its votes as a civilian that name the undercover."""


pytestmark = pytest.mark.usefixtures("own_config")


def played(folder: Path, mode: str, probes: str = "off") -> Path:
    """All matches of a server that answers in that mode."""
    head = (
        'name = "sleuths"\nseed = 5\nschedule = "challenger"\ndefender = "Other"\n'
        f'[[games]]\nname = "undercover"\nlimit = {SETTINGS}\nclue_rounds = 1\n'
        f'probes = "{probes}"\n'
    )
    keys = {name: f'deliberation = "{form}"' for name, form in PLAYERS.items()}
    return played_by(folder, lambda s: head + models(s.base, keys), mode, concurrency=16)


def endings(save: Path) -> dict[str, Counter[str]]:
    """Endings of the matches in which each agent played the civilians."""
    sql = (
        "SELECT json_extract(agents, '$[' || seat || ']') AS agent,"
        " json_extract(outcome, '$.ending') AS ending FROM matches,"
        " (SELECT 0 AS seat UNION SELECT 1 UNION SELECT 2)"
        " WHERE json_extract(outcome, '$.roles[' || seat || ']') = 'civilian' GROUP BY number"
    )
    by_agent: dict[str, Counter[str]] = {name: Counter() for name in PLAYERS}
    for row in rows(save, sql):
        by_agent[row["agent"]][row["ending"]] += 1
    return by_agent


def test_civilians_with_right_analyses_always_win_and_without_any_they_guess(
    tmp_path: Path,
) -> None:
    save = played(tmp_path, "sleuth")
    assert rows(save, "SELECT * FROM answers WHERE fault IS NOT NULL") == []
    by_agent = endings(save)
    # Two that name the undercover are the top of any ballot of three.
    assert by_agent["Texts"] == {"caught": SETTINGS}
    assert by_agent["Grids"] == {"caught": SETTINGS}
    assert by_agent["Plain"] == PLAIN
    assert by_agent["Plain"].total() == SETTINGS
    # Beside one who always votes rightly, compared on the same settings in the same roles.
    with Save(save) as opened:
        for thinker in ("Texts", "Grids"):
            (judged,) = compare(opened.records(), thinker, "Plain", ["judgment"]).differences
            right = RIGHT_VOTES / (2 * SETTINGS)
            assert (judged.value, judged.pairs) == (pytest.approx(1 - right), SETTINGS)
            assert (judged.low or 0) > 0
            # They differ in the seven matches that Plain did not win, each time the same way.
            assert judged.p == 2 / 2**7


def test_civilians_whose_analyses_are_wrong_never_win(tmp_path: Path) -> None:
    save = played(tmp_path, "misled")
    assert rows(save, "SELECT * FROM answers WHERE fault IS NOT NULL") == []
    by_agent = endings(save)
    # Each civilian takes the other for the odd one.
    assert by_agent["Texts"]["caught"] == by_agent["Grids"]["caught"] == 0
    assert by_agent["Texts"].total() == by_agent["Grids"].total() == SETTINGS
    # What nobody analysed, no wrong analysis could spoil.
    assert by_agent["Plain"] == PLAIN


def test_right_analyses_reach_the_probes_reasoning_and_self_awareness_rise(tmp_path: Path) -> None:
    save = played(tmp_path, "sleuth", "per_round")
    assert rows(save, "SELECT * FROM answers WHERE fault IS NOT NULL") == []
    with Save(save) as opened:
        measured = {
            (row.agent, row.measure): row.value
            for row in measures(opened.records())
            if row.game is None
        }
    for thinker in ("Texts", "Grids"):
        for measure in ("reasoning", "self_awareness"):
            assert measured[thinker, measure] > measured["Plain", measure] + 0.3, measure
        assert measured[thinker, "self_awareness"] == 1
