"""A report page as its reader's parser sees it."""

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import chain

VOID = {"meta", "link", "input", "br", "img", "hr"}
"""Elements without an end tag."""


@dataclass
class Element:
    """An element of a page."""

    name: str
    attributes: dict[str, str]
    parent: "Element | None"
    children: "list[Element]" = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in it."""
        return "".join(self.words) + "".join(child.text for child in self.children)

    def all(self, name: str) -> "list[Element]":
        """The elements of a name in it, at any depth."""
        elements = []
        for child in self.children:
            elements += [child] if child.name == name else []
            elements += child.all(name)
        return elements

    def classes(self) -> set[str]:
        """Its classes."""
        return set(self.attributes.get("class", "").split())


class Page(HTMLParser):
    """A page as a tree. ``unmatched`` are end tags that close nothing, or another element."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {}, None)
        self._open = self.root
        self.unmatched: list[str] = []
        self.declaration = ""
        self.feed(text)
        self.close()

    @property
    def complete(self) -> bool:
        """True if every element was closed where it had to be."""
        return self._open is self.root and not self.unmatched

    def handle_decl(self, decl: str) -> None:
        self.declaration = decl

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {key: value or "" for key, value in attrs}, self._open)
        self._open.children.append(element)
        if tag not in VOID:
            self._open = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {key: value or "" for key, value in attrs}, self._open)
        self._open.children.append(element)

    def handle_endtag(self, tag: str) -> None:
        if self._open.name != tag or self._open.parent is None:
            self.unmatched.append(tag)
            return
        self._open = self._open.parent

    def handle_data(self, data: str) -> None:
        self._open.words.append(data)

    def every(self) -> list[Element]:
        """Every element."""
        elements, todo = [], [self.root]
        while todo:
            element = todo.pop()
            elements.append(element)
            todo += element.children
        return elements[1:]

    def by_id(self, name: str) -> Element:
        """The element with an id."""
        (element,) = (each for each in self.every() if each.attributes.get("id") == name)
        return element


def structure_problems(text: str) -> list[str]:
    """Faults of a page that no reader should meet: of form, of names, and of the network."""
    page = Page(text)
    problems = [] if page.complete else [f"elements are not closed: {page.unmatched[:3]}"]
    every = page.every()
    counts = Counter(each.attributes["id"] for each in every if "id" in each.attributes)
    problems += [f"id {name!r} occurs {count} times" for name, count in counts.items() if count > 1]
    for element in every:
        problems += _of_element(element, counts)
    for figure in page.root.all("figure"):
        name = figure.attributes["id"]
        titles = [each for each in figure.all("span") if "title" in each.classes()]
        if not (titles and titles[0].text.strip()):
            problems.append(f"figure {name!r} has no title")
        rows = list(chain.from_iterable(each.all("tr") for each in figure.all("table")))
        if len(rows) < 2:
            problems.append(f"figure {name!r} has no table")
        widths = {len(row.children) for row in rows}
        if len(widths) > 1:
            problems.append(f"figure {name!r} has rows of {sorted(widths)} cells")
        for drawing in figure.all("svg"):
            if "drawing" in drawing.classes():
                parts = {child.name: child.text.strip() for child in drawing.children}
                if not (parts.get("title") and parts.get("desc")):
                    problems.append(f"a drawing of {name!r} has no title or description")
    return problems


def _of_element(element: Element, ids: Counter[str]) -> list[str]:
    problems = []
    for key, value in element.attributes.items():
        if key.startswith("on") or key in {"src", "action", "data", "srcset"}:
            problems.append(f"{element.name} has {key}")
        if key in {"href", "xlink:href"} and value != "data:,":
            if not value.startswith("#"):
                problems.append(f"{element.name} leads to {value!r}")
            elif value[1:] not in ids:
                problems.append(f"{element.name} leads nowhere: {value!r}")
        if key in {"aria-labelledby", "for"}:
            problems += [f"{key} names no {name!r}" for name in value.split() if name not in ids]
    if element.name in {"script", "iframe", "object", "embed", "img", "foreignobject", "base"}:
        problems.append(f"the page has a {element.name}")
    if element.name == "style" and ("url(" in element.text or "@import" in element.text):
        problems.append("the style loads something")
    return problems
