"""A page of the site as its reader's parser sees it."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from html.parser import HTMLParser
from posixpath import dirname, join, normpath

from parlour.site.addresses import file_of

VOID = {"meta", "link", "input", "br", "img", "hr"}
"""Elements without an end tag."""


@dataclass
class Element:
    """An element of a page."""

    name: str
    attributes: dict[str, str]
    parent: "Element | None"
    content: "list[Element | str]" = field(default_factory=list)

    @property
    def children(self) -> "list[Element]":
        """The elements right in it."""
        return [each for each in self.content if isinstance(each, Element)]

    @property
    def text(self) -> str:
        """All text in it."""
        return "".join(each if isinstance(each, str) else each.text for each in self.content)

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
        self._open.content.append(element)
        if tag not in VOID:
            self._open = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {key: value or "" for key, value in attrs}, self._open)
        self._open.content.append(element)

    def handle_endtag(self, tag: str) -> None:
        if self._open.name != tag or self._open.parent is None:
            self.unmatched.append(tag)
            return
        self._open = self._open.parent

    def handle_data(self, data: str) -> None:
        self._open.content.append(data)

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


def structure_problems(
    text: str, address: str = "", files: Collection[str] = ("style.css", "site.js")
) -> list[str]:
    """Faults of a page that no reader should meet: of form, of names, and of the network.

    ``files`` are the addresses of the site, ``address`` is that of the page.
    """
    page = Page(text)
    problems = [] if page.complete else [f"elements are not closed: {page.unmatched[:3]}"]
    every = page.every()
    counts = Counter(each.attributes["id"] for each in every if "id" in each.attributes)
    problems += [f"id {name!r} occurs {count} times" for name, count in counts.items() if count > 1]
    there = {file_of(each) for each in files}
    for element in every:
        problems += _of_element(element, counts, file_of(address), there)
    (first,) = page.root.all("h1") or [Element("h1", {}, None)]
    problems += [] if first.text.strip() else ["no first heading"]
    for table in page.root.all("table"):
        widths = {len(row.children) for row in table.all("tr")}
        problems += [f"a table has rows of {sorted(widths)} cells"] if len(widths) > 1 else []
        head = {each.attributes.get("scope") for each in table.all("th")}
        problems += ["a table has no heads"] if not head else []
        problems += ["a head has no scope"] if None in head else []
    for drawing in page.root.all("svg"):
        parts = {child.name: child.text.strip() for child in drawing.children}
        words = {"aria-label", "aria-hidden"} & drawing.attributes.keys()
        if not words and not (parts.get("title") and parts.get("desc")):
            problems.append("a drawing has no title or description")
    return problems


def _of_element(
    element: Element, ids: Counter[str], file: str, there: Collection[str]
) -> list[str]:
    problems = []
    for key, value in element.attributes.items():
        if key.startswith("on") or key in {"action", "data", "srcset", "style"}:
            problems.append(f"{element.name} has {key}")
        if key in {"href", "src"} and value != "data:,":
            target, sign, place = value.partition("#")
            path = normpath(join(dirname(file), target)) if target else file
            if path not in there:
                problems.append(f"{element.name} leads to {value!r}")
            elif sign and not target and place not in ids and not place.startswith("sort="):
                problems.append(f"{element.name} leads nowhere: {value!r}")
        if key in {"aria-labelledby", "for"}:
            problems += [f"{key} names no {name!r}" for name in value.split() if name not in ids]
    if element.name in {"iframe", "object", "embed", "img", "foreignobject", "base", "style"}:
        problems.append(f"the page has a {element.name}")
    if element.name == "script" and (element.text or not element.attributes.get("src")):
        problems.append("the page has a script in it")
    return problems
