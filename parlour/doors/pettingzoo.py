"""PettingZoo: a game for one agent after another (``env``), or for all at once (``parallel_env``).

The arguments are those of ``parlour.env.Environment``, and ``observe``: "text" for the prompt that
every agent gets, "data" for plain data. "player_0" is Player 1. An action is plain data or a text
with a JSON object in it; ``action_space(agent).sample()`` draws a legal one.
"""

import json
from typing import Any, Literal

from parlour.env import Environment, Step
from parlour.games.common.packages import require

require("pettingzoo", "1.27", "parlour.doors.pettingzoo")

from gymnasium.spaces import Dict, Space  # noqa: E402
from pettingzoo import AECEnv, ParallelEnv  # noqa: E402

Observe = Literal["text", "data"]
FIELDS = {"text": ("prompt",), "data": ("game", "player", "kind", "round", "events")}
"""The keys of an observation. (None is "observation", which PettingZoo takes for an array.)"""


class Anything(Space):  # type: ignore[misc]
    """The space of values that no array holds: texts and plain data."""

    def contains(self, x: object) -> bool:
        """True, since the game judges what it is given."""
        return True


class Answers(Anything):
    """The answers of a player, of which the game draws a legal one."""

    def __init__(self, env: Environment, player: str, observe: Observe) -> None:
        super().__init__()
        self._env, self._player, self._observe = env, player, observe

    def sample(self, mask: object = None, probability: object = None) -> Any:
        """A legal answer in the form of the observations; None while the player is not asked."""
        if self._player not in self._env.asked:
            return None
        answer = self._env.sample(self._player, int(self.np_random.integers(2**63)))
        return json.dumps(answer) if self._observe == "text" else answer


class _Seats:
    """The seats of an environment by PettingZoo's names."""

    metadata: dict[str, Any]
    render_mode = "ansi"

    def __init__(self, game: str, *arguments: Any, observe: Observe = "text", **keys: Any) -> None:
        self.env = Environment(game, *arguments, **keys)
        self.metadata = {"name": f"parlour_{game}", "render_modes": ["ansi"]}
        self.metadata["is_parallelizable"] = True
        self.players = {f"player_{int(who.split()[1]) - 1}": who for who in self.env.players}
        self.possible_agents, self.agents = list(self.players), list(self.players)
        self._agent_of = {who: agent for agent, who in self.players.items()}
        self._observe = observe
        self._seen = Dict({field: Anything() for field in FIELDS[observe]})
        self._answers = {
            agent: Answers(self.env, who, observe) for agent, who in self.players.items()
        }

    def observation_space(self, agent: str) -> Any:
        """The form of an observation."""
        return self._seen

    def action_space(self, agent: str) -> Answers:
        """The answers of an agent."""
        return self._answers[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        """The prompt of an agent, "" while it is not asked; or its data at any time."""
        who = self.players[agent]
        if self._observe == "data":
            return self.env.data(who)
        return {"prompt": self.env.text(who) if who in self.env.asked else ""}

    def render(self) -> str:
        """The transcript of the match, private answers included."""
        return str(self.env.match)

    def close(self) -> None:
        """Nothing to close."""

    def _begin(self, seed: int | None) -> None:
        self.env.reset(seed)
        self.agents = list(self.possible_agents)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def _step(self, actions: dict[str, Any]) -> Step:
        """Takes actions, and notes in ``infos`` which were faults."""
        done = self.env.step({self.players[agent]: action for agent, action in actions.items()})
        for agent in actions:
            fault = done.faults.get(self.players[agent])
            self.infos[agent] = {"fault": f"{fault.kind}: {fault.message}"} if fault else {}
        return done


class env(_Seats, AECEnv):  # type: ignore[misc]  # noqa: N801
    """A game in which one agent after another answers."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a match; the same seed gives the same one."""
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.agent_selection = self._agent_of[self.env.asked[0]]

    def step(self, action: object) -> None:
        """Takes the answer of the selected agent."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        done = self._step({agent: action})
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {each: done.rewards[who] for each, who in self.players.items()}
        self._accumulate_rewards()
        if done.over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self._agent_of[self.env.asked[0]]


class parallel_env(_Seats, ParallelEnv):  # type: ignore[misc]  # noqa: N801
    """A game in which all who are asked answer at once; the actions of the others are not read."""

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins a match; the same seed gives the same one."""
        self._begin(seed)
        return {agent: self.observe(agent) for agent in self.agents}, self.infos

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Takes the answers of all who are asked; one that is missing is a fault."""
        asked = [self._agent_of[who] for who in self.env.asked]
        done = self._step({agent: actions.get(agent) for agent in asked})
        agents = self.agents
        rewards = {agent: done.rewards[self.players[agent]] for agent in agents}
        over = dict.fromkeys(agents, done.over)
        observed = {agent: self.observe(agent) for agent in agents}
        self.agents = [] if done.over else agents
        return observed, rewards, over, dict.fromkeys(agents, False), self.infos
