"""Stored counts are trusted by their version, so a changed definition needs a new version."""

import pytest

from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting import blocks, counts
from tests.ratings.definitions import definitions, unnamed_changes, written


def test_changed_counts_have_a_new_version() -> None:
    now = definitions()
    assert not unnamed_changes(now), (
        f"the counts of {', '.join(unnamed_changes(now))} have changed, but saves have stored"
        " counts of the same version. If the change is meant, raise COUNTS in"
        " ratings/counting/blocks.py (or the game's version, if its rules have changed, too) and"
        " run `python -m tests.ratings.definitions`"
    )
    assert now == written(), "a version was raised: run `python -m tests.ratings.definitions`"


def test_a_changed_definition_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = counts.basic_counts

    def doubled(record: MatchRecord) -> object:
        for agent, role, counter, k, n in real(record):
            yield agent, role, counter, 2 * k if counter == "judgment" else k, n

    monkeypatch.setattr(counts, "basic_counts", doubled)
    changed = definitions()
    assert {"undercover", "chameleon", "impostor"} <= {*unnamed_changes(changed)}
    assert "donation" not in unnamed_changes(changed)
    monkeypatch.setattr(blocks, "COUNTS", blocks.COUNTS + 1)
    assert not unnamed_changes(definitions())
