"""Order of the rows of a table."""

from parlour.tui.models.sorting import UNSORTED, Sorting

ROWS = [("Bea", 3.0), ("ada", None), ("Cleo", 12.0), ("Dora", -1.0)]


def names(sorting: Sorting) -> list[str]:
    at = 1 if sorting.column == "number" else 0
    return [row[0] for row in sorting.order(ROWS, lambda row: row[at])]


def test_numbers_begin_with_the_largest_texts_with_a_and_what_is_missing_is_last() -> None:
    assert names(Sorting("number")) == ["Cleo", "Bea", "Dora", "ada"]
    assert names(Sorting("number", backwards=True)) == ["Dora", "Bea", "Cleo", "ada"]
    assert names(Sorting("name")) == ["ada", "Bea", "Cleo", "Dora"]
    assert names(Sorting("name", backwards=True)) == ["Dora", "Cleo", "Bea", "ada"]


def test_without_a_column_rows_have_their_own_order() -> None:
    assert names(UNSORTED) == ["Bea", "ada", "Cleo", "Dora"]
    assert names(UNSORTED.reversed()) == ["Dora", "Cleo", "ada", "Bea"]


def test_the_next_column_and_after_the_last_one_none() -> None:
    columns = ["name", "number"]
    first = UNSORTED.following(columns)
    assert first == Sorting("name")
    assert first.following(columns) == Sorting("number")
    assert Sorting("number", backwards=True).following(columns) == UNSORTED
    assert Sorting("gone").following(columns) == Sorting("name")


def test_an_arrow_points_to_where_the_larger_ones_are() -> None:
    down = Sorting("number")
    assert down.arrow("number", numbers=True, up="^", down="v") == "v"
    assert down.reversed().arrow("number", numbers=True, up="^", down="v") == "^"
    assert Sorting("name").arrow("name", numbers=False, up="^", down="v") == "^"
    assert down.arrow("name", numbers=False, up="^", down="v") == ""
