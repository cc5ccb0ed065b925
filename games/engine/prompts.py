"""Prompts: templates in a game's folder, filled from what one seat may know and nothing else."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from traceback import extract_tb
from typing import Any, NamedTuple

import jinja2
from jinja2.loaders import split_template_path
from jinja2.meta import find_referenced_templates
from jinja2.sandbox import ImmutableSandboxedEnvironment

from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import read_below
from parlour.games.common.role_tokens import defused
from parlour.games.common.text import ENGLISH
from parlour.games.engine.events import GENERATION, Encounter, Event, View
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Record, Seat, drawn, player
from parlour.games.engine.talk import number_word
from parlour.games.engine.transcript import quoted
from parlour.games.engine.wordings import TEMPLATES, wording_of

_GAMES = Path(__file__).parents[1]
SHARED = _GAMES / "templates"
"""The templates that several games have in common."""
MECHANISMS = _GAMES / "mechanisms" / "prompts"
"""The templates of mechanisms: what each adds to a game's prompts, and its own asks."""
LONGEST_PROMPT = 1_000_000
"""Maximum length in characters of a text that a user's template makes."""
_SYSTEM = "system.j2"
_MOST_KEPT = 8192
_kept: OrderedDict[tuple[int, Seat, jinja2.Environment], tuple[Event, str]] = OrderedDict()
"""System prompts of matches that are played, with the first event of each, which tells them apart.

In the games that ship with the program they stay the same through a match.
"""


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


def _own(folder: Path, game: str, template: str) -> tuple[str, str, Callable[[], bool]] | None:
    """The text of a user's template of one game, its path, and whether it is still the same.

    Files of the folder alone, and what no link leads to.
    """
    name = "/".join((game, *split_template_path(template)))
    path = folder / name
    try:
        changed = path.stat().st_mtime_ns
        text = read_below(folder, name).decode()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        fix = "put the file itself there"
        raise BadInput(f"prompt {path}", error.strerror or str(error), fix) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, str(path), lambda: path.stat().st_mtime_ns == changed


def _dict(*pairs: Any, **entries: Any) -> dict[Any, Any]:
    """Makes a dict. The class itself would be a way to change others, past the sandbox."""
    return dict(*pairs, **entries)


class _RecordsFirst(jinja2.Environment):
    """An environment in which a key of a record goes before an attribute, which few names are."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Returns the entry, or else the attribute."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Makes a dict, since each text copies it, and the usual chain of dicts copies slowly."""
        return {**self.globals, **(d or {})}


class _Compiled(dict[str, bytes]):
    """Compiled templates, which the environments of all games, languages and agents share."""

    def set(self, key: str, value: bytes, timeout: int | None = None) -> None:
        """Keeps one."""
        self[key] = value


_plain, _sandboxed = (jinja2.MemcachedBytecodeCache(_Compiled()) for _ in range(2))  # type: ignore[arg-type]


@cache
def environment(
    folders: tuple[Path, ...],
    encounter: Callable[[Record], Encounter] | None = None,
    own: tuple[Path, str] | None = None,
) -> jinja2.Environment:
    """The environment of templates in these folders; ``own`` are a user's folder and the game.

    The user's templates take precedence.
    """
    loaders: list[jinja2.BaseLoader] = [jinja2.FunctionLoader(partial(_own, *own))] if own else []
    loaders += [jinja2.FileSystemLoader(path) for path in folders]
    # Own templates are sandboxed: those of a save run again where its prompts are shown, whoever
    # made it. A prompt takes a sixth longer so, which shipped templates are spared.
    templates = (ImmutableSandboxedEnvironment if own else _RecordsFirst)(
        loader=jinja2.ChoiceLoader(loaders),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # prompts are plain text; players' words go through ``quoted``
        auto_reload=own is not None,  # it looks at the time of the file at every ask
    )
    templates.globals["dict"] = _dict
    templates.filters |= {"quoted": quoted, "player": player}
    templates.filters |= {"in_words": number_word, "left_out": left_out}
    templates.bytecode_cache = _sandboxed if own else _plain
    if encounter is not None:
        templates.tests["involves"] = lambda record, seat: seat in encounter(record).pair
    return templates


@lru_cache(1024)
def _included(text: str) -> list[str]:
    """Names of the templates that a template includes."""
    return [name for name in find_referenced_templates(jinja2.Environment().parse(text)) if name]


