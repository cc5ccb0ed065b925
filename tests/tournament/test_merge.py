"""Merged saves: the laws of merging, the refusals, and everything that comes along."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from parlour.tournament.save.merge import merge_saves
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import first_difference
from tests.merging import OTHER, base_save, board_of, cut, matches_of
from tests.tournaments import SMALL

BASES = ("a", "b", "c")
"""Two runs of one tournament, the second one made first, and a run of another one."""


@pytest.fixture(scope="module")
def bases() -> Iterator[dict[str, Path]]:
    folder = Path(mkdtemp(prefix="merging-"))
    yield {
        "a": base_save(folder, SMALL, "a", "2026-02-01T00:00:00+00:00"),
        "b": base_save(folder, SMALL, "b", "2026-01-01T00:00:00+00:00"),
        "c": base_save(folder, OTHER, "c", "2026-01-01T00:00:00+00:00"),
    }
    shutil.rmtree(folder)


CUTS = st.dictionaries(st.integers(1, 12), st.integers(0, 20), max_size=12)
DRAWN = st.tuples(st.sampled_from(BASES), CUTS)


class Folder:
    """A folder with saves under running numbers."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="merged-"))
        self.count = 0

    def next(self) -> Path:
        self.count += 1
        return self.path / f"{self.count}.db"

    def merge(self, *paths: Path) -> Path:
        out = self.next()
        merge_saves(out, paths)
        return out


def hold_the_laws(bases: dict[str, Path], examples: int) -> None:
    """Tries the laws of merging on so many triples of saves."""

    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],  # shrinking would merge hundreds of times
    )
    @given(drawn=st.lists(DRAWN, min_size=3, max_size=3))
    def laws(drawn: list[tuple[str, dict[int, int]]]) -> None:
        folder = Folder()
        a, b, c = (cut(bases[base], folder.next(), left) for base, left in drawn)
        merged = folder.merge
        at_once = merged(a, b, c)
        contents, board = matches_of(at_once), board_of(at_once)
        in_steps = merged(merged(a, b), c)
        others = [
            *(in_steps, merged(a, merged(b, c)), merged(c, b, a), merged(at_once, b)),
            *(merged(at_once, at_once), merged(merged(c, a), merged(b, a))),
        ]
        for other in others:
            assert matches_of(other) == contents
        assert [board_of(other) for other in others[:3]] == [board] * 3
        assert matches_of(merged(a, a)) == matches_of(a)
        assert board_of(merged(a, a)) == board_of(a)
        with Save(in_steps) as save:
            assert first_difference(save) is None
        shutil.rmtree(folder.path)

    laws()


def test_merging_is_associative_commutative_and_idempotent(bases: dict[str, Path]) -> None:
    hold_the_laws(bases, examples=4)


@pytest.mark.soak
def test_merging_is_so_for_many_saves(bases: dict[str, Path]) -> None:
    hold_the_laws(bases, examples=200)


def test_merged_matches_are_those_of_the_saves(bases: dict[str, Path], tmp_path: Path) -> None:
    every: dict[tuple[str, int], Any] = {}
    for base in BASES:
        every |= matches_of(bases[base])
    out = tmp_path / "out.db"
    merged = merge_saves(out, [bases[base] for base in BASES])
    assert matches_of(out) == every
    assert len(every) == merged.matches.matches == merged.matches.finished
    assert [origin.save[0] for origin in merged.origins] == ["b", "c", "a"]
    with Save(out) as save:
        assert [match.number for match in save.matches()] == [*range(1, len(every) + 1)]
        assert [match.place for match in save.matches()] == [None] * len(every)
        assert save.tournament.repetitions == 2
        assert save.tournament.seed == 7
        assert [entry.game.name for entry in save.tournament.games] == [
            "undercover",
            "prisoners_dilemma",
        ]
        assert save.name == "small"
