"""The two sides of a comparison: two agents, or one agent under two conditions."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.measures.conditions import DEFAULT_CONDITION


@cache
def is_condition(text: str, game: str, condition: str) -> bool:
    """True if a text as a user writes it names the stored condition of a game.

    It has the keys that differ from the defaults, in any order; a key at its default may stand
    in it. "default" is the condition without any.
    """
    usual = find_game(game, "condition").defaults()
    parts = text.split(",") if text not in {"", DEFAULT_CONDITION} else []
    pairs = [part.partition("=") for part in parts]
    keys = {key.strip(): value.strip() for key, _, value in pairs}
    if not keys.keys() <= usual.keys():
        return False
    named = [f"{key}={keys[key]}" for key in usual if key in keys]
    differing = [part for part in named if not _is_default(part, usual)]
    return ",".join(differing).casefold() == condition.casefold()


def _is_default(part: str, usual: dict[str, object]) -> bool:
    key, _, value = part.partition("=")
    return value.casefold() == str(usual[key]).casefold()


@dataclass(frozen=True, slots=True)
class Sides:
    """Two agents, or with ``agent`` the two conditions under which it played.

    Matches under other conditions than these two have no side.
    """

    first: str
    second: str
    agent: str | None = None

    def of(self, record: MatchRecord, agent: str) -> int | None:
        """0 for the first side, 1 for the second, None for an agent on neither."""
        if self.agent is None:
            return {self.first: 0, self.second: 1}.get(agent)
        if agent != self.agent:
            return None
        for side, text in enumerate((self.first, self.second)):
            if is_condition(text, record.game, record.condition):
                return side
        return None

    def any(self, record: MatchRecord, agents: Iterable[str]) -> bool:
        """True if any of these agents is on a side."""
        return any(self.of(record, agent) is not None for agent in agents)

    def seed(self, record: MatchRecord) -> str:
        """The seed that both sides of a pair share: conditions are played with the same ones.

        Two agents meet the same others in other repetitions, too, so their seeds may differ.
        """
        return "" if self.agent is None or record.seed is None else f"{record.seed} "

    def condition(self, record: MatchRecord) -> str:
        """The condition that both sides of a pair share, or both where conditions are compared."""
        return record.condition if self.agent is None else f"{self.first} / {self.second}"
