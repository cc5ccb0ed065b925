"""Identity of agents and seats: one colour and one letter for each agent of a tournament."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from parlour.games.common.text import one_line
from parlour.games.engine.game import BUILT_IN
from parlour.tui.look.palette import Palette

RULES = "the rules"
"""The name of a seat that the rules play."""


@dataclass(frozen=True, slots=True)
class ShownIdentity:
    """An agent or a seat as shown: letters, name and colour.

    ``letters`` may carry a seat (C1). ``seat`` is 0-based, None for an agent by itself.
    """

    letters: str
    name: str
    colour: str
    seat: int | None = None


class Cast:
    """The agents of a tournament, in its order, which settles colours and letters."""

    def __init__(self, agents: Sequence[str], palette: Palette) -> None:
        self.agents, self.palette = tuple(agents), palette
        shown = [one_line(agent) or "?" for agent in agents]
        letters = _letters(shown)
        self._identities = {
            agent: ShownIdentity(letters[index], shown[index], palette.person(index))
            for index, agent in enumerate(agents)
        }

    def __getitem__(self, agent: str) -> ShownIdentity:
        """The identity of an agent; of the rules for a seat that they play."""
        if agent == BUILT_IN:
            return ShownIdentity("#", RULES, self.palette.faint)
        known = self._identities.get(agent)
        if known is not None:
            return known
        name = one_line(agent) or "?"  # an agent of a match that the tournament no longer lists
        return ShownIdentity(name[0].upper(), name, self.palette.soft)

    def seats(self, agents: Sequence[str]) -> tuple[ShownIdentity, ...]:
        """The identity of each seat of a match.

        If an agent has several seats, all letters carry the seat. If one agent has all of them,
        colours and letters go by seat.
        """
        played = [agent for agent in agents if agent != BUILT_IN]
        several = len(set(played)) < len(played)
        alone = several and len(set(played)) == 1
        people = []
        for seat, agent in enumerate(agents):
            who = replace(self[agent], seat=seat)
            if played.count(agent) > 1:
                who = replace(who, name=f"{who.name}·{seat + 1}")
            if alone and agent in played:
                who = replace(who, letters=str(seat + 1), colour=self.palette.person(seat))
            elif several and agent in played:
                who = replace(who, letters=f"{who.letters}{seat + 1}")
            people.append(who)
        return tuple(people)


def _letters(names: Sequence[str]) -> list[str]:
    """The initial of each name; two letters for all where two names share an initial."""
    initials = [name[0].upper() for name in names]
    if len(set(initials)) == len(names):
        return initials
    taken: set[str] = set()
    letters = []
    for name in names:
        words = name.replace("-", " ").replace("_", " ").replace("/", " ").split()
        initials = [word[0] for word in words[1:]]
        second = [sign for sign in [*initials, *name[1:]] if sign.isalpha()] + list("23456789")
        free = (name[0].upper() + sign.lower() for sign in second)
        numbers = (f"{name[0].upper()}{number}" for number in count(10))
        pair = next((pair for pair in free if pair not in taken), None) or next(
            pair for pair in numbers if pair not in taken
        )
        taken.add(pair)
        letters.append(pair)
    return letters
