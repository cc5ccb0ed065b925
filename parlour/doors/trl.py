"""TRL: a seat of a game as what ``GRPOTrainer`` takes as ``environment_factory``."""

from collections.abc import Callable
from typing import Any

from parlour.env import Environment
from parlour.games.common.errors import BadInput
from parlour.games.common.packages import require


class Seat:
    """A player whose answers a model gives through the tool ``answer``."""

    def __init__(self, env: Environment) -> None:
        (self._player,) = env.players
        self._env, self._reward = env, 0.0

    def reset(self, seed: int | None = None, **_row: object) -> str:
        """Begins the match of the row's seed, or of the next, and returns its first prompt."""
        self._env.reset(seed)
        self._reward = 0.0
        return self._news()

    def answer(self, answer: str) -> str:
        """
        Answers the question that the game asks now.

        Args:
            answer: The answer as one JSON object of the form that the question wants.

        Returns:
            What has happened since, with the next question or the end of the match.
        """
        if self._env.over:
            return "The match is over."
        step = self._env.step({self._player: answer})
        self._reward += step.rewards[self._player]
        faults = [f"The answer could not be used: {each.message}." for each in step.faults.values()]
        return "\n\n".join([*faults, "The match is over." if step.over else self._news()])

    def get_reward(self) -> float:
        """The payoff of the match, or as much of it as there was so far."""
        return self._reward

    def _news(self) -> str:
        """The rest of the match that the model has not seen, and the form of the answer."""
        return f"{self._env.delta(self._player)}\n\n{self._env.form(self._player)}"


def environment_factory(game: str, *arguments: Any, **keys: Any) -> Callable[[], Seat]:
    """Makes seats of a game; the arguments are those of ``Environment``.

    ``others`` must have agents for all other seats. BadInput if it has not, or TRL is another one.
    """
    place = "parlour.doors.trl"
    require("trl", "1.16", place)
    players = Environment(game, *arguments, **keys).players
    if len(players) != 1:
        problem = f"{' and '.join(players) or 'nobody'} would be played"
        raise BadInput(place, problem, "give others={...} for all seats but one")
    return lambda: Seat(Environment(game, *arguments, **keys))
