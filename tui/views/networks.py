"""Accusations or help between agents: a matrix with lists below, and the ring of the ties."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from parlour.tui.look.cast import Cast
from parlour.tui.look.look import DIM_BORDER, DIM_FILL, Look, fit
from parlour.tui.models.sorting import UNSORTED, Sorting
from parlour.tui.views.ring import Box, Edge, Node, boxes_of, ring_picture
from parlour.tui.views.standings_table import Shows, chip_and_name, chip_width, people_width
from parlour.tui.views.states import centred

if TYPE_CHECKING:
    from parlour.ratings.counting.ties import Kind, Network, Tie

WORDS = {
    "accused": ("accuses", "most accused", "Who accuses whom", "of the ballots both sat at, %"),
    "helped": ("helps", "most helped", "Who helps whom", "of the meetings, %"),
}
"""Of each kind: the verb, the heading of what is received, the title and the unit."""
CELL = 6
NAMED_FROM = 56
"""Columns from which on boxes of the ring have names; below, chips stand alone."""
SMALLEST_RING = (24, 9)
"""Columns and lines from which on the ring is drawn; below, ties are listed."""


@dataclass(frozen=True, slots=True)
class NetworkState:
    """A network as drawn: its agents in the order of the standings; ``chosen`` stands out."""

    network: "Network"
    kind: "Kind"
    agents: Sequence[str]
    cast: Cast
    look: Look
    count: int = 14
    chosen: str | None = None
    sorting: Sorting = UNSORTED
    shows: Shows = "values"

    @property
    def present(self) -> list[str]:
        """The agents that had a chance in either part, in order."""
        seen = {tie.agent for tie in self.network.ties.values()}
        seen |= {tie.other for tie in self.network.ties.values()}
        own = [agent for agent in self.agents if agent in seen]
        return own + sorted(seen - set(own))

    @property
    def rows(self) -> list[str]:
        """The agents as rows, ordered by the column that sorts: an opponent, or the name."""
        key = self.sorting.column

        def value(agent: str) -> float | str | None:
            if key == "agent":
                return self.cast[agent].name
            tie = self.network.ties.get((agent, key or ""))
            return None if tie is None else tie.share

        return self.sorting.order(self.present, value)


def network_lines(state: NetworkState, width: int, height: int) -> list[Text]:
    """The matrix with its lists below."""
    if not state.network.ties:
        words = "No ballot is over yet." if state.kind == "accused" else "Nobody has met yet."
        return centred(state.look, [words], width, height)
    lines = [Text(" " * max(0, width)), *_matrix(state, width)]
    lines += [Text(" " * max(0, width)), _scale(state, width), Text(" " * max(0, width))]
    most = WORDS[state.kind][1]
    for heading, part in (("most one-sided", _one_sided), (most, _received)):
        body = part(state, width)
        if body and len(lines) + 2 <= height:
            lines += [state.look.rule(width, heading), *body, Text(" " * max(0, width))]
    return lines[:height]


def _matrix(state: NetworkState, width: int) -> list[Text]:
    look, palette, chip = state.look, state.look.palette, chip_width(state.cast)
    people = people_width(state.cast, width)
    columns = state.present[: max(1, (width - people - 3) // CELL)]
    signs = look.signs
    arrow = state.sorting.arrow("agent", signs, numbers=False)
    heading = fit(Text(f"   agent {arrow}" if arrow else "", palette.accent), people + 3)
    for other in columns:
        arrow = state.sorting.arrow(other, signs, numbers=True)
        head = Text.assemble(look.chip(state.cast[other], width=chip), (arrow, palette.accent))
        heading.append_text(fit(head, CELL, align="center"))
    lines = [fit(heading, width)]
    for agent in state.rows:
        mark = f"{signs.cursor} " if agent == state.chosen else "  "
        person = chip_and_name(look, state.cast[agent], people, chip)
        line = Text.assemble((mark, palette.accent), person, " ")
        for other in columns:
            line.append_text(_cell(state, agent, other))
        lines.append(fit(line, width))
    return lines


def _cell(state: NetworkState, agent: str, other: str) -> Text:
    palette = state.look.palette
    if agent == other:
        return Text("·".center(CELL), palette.faint)
    tie = state.network.ties.get((agent, other))
    if tie is None:
        return Text(" " * CELL, f"on {palette.panel}")
    words = tie_words(tie, state.shows)
    if not tie.sound:
        return Text(words.center(CELL), f"italic {palette.faint} on {palette.panel}")
    return state.look.heat(tie.share, CELL, words)


def tie_words(tie: "Tie", shows: Shows) -> str:
    """The share of a tie in percent, half its interval, or its counts."""
    if shows == "counts":
        return f"{tie.times}/{tie.chances}"
    if shows == "intervals":
        _, low, high = tie.interval
        return f"±{50 * (high - low):.0f}"
    return f"{100 * tie.share:.0f}"


def _scale(state: NetworkState, width: int) -> Text:
    palette = state.look.palette
    line = state.look.ramp("   never", palette.heat, "100 %")
    return fit(line.append("   slanted: fewer than 3 chances", f"italic {palette.faint}"), width)


def _one_sided(state: NetworkState, width: int) -> list[Text]:
    palette, verb = state.look.palette, WORDS[state.kind][0]
    people = people_width(state.cast, width)
    lines = []
    for tie, back in state.network.one_sided(6):
        one, other = (
            chip_and_name(state.look, state.cast[agent], people, chip_width(state.cast))
            for agent in (tie.agent, tie.other)
        )
        line = Text.assemble("  ", one, (f" {verb} ", palette.soft), other, no_wrap=True)
        line.append(f" {100 * tie.share:.0f} %", f"bold {palette.text}")
        line.append(f" {tie.times}/{tie.chances}", palette.faint)
        line.append(f" and back {100 * back.share:.0f} %", palette.soft)
        lines.append(fit(line.append(f" {back.times}/{back.chances}", palette.faint), width))
    return lines


def _received(state: NetworkState, width: int) -> list[Text]:
    palette, people = state.look.palette, people_width(state.cast, width)
    received = [tie for agent in state.present if (tie := state.network.received(agent))]
    received.sort(key=lambda tie: -tie.share)
    room = max(0, width - people - 18)
    lines = []
    for tie in received:
        who = state.cast[tie.other]
        person = chip_and_name(state.look, who, people, chip_width(state.cast))
        share = state.look.line(tie.share, room, who.colour)
        line = Text.assemble("  ", person, " ", share, no_wrap=True)
        line.append(f" {100 * tie.share:3.0f} %", f"bold {palette.text}")
        lines.append(fit(line.append(f" {tie.times}/{tie.chances}".rjust(9), palette.faint), width))
    return lines


# --- Ring


def ring_title(state: NetworkState) -> str:
    """The rule by which ties are in the picture."""
    ties = state.network.strongest(state.count)
    if not ties:
        return "no tie with 3 chances yet"
    if ties[-1].share == 1:
        return f"{len(ties)} ties of 100 %"
    return f"the {len(ties)} strongest ties, {100 * ties[-1].share:.0f} % and more"


def ring_lines(state: NetworkState, width: int, height: int) -> list[Text]:
    """The agents in the order of the standings, and their strongest ties; else these as words."""
    if width < 1 or height < 1:
        return []
    agents, ties = state.present, state.network.strongest(state.count)
    boxes = _boxes(state, agents, width, height) if state.look.signs.braille else []
    if not boxes:
        return [fit(_tie_words(state, tie), width) for tie in ties][:height]
    places = {agent: place for place, agent in enumerate(agents)}
    edges = [_edge(state, tie, places) for tie in reversed(ties)]
    return list(ring_picture(state.look, boxes, edges, width, height).lines())


def _boxes(state: NetworkState, agents: Sequence[str], width: int, height: int) -> Sequence[Box]:
    """The boxes with names or, where those are in each other's way, chips alone; or none."""
    if width < SMALLEST_RING[0] or height < SMALLEST_RING[1]:
        return []
    named = []
    if width >= NAMED_FROM:
        longest = max((Text(state.cast[agent].name).cell_len for agent in agents), default=0)
        names = min(longest, 12)
        named = boxes_of([_node(state, agent, names) for agent in agents], width, height)
    return named or boxes_of([_node(state, agent) for agent in agents], width, height)


