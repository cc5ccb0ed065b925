"""The form for a new tournament as drawn: games, agents, schedule."""

from collections.abc import Mapping

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.game import Game
from parlour.games.engine.registry import games
from parlour.games.engine.transcript import counted
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import fit, spread, wrapped
from parlour.tui.models.form import Field, FormRow, FormRows
from parlour.tui.models.new_tournament import (
    Draft,
    adding_fields,
    against_fields,
    agent_fields,
    game_fields,
    keys_of,
    label_of,
    listed_games,
    option_name,
    schedule_fields,
    shipped_settings,
    variant_fields,
)
from parlour.tui.models.offered import OfferedAgent
from parlour.tui.models.plan_forecast import PlanForecast
from parlour.tui.views.fields import FieldLook

FAMILY_TITLES = {
    "bluff": "bluff and deduction",
    "gossip": "help and gossip",
    "dilemma": "dilemmas",
    "bargain": "bargaining",
}
SECTIONS = {"scripted": "scripted, free", "models": "your agents", "people": "people"}
KEY_WORDS = {"set": "key", "missing": "no key", "unneeded": "no key needed", "": ""}
LAST_OF_A_GROUP = {"name", "schedule", "defender", "until", "seed"}
"""Fields of the schedule below which a line is blank."""
MEETING = 6
"""Columns of a cell of the matrix of meetings."""


def game_rows(draft: Draft, plan: PlanForecast | None, name: str, look: FieldLook) -> FormRows:
    """The games by family with their matches, then the variant of the game named."""
    fields = {field.path[-1]: field for field in game_fields(draft, "")}
    signs, palette = look.look.signs, look.look.palette
    rows: FormRows = []
    family = None
    for game in listed_games():
        if game.texts.family != family:
            family = game.texts.family
            title = Text(f"{signs.suits.get(family, ' ')} ", palette.text)
            title.append(FAMILY_TITLES.get(family, family or "other games"), palette.soft)
            rows += [look.blank()] if rows else []
            rows.append(look.heading(title))
        count = plan.by_game.get(game.name, 0) if plan else None
        rows += _game(draft, game, fields[game.name], count, look)
    rows.append(look.blank())
    known = games().get(name)
    if known is not None:
        rows.append(look.heading(f"variant of {known.texts.title}"))
        for field in variant_fields(draft, name):
            rows += look.rows(field)
    return rows


def _game(draft: Draft, game: Game, field: Field, count: int | None, look: FieldLook) -> FormRows:
    palette = look.on(field).palette
    soft, strong = palette.soft if field.content else palette.faint, palette.faint
    if field.content:
        strong = palette.text
    name = Text(field.label, f"bold {strong}" if field.content else strong)
    first = look.start(field).append(" ").append_text(name)
    number = "…" if count is None else f"{count:,}"
    right = Text(number if field.content else "–", strong)
    second = look.sign(field).append("    ").append(_variant_words(draft, game), soft)
    lines = (spread(first, right, look.width), fit(second, look.width))
    return [FormRow(line, field.path) for line in lines]


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
    name: str,
    look: FieldLook,
    file: str,
) -> FormRows:
    """The agents by section, details of the model named, and who meets whom.

    ``file`` is the user's file of agents, named where it has none.
    """
    fields = agent_fields(draft, offered, name)
    ticks = {field.path[-1]: field for field in fields[: len(offered)]}
    ticked = [each for each in offered if each in draft.agents]
    cast = Cast(ticked, look.look.palette)
    rows: FormRows = []
    for section, title in SECTIONS.items():
        members = [agent for agent in offered.values() if agent.section == section]
        rows += [look.blank()] if rows else []
        rows.append(look.heading(title, "agents.toml" if section == "models" else ""))
        for agent in members:
            rows += _agent(agent, ticks[agent.name], cast, look)
        if not members:
            rows += look.note(f"none: write [[agents]] blocks into {file}", 5)
    details = fields[len(offered) :]
    if details:
        of_whom = Text().append_text(look.look.name(cast[name], speaks=True))
        of_whom.append(" in detail", look.look.palette.soft)
        rows += [look.blank(), look.heading(of_whom)]
        for field in details:
            rows += look.rows(field)
    return [*rows, *_meetings(plan, ticked, cast, look)]


