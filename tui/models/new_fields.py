"""Fields of the form for a new tournament: ticks, choices, numbers and texts, from a draft."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from parlour.games.engine.registry import games
from parlour.tui.models.new_tournament import (
    MATCHES,
    MOST_MATCHES,
    NUMBERS,
    Draft,
    given_keys,
    listed_games,
)
from parlour.tui.models.offered import OfferedAgent
from parlour.tui.models.plan_forecast import usual_at_once
from parlour.tui.models.variant import keys_of, legal_options

Kind = Literal["tick", "choice", "number", "text"]
THINKING = ("none", "scratchpad", "pgm_text", "pgm_matrix")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the form: ``id`` names it, such as "game impostor" or "number seed".

    ``value`` is a bool (tick), an option (choice) or a text as typed. ``unset`` is what an empty
    number means.
    """

    id: str
    kind: Kind
    label: str
    value: object
    options: tuple[object, ...] = ()
    hint: str = ""
    unset: str = "–"


def game_fields(draft: Draft, chosen: str) -> list[Field]:
    """A tick for each game, then the keys of the chosen one."""
    ticks = [
        Field(f"game {game.name}", "tick", game.texts.title, game.name in draft.games)
        for game in listed_games()
    ]
    return [*ticks, *variant_fields(draft, chosen)]


def variant_fields(draft: Draft, name: str) -> list[Field]:
    """The keys of a game's block. A key that can have no value beside the others is left out."""
    game, changed = games().get(name), draft.keys.get(name, {})
    fields = []
    for key in keys_of(game) if game else ():
        assert game is not None
        value = changed.get(key.name, key.default)
        options = legal_options(game, key, given_keys(game, changed))
        id, label = f"key {name} {key.name}", label_of(key.name)
        if options:
            fields.append(Field(id, "choice", label, value, options))
        elif not key.options:
            fields.append(Field(id, "number", label, shown_number(value), (), key.bounds))
    return fields


def label_of(key: str) -> str:
    """The name of a key in words."""
    return {"limit": "settings", "lineup": "line-up"}.get(key, key.replace("_", " "))


def shown_number(value: object) -> str:
    """A number as one types it."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def agent_fields(draft: Draft, offered: Mapping[str, OfferedAgent], chosen: str) -> list[Field]:
    """A tick for each agent, then the details of the chosen one if it is a model."""
    ticks = [
        Field(f"agent {name}", "tick", name, name in draft.agents, (), agent.words)
        for name, agent in offered.items()
    ]
    agent = offered.get(chosen)
    if agent is None or agent.block.get("kind") != "llm" or not agent.name:
        return ticks
    values = {**_own_details(agent), **draft.details.get(chosen, {})}
    return [
        *ticks,
        Field(f"detail {chosen} deliberation", "choice", "thinks first",
              values["deliberation"], THINKING),
        Field(f"detail {chosen} temperature", "number", "temperature",
              values["temperature"], (), "0 to 2"),
        Field(f"detail {chosen} memory", "number", "memory", values["memory"], (), "rounds"),
        Field(f"detail {chosen} budget", "number", "budget", values["budget"], (), "dollars"),
    ]  # fmt: skip


def _own_details(agent: OfferedAgent) -> dict[str, object]:
    """The details as the block has them, in the form in which they are typed."""
    block = agent.block
    memory, parameters = block.get("memory"), block.get("parameters")
    rounds = memory.get("last", "") if isinstance(memory, dict) else ""
    heat = parameters.get("temperature", "") if isinstance(parameters, dict) else ""
    return {
        "deliberation": block.get("deliberation", "none"),
        "temperature": shown_number(heat),
        "memory": str(rounds),
        "budget": shown_number(block.get("budget", "")),
    }


def schedule_fields(draft: Draft, offered: Mapping[str, OfferedAgent]) -> list[Field]:
    """Name, schedule, and the numbers of a run."""
    schedules = ("round_robin", "challenger", "adaptive")
    fields = [
        Field("text name", "text", "name", draft.name, (), ".toml"),
        Field("choice schedule", "choice", "schedule", draft.schedule, schedules),
    ]
    if draft.schedule == "challenger":
        ticked = tuple(name for name in offered if name in draft.agents)
        fields.append(Field("choice defender", "choice", "defender", draft.defender, ticked))
    numbers = list(NUMBERS)
    if draft.schedule == "adaptive":
        numbers[0] = MATCHES
        rule = Field("text until", "text", "until", draft.until, (), "or rank 1", "rank")
        fields.append(rule)
    hints = {
        "repetitions": "of the schedule",
        MATCHES: "at most",
        "seed": "decides each draw",
        "budget": "for all models, $",
        "at once": "matches, by pace" if draft.numbers.get("pace") else "matches",
        "pace": "asks a second",
    }
    unset = {"at once": str(usual_at_once(draft)), "pace": "no limit"}
    fields += [
        Field(
            f"number {name}",
            "number",
            name,
            draft.numbers.get(name, MOST_MATCHES if name == MATCHES else ""),
            (),
            hints[name],
            unset.get(name, "–"),
        )
        for name in numbers
    ]
    cache = "the same question of another match gets the same answer"
    return [*fields, Field("tick cache", "tick", "cache answers of models", draft.cache, (), cache)]
