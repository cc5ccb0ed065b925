"""The form that adds agents to a save as drawn: the file and the agents, and the anchors."""

from collections.abc import Mapping

from rich.text import Text

from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, fit, wrapped
from parlour.tui.models.adding import FILE, Adding, adding_fields, against_fields
from parlour.tui.models.offered import OfferedAgent
from parlour.tui.views.fields import Rows, blank, edge, entry, tick
from parlour.tui.views.new_tournament import agent_rows


def adding_rows(
    adding: Adding,
    offered: Mapping[str, OfferedAgent],
    look: Look,
    at: str | None,
    name: str,
    width: int,
    file: str,
) -> Rows:
    """The field of a file, then the agents on offer; ``file`` is the user's file of agents."""
    own = adding_fields(adding, offered, name)[0]
    first = entry(look, own, width, at == FILE)
    agents = agent_rows(adding.ticked, offered, None, look, at, name, width, file)
    return [(first, FILE), blank(width), *agents]


def against_rows(
    adding: Adding, names: tuple[str, ...], look: Look, at: str | None, width: int
) -> Rows:
    """The agents of the save, as anchors of the new ones."""
    cast = Cast(names, look.palette)
    rows: Rows = []
    for name, field in zip(names, against_fields(adding, names), strict=True):
        here = field.id == at
        drawn = look.on_cursor() if here else look
        line = edge(drawn, here).append_text(tick(drawn, field)).append(" ")
        line.append_text(drawn.chip(cast[name])).append(" ").append_text(drawn.name(cast[name]))
        rows.append((fit(line, width), field.id))
    words = "they meet all agents" if not adding.against else "they meet these alone, for good"
    note = wrapped(Text(words, look.palette.faint), width, 1)
    return [*rows, *((fit(line, width), None) for line in note)]
