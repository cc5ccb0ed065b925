"""Race and networks of a save as it grows."""

from dataclasses import replace
from pathlib import Path

import pytest

from parlour.ratings.counting.ties import Ties
from parlour.ratings.skill.race import Race
from parlour.tournament.save.finished import last_answers, newest_matches, records_of
from parlour.tournament.save.reader import Save
from parlour.tui.models import standings as module
from parlour.tui.models.standings import POINTS, Charts, History
from tests.tui.playing import OF_A_MATCH, change, looped, play, saved

SAVE = Path("saves/small.db")


def shown(history: History) -> Charts:
    assert history.shown is not None
    return history.shown


def from_scratch(save: Path) -> Charts:
    """The same from all records of ratings, in the order in which the matches were over."""
    with Save(save) as opened:
        order = last_answers(opened, 0)
        records = sorted(opened.records(), key=lambda record: order[record.number])
    race, ties = Race(), Ties()
    for record in records:
        race.add(record)
        ties.add(record)
    networks = {"accused": ties.network("accused"), "helped": ties.network("helped")}
    return Charts(len(records), {None: race.chart(POINTS)}, networks)  # type: ignore[arg-type]


@looped
async def test_it_equals_what_all_records_give() -> None:
    history = History(await saved(SAVE))
    assert history.refresh()
    expected = from_scratch(SAVE)
    assert shown(history).matches == expected.matches == 12
    assert shown(history).races[None] == expected.races[None]
    assert shown(history).races["undercover"] == expected.races[None]
    assert shown(history).networks == expected.networks
    assert expected.networks["accused"].ties  # undercover has votes


@looped
async def test_it_grows_with_the_save_and_counts_each_match_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save = await saved(SAVE, 3 * OF_A_MATCH + 5)
    history = History(save)
    assert history.refresh()
    assert shown(history).matches == 3
    history._next = 0.0
    assert not history.refresh()  # nothing is new
    counted: list[int] = []
    records_before = records_of

    def noted(opened: Save, numbers: list[int], kinds: list[str]) -> object:
        counted.extend(numbers)
        return records_before(opened, numbers, kinds)

    monkeypatch.setattr(module, "records_of", noted)
    await play(save)
    history._next = 0.0
    assert history.refresh()
    assert len(counted) == len(set(counted)) == 9
    assert replace(shown(history), races={}) == replace(from_scratch(save), races={})
    assert shown(history).races[None] == from_scratch(save).races[None]


@looped
async def test_a_closed_one_stops_and_shows_nothing_half_counted() -> None:
    history = History(await saved(SAVE))
    history.close()
    assert not history.refresh()
    assert history.shown is None


@looped
async def test_it_says_why_a_save_cannot_be_read_and_goes_on_when_it_can() -> None:
    save = await saved(SAVE)
    history = History(save)
    whole = save.read_bytes()
    save.write_bytes(b"no longer a save" * 100)
    assert history.refresh()
    assert "saves/small.db" in history.trouble
    save.write_bytes(whole)
    history._next = 0.0
    assert history.refresh()
    assert not history.trouble
    assert shown(history).matches == 12


@looped
async def test_a_frozen_match_is_not_counted() -> None:
    save = await saved(SAVE)
    change(save, "UPDATE matches SET outcome = NULL, frozen = 'rules changed' WHERE number = 2")
    history = History(save)
    history.refresh()
    assert shown(history).matches == 11


@looped
async def test_the_newest_matches_of_an_agent_come_first() -> None:
    save = await saved(SAVE)
    with Save(save) as opened:
        order = last_answers(opened, 0)
        matches = newest_matches(opened, "undercover", "Ada", 5)
        assert newest_matches(opened, "donation", "Ada", 5) == []
        assert len(newest_matches(opened, None, "Ada", 99)) == 8
    numbers = [match.number for match in matches]
    assert len(numbers) == 5
    assert numbers == sorted(numbers, key=lambda number: -order[number])
    assert all("Ada" in match.agents for match in matches)
