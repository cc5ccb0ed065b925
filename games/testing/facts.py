"""Facts of a game: what its prompts tell, to whom, and under which keys.

A game declares them in ``disclosure.toml``, beside its prompts and in the language of their
templates. A file of that name among the prompts of another language or wording has the patterns of
that one; those that games have in common are among the shared templates.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from jinja2 import Environment, Template
from pydantic import AfterValidator, BaseModel, BeforeValidator

from parlour.games.common.text import ENGLISH
from parlour.games.engine.events import View
from parlour.games.engine.game import Game
from parlour.games.engine.prompts import MECHANISMS, SHARED, environment, known
from parlour.games.engine.talk import number_word
from parlour.games.engine.wordings import TEMPLATES, wording_of

_FAMILIES = Path(__file__).parents[1] / "families"


@dataclass(frozen=True)
class Reader:
    """The seat that a prompt is for: game, kind of ask, side, setting of the match, and view."""

    game: Game
    kind: str
    side: str
    setting: Any
    view: View

    @property
    def asks_of_the_game(self) -> bool:
        """True for an ask of the game itself, false for one of a mechanism."""
        return (self.game.folder / "prompts" / f"{self.kind}.j2").exists()

    @cached_property
    def context(self) -> dict[str, Any]:
        """The context of facts: that of prompts, with the reader's side and the whole setting."""
        context = known(self.view)
        context["told"] = defaultdict(list, context["told"])
        return {**context, "side": self.side, "setting": self.setting}

    def filled(self, template: str) -> str:
        """A template in the context; any white space in it is one space."""
        if "{" not in template:
            return template
        text = _template(self.game, template).render(self.context)
        return " ".join(text.split())

    def finds(self, expression: str) -> bool:
        """True if the value of an expression in the context is not empty."""
        return bool(_expression(self.game, expression)(self.context))


@cache
def _templates(game: Game) -> Environment:
    templates = environment((), game.hints.encounter).overlay()
    patterns = {"amount": _amount, "either": _either, "plain": re.escape}
    templates.filters = {**templates.filters, **patterns}
    return templates


@cache
def _template(game: Game, text: str) -> Template:
    return _templates(game).from_string(text)


@cache
def _expression(game: Game, text: str) -> Callable[[Mapping[str, Any]], Any]:
    return _templates(game).compile_expression(text)


def _amount(value: float) -> str:
    """The pattern of an amount, which no other digits follow."""
    return rf"{re.escape(f'{value:.15g}')}(?![\d.]*\d)"


def _either(count: int) -> str:
    """The pattern of a count in digits or in letters."""
    return rf"\b({count}|{number_word(count)})"


Text = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]
"""A template; any white space in it is one space."""


class Where(BaseModel, frozen=True, extra="forbid"):
    """Prompts for these kinds of ask and these sides (none: all) under these keys of a setting.

    ``once`` says from when on in a match; the name of the fact says the same in words.
    """

    asks: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()
    keys: Mapping[str, Any] = {}
    once: Text = ""

    def covers(self, reader: Reader) -> bool:
        """True if a prompt for this reader is among them."""
        return (
            (not self.asks or reader.kind in self.asks)
            and (not self.sides or reader.side in self.sides)
            and all(getattr(reader.setting, key) == value for key, value in self.keys.items())
            and (not self.once or reader.finds(self.once))
        )


EVERYWHERE = (Where(),)


def _listed(where: Any) -> Any:
    return [where] if isinstance(where, Mapping) else where


