"""A tournament as its screens name it: its name, its agents, and what each of them is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from parlour.games.common.text import one_line
from parlour.tournament.save.reader import Save


@dataclass(frozen=True, slots=True)
class Entrants:
    """The agents of a tournament in its order; ``kinds`` says in words what each of them is."""

    name: str = ""
    agents: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)


def read_entrants(path: Path) -> Entrants:
    """The agents of a save. Raises BadSave if it cannot be read."""
    with Save(path) as save:
        configs = save.tournament.agents
        name = save.name
    kinds = {config.name: _kind(config) for config in configs}
    return Entrants(name, tuple(config.name for config in configs), kinds)


def _kind(config: object) -> str:
    """The kind of an agent, with its strategies or its model."""
    kind = str(getattr(config, "kind", ""))
    what = getattr(config, "strategy", None) or getattr(config, "model", None) or ""
    words = what if isinstance(what, str) else ", ".join(map(str, what))
    return one_line(f"{kind}: {words}" if words else kind)
