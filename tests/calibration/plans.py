"""Plans of identical agents: every game, every preset cut short, small and extreme designs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product
from typing import Any, ClassVar

import parlour
from parlour.agents.scripted.bayesian import BayesianPlayer
from parlour.agents.scripted.strategy import Parameters, Strategy
from parlour.agents.scripted.words import RandomPlayer
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask
from parlour.tournament.plan.loader import preset_content
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.rating import rating

NAMES = ("Ada", "Bea", "Cleo", "Dora", "Edda", "Finn", "Gwen", "Hugo", "Ines", "Jona", "Kai", "Lin")


class Salted(Parameters):
    """The key of players whose answers are a hash: agents with the same one are the same."""

    salt: str


class Fixed(Strategy):
    """A player at temperature 0: the same view, question and salt have the same answer."""

    games: ClassVar[frozenset[str] | None] = None
    needs_bank: ClassVar[bool] = True
    parameters: ClassVar[type[Parameters]] = Salted

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """Returns what ``random`` would answer with dice that hang on the view alone."""
        drawn = Dice("fixed", self.keys.salt, ask.kind, ask.round, repr(view))
        return RandomPlayer(self.bank).decide(ask, view, drawn)


class Moody(Strategy):
    """A word player that is strong with one half of the words and random with the others.

    Which half hangs on the salt: an effect of agent × setting that is nothing on average.
    """

    games: ClassVar[frozenset[str] | None] = frozenset({"undercover"})
    needs_bank: ClassVar[bool] = True
    parameters: ClassVar[type[Parameters]] = Salted

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """Returns what ``bayesian`` or ``random`` would answer, by the word."""
        word = view.told("word")[0].record["word"]
        is_strong = Dice("moody", self.keys.salt, word).chance(0.5)
        player = BayesianPlayer if is_strong else RandomPlayer
        return player(self.bank).decide(ask, view, dice)


NO_MEMORY = {"strategy": "random"}
PLAYERS: dict[str, type[Strategy]] = {"fixed": Fixed, "moody": Moody}
"""Strategies that only the plans have."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament of identical agents, for any seed.

    ``file`` is a tournament file without its agents. In ``player``, their block, "{seed}" and
    "{name}" stand for the tournament's seed and the agent's name. ``measured`` is False where no
    measure has a known truth: agents that differ from tournament to tournament on few settings.
    ``drawn``: each tournament has so many settings of its own, so that intervals over settings
    meet the spread that they allow for. With ``newcomer`` it is the rating of an agent that plays
    as this one of the reference pool.
    """

    name: str
    file: Mapping[str, Any]
    agents: int = 6
    player: Mapping[str, Any] = field(default_factory=lambda: NO_MEMORY)
    measured: bool = True
    drawn: int | None = None
    newcomer: str = ""

    def tournament(self, seed: int) -> Tournament:
        """Returns the tournament with that seed."""
        if self.newcomer:
            usual = rating("scripted:random")
            (like,) = (agent for agent in usual.agents if agent.name == self.newcomer)
            agents = (*usual.agents[:-1], like.model_copy(update={"name": "Newton"}))
            return replace(usual, seed=seed, agents=agents)
        blocks = [self._block(name, seed) for name in NAMES[: self.agents]]
        head = {"name": "calibration", "seed": seed, "agents": blocks}
        tournament = parlour.load({**self.file, **head})
        if self.drawn is None:
            return tournament
        dice = Dice("settings", seed)
        (entry,) = tournament.games
        records = _drawn(entry.game.name, entry.records, self.drawn, dice)
        return replace(tournament, games=(replace(entry, records=records),))

    def _block(self, name: str, seed: int) -> dict[str, Any]:
        keys = {
            key: value.format(seed=seed, name=name) if isinstance(value, str) else value
            for key, value in self.player.items()
        }
        return {"name": name, **keys}


def _drawn(game: str, shipped: Sequence[Any], count: int, dice: Dice) -> tuple[Any, ...]:
    """Returns settings like those that ship; of games of words some of these."""
    if game in INVENTED:
        return tuple(
            shipped[0].model_copy(update=INVENTED[game](shipped, dice)) for _ in range(count)
        )
    return dice.shuffled(shipped)[:count]


def _airlines(shipped: Sequence[Any], dice: Dice) -> dict[str, object]:
    every = [*chain.from_iterable(record.airlines for record in shipped)]
    return {"airlines": dice.shuffled(every)[:3]}


def _points(_shipped: Sequence[Any], dice: Dice) -> dict[str, object]:
    # To hundredths: equal settings would be one cluster, and fewer than five are none.
    reward = 2 + dice.below(200) / 100
    lone, joint = reward + 1 + dice.below(200) / 100, reward + dice.below(100) / 100
    return {"all_cooperate": reward, "lone_defector": lone, "joint_defectors": joint}


def _multiplier(_shipped: Sequence[Any], dice: Dice) -> dict[str, object]:
    return {"multiplier": 1 + dice.below(3000) / 1000}


INVENTED: dict[str, Callable[[Sequence[Any], Dice], dict[str, object]]] = {
    "cost_sharing": _airlines,
    "prisoners_dilemma": _points,
    "public_good": _multiplier,
}
"""Games whose settings are invented, since they ship with few."""


def one(game: str, repetitions: int = 1, **keys: Any) -> dict[str, Any]:
    """The file of a tournament of one game."""
    return {"repetitions": repetitions, "games": [{"name": game, **keys}]}


def preset(name: str, repetitions: int, matches: int | None = None) -> dict[str, Any]:
    """The file of a preset without its agents; ``matches`` of each experiment of impostor."""
    content = preset_content(name)
    cut = {} if matches is None else {"matches": matches}
    games = [{**block, **cut} for block in content["games"]]
    head = {key: content[key] for key in ("schedule", "defender") if key in content}
    return {**head, "repetitions": repetitions, "games": games}


SEEDINGS = ("independent", "common")
"""The plans that are played under both."""
FIXED = {"strategy": "fixed", "salt": "{seed}"}
OWN = {"strategy": "fixed", "salt": "{seed} {name}"}
MOODY = {"strategy": "moody", "salt": "{seed} {name}"}
EVERY_GAME = {
    "chameleon": (one("chameleon"), 6),
    "cost_sharing": (one("cost_sharing"), 6),
    "donation": (one("donation", 8, agents_per_match=4), 1),
    "impostor": (one("impostor", difficulty="medium", matches=8), None),
    "investment": (one("investment", 8, agents_per_match=4), 1),
    "prisoners_dilemma": (one("prisoners_dilemma"), 6),
    "public_good": (one("public_good"), 6),
    "reciprocity": (one("reciprocity", 8, agents_per_match=4), 1),
    "undercover": (one("undercover"), 8),
}
"""A file of each game, and how many settings are drawn."""


def _plans() -> Iterator[Plan]:
    """Yields all plans."""
    for (title, file), seeding in product(
        {
            "undercover, 5 settings": one("undercover", 2, limit=5),
            "prisoner's dilemma, 7 settings": one("prisoners_dilemma", limit=7),
            "undercover, 20 settings": one("undercover", limit=20),
        }.items(),
        SEEDINGS,
    ):
        yield Plan(f"{title}, {seeding}", {**file, "seeding": seeding})
    for game, (file, drawn) in EVERY_GAME.items():
        yield Plan(game, file, drawn=drawn)
    for strategy, game in product(("bayesian", "literal"), ("chameleon", "impostor", "undercover")):
        file, drawn = EVERY_GAME[game]
        yield Plan(f"{game}, {strategy}", file, player={"strategy": strategy}, drawn=drawn)
    yield Plan("undercover, 1 setting", one("undercover", 6, limit=1))
    yield Plan("prisoner's dilemma, 1 setting", one("prisoners_dilemma", 10, limit=1))
    yield Plan("donation, one repetition", one("donation", agents_per_match=4))
    few, many = one("undercover", limit=5), one("undercover", limit=20)
    yield Plan("undercover, 5 settings, fixed", few, player=FIXED, measured=False)
    yield Plan("undercover, 20 settings, fixed", many, player=FIXED)
    yield Plan("undercover, 20 settings, fixed, own salt", many, player=OWN)
    dilemma = one("prisoners_dilemma", limit=7)
    yield Plan("prisoner's dilemma, fixed", dilemma, player=FIXED, measured=False)
    yield Plan("undercover, 5 settings, moody", few, player=MOODY, measured=False)
    yield Plan("undercover, 20 settings, moody", many, player=MOODY)
    blocks = one("impostor", difficulty="easy", matches=8, assignment="team_aware", probes="off")
    yield Plan("impostor, team_aware, blocks", blocks)
    yield Plan("prisoner's dilemma, 12 agents", one("prisoners_dilemma", limit=7), agents=12)
    yield Plan("undercover, 20 settings, 12 agents", many, agents=12)
    for name, repetitions, agents in (("demo", 3, 6), ("all-games", 2, 4), ("gossip-paper", 5, 3)):
        yield Plan(f"preset {name}", preset(name, repetitions), agents=agents)
    yield Plan("preset impostor-small", preset("impostor-small", 1, matches=4), agents=4)
    yield Plan("preset impostor-paper", preset("impostor-paper", 1, matches=4), agents=3)
    yield Plan("preset magic-small", preset("magic-small", 1))
    yield Plan("preset magic", preset("magic", 1))
    sized = {"norms": 3, "generations": 2, "languages": 3, "languages-gossip": 3, "sizes": 3}
    for name, agents in (sized | {"jester": 4, "mechanisms": 3}).items():
        yield Plan(f"preset {name}", preset(name, 1), agents=agents, measured=False)
    yield Plan("rate, effort small", {}, newcomer="bayesian/greedy 80 %")


PLANS = {plan.name: plan for plan in _plans()}
"""All plans by name."""
