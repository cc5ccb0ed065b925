"""Section of methods: what was played by whom, definitions, versions, and how to repeat it."""

import platform
import tomllib
from importlib.metadata import version
from pathlib import Path

from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoint_facts import enforcement_of
from parlour.agents.registry import AgentConfig, ScriptedConfig
from parlour.games.common.text import clean
from parlour.ratings.measures.conditions import condition_name
from parlour.ratings.reports.leaderboard import NOT_SHOWN, column_titles
from parlour.ratings.statistics.simultaneous import RANK_DRAWS
from parlour.site.figures import Entry, Figure, PageCell, PageTable, Section, count, entries
from parlour.site.source import SiteSource
from parlour.tournament.reports.growth_history import has_grown
from parlour.tui.models.game_names import game_title

LIBRARIES = ("numpy", "scipy", "trueskill")
TEXTS = tomllib.loads(Path(__file__).with_name("definitions.toml").read_text(encoding="utf-8"))
"""The paragraphs of the methods, and the definition of each measure of a leaderboard."""


def methods(source: SiteSource) -> Section:
    """Games, agents, measures and versions as tables."""
    figures = [_games(source), _agents(source), _definitions(source), _versions(source)]
    if has_grown(source.history):
        figures.append(_history(source))
    return Section("methods", "Methods", "Methods", TEXTS["methods"], figures)


def _games(source: SiteSource) -> Figure:
    played: dict[tuple[str, str], set[str]] = {}
    for match in source.counted.records:
        played.setdefault((match.game, match.condition), set()).add(match.setting)
    rows: list[list[Entry]] = []
    for entry in source.tournament.games:
        name = entry.game.name
        lineup = "by the schedule"
        if entry.lineup is not None:
            lineup = ", ".join(dict.fromkeys(map(clean, entry.lineup)))
        rows.append([
            game_title(name),
            condition_name(entry.condition).replace(",", ", "),
            lineup,
            str(entry.played_version),
            f"{len(played.get((name, entry.condition), ())):,} of {entry.setting_count:,}",
            source.board.clusters.get(name, "–"),
        ])  # fmt: skip
    titles = entries("Game", "Condition", "Line-up", "Version", "Settings played", "Cluster")
    note = "Condition: the keys that differ from the game's defaults. Cluster: that of intervals."
    return Figure("games-played", "Games", note, PageTable(titles, rows, lead=3))


def _agents(source: SiteSource) -> Figure:
    rows = [
        entries(PageCell(person=source.cast[agent.name]), agent.kind, *_details(agent))
        for agent in source.tournament.agents
    ]
    titles = entries("Agent", "Kind", "Plays", "Options")
    return Figure("agents", "Agents", "", PageTable(titles, rows, lead=4))


def plays(agent: AgentConfig) -> str:
    """The strategies or the model that plays."""
    if isinstance(agent, ScriptedConfig):
        several = agent.strategy if isinstance(agent.strategy, tuple) else (agent.strategy,)
        return ", ".join(map(clean, several))
    return clean(agent.model) if isinstance(agent, LLMConfig) else "–"


def _details(agent: AgentConfig) -> tuple[str, str]:
    """The strategy or model that plays, and its options."""
    if isinstance(agent, ScriptedConfig):
        own = ", ".join(f"{key} {value}" for key, value in (agent.model_extra or {}).items())
        return plays(agent), clean(own) or "–"
    if isinstance(agent, LLMConfig):
        options = [f"{key} {value}" for key, value in agent.parameters.items()]
        options += [f"{kind}: {keys}" for kind, keys in agent.for_ask.items()]
        options += [
            f"answers as {enforcement_of(agent).mode}",
            f"deliberation {agent.deliberation}",
        ]
        options += [f"memory {agent.memory}", f"cache {agent.cache}"]
        if agent.prompts:
            options.append("own prompts")
        return plays(agent), clean(", ".join(options))
    return "–", "–"


def _definitions(source: SiteSource) -> Figure:
    shown: set[str] = set()
    for standing in source.board.standings:
        shown |= standing.measures.keys()
    titles = {"strength": "Strength", "trueskill": "TrueSkill", **column_titles(), **NOT_SHOWN}
    shown |= {"strength", "trueskill"}
    texts = TEXTS["measures"]
    rows = [entries(title, texts[name]) for name, title in titles.items() if name in shown]
    table = PageTable(("Measure", "Definition"), rows, lead=2)
    return Figure("definitions", "Definitions", "Those of the measures on this page.", table)


def _versions(source: SiteSource) -> Figure:
    rows: list[list[Entry]] = [["Parlour", source.version], ["Python", platform.python_version()]]
    rows += [[name, version(name)] for name in LIBRARIES]
    rows += [
        ["Seed of the tournament", str(source.tournament.seed)],
        ["Seeds of matches", SEEDING[source.tournament.seeding]],
        ["Schedule", source.tournament.schedule.replace("_", " ")],
        ["Repetitions", count(source.tournament.repetitions)],
        ["Seed of the ranks", f"0; {RANK_DRAWS:,} draws of the largest difference"],
    ]
    if source.tournament.defender is not None:
        rows.append(["Defender", clean(source.tournament.defender)])
    return Figure("versions", "Seeds and versions", "", PageTable(("What", "Value"), rows, lead=2))


def _history(source: SiteSource) -> Figure:
    """The stages in which the tournament grew."""
    rows: list[list[Entry]] = []
    for step in source.history:
        against = "all" if step.against is None else ", ".join(map(clean, step.against))
        games = ", ".join(f"{game_title(name)} {step.versions[name]}" for name in step.games)
        numbers = str(step.repetitions), count(step.matches)
        rows.append(
            [step.since, step.newcomers or "–", against if step.agents else "–", games or "–",
             *numbers, step.program or "–"]
        )  # fmt: skip
    titles = entries(
        *("Since", "Agents", "Against", "Games and versions", "Repetitions", "Matches", "Parlour")
    )
    note = "What each stage added; repetitions are those by then."
    return Figure("history", "History", note, PageTable(titles, rows, lead=4))


SEEDING = {
    "common": "common: matches of all agents and conditions on a setting share one",
    "independent": "each match has its own",
}
