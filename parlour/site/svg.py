"""SVG elements as markup: attributes and texts are escaped, and colours are classes of the page."""

from collections.abc import Iterable

from markupsafe import Markup, escape

Point = tuple[float, float]


def tag(name: str, *inside: object, **attributes: object) -> Markup:
    """An element; ``class_`` is the class, ``text_anchor`` the attribute text-anchor.

    An attribute of None is left out. Strings inside are escaped, markup is not.
    """
    parts = []
    for key, value in attributes.items():
        if value is not None:
            word = key.rstrip("_").replace("_", "-")
            parts.append(f' {word}="{escape(short(value))}"')
    body = Markup("").join(map(escape, inside))
    if not inside:
        return Markup(f"<{name}{''.join(parts)}/>")
    return Markup(f"<{name}{''.join(parts)}>{body}</{name}>")


def short(value: object) -> str:
    """A number with at most two decimals, or any other value as text."""
    if isinstance(value, float):
        text = f"{value:.2f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    return str(value)


def path(points: Iterable[Point], *, closed: bool = False) -> str:
    """The data of a path through some points."""
    words = " ".join(f"{short(x)},{short(y)}" for x, y in points)
    return f"M{words}Z" if closed else f"M{words}"


def text(x: object, y: object, words: str, **attributes: object) -> Markup:
    """Words at a place."""
    return tag("text", words, x=x, y=y, **attributes)


def cut(words: str, most: int) -> str:
    """Words of at most so many characters."""
    return words if len(words) <= most else words[: max(1, most - 1)] + "…"
