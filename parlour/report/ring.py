"""Ring graph: people in a circle from the top clockwise, and arrows between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, dist, pi, sin

from markupsafe import Markup

from parlour.report.svg import Point, cut, path, tag, text
from parlour.tui.look.cast import Identity

WIDTH, HEIGHT = 420.0, 316.0
NODE = 17.0
NAME = 16


@dataclass(frozen=True, slots=True)
class Tie:
    """An arrow from one place of the ring to another; ``weight`` from 0 to 1 is its width.

    ``style`` is a class besides the colour, such as "refused".
    """

    source: int
    target: int
    weight: float = 0.5
    style: str = ""


def ring(
    people: Sequence[Identity],
    ties: Sequence[Tie],
    notes: Sequence[str] = (),
    marked: Sequence[int] = (),
) -> tuple[Markup, float]:
    """The graph and its height.

    ``notes`` stand below the names, ``marked`` people have a heavy border.
    """
    middle = (WIDTH / 2, HEIGHT / 2 - 8)
    radii = (WIDTH / 2 - 70, HEIGHT / 2 - 38)
    places: list[Point] = []
    for index in range(len(people)):
        angle = 2 * pi * index / max(1, len(people))
        places.append((middle[0] + radii[0] * sin(angle), middle[1] - radii[1] * cos(angle)))
    both = {(tie.target, tie.source) for tie in ties}
    parts = []
    for tie in ties:
        bend = 0.14 if (tie.source, tie.target) in both else 0.0
        colour = people[tie.source].colour
        parts.append(_arrow(places[tie.source], places[tie.target], bend, tie, colour))
    for index, (who, (x, y)) in enumerate(zip(people, places, strict=True)):
        heavy = " heavy" if index in marked else ""
        parts.append(tag("circle", cx=x, cy=y, r=NODE, class_=f"node {who.colour}{heavy}"))
        parts.append(text(x, y + 4.5, cut(who.letters, 3), text_anchor="middle", class_="on-node"))
        label = {"text_anchor": "middle", "class_": f"name {who.colour}"}
        parts.append(text(x, y + NODE + 14, cut(who.name, NAME), **label))
        if index < len(notes) and notes[index]:
            words = cut(notes[index], 26)
            parts.append(text(x, y + NODE + 27, words, text_anchor="middle", class_="label"))
    lowest = max((y for _, y in places), default=0.0)
    return Markup("").join(parts), lowest + NODE + 36


def _arrow(begin: Point, end: Point, bend: float, tie: Tie, colour: str) -> Markup:
    """A line with a head that ends at the border of the node, bent to its left."""
    length = dist(begin, end)
    if length < 1:
        return Markup("")
    along = (end[0] - begin[0]) / length, (end[1] - begin[1]) / length
    aside = (along[1] * bend * length, -along[0] * bend * length)
    control = ((begin[0] + end[0]) / 2 + 2 * aside[0], (begin[1] + end[1]) / 2 + 2 * aside[1])
    start, stop = _towards(begin, control, NODE + 2), _towards(end, control, NODE + 7)
    tip = _towards(end, control, NODE + 1)
    back = (tip[0] - stop[0]), (tip[1] - stop[1])
    size = max(dist(tip, stop), 0.1)
    across = (-back[1] / size * 4.5, back[0] / size * 4.5)
    head = [
        tip,
        (stop[0] + across[0], stop[1] + across[1]),
        (stop[0] - across[0], stop[1] - across[1]),
    ]
    curve = f"{path([start])}Q{control[0]:.1f},{control[1]:.1f} {stop[0]:.1f},{stop[1]:.1f}"
    width = 0.8 + 3.2 * tie.weight
    style = " ".join(filter(None, (colour, tie.style)))
    line = tag("path", d=curve, class_=f"tie {style}", stroke_width=width)
    return line + tag("path", d=path(head, closed=True), class_=f"head {style}")


def _towards(origin: Point, target: Point, length: float) -> Point:
    """The point so far from the origin in the direction of the target."""
    whole = dist(origin, target) or 1.0
    share = length / whole
    return origin[0] + (target[0] - origin[0]) * share, origin[1] + (target[1] - origin[1]) * share
