"""TextArena: a game as one of its environments, and its agents at Parlour's seats."""

from collections.abc import Callable, Mapping
from typing import Any

from parlour.agents.llm.answer_parser import ParsedAnswer, read_answer
from parlour.agents.model_calls import Completion
from parlour.agents.question import wanted_form
from parlour.env import Environment
from parlour.games.common.errors import BadInput
from parlour.games.common.packages import require
from parlour.games.engine.moves import Fault

require("textarena", "0.7", "parlour.doors.textarena")

import textarena  # noqa: E402


class Table(textarena.Env):  # type: ignore[misc]
    """A game as TextArena plays it: one player after the other, in words.

    Its player 0 is Player 1. The rewards at the end are the payoffs. A player's messages are the
    prompt and then what is new, each with the form of the answer, so TextArena's wrapper for
    models makes one conversation of them.
    """

    def __init__(self, game: str, *arguments: Any, **keys: Any) -> None:
        """The arguments are those of ``parlour.env.Environment``."""
        self.env = Environment(game, *arguments, **keys)

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Begins a match; the same seed gives the same one. BadInput for another number."""
        if num_players != len(self.env.players):
            fix = f"give num_players={len(self.env.players)}"
            raise BadInput("reset", f"{num_players} do not play {self.env.game}", fix)
        self.env.reset(seed)
        self.state = textarena.State(num_players)
        self.state.standard_resets(role_mapping=dict(enumerate(self.env.players)))
        self._show()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Takes the answer of the current player."""
        who = self.env.players[self.state.current_player_id]
        done = self.env.step({who: action})
        its = self.state.game_info[self.state.current_player_id]
        its["turn_count"] += 1
        if fault := done.faults.get(who):
            its["invalid_move"] = True
            self.state.step_info = {"fault": f"{fault.kind}: {fault.message}"}
        if outcome := self.env.outcome:
            payoffs = enumerate(outcome.payoffs[each] for each in self.env.players)
            self.state.rewards, self.state.done = dict(payoffs), True
            for number, player in enumerate(self.env.players):
                self.state.game_info[number]["role"] = outcome.roles[player]
        else:
            self._show()
        over, info = self.state.step()
        return over, info

    def _show(self) -> None:
        """Gives the next player what is new to it."""
        who = self.env.asked[0]
        self.state.current_player_id = self.env.players.index(who)
        text = f"{self.env.delta(who)}\n\n{self.env.form(who)}"
        kind = textarena.ObservationType.PROMPT
        self.state.add_observation(text, kind, to_id=self.state.current_player_id)


def player(agent: Callable[[str], str]) -> Callable[[Mapping[str, Any]], object]:
    """An agent of TextArena as ``parlour.run`` and ``Environment`` take agents."""

    def answer(question: Mapping[str, Any]) -> dict[str, Any] | Fault:
        parts = (question["system"], question["question"], wanted_form(question["schema"]))
        parsed = read_answer(Completion(agent("\n\n".join(parts))), question["schema"])
        return parsed.data if isinstance(parsed, ParsedAnswer) else parsed

    return answer
