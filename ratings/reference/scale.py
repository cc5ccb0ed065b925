"""The frozen scale: the parameters of the strength model, as fitted once to the reference pool.

The strength of the anchor is 0 in every role of every game. The parameters never change under one
version, so a newcomer moves nobody else's figure.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # slow: the names of the pool need none of it
    from parlour.ratings.skill.strength_model import Parameter

FILE = Path(__file__).parent / "data" / "pool.json"


@dataclass(frozen=True, slots=True)
class GameScale:
    """The scale of one game.

    ``version`` is that of its rules, ``matches`` the number that the pool played. ``players`` says
    how each agent of the pool plays the game. ``held`` are the fitted parameters.
    """

    game: str
    version: int
    matches: int
    players: Mapping[str, str]
    roles: tuple[str, ...]
    held: "Mapping[Parameter, float]"
    anchor: str

    def skill(self, agent: str, role: str) -> float:
        """Returns the skill of an agent of the pool in one role, as the model has it."""
        return self.held["agent", agent] + self.held.get(("role", self.game, role, agent), 0.0)

    def strength(self, agent: str, role: str | None = None) -> float:
        """Returns the strength of an agent of the pool: above the anchor, by default in the mean
        of all roles."""
        roles = self.roles if role is None else (role,)
        above = [self.skill(agent, each) - self.skill(self.anchor, each) for each in roles]
        return sum(above) / len(above)


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of a version of the reference pool.

    ``definition`` is the fingerprint of the tournament that the pool played, ``counts`` the version
    of the definitions of counts. ``agents`` are those of the pool, among them the ``anchor``.
    """

    version: int
    anchor: str
    seed: int
    repetitions: int
    matches: int
    counts: int
    definition: str
    agents: tuple[str, ...]
    games: Mapping[str, GameScale]

    @property
    def title(self) -> str:
        """The scale in words, as it stands beside every figure."""
        return f"scale {self.version}, on which {self.anchor} is 0 in every game"


@cache
def shipped_scale() -> Scale:
    """Returns the scale that ships."""
    return scale_of(json.loads(FILE.read_text(encoding="utf-8")))


def scale_of(body: Mapping[str, Any]) -> Scale:
    """Returns the scale of a pool's file."""
    games = {}
    for name, game in body["games"].items():
        held = {tuple(parameter): value for *parameter, value in game["parameters"]}
        own = game["version"], game["matches"], game["players"], tuple(game["roles"])
        games[name] = GameScale(name, *own, held, body["anchor"])
    return Scale(**{**body, "agents": tuple(body["agents"]), "games": games})
