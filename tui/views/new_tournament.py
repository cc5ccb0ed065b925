"""The form for a new tournament as drawn: games, agents, schedule."""

from collections.abc import Mapping

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.game import Game
from parlour.games.engine.registry import games
from parlour.games.engine.transcript import counted
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, fit, spread, wrapped
from parlour.tui.models.adding import FILE, Adding, adding_fields, against_fields
from parlour.tui.models.new_fields import (
    Field,
    agent_fields,
    game_fields,
    label_of,
    schedule_fields,
    variant_fields,
)
from parlour.tui.models.new_tournament import Draft, listed_games
from parlour.tui.models.offered import OfferedAgent
from parlour.tui.models.plan_forecast import PlanForecast
from parlour.tui.models.variant import keys_of, shipped_settings
from parlour.tui.views.fields import Rows, blank, edge, entry, heading, option_name, tick

FAMILY_TITLES = {
    "bluff": "bluff and deduction",
    "gossip": "help and gossip",
    "dilemma": "dilemmas",
    "bargain": "bargaining",
}
SECTIONS = {"scripted": "scripted, free", "models": "your agents", "people": "people"}
KEY_WORDS = {"set": "key", "missing": "no key", "unneeded": "no key needed", "": ""}
LAST_OF_A_GROUP = {
    *("text name", "choice schedule", "choice defender", "text until", "number seed"),
}
"""Fields of the schedule below which a line is blank."""
MEETING = 6
"""Columns of a cell of the matrix of meetings."""


def game_rows(
    draft: Draft, plan: PlanForecast | None, look: Look, at: str | None, name: str, width: int
) -> Rows:
    """The games by family with their matches, then the variant of the game named.

    ``at`` is the field that has the keys.
    """
    fields = {field.id: field for field in game_fields(draft, name)}
    rows: Rows = []
    family = None
    for game in listed_games():
        if game.texts.family != family:
            family = game.texts.family
            title = Text(f"{look.signs.suits.get(family, ' ')} ", look.palette.text)
            title.append(FAMILY_TITLES.get(family, family or "other games"), look.palette.soft)
            rows += [blank(width)] if rows else []
            rows.append(heading(look, title, width))
        field = fields[f"game {game.name}"]
        count = plan.by_game.get(game.name, 0) if plan else None
        rows += _game(draft, game, field, count, look, field.id == at, width)
    rows.append(blank(width))
    known = games().get(name)
    if known is not None:
        rows.append(heading(look, f"variant of {known.texts.title}", width))
        variant = variant_fields(draft, name)
        rows += [(entry(look, each, width, each.id == at), each.id) for each in variant]
    return rows


def _game(
    draft: Draft, game: Game, field: Field, count: int | None, look: Look, here: bool, width: int
) -> Rows:
    look = look.on_cursor() if here else look
    palette = look.palette
    ticked = bool(field.value)
    name = Text(field.label, f"bold {palette.text}" if ticked else palette.faint)
    first = edge(look, here).append_text(tick(look, field)).append(" ").append_text(name)
    number = "…" if count is None else f"{count:,}"
    right = Text(number if ticked else "–", palette.text if ticked else palette.faint)
    second = edge(look, here).append("    ")
    second.append(_variant_words(draft, game), palette.soft if ticked else palette.faint)
    return [(spread(first, right, width), field.id), (fit(second, width), field.id)]


def _variant_words(draft: Draft, game: Game) -> str:
    """The keys of a game that were changed; else how many of its settings are played.

    Further variants of a preset come first.
    """
    keys = {key.name: key for key in keys_of(game)}
    changes = draft.keys.get(game.name, {})
    words = [
        f"{label_of(name)} {option_name(value)}"
        for name, value in changes.items()
        if name in keys and keys[name].parsed(value) != keys[name].default
    ]
    further = sum(block["name"] == game.name for block in draft.further)
    if further:
        words.insert(0, f"+ {counted(further, 'variant')}")
    if words:
        return " · ".join(words)
    seating = game.seating.pairing
    if "limit" in keys:
        return f"{keys['limit'].default} of {shipped_settings(game)} settings"
    return "blocks of matches" if seating == "blocks" else "pairs share the seats"


def agent_rows(
    draft: Draft,
    offered: Mapping[str, OfferedAgent],
    plan: PlanForecast | None,
    look: Look,
    at: str | None,
    name: str,
    width: int,
    file: str,
) -> Rows:
    """The agents by section, details of the model named, and who meets whom.

    ``file`` is the user's file of agents, named where it has none.
    """
    fields = {field.id: field for field in agent_fields(draft, offered, name)}
    ticked = [each for each in offered if each in draft.agents]
    cast = Cast(ticked, look.palette)
    rows: Rows = []
    for section, title in SECTIONS.items():
        members = [agent for agent in offered.values() if agent.section == section]
        rows += [blank(width)] if rows else []
        rows.append(heading(look, title, width, "agents.toml" if section == "models" else ""))
        for agent in members:
            field = fields[f"agent {agent.name}"]
            rows += _agent(agent, field, cast, look, field.id == at, width)
        if not members:
            words = Text(f"none: write [[agents]] blocks into {file}", look.palette.faint)
            rows += [(fit(line, width), None) for line in wrapped(words, width, 5)]
    details = [field for field in fields.values() if field.id.startswith("detail ")]
    if details:
        of_whom = Text().append_text(look.name(cast[name], speaks=True))
        of_whom.append(" in detail", look.palette.soft)
        rows += [blank(width), heading(look, of_whom, width)]
        rows += [(entry(look, each, width, each.id == at), each.id) for each in details]
    return [*rows, *_meetings(plan, ticked, cast, look, width)]