def _agent(agent: OfferedAgent, field: Field, cast: Cast, look: FieldLook) -> FormRows:
    drawn, who = look.on(field), cast[agent.name]
    palette = drawn.palette
    line = look.start(field).append(" ")
    if field.content:
        line.append_text(drawn.person(who, speaks=True))
    else:
        line.append(" · ", f"{palette.faint} on {palette.panel}")
        line.append(f" {one_line(agent.name)}", palette.faint)
    line = fit(line, max(line.cell_len, 16)).append("  ")
    line.append(agent.words, palette.soft if field.content else palette.faint)
    colour = {"missing": palette.bad, "set": palette.good}.get(agent.key, palette.faint)
    words = KEY_WORDS[agent.key] + (f" {drawn.signs.done}" if agent.key == "set" else "")
    rows = [FormRow(spread(line, Text(words, colour), look.width), field.path)]
    if agent.fix and field.content:
        fix = Text(one_line(f"{agent.fix}, or untick" if agent.key else agent.fix), palette.bad)
        rows += [FormRow(fit(part, look.width), field.path) for part in wrapped(fix, look.width, 9)]
    return rows


def _meetings(
    plan: PlanForecast | None, ticked: list[str], cast: Cast, fields: FieldLook
) -> FormRows:
    """The matrix of how many matches each pair of agents plays."""
    if plan is None or len(ticked) < 2:
        return []
    look, width = fields.look, fields.width
    palette = look.palette
    most = max(plan.meetings.values(), default=0) or 1
    shown = ticked[: max(1, (width - 12) // MEETING)]
    head = fit(Text(), 12)
    for name in shown:
        chip = look.chip(cast[name])
        head.append_text(fit(Text(" ").append_text(chip), MEETING))
    rows = [fields.blank(), fields.heading("who meets whom"), FormRow(fit(head, width))]
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
        rows.append(FormRow(fit(line, width)))
    return rows


def schedule_rows(draft: Draft, offered: Mapping[str, OfferedAgent], look: FieldLook) -> FormRows:
    """Name, schedule and the numbers of a run, with what the schedule means."""
    rows = [look.blank()]
    for field in schedule_fields(draft, offered):
        rows += look.rows(field)
        if field.path[-1] in LAST_OF_A_GROUP:
            rows.append(look.blank())
    agents = counted(len([name for name in offered if name in draft.agents]), "agent")
    meaning = f"every pair of {agents} meets"
    if draft.schedule == "challenger":
        defender = one_line(draft.defender or "nobody")
        meaning = f"each of the others plays against {defender}"
    elif draft.schedule == "adaptive":
        meaning = f"{agents}: the next match is the one that tells most about their ranks"
    return [*rows, look.blank(), *look.note(meaning, 2)]


def adding_rows(
    draft: Draft, offered: Mapping[str, OfferedAgent], name: str, look: FieldLook, file: str
) -> FormRows:
    """The field of a file, then the agents on offer; ``file`` is the user's file of agents."""
    first = look.rows(adding_fields(draft, offered, name)[0])
    return [*first, look.blank(), *agent_rows(draft, offered, None, name, look, file)]


def against_rows(draft: Draft, names: tuple[str, ...], look: FieldLook) -> FormRows:
    """The agents of the save, as anchors of the new ones."""
    cast = Cast(names, look.look.palette)
    rows: FormRows = []
    for name, field in zip(names, against_fields(draft, names), strict=True):
        line = look.start(field).append(" ").append_text(look.on(field).person(cast[name]))
        rows.append(FormRow(fit(line, look.width), field.path))
    words = "they meet all agents" if not draft.against else "they meet these alone, for good"
    return [*rows, *look.note(words, 1)]
