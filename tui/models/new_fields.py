"""Fields of the form for a new tournament: ticks, choices, numbers and texts, from a draft."""

from collections.abc import Mapping, Sequence

from parlour.games.common.text import one_line
from parlour.games.engine.registry import games
from parlour.tui.models.form import Field, FieldPath, Kind
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

THINKING = ("none", "scratchpad", "pgm_text", "pgm_matrix")
NAMES: dict[object, str] = {
    True: "on",
    False: "off",
    None: "–",
    "round_robin": "round robin",
    "in_turn": "in turn",
}


def option_name(option: object) -> str:
    """An option in words."""
    try:
        return NAMES[option]
    except (KeyError, TypeError):
        return one_line(str(option)).replace("_", " ")


def tick(path: FieldPath, label: str, ticked: object) -> Field:
    """A field that is ticked or not."""
    return Field(path, label, "tick", content=bool(ticked))


def choice(path: FieldPath, label: str, value: object, options: Sequence[object]) -> Field:
    """A field with one of several options."""
    pairs = tuple((option_name(option), option) for option in options)
    chosen = options.index(value) if value in options else None
    return Field(path, label, "choice", pairs, chosen)


def entry(
    path: FieldPath,
    label: str,
    value: object,
    hint: str = "",
    unset: str = "–",
    *,
    words: bool = False,
) -> Field:
    """A field in which a number is typed, or ``words``."""
    kind: Kind = "text" if words else "number"
    return Field(path, label, kind, content=str(value), hint=hint, unset=unset)


def game_fields(draft: Draft, chosen: str) -> list[Field]:
    """A tick for each game, then the keys of the chosen one."""
    ticks = [
        tick(("game", game.name), game.texts.title, game.name in draft.games)
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
        path, label = ("key", name, key.name), label_of(key.name)
        if options:
            fields.append(choice(path, label, value, options))
        elif not key.options:
            fields.append(entry(path, label, shown_number(value), key.bounds))
    return fields


def label_of(key: str) -> str:
    """The name of a key in words."""
    return {"limit": "settings", "lineup": "line-up"}.get(key, key.replace("_", " "))


def shown_number(value: object) -> str:
    """A number as one types it."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def agent_fields(draft: Draft, offered: Mapping[str, OfferedAgent], chosen: str) -> list[Field]:
    """A tick for each agent, then the details of the chosen one if it is a model."""
    ticks = [tick(("agent", name), name, name in draft.agents) for name in offered]
    agent = offered.get(chosen)
    if agent is None or agent.block.get("kind") != "llm" or not agent.name:
        return ticks
    values = {**_own_details(agent), **draft.details.get(chosen, {})}
    path: FieldPath = ("detail", chosen)
    return [
        *ticks,
        choice((*path, "deliberation"), "thinks first", values["deliberation"], THINKING),
        entry((*path, "temperature"), "temperature", values["temperature"], "0 to 2"),
        entry((*path, "memory"), "memory", values["memory"], "rounds"),
        entry((*path, "budget"), "budget", values["budget"], "dollars"),
    ]


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
        entry(("name",), "name", draft.name, ".toml", words=True),
        choice(("schedule",), "schedule", draft.schedule, schedules),
    ]
    if draft.schedule == "challenger":
        ticked = tuple(name for name in offered if name in draft.agents)
        fields.append(choice(("defender",), "defender", draft.defender, ticked))
    numbers = list(NUMBERS)
    if draft.schedule == "adaptive":
        numbers[0] = MATCHES
        fields.append(entry(("until",), "until", draft.until, "or rank 1", "rank", words=True))
    hints = {
        "repetitions": "of the schedule",
        MATCHES: "at most",
        "seed": "decides each draw",
        "budget": "for all models, $",
        "at once": "matches, by pace" if draft.numbers.get("pace") else "matches",
        "pace": "asks a second",
    }
    unset = {"at once": str(usual_at_once(draft)), "pace": "no limit"}
    for name in numbers:
        value = draft.numbers.get(name, MOST_MATCHES if name == MATCHES else "")
        fields.append(entry(("number", name), name, value, hints[name], unset.get(name, "–")))
    return [*fields, tick(("cache",), "cache answers of models", draft.cache)]