def _agent(
    agent: OfferedAgent, field: Field, cast: Cast, look: Look, here: bool, width: int
) -> Rows:
    look = look.on_cursor() if here else look
    palette = look.palette
    line = edge(look, here).append_text(tick(look, field)).append(" ")
    who = cast[agent.name]
    if field.value:
        line.append_text(look.chip(who)).append(" ").append_text(look.name(who, speaks=True))
    else:
        line.append(" · ", f"{palette.faint} on {palette.panel}")
        line.append(f" {one_line(agent.name)}", palette.faint)
    line = fit(line, max(line.cell_len, 16)).append("  ")
    line.append(agent.words, palette.soft if field.value else palette.faint)
    colour = {"missing": palette.bad, "set": palette.good}.get(agent.key, palette.faint)
    words = KEY_WORDS[agent.key] + (f" {look.signs.done}" if agent.key == "set" else "")
    rows: Rows = [(spread(line, Text(words, colour), width), field.id)]
    if agent.fix and field.value:
        fix = Text(one_line(f"{agent.fix}, or untick" if agent.key else agent.fix), palette.bad)
        rows += [(fit(part, width), field.id) for part in wrapped(fix, width, 9)]
    return rows


def _meetings(
    plan: PlanForecast | None, ticked: list[str], cast: Cast, look: Look, width: int
) -> Rows:
    """The matrix of how many matches each pair of agents plays."""
    if plan is None or len(ticked) < 2:
        return []
    palette = look.palette
    most = max(plan.meetings.values(), default=0) or 1
    shown = ticked[: max(1, (width - 12) // MEETING)]
    head = fit(Text(), 12)
    for name in shown:
        chip = look.chip(cast[name])
        head.append_text(fit(Text(" ").append_text(chip), MEETING))
    rows: Rows = [blank(width), heading(look, "who meets whom", width), (fit(head, width), None)]
    for name in ticked:
        line = Text("  ").append_text(fit(look.name(cast[name]), 10))
        for other in shown:
            pair = (min(name, other), max(name, other))
            count = plan.meetings.get(pair, 0)
            share = 0.35 * count / most
            if name == other:
                line.append("·".center(MEETING), palette.faint)
            else:
                line.append_text(look.heat(share, MEETING, f"{count:,}"))
        rows.append((fit(line, width), None))
    return rows


def schedule_rows(
    draft: Draft, offered: Mapping[str, OfferedAgent], look: Look, at: str | None, width: int
) -> Rows:
    """Name, schedule and the numbers of a run, with what the schedule means."""
    rows: Rows = [blank(width)]
    for field in schedule_fields(draft, offered):
        rows.append((entry(look, field, width, field.id == at), field.id))
        if field.id in LAST_OF_A_GROUP:
            rows.append(blank(width))
    agents = counted(len([name for name in offered if name in draft.agents]), "agent")
    meaning = f"every pair of {agents} meets"
    if draft.schedule == "challenger":
        defender = one_line(draft.defender or "nobody")
        meaning = f"each of the others plays against {defender}"
    elif draft.schedule == "adaptive":
        meaning = f"{agents}: the next match is the one that tells most about their ranks"
    words = Text(meaning, look.palette.faint)
    return [*rows, blank(width), *((fit(line, width), None) for line in wrapped(words, width, 2))]


def adding_rows(
    adding: Adding,
    offered: Mapping[str, OfferedAgent],
    look: Look,
    at: str | None,
    name: str,
    width: int,
    file: str,
) -> Rows:
    """The field of a file, then the agents on offer; ``file`` is the user's file of agents."""
    own = adding_fields(adding, offered, name)[0]
    first = entry(look, own, width, at == FILE)
    agents = agent_rows(adding.ticked, offered, None, look, at, name, width, file)
    return [(first, FILE), blank(width), *agents]


def against_rows(
    adding: Adding, names: tuple[str, ...], look: Look, at: str | None, width: int
) -> Rows:
    """The agents of the save, as anchors of the new ones."""
    cast = Cast(names, look.palette)
    rows: Rows = []
    for name, field in zip(names, against_fields(adding, names), strict=True):
        here = field.id == at
        drawn = look.on_cursor() if here else look
        line = edge(drawn, here).append_text(tick(drawn, field)).append(" ")
        line.append_text(drawn.chip(cast[name])).append(" ").append_text(drawn.name(cast[name]))
        rows.append((fit(line, width), field.id))
    words = "they meet all agents" if not adding.against else "they meet these alone, for good"
    note = wrapped(Text(words, look.palette.faint), width, 1)
    return [*rows, *((fit(line, width), None) for line in note)]
