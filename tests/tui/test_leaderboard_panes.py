"""Panes of the leaderboard and of an agent by themselves: widths, and what they say."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from rich.text import Text

from parlour.ratings.counting.ties import Network
from parlour.ratings.reports.agent import page
from parlour.ratings.skill.race import RaceChart
from parlour.tui.look.look import Look
from parlour.tui.look.palette import DAY, NIGHT, PLAIN, SIXTEEN
from parlour.tui.models.sorting import Sorting
from parlour.tui.models.standings import Charts
from parlour.tui.models.tiles import (
    TileColumn,
    TileTable,
    by_game,
    by_role,
    head_to_head,
    role_words,
)
from parlour.tui.views.agent_page import PageState, met_lines, page_radar, places_lines, value_lines
from parlour.tui.views.header import header_line, tabs_line
from parlour.tui.views.heat_tables import HeatTable
from parlour.tui.views.leaderboard import (
    BY_GAME,
    CONDUCT,
    NAMES,
    NETWORKS,
    OVERALL,
    RACE,
    LeaderboardState,
    arrangement,
    shown_pictures,
)
from parlour.tui.views.networks import NetworkState, network_lines, ring_lines, ring_title
from parlour.tui.views.race import NOTE, RaceState, race_lines
from parlour.tui.views.standing_details import (
    OpenedCell,
    cell_lines,
    details_lines,
    mean_values,
    radar_of,
)
from parlour.tui.views.standings_table import SHOWS, BoardState, conduct_board, table_of
from tests.tui import figures

WIDTHS = (20, 34, 38, 54, 76, 80, 116, 120, 156, 160, 216, 220)
HEIGHTS = (1, 7, 20, 50)
LOOKS = (Look(NIGHT), Look(DAY), Look(SIXTEEN, PLAIN))
counts = pytest.mark.parametrize("count", range(1, 13))


def check(lines: Sequence[Text], width: int) -> None:
    wrong = [line.plain for line in lines if line.cell_len != width]
    assert not wrong, f"not {width} columns: {wrong[:3]}"
    assert "\n" not in "".join(line.plain for line in lines)


def plain(lines: Sequence[Text]) -> str:
    return "\n".join(line.plain for line in lines)


def state(count: int, look: Look = LOOKS[0]) -> BoardState:
    cast = figures.Cast(figures.agents(count), look.palette)
    return BoardState(figures.board(count), cast, look)


def network_state(count: int, look: Look = LOOKS[0]) -> NetworkState:
    cast = figures.Cast(figures.agents(count), look.palette)
    network = figures.network(count)
    return NetworkState(network, "accused", figures.agents(count), cast, look)


# --- Widths


def widths(count: int) -> tuple[int, ...]:
    """A third of the widths: each comes with a third of the counts."""
    return WIDTHS[count % 3 :: 3]


@counts
def test_tables_have_their_width(count: int) -> None:
    for look in LOOKS:
        whole = state(count, look)
        for width in widths(count):
            for shows in SHOWS:
                table = table_of(replace(whole, shows=shows, moves={"Bea": 2, "Eva": -1}), width)
                check(figures.drawn(table, cursor=True), width)
            conduct = conduct_board(
                figures.conduct(count), whole.cast, look, Sorting("repairs"), 1, width
            )
            check(figures.drawn(conduct), width)


@counts
def test_heat_tables_have_their_width(count: int) -> None:
    board = figures.board(count)
    for look in LOOKS:
        for tiles in (by_game(board), by_role(board), head_to_head(board)):
            for width in widths(count):
                for height in (5, 20, 45):
                    table = HeatTable(tiles, state(count).cast, look, width, height, 3)
                    check(table.headings, width)
                    for index in range(len(table.agents)):
                        row = table.row(index, cursor=index == 0)
                        assert len(row) == table.tall
                        check(row, width)


@counts
def test_pictures_have_their_size(count: int) -> None:
    name = figures.agents(count)[0]
    for look in LOOKS:
        whole, ties = state(count, look), network_state(count, look)
        race = RaceState(figures.race(count), whole.cast, look, name)
        column = by_game(whole.board).columns[1]
        matches = [figures.match(number, figures.agents(count)) for number in range(1, 9)]
        for width in widths(count):
            for height in HEIGHTS:
                for lines in (
                    radar_of(whole, name, None, width, height),
                    details_lines(whole, name, None, width, height),
                    race_lines(race, width, height),
                    race_lines(replace(race, as_ranks=True, chosen=None), width, height),
                    network_lines(ties, width, height),
                    ring_lines(ties, width, height),
                    cell_lines(whole, OpenedCell(name, column, matches), width, height),
                ):
                    assert len(lines) <= height
                    check(lines, width)


@counts
def test_panes_of_an_agent_have_their_width(count: int) -> None:
    board, names = figures.board(count), figures.agents(count)
    for look in LOOKS:
        shown = PageState(page(board, names[0]), state(count, look).cast, look)
        both = replace(shown, against=page(board, names[-1]), numbered=True)
        for each in (shown, both):
            for width in widths(count):
                for draw in (page_radar, value_lines, places_lines, met_lines):
                    check(draw(each, width, 30), width)


@pytest.mark.parametrize("width", WIDTHS)
def test_header_and_tabs_have_their_width(width: int) -> None:
    subject, note = Text("日本語 [bold]cup"), Text("67 matches")
    line = header_line(Look(), "Leaderboard", subject, note, width, whole=True)
    check([line, tabs_line(Look(), NAMES, 2, width)], width)


def test_nothing_at_all_is_drawn_too() -> None:
    empty = RaceState(RaceChart(), figures.cast(2), Look())
    assert "third match" in plain(race_lines(empty, 60, 9))
    nobody = replace(network_state(2), network=Network())
    assert "No ballot is over yet." in plain(network_lines(nobody, 60, 9))
    assert ring_lines(nobody, 60, 20) == []
    assert ring_title(nobody) == "no tie with 3 chances yet"


# --- Standings


def test_the_standings_show_rank_name_interval_and_measures_where_there_is_room() -> None:
    table = table_of(state(3), 156)
    heading, line = table.headings[0].plain, table.row(0)[0].plain
    assert heading.split()[0] == "rank"
    words = ("strength", "won", "matches", "judge", "reason", "deceit", "self", "coop", "coord")
    assert [word for word in words if word not in heading] == []
    assert line.split()[:3] == ["1–3", "B", "Bea"]
    assert "├" in line
    assert "+1.50" in line
    assert "25 %" in line
    assert "12,345" in line
    broad = table_of(state(3), 200)
    assert "+1.50 ±0.60" in broad.row(0)[0].plain


def test_a_narrow_table_has_no_measures_until_it_is_scrolled() -> None:
    table = table_of(state(3), 76)
    assert "judge" not in table.headings[0].plain
    assert "├" in table.row(0)[0].plain
    assert table.hidden.startswith("more columns: → ")
    scrolled = replace(table, first=table.shifted(1))
    assert "judge" in scrolled.headings[0].plain
    assert "├" not in scrolled.row(0)[0].plain
    while (further := scrolled.shifted(1)) != scrolled.first:
        scrolled = replace(scrolled, first=further)
    assert "σ" in scrolled.headings[0].plain
    assert "→" not in scrolled.hidden


def test_every_column_sorts_and_bears_the_arrow() -> None:
    whole = state(4)
    for key in table_of(whole, 216).sortable:
        for backwards in (False, True):
            order = Sorting(key, backwards)
            table = table_of(replace(whole, sorting=order), 216)
            column = next(each for each in table.columns if each.key == key)
            values = [column.order(row) for row in table.rows]
            present = [value for value in values if value is not None]
            falling = backwards != column.form.numeric
            assert present == sorted(present, key=_sortable, reverse=falling), key
            sign = "▼" if falling else "▲"
            assert sign in table.headings[0].plain, key


def _sortable(value: float | str) -> float | str:
    return value.casefold() if isinstance(value, str) else value


def test_the_mean_leaves_out_what_is_not_measured() -> None:
    whole = state(2)
    judgment = [0.0, 0.5]
    assert mean_values(whole)[0] == sum(judgment) / 2


# --- Heat tables


def test_tiles_say_strength_and_half_the_interval_and_games_without_ranks_what_they_count() -> None:
    tiles = by_game(figures.board(3))
    table = HeatTable(tiles, figures.cast(3), Look(), 156, 40)
    assert table.tall == 3
    first, second, third = (line.plain for line in table.row(0, cursor=False))
    assert first.split()[:3] == ["B", "Bea", "+1.50"]
    assert second.split()[:2] == ["1–3", "±0.60"]
    assert not third.strip()
    column = next(each for each in tiles.columns if each.game == "cost_sharing")
    tile = tiles.tiles["Bea", column.key]
    assert (tile.text, tile.below, tile.half, tile.shade) == ("25 %", "won ±15", "±15", None)
    board = figures.board(3)
    few = [replace(each, strength=each.strength and replace(each.strength, high=None))
           for each in board.standings]  # fmt: skip
    assert by_game(replace(board, standings=few)).tiles["Bea", "impostor"].half == "±–"


def test_a_low_table_has_one_line_a_row_with_the_value_that_is_asked_for() -> None:
    tiles = by_game(figures.board(3))
    for shows, word in zip(SHOWS, ("+1.50", "±0.60", "n 123"), strict=True):
        table = HeatTable(tiles, figures.cast(3), Look(), 76, 10, shows=shows)
        assert table.tall == 1
        (line,) = table.row(0, cursor=False)
        assert word in line.plain


def test_the_column_under_the_cursor_is_in_sight() -> None:
    tiles = by_role(figures.board(2))
    for column in range(len(tiles.columns)):
        table = HeatTable(tiles, figures.cast(2), Look(), 40, 10, column)
        assert column in table.shown
    assert "←" in table.hidden
    assert "→" not in table.hidden


def test_a_heat_table_is_ordered_by_a_column_or_the_name() -> None:
    tiles = by_game(figures.board(4))
    table = HeatTable(tiles, figures.cast(4), Look(), 120, 40, sorting=Sorting("all", True))
    assert table.agents == ["Clara", "Otto", "Bea", "Iris"]  # Iris is not rated: last
    by_name = replace(table, sorting=Sorting("agent"))
    assert by_name.agents == ["Bea", "Clara", "Iris", "Otto"]


def test_an_opened_cell_has_a_forest_by_role_and_the_matches() -> None:
    whole = state(3)
    column = next(each for each in by_game(whole.board).columns if each.game == "undercover")
    matches = [figures.match(number, ("Bea", "Otto", "Clara")) for number in (9, 4)]
    text = plain(cell_lines(whole, OpenedCell("Bea", column, matches), 150, 20))
    assert "Bea in ♠ Undercover   12,345 matches   won 25 % [10, 40]   rank 1–3 of 3" in text
    assert "all roles" in text
    assert "as civilian" in text
    assert "9 ★ B O C" in text
    assert "as undercover" in text
    assert "an ending of [bold]its own" in text
    assert "reading …" in plain(cell_lines(whole, OpenedCell("Bea", column), 150, 20))


# --- Race and networks


def test_the_race_has_a_label_for_each_agent_and_ranks_one_key_away() -> None:
    race = RaceState(figures.race(4), figures.cast(4), Look())
    text = plain(race_lines(race, 120, 30))
    for name in figures.agents(4):
        assert name in text
    assert "±3.9" in text  # 1.96 times a σ of 2
    assert text.splitlines()[-2].split()[:1] == ["3"]
    assert "matches" in text.splitlines()[-2]
    assert text.splitlines()[-1].rstrip() == NOTE
    assert NOTE not in plain(race_lines(race, 120, 12))
    ranks = plain(race_lines(replace(race, as_ranks=True), 120, 30))
    assert "Iris 1" in ranks
    assert "Bea 4" in ranks


def test_labels_are_pushed_apart_where_lines_end_together() -> None:
    level = replace(figures.race(5), above=dict.fromkeys(figures.agents(5), (0.0,) * 50))
    lines = race_lines(RaceState(level, figures.cast(5), Look()), 100, 12)
    text = plain(lines)
    assert [name for name in figures.agents(5) if name not in text] == []


def test_a_matrix_shows_shares_counts_or_intervals() -> None:
    whole = network_state(3)
    network = Network({("Bea", "Otto"): figures.Tie("Bea", "Otto", 2, 4)})
    for shows, word in zip(SHOWS, ("50", "±35", "2/4"), strict=True):
        text = plain(network_lines(replace(whole, network=network, shows=shows), 60, 20))
        assert word in text
        assert "2/4" in text  # below, in the list of what is received


def test_few_chances_are_slanted_and_have_no_colour() -> None:
    ties = {("Bea", "Otto"): figures.Tie("Bea", "Otto", 2, 2)}
    ties["Otto", "Bea"] = figures.Tie("Otto", "Bea", 3, 3)
    lines = network_lines(replace(network_state(2), network=Network(ties)), 60, 20)
    styles = {}
    for line in lines[2:4]:
        for span in line.spans:
            if line.plain[span.start : span.end].strip() == "100":
                styles[len(styles)] = str(span.style)
    few, enough = styles.values()
    assert few.startswith("italic")
    assert f"on {NIGHT.panel}" in few
    assert not enough.startswith("italic")
    assert NIGHT.heat.colours[-1] in enough


def test_the_ring_draws_as_many_ties_as_are_asked_for() -> None:
    whole = network_state(6)
    sounds = whole.network.strongest(99)
    few = plain(ring_lines(replace(whole, count=2), 90, 40))
    many = plain(ring_lines(replace(whole, count=99), 90, 40))
    heads = "▲▼►◄"
    assert sum(few.count(sign) for sign in heads) == 2
    assert 2 < sum(many.count(sign) for sign in heads) <= len(sounds)
    for name in figures.agents(5):
        assert name in many
    assert ring_title(replace(whole, count=2)).startswith(("2 ties", "the 2 strongest"))


# --- Agent


def test_values_have_counts_and_both_agents() -> None:
    board = figures.board(3)
    shown = PageState(page(board, "Bea"), figures.cast(3), Look(), page(board, "Otto"))
    lines = [line.plain for line in value_lines(shown, 90, 40)]
    assert lines[0].startswith("Judgment")
    assert lines[0].split()[1] == "B"
    assert "5/12" in lines[0]
    assert lines[1].split()[0] == "O"
    assert any(line.startswith("Faults") and "2/200" in line for line in lines)
    assert any(line.startswith("Radar area") and "1.20" in line for line in lines)


def test_games_come_with_their_roles_where_there_are_several() -> None:
    shown = PageState(page(figures.board(3), "Bea"), figures.cast(3), Look())
    text = plain(places_lines(shown, 120, 40))
    assert "♠ Impostor" in text
    assert "└ majority" in text
    assert "♥ Donation" in text
    assert "└ player" not in text
    assert "not ranked" in text
    ordered = replace(shown, places=Sorting("place"))
    names = [line.plain[2:26].strip() for line in places_lines(ordered, 120, 40)[1:]]
    assert names == sorted(names, key=str.casefold)
    assert "♠ Impostor majority" in names


def test_head_to_head_has_shares_with_intervals_and_results() -> None:
    shown = PageState(page(figures.board(3), "Bea"), figures.cast(3), Look())
    text = plain(met_lines(shown, 66, 20))
    assert "3–1–2" in text
    assert "58 %" in text
    assert "No match against another agent" in plain(
        met_lines(replace(shown, page=replace(shown.page, meetings=())), 66, 20)
    )


# --- The whole


def whole_state(count: int) -> LeaderboardState:
    names = figures.agents(count)
    shown = Charts(9, {None: figures.race(count)}, {"accused": figures.network(count)})
    return LeaderboardState(
        figures.cast(count),
        Look(),
        figures.board(count),
        figures.conduct(count),
        shown,
        agent=names[0] if names else None,
    )


@pytest.mark.parametrize("view", range(7), ids=NAMES)
@pytest.mark.parametrize("size", [(80, 24), (60, 16), (120, 40), (160, 48), (220, 60), (300, 20)])
def test_the_panes_fit_on_the_screen(view: int, size: tuple[int, int]) -> None:
    for count in range(13):
        shown = whole_state(count) if count else LeaderboardState(figures.cast(1), Look())
        shown.view = view
        places = arrangement(shown, *size)
        assert 0 <= places.table <= size[1] - 3
        assert places.table or places.below
        if places.one is not None and places.two:
            assert places.one <= size[0] - 40
        for picture in shown_pictures(shown, places):
            if picture is not None:
                check(picture.draw(40, 9), 40)


def test_wide_screens_have_pictures_and_narrow_ones_the_values_of_the_agent() -> None:
    shown = whole_state(8)
    assert arrangement(shown, 160, 48).one == 64
    assert arrangement(shown, 120, 40).one == 56
    narrow = arrangement(shown, 80, 24)
    assert (narrow.table, narrow.two) == (11, False)
    details, _ = shown_pictures(shown, narrow)
    assert details is not None
    assert "Judgment" in plain(details.draw(76, 8))
    for view, table in ((RACE, False), (NETWORKS, False), (CONDUCT, True), (BY_GAME, True)):
        shown.view = view
        assert bool(arrangement(shown, 160, 48).table) == table


def test_nobody_or_one_agent_stands_out_in_the_race() -> None:
    shown = whole_state(3)
    shown.view = RACE
    picks = []
    for _ in range(5):
        shown.pick(1)
        picks.append(shown.picked)
    assert picks == ["Bea", "Otto", "Clara", None, "Bea"]
    shown.pick(-1)
    assert shown.picked is None


def test_a_heat_table_sorts_by_the_column_under_the_cursor_then_by_name() -> None:
    shown = whole_state(3)
    shown.view, shown.columns = BY_GAME, {BY_GAME: 2}
    keys = []
    for _ in range(3):
        shown.sort()
        keys.append(shown.sorting.column)
    assert shown.tile_column is not None
    assert keys == [shown.tile_column.key, "agent", None]
    shown.view = OVERALL
    assert shown.sorting == Sorting()


# --- Words that fit


@pytest.mark.parametrize("width", [74, 76, 100, 116])
def test_the_headings_of_roles_are_whole_words_apart_from_each_other(width: int) -> None:
    roles = ("chameleon", "non_chameleon", "contributor", "player")
    columns = [
        TileColumn(role, "Prisoner's dilemma", "dilemma", role_words(role), "x", role)
        for role in (*roles, *roles)
    ]
    whole = state(4)
    tiles = TileTable(tuple(figures.agents(4)), tuple(columns))
    table = HeatTable(tiles, whole.cast, whole.look, width, 20)
    below = " ".join(line.plain for line in table.headings[1:]).split()
    words = {"chameleon", "non-", "contributor", "player", "pri", "Dilemma"}
    assert set(below) <= words
    assert {"chameleon", "non-"} <= set(below)
    assert len(table.shown) < 8 or width > 100


ROWS = [("Bea", 3.0), ("ada", None), ("Cleo", 12.0), ("Dora", -1.0)]


def names(sorting: Sorting) -> list[str]:
    at = 1 if sorting.column == "number" else 0
    return [row[0] for row in sorting.order(ROWS, lambda row: row[at])]