class PromptFact(BaseModel, frozen=True, extra="forbid"):
    """A rule or circumstance that prompts tell in each ``where``, and nowhere else.

    ``said`` makes a regular expression that must match each prompt that tells the fact; case does
    not count. No other prompt may match ``hint``: a wider one, which finds other wordings as well
    ("": the same as ``said``). A fact that no prompt tells has no ``said`` but an ``example``, a
    sentence that would give it away. ``part`` is the part of a prompt that tells it: what the
    question tells "all" stands in all questions of the game itself, in none of a mechanism.
    ``in_language`` has the same fact with the patterns of each other language, and of wordings
    that tell it in other words.
    """

    name: str
    said: Text = ""
    where: Annotated[tuple[Where, ...], BeforeValidator(_listed)] = EVERYWHERE
    hint: Text = ""
    example: str = ""
    part: Literal["system", "question"] = "system"
    in_language: Mapping[str, "PromptFact"] = {}

    def is_told(self, reader: Reader) -> bool:
        """True if the prompt for this reader must tell the fact."""
        wheres = self.where
        if self.part == "question" and not reader.asks_of_the_game:
            wheres = tuple(where for where in wheres if where.asks)
        return any(where.covers(reader) for where in wheres)

    def worded(self, reader: Reader) -> "PromptFact":
        """The fact in the language or the wording of the reader's prompt, as far as it has one."""
        wording = wording_of(reader.view)
        told_in = wording if wording in TEMPLATES else reader.view.language
        return self.in_language.get(told_in or ENGLISH, self)

    def pattern(self, reader: Reader) -> str:
        """The pattern that must match the reader's prompt, or that must not."""
        own = self.worded(reader)
        return reader.filled(own.said if self.is_told(reader) else own.hint or own.said)


@cache
def facts_of(game: Game) -> tuple[PromptFact, ...]:
    """The game's own facts, and those of mechanisms that it can have."""
    return (*own_facts(game), *(fact for fact in mechanism_facts() if _applies(fact, game)))


@cache
def own_facts(game: Game) -> tuple[PromptFact, ...]:
    """The facts of the game itself and of its ``family``; none without a ``disclosure.toml``."""
    path = game.folder / "disclosure.toml"
    if not path.exists():
        return ()
    declared = tomllib.loads(path.read_text(encoding="utf-8"))
    facts = [PromptFact.model_validate(each) for each in declared["facts"]]
    families = [declared["family"]] if "family" in declared else []
    families += ["language"] if "language" in game.variant.model_fields else []
    for family in families:
        shared = tomllib.loads((_FAMILIES / f"{family}.toml").read_text("utf-8"))
        facts += [_of_game(PromptFact.model_validate(each), game) for each in shared["facts"]]
    return tuple(map(partial(_translated, game), facts))


def _translated(game: Game, fact: PromptFact) -> PromptFact:
    """The fact with its patterns in each other language and wording of the game."""
    folders = SHARED, game.folder / "prompts"
    files = chain.from_iterable(folder.glob("*/disclosure.toml") for folder in folders)
    patterns = ((path.parent.name, _patterns(path)) for path in files)
    own = {name: each[fact.name] for name, each in patterns if fact.name in each}
    return fact.model_copy(update={"in_language": own})


@cache
def _patterns(path: Path) -> dict[str, PromptFact]:
    """The patterns of a file by the names of facts: each as a text, or a table with a hint."""
    patterns = {}
    for name, own in tomllib.loads(path.read_text(encoding="utf-8")).items():
        fields = {"said": own} if isinstance(own, str) else own
        patterns[name] = PromptFact.model_validate({"name": name, **fields})
    return patterns


def mechanism_facts() -> tuple[PromptFact, ...]:
    """The facts of all mechanisms, over whatever game."""
    text = (MECHANISMS.parent / "disclosure.toml").read_text(encoding="utf-8")
    return tuple(PromptFact.model_validate(each) for each in tomllib.loads(text)["facts"])


def _applies(fact: PromptFact, game: Game) -> bool:
    """True if the game can be played with the fact's mechanism."""
    key = game.variant.model_fields.get("mechanism")
    options = get_args(key.annotation) if key else ()
    return not fact.where or any(where.keys["mechanism"] in options for where in fact.where)


def _of_game(fact: PromptFact, game: Game) -> PromptFact:
    """A fact of a family, without the asks of other games."""
    where = []
    for each in fact.where:
        asks = tuple(ask for ask in each.asks if ask in game.texts.kinds)
        where.append(each.model_copy(update={"asks": asks}))
    return fact.model_copy(update={"where": tuple(where)})