@cache
def _sources(templates: jinja2.Environment, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Name and text of the named templates and of all that they include."""
    sources: dict[str, str] = {}
    open_names = list(names)
    while open_names:
        name = open_names.pop()
        if name not in sources and templates.loader is not None:
            sources[name] = templates.loader.get_source(templates, name)[0]
            open_names += _included(sources[name])
    return tuple(sorted(sources.items()))


class Filled(NamedTuple):
    """The texts that templates make, and name and text of all templates that were used."""

    texts: Sequence[str]
    templates: tuple[tuple[str, str], ...]


def fill(
    game: Game,
    view: View,
    names: tuple[str, ...],
    own: Path | None,
    folder: Path,
    more: Mapping[str, Any] | None = None,
    first: tuple[Path, ...] = (),
) -> Filled:
    """Templates of a folder filled from the seat's view.

    ``own`` is as for ``render``. ``more`` is known to the templates besides the view. The folders
    that come ``first`` may lack some. Raises BadInput naming a template that cannot be filled.
    """
    templates = templates_of(game, folder, own, first)
    # All seats share their records, which the template of one must not change.
    context = {**known(view if own is None else view.copied()), **(more or {})}
    if own is not None or names[0] != _SYSTEM or game.folder.parent != _GAMES:
        return filled(game, templates, names, context)
    begin = view.events[0]
    key = id(begin), view.seat, templates
    if key not in _kept:
        _kept[key] = begin, filled(game, templates, names[:1], context).texts[0]
        if len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    texts = filled(game, templates, names[1:], context).texts
    return Filled([_kept[key][1], *texts], _sources(templates, names))


def templates_of(
    game: Game, folder: Path, own: Path | None = None, first: tuple[Path, ...] = ()
) -> jinja2.Environment:
    """The templates of a folder and those that all games share, as ``fill`` takes them."""
    whose = None
    if own is not None:
        in_language = folder.parent == game.folder / "prompts"
        whose = own, f"{game.name}/{folder.name}" if in_language else game.name
    return environment((*first, folder, SHARED, MECHANISMS), game.hints.encounter, whose)


def filled(
    game: Game, templates: jinja2.Environment, names: tuple[str, ...], context: Mapping[str, Any]
) -> Filled:
    """Templates filled from a context. Raises BadInput naming one that cannot be filled."""
    name = names[0]
    try:
        texts = []
        for name in names:
            text = templates.get_template(name).render(context).strip()
            if len(text) > LONGEST_PROMPT:
                raise ValueError(f"it is longer than {LONGEST_PROMPT:,} characters")
            texts.append(defused(text))
        return Filled(texts, _sources(templates, names))
    except BadInput:
        raise
    except Exception as error:  # a template can raise anything: 1/0, a missing filter, bad bytes
        name = _at_fault(error) or name
        missing = isinstance(error, jinja2.TemplateNotFound)
        reason = f"there is no template {error}" if missing else str(error) or type(error).__name__
        raise BadInput(
            f"prompt {game.name}/{name}", f"cannot be filled ({reason})", "fix that template"
        ) from None


Fill = Callable[..., Filled]
"""A way to fill templates: ``fill``, or the same elsewhere."""


def render(
    game: Game,
    view: View,
    kind: str,
    own: Path | None = None,
    memory: int | None = None,
    order: int | None = None,
    wording: str = "full",
    fill: Fill = fill,
) -> Prompt:
    """The prompt for one kind of ask, from the seat's view.

    ``own`` is a user's folder of templates: ``own/<game>/<kind>.j2`` overrides the shipped
    one, ``own/<game>/<language>/<kind>.j2`` that of another language than English. ``memory``
    limits each list in it to so many rounds, None for all. ``order`` draws the order of the
    choices, None for the usual one. ``wording`` is "short" for those templates that ship in a
    shorter form, too; that of the match comes first. Raises BadInput naming a template that cannot
    be filled.
    """
    mechanism = next((e.record["name"] for e in view.events if e.kind == "mechanism"), None)
    added = (f"{mechanism}.j2", f"{mechanism}_so_far.j2") if mechanism else ()
    names = (_SYSTEM, f"{kind}.j2", *added)
    more = {"memory": memory, "drawn": list if order is None else partial(drawn, order)}
    own_wording = wording_of(view)
    named = own_wording if own_wording in TEMPLATES else wording
    folder, first = prompt_folders(game, named, view.language)
    (system, question, *of_mechanism), templates = fill(game, view, names, own, folder, more, first)
    if of_mechanism:
        how_it_goes, so_far = of_mechanism
        system, question = f"{system}\n\n{how_it_goes}", f"{so_far}\n\n{question}"
    return Prompt(system, question, templates)


@cache
def prompt_folders(game: Game, wording: str, language: str | None) -> tuple[Path, tuple[Path, ...]]:
    """The folder of a game's prompts, and those that come before it in another wording.

    Those of another language than English have a folder of their own, and one wording.
    """
    folder = game.folder / "prompts"
    if language is not None and language != ENGLISH:
        return folder / language, (folder / language, SHARED / language)
    return folder, (folder / wording, SHARED / wording) if wording != "full" else ()


def known(view: View) -> dict[str, Any]:
    """The context of templates: all that the seat was told, and its own answers."""
    context: dict[str, Any] = {
        "me": player(view.seat),
        "seat": view.seat,
        "own": [],
        "players": [player(seat) for seat in view.seats],
        "others": [player(seat) for seat in view.seats if seat != view.seat],
        "told": {},
        "rules": {},
        "round": 0,
        "memory": None,
        "drawn": list,
    }
    learn(context, view.events)
    return context


def learn(context: dict[str, Any], events: Sequence[Event]) -> None:
    """Adds the next events of the seat's view to what its templates know."""
    own, events_by_kind = context["own"], context["told"]
    for event in events:
        if event.by is not None:
            own.append(event)
        else:
            if event.kind == GENERATION:
                own.clear()
                for kind, past in events_by_kind.items():
                    events_by_kind[kind] = [each for each in past if not each.round]
            events_by_kind.setdefault(event.kind, []).append(event)
            if event.kind == "rules" and not context["rules"]:
                context["rules"] = event.record
            elif event.kind == "out":
                out = player(event.record["player"])
                for key in ("players", "others"):
                    context[key] = [other for other in context[key] if other != out]
    if events:
        context["round"] = events[-1].round


def _at_fault(error: Exception) -> str | None:
    """The template, with its line, in which an error arose: the innermost one it came through."""
    for frame in reversed(extract_tb(error.__traceback__)):
        if frame.filename.endswith(".j2"):
            return f"{Path(frame.filename).name}, line {frame.lineno}"
    return None
