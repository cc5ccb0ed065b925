"""Steps of an environment, by what is observed; beside TextArena where it is installed.

``.doors/textarena/bin/python -m tests.benchmarks.environments`` measures both in one run.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from time import process_time
from typing import Any

from parlour.env import Environment
from tests.benchmarks.measuring import Reading, bench, clocked, sized

ACTIONS = ({"action": "cooperate"}, {"action": "defect"})
OBSERVED: dict[str, Callable[[Environment, str], object]] = {
    "nothing observed": lambda env, who: None,
    "data": lambda env, who: env.data(who),
    "text": lambda env, who: env.text(who),
    "what is new as text": lambda env, who: env.delta(who),
}


def _rate(begin: Callable[[int], Any], step: Callable[[Any, int], bool], matches: int) -> float:
    """Steps of single players in a second of this process."""
    steps = 0
    with clocked(process_time) as clock:
        for seed in range(matches):
            env = begin(seed)
            over = False
            while not over:
                over = step(env, steps)
                steps += 1
    return steps / clock.seconds


def _rates(game: str, observe: Callable[[Environment, str], object], runs: int) -> list[float]:
    env = Environment(game)

    def begin(seed: int) -> Environment:
        env.reset(seed)
        return env

    def step(env: Environment, number: int) -> bool:
        who = env.asked[0]
        observe(env, who)
        answer = ACTIONS[number % 5 == 0] if game == "prisoners_dilemma" else env.sample(who)
        return env.step({who: answer}).over

    return [_rate(begin, step, sized(500, 2)) for _ in range(runs)]


@bench
def environment_steps(runs: int) -> Iterator[Reading]:
    """The dilemma by what is observed, and two other games as text."""
    for words, observe in OBSERVED.items():
        aim = 25_000 if words == "text" else None
        rates = tuple(_rates("prisoners_dilemma", observe, runs))
        yield Reading(f"the dilemma, {words}", "steps/s", rates, aim=aim)
    for game in ("impostor", "donation"):
        rates = tuple(_rates(game, OBSERVED["text"], runs))
        yield Reading(f"{game}, text and drawn answers", "steps/s", rates)
    with suppress(ImportError):
        yield from _of_textarena(runs)


def _of_textarena(runs: int) -> Iterator[Reading]:
    """The dilemmas of TextArena: the bare environment, its messages taken at each step."""
    import textarena

    for name, players in (("IteratedPrisonersDilemma", 2), ("ThreePlayerIPD", 3)):
        made = textarena.make(f"{name}-v0-raw")

        def begin(seed: int, made: Any = made, players: int = players) -> Any:
            made.reset(num_players=players, seed=seed)
            return made

        def step(env: Any, number: int) -> bool:
            env.get_observation()
            return bool(env.step("[cooperate] [0 defect] [1 defect] [2 cooperate]")[0])

        rates = tuple(_rate(begin, step, sized(500, 2)) for _ in range(runs))
        yield Reading(f"TextArena, {name}", "steps/s", rates)


if __name__ == "__main__":
    for reading in environment_steps(5):
        print(" | ".join(reading.row()))
