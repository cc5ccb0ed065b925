"""Editing of a text by keys, and the lines in which it is shown."""

import pytest

from parlour.tui.models.form import EDITS, Edited, line_starts


def marked(words: str) -> Edited:
    """A text with its caret at the bar."""
    return Edited(words.replace("|", ""), words.index("|"))


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        ("a b|", "left", "a |b"),
        ("|a", "left", "|a"),
        ("a|", "right", "a|"),
        ("one two|", "home", "|one two"),
        ("|one two", "end", "one two|"),
        ("one two |", "ctrl+left", "one |two "),
        ("one| two", "ctrl+left", "|one two"),
        ("one| two three", "ctrl+right", "one two| three"),
        ("one two|", "ctrl+right", "one two|"),
        ("ab|c", "backspace", "a|c"),
        ("|abc", "backspace", "|abc"),
        ("a|bc", "delete", "a|c"),
        ("abc|", "delete", "abc|"),
        ("one two| three", "ctrl+w", "one | three"),
        ("one two| three", "ctrl+u", "| three"),
        ("one two| three", "ctrl+k", "one two|"),
    ],
)
def test_a_key_edits_at_the_caret(before: str, key: str, after: str) -> None:
    assert EDITS[key](marked(before)) == marked(after)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("hello world foo", 8, ["hello ", "world ", "foo"]),
        ("abcdefghijkl", 5, ["abcde", "fghij", "kl"]),
        ("aaaa", 4, ["aaaa", ""]),  # the caret stands behind the last sign
        ("村上春樹", 5, ["村上", "春樹"]),
    ],
)
def test_a_text_is_wrapped_at_blanks_with_room_for_the_caret(
    text: str, width: int, lines: list[str]
) -> None:
    starts = line_starts(text, width)
    ends = [*starts[1:], len(text)]
    assert [text[start:end] for start, end in zip(starts, ends, strict=True)] == lines
