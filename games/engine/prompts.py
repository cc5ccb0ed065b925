"""Prompts: templates in a game's folder, filled from what one seat may know and nothing else."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from traceback import extract_tb
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined, TemplateNotFound
from jinja2.meta import find_referenced_templates
from jinja2.sandbox import SandboxedEnvironment

from parlour.games.common.errors import BadInput
from parlour.games.engine.encounter import Encounter
from parlour.games.engine.events import Event, View
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Record, drawn, player
from parlour.games.engine.transcript import quoted

_SHARED = Path(__file__).parents[1] / "templates"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: who the player is and how the game goes, and the question at hand.

    ``templates`` are the name and text of every template that it was made from.
    """

    system: str
    question: str
    templates: tuple[tuple[str, str], ...] = ()


def left_out(events: Sequence[Event], memory: int | None) -> int:
    """Number of events, oldest first, before the latest ``memory`` rounds among them.

    None is an unlimited memory: it leaves out nothing.
    """
    if memory is None:
        return 0
    latest = sorted({event.round for event in events})[-memory:]
    return sum(event.round < latest[0] for event in events) if latest else 0


@cache
def environment(
    folders: tuple[Path, ...],
    encounter: Callable[[Record], Encounter] | None,
    own: bool,
) -> Environment:
    """The environment of templates in these folders, of which some are a user's ``own``."""
    # Own templates are sandboxed: those of a save run again where its prompts are shown, whoever
    # made it. A prompt takes a sixth longer so, which shipped templates are spared.
    templates = (SandboxedEnvironment if own else Environment)(
        loader=ChoiceLoader([FileSystemLoader(path) for path in folders]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # prompts are plain text; players' words go through ``quoted``
    )
    templates.filters["quoted"] = quoted
    templates.filters["player"] = player
    templates.filters["left_out"] = left_out
    if encounter is not None:
        templates.tests["involves"] = lambda record, seat: seat in encounter(record).pair
    return templates


@cache
def _sources(templates: Environment, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Name and text of the named templates and of all that they include."""
    sources: dict[str, str] = {}
    open_names = list(names)
    while open_names:
        name = open_names.pop()
        if name not in sources and templates.loader is not None:
            sources[name] = templates.loader.get_source(templates, name)[0]
            parsed = templates.parse(sources[name])
            open_names += [other for other in find_referenced_templates(parsed) if other]
    return tuple(sorted(sources.items()))


def render(
    game: Game,
    view: View,
    kind: str,
    own: Path | None = None,
    memory: int | None = None,
    order: int | None = None,
) -> Prompt:
    """The prompt for one kind of ask, from the seat's view.

    ``own`` is a user's folder of templates: ``own/<game>/<kind>.j2`` overrides the shipped
    one. ``memory`` limits each list in it to so many rounds, None for all. ``order`` draws the
    order of the choices, None for the usual one. Raises BadInput naming a template that cannot be
    filled.
    """
    names = ("system.j2", f"{kind}.j2")
    more = {"memory": memory, "drawn": list if order is None else partial(drawn, order)}
    (system, question), templates = fill(game, view, names, own, game.folder / "prompts", more)
    return Prompt(system, question, templates)


def fill(
    game: Game,
    view: View,
    names: tuple[str, ...],
    own: Path | None,
    folder: Path,
    more: Mapping[str, Any] | None = None,
) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """Templates of a folder filled from the seat's view; name and text of all that were used.

    ``own`` is as for ``render``. ``more`` is known to the templates besides the view. Raises
    BadInput naming a template that cannot be filled.
    """
    folders = (*([own / game.name] if own else []), folder, _SHARED)
    templates = environment(folders, game.hints.encounter, own is not None)
    context = {**known(view), **(more or {})}
    name = names[0]
    try:
        texts = []
        for name in names:
            texts.append(templates.get_template(name).render(context).strip())
        return texts, _sources(templates, names)
    except Exception as error:  # a template can raise anything: 1/0, a missing filter, bad bytes
        name = _at_fault(error) or name
        missing = isinstance(error, TemplateNotFound)
        reason = f"there is no template {error}" if missing else str(error)
        raise BadInput(
            f"prompt {game.name}/{name}", f"cannot be filled ({reason})", "fix that template"
        ) from None


def known(view: View) -> dict[str, Any]:
    """The context of templates: all that the seat was told, and its own answers."""
    events_by_kind: dict[str, Any] = {}
    for event in view.events:
        if event.by is None:
            events_by_kind.setdefault(event.kind, []).append(event)
    return {
        "me": player(view.seat),
        "seat": view.seat,
        "own": [event for event in view.events if event.by is not None],
        "players": [player(seat) for seat in view.seats],
        "others": [player(seat) for seat in view.seats if seat != view.seat],
        "told": events_by_kind,
        "rules": events_by_kind["rules"][0].record if "rules" in events_by_kind else {},
        "round": view.events[-1].round if view.events else 0,
        "memory": None,
        "drawn": list,
    }


def _at_fault(error: Exception) -> str | None:
    """The template, with its line, in which an error arose: the innermost one it came through."""
    for frame in reversed(extract_tb(error.__traceback__)):
        if frame.filename.endswith(".j2"):
            return f"{Path(frame.filename).name}, line {frame.lineno}"
    return None
