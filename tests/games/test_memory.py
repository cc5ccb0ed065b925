"""A memory of so many rounds: what a prompt tells then, and how it says what it leaves out."""

import re
from itertools import product

import pytest

from parlour.games.engine.events import Event
from parlour.games.engine.prompts import left_out, render
from parlour.games.engine.registry import find_game
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import opened, play, sampled, saying

GOSSIP = [
    {"self_report": True},
    {"gossip": "binary"},
    {"monitoring": "public", "gossip": None},
    {"monitoring": "private", "gossip": None},
]
GAMES = [
    *product(("donation", "reciprocity", "investment"), GOSSIP),
    ("cost_sharing", {}),
    ("cost_sharing", {"sequential_votes": True}),
    ("prisoners_dilemma", {}),
    ("public_good", {}),
]
LEFT = re.compile(r"- (\d+) earlier records? (?:is|are) left out")


def table(name: str, keys: dict[str, object]) -> Table:
    game = find_game(name, "test")
    seats = {"agents_per_match": 5} if "agents_per_match" in game.variant.model_fields else {}
    variant = game.variant.model_validate({**seats, **keys})
    return opened(game, game.shipped()[0], variant, 3)


def questions(match: Table, memory: int | None, note: str = "") -> list[str]:
    """Every question of a whole match, as one with that memory is asked it."""
    texts: list[str] = []

    def watch(at: Table) -> None:
        assert at.pending is not None
        for seat in at.waiting:
            prompt = render(at.game, at.view(seat), at.pending.kind, None, memory)
            texts.append(prompt.question)

    play(match, saying(note) if note else sampled, watch)
    return texts


@pytest.mark.parametrize(("name", "keys"), GAMES)
def test_what_is_left_out_is_counted_and_nothing_else_changes(
    name: str, keys: dict[str, object]
) -> None:
    whole = questions(table(name, keys), None)
    assert questions(table(name, keys), 1000) == whole
    for memory in (1, 2):
        cut = 0
        windowed = questions(table(name, keys), memory)
        for full, shortened in zip(whole, windowed, strict=True):
            assert not LEFT.search(full)
            said = sum(int(number) for number in LEFT.findall(shortened))
            shown = [line for line in shortened.splitlines() if not LEFT.match(line)]
            records = [line for line in full.splitlines() if line.startswith("- round ")]
            rest = [line for line in full.splitlines() if not line.startswith("- round ")]
            assert [line for line in shown if not line.startswith("- round ")] == rest
            still = [line for line in shown if line.startswith("- round ")]
            assert len(still) + said == len(records)
            assert set(still) <= set(records)
            cut += said
        assert cut


def test_each_list_keeps_the_records_of_its_own_latest_rounds() -> None:
    last = questions(table("donation", {"self_report": True, "agents_per_match": 4}), 1)[-1]
    lines = [line for line in last.splitlines() if line.startswith(("- round", "- 2", "- 8"))]
    # Six rounds, of which a player of four has three. Each round but the last, of which is told
    # now, left a message and a report in the log.
    assert lines[0] == "- 2 earlier records are left out"
    assert lines[1].startswith("- round 6: you were ")
    assert lines[2] == "- 8 earlier records are left out"
    assert [line.partition(",")[0] for line in lines[3:]] == ["- round 5", "- round 5"]


def test_one_record_is_spoken_of_as_one() -> None:
    third = questions(table("prisoners_dilemma", {}), 1)[2 * 3]  # of round 3, to Player 1
    assert "\n- 1 earlier record is left out\n- round 2: " in third


def test_what_one_noted_goes_with_the_encounter_that_is_left_out() -> None:
    keys = {"monitoring": "private", "gossip": None, "agents_per_match": 7}

    def noted(memory: int | None) -> int:
        texts = questions(table("donation", keys), memory, "zqnote")
        return max(text.count("zqnote") for text in texts)

    # Whoever is the donor in the first, third and fifth of its six encounters noted two of them
    # before the fifth; of the four before it one is among the latest two, none the latest.
    assert [noted(memory) for memory in (None, 4, 2, 1)] == [2, 2, 1, 0]


def test_rounds_are_counted_as_they_come_in_the_list() -> None:
    events = [Event("encounter", round, {}, None) for round in (2, 5, 5, 9)]
    assert left_out([], 1) == 0
    # Of a memory of two, both of round 5 are kept.
    assert [left_out(events, memory) for memory in (None, 1, 2, 3)] == [0, 3, 1, 0]