def _tie_words(state: NetworkState, tie: "Tie") -> Text:
    look, cast = state.look, state.cast
    one, other = look.name(cast[tie.agent]), look.name(cast[tie.other])
    share = f"  {100 * tie.share:.0f} % {tie.times}/{tie.chances}"
    return Text.assemble(one, f" {look.signs.closed} ", other, (share, look.palette.soft))


def _node(state: NetworkState, agent: str, name_width: int = 0) -> Node:
    """An agent with what it gets of all others; without a name its chip alone."""
    look, palette, who = state.look, state.look.palette, state.cast[agent]
    chip = look.chip(who, width=chip_width(state.cast))
    if not name_width:
        return Node(chip, bare=True)
    chosen = agent == state.chosen
    name = fit(look.name(who, speaks=chosen), name_width)
    line = Text(" ").append_text(chip).append(" ").append_text(name).append(" ")
    tie = state.network.received(agent)
    share = Text(f" {100 * tie.share:.0f} % " if tie else "", palette.soft)
    return Node(line, who.colour if chosen else palette.dimmed(who.colour, DIM_BORDER), below=share)


def _edge(state: NetworkState, tie: "Tie", places: Mapping[str, int]) -> Edge:
    """A tie in the colour of who acts: one to three dots wide by its share."""
    colour = state.cast[tie.agent].colour
    if state.chosen is not None and state.chosen not in (tie.agent, tie.other):
        colour = state.look.palette.dimmed(colour, DIM_FILL)
    dots = 1 + (tie.share >= 0.55) + (tie.share >= 0.85)
    return Edge(places[tie.agent], places[tie.other], colour, dots)
