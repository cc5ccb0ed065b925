"""Differences between the tournaments of two saves."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from itertools import product, zip_longest
from pathlib import Path
from typing import Any, Literal

from parlour.games.common.text import clean
from parlour.games.engine.transcript import counted
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.plan.validation import what_is_played
from parlour.tournament.save.provenance.model_names import is_other_model
from parlour.tournament.save.provenance.remarks import Serving, playings, servings
from parlour.tournament.save.queries import templates
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions, fingerprint

LONGEST_VALUE = 60
"""Characters of a value that a sentence shows."""
CONTEXT_LINES = 2
"""Lines around each change of a prompt."""
HEAD = ("seed", "schedule", "defender", "repetitions", "matches", "seeding", "fork")
"""The keys of a tournament beside its name, agents and games."""

Part = Literal[
    "agents", "games", "schedule", "prompts", "served", "name", "program", "run", "matches"
]


@dataclass(frozen=True, slots=True)
class TournamentDifference:
    """A difference of two tournaments, A and B, in a sentence on its ``subject``.

    ``matters``: they are not one tournament, so that their results cannot be pooled. ``lines`` are
    those of a unified diff.
    """

    part: Part
    subject: str
    sentence: str
    matters: bool = True
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two saves: its tournament, the number of planned matches, and how it was played.

    ``programs`` are the versions that played, ``servings`` what served the calls. ``texts`` has
    name and text of prompt templates by fingerprint.
    """

    path: str
    tournament: Tournament
    matches: int
    options: RunOptions
    programs: tuple[str, ...]
    servings: Sequence[Serving]
    texts: Mapping[str, tuple[str, str]]

    def prompts(self, agents: set[str]) -> dict[tuple[str, str], list[str]]:
        """The fingerprints of each template, by game and name, that these agents were sent."""
        digests: dict[tuple[str, str], list[str]] = defaultdict(list)
        for serving in sorted(self.servings, key=lambda serving: serving.first):
            for name, digest in serving.templates if serving.agent in agents else ():
                if digest not in digests[serving.game, name]:
                    digests[serving.game, name].append(digest)
        return digests

    def served(self, agent: str, part: Literal["model", "host", "fingerprint"]) -> list[str]:
        """The models, hosts or fingerprints behind an agent, sorted."""
        own = (serving for serving in self.servings if serving.agent == agent)
        return sorted({getattr(serving, part) for serving in own} - {""})


def side_of_save(path: Path) -> Side:
    """Returns the side of a save. Raises BadSave."""
    with Save(path) as save, save.one_moment():
        return Side(
            path=str(path),
            tournament=save.tournament,
            matches=save.match_count().matches,
            options=save.control(),
            programs=tuple(dict.fromkeys(playing.program for playing in playings(save))),
            servings=servings(save),
            texts=templates(save),
        )


def differences(one: Side, other: Side) -> list[TournamentDifference]:
    """Returns all differences: those that matter first, in the order of ``Part``."""
    made = [
        *_agents(one, other),
        *_games(one.tournament.games, other.tournament.games),
        *_schedule(one, other),
        *_prompts(one, other),
        *_served(one, other),
        *_rest(one, other),
    ]
    return sorted(made, key=lambda difference: not difference.matters)  # stable


def other_matches(one: Path, other: Path) -> list[TournamentDifference]:
    """Returns the difference of the matches that two saves of one tournament have both finished.

    None if both have the same answers and outcomes in each of them. Raises BadSave.
    """
    played = []
    for path in (one, other):
        with Save(path) as save:
            played.append({record.order: record.transcript for record in save.records()})
    here, there = played
    both = sorted(here.keys() & there.keys())
    others = [number for number in both if here[number] != there[number]]
    if not others:
        return []
    words = (
        f"{len(others)} of {counted(len(both), 'match')} went otherwise, first match {others[0]}"
    )
    return [TournamentDifference("matches", "matches", words, matters=False)]


def _agents(one: Side, other: Side) -> Iterator[TournamentDifference]:
    here, there = _played_agents(one), _played_agents(other)
    for name in dict.fromkeys([*here, *there]):
        if name not in here or name not in there:
            yield TournamentDifference(
                "agents", name, f"{name} is only in {'B' if name in there else 'A'}"
            )
            continue
        for key, value, its in _leaves(here[name], there[name]):
            # The texts themselves are compared where both sides have them.
            matters = key != "prompts" or not (one.servings and other.servings)
            words = f"{name}: {_both(key, value, its)}"
            yield TournamentDifference("agents", name, words, matters)


def _played_agents(side: Side) -> dict[str, Any]:
    """The definitions of agents by name, without what may change between runs of a save."""
    return {agent["name"]: agent for agent in what_is_played(side.tournament.to_json())["agents"]}


def _games(here: Sequence[GameEntry], there: Sequence[GameEntry]) -> Iterator[TournamentDifference]:
    names = dict.fromkeys(entry.game.name for entry in (*here, *there))
    for name in names:
        ours, theirs = _unlike(name, here, there), _unlike(name, there, here)
        for entry, its in zip_longest(ours, theirs):
            if entry is not None and its is not None:
                yield from _blocks(entry, its)
            else:
                title, where = (entry or its).title, "A" if its is None else "B"
                yield TournamentDifference("games", name, f"a block of {title} is only in {where}")


def _unlike(
    name: str, entries: Sequence[GameEntry], others: Sequence[GameEntry]
) -> list[GameEntry]:
    """The blocks of a game that the other side has not, each as often as it lacks them."""
    left = Counter(entry.content() for entry in others)
    unlike = []
    for entry in entries:
        left[entry.content()] -= 1
        if entry.game.name == name and left[entry.content()] < 0:
            unlike.append(entry)
    return unlike


def _blocks(entry: GameEntry, its: GameEntry) -> Iterator[TournamentDifference]:
    """Yields the differences of two blocks of a game."""
    name = entry.game.name
    records, other_records = entry.stored()["records"], its.stored()["records"]
    if entry.played_version != its.played_version:
        words = f"{name}: version {entry.played_version} of the rules in A, {its.played_version}"
        yield TournamentDifference("games", name, f"{words} in B")
    for key, value, other in _leaves(_keys(entry), _keys(its)):
        yield TournamentDifference("games", name, f"{name}: {_both(key, value, other)}")
    if records != other_records:
        here, there = (Counter(map(_digest, block)) for block in (records, other_records))
        shared = (here & there).total()
        words = (
            f"{name}: {counted(len(records), 'setting')} in A and {len(other_records)} in B,"
            f" {shared} of them the same"
        )
        order = ", in another order" if shared == len(records) == len(other_records) else ""
        yield TournamentDifference("games", name, words + order)


def _keys(entry: GameEntry) -> dict[str, Any]:
    """The keys of a block in a tournament file, but its settings."""
    stored = entry.stored()
    others = {key: stored.get(key) for key in ("lineup", "matches")}
    return {**stored["variant"], **others}


def _digest(record: object) -> str:
    return fingerprint(json.dumps(record, sort_keys=True))


def _schedule(one: Side, other: Side) -> Iterator[TournamentDifference]:
    for key, value, its in _leaves(_head(one), _head(other)):
        yield TournamentDifference("schedule", key, _both(key, value, its))
    # The matches of an adaptive schedule follow from outcomes.
    if one.matches != other.matches and one.tournament.schedule != "adaptive":
        words = f"{counted(one.matches, 'match')} planned in A, {other.matches} in B"
        yield TournamentDifference("schedule", "matches", words)


def _head(side: Side) -> dict[str, Any]:
    body = json.loads(side.tournament.to_json())
    return {key: body.get(key) for key in HEAD}


def _prompts(one: Side, other: Side) -> Iterator[TournamentDifference]:
    """Yields the templates that both sides sent, with other texts."""
    agents = {serving.agent for serving in one.servings}
    agents &= {serving.agent for serving in other.servings}
    here, there = one.prompts(agents), other.prompts(agents)
    for game, name in sorted(here.keys() & there.keys()):
        ours, theirs = here[game, name], there[game, name]
        if set(ours) != set(theirs):
            words = f"the prompt {name} of {game} differs"
            if len(ours) > 1 or len(theirs) > 1:
                words += f": {counted(len(ours), 'text')} in A, {len(theirs)} in B; the newest are"
            lines = _changes(one.texts[ours[-1]][1], other.texts[theirs[-1]][1])
            yield TournamentDifference("prompts", f"{game}/{name}", words, lines=lines)


def _changes(text: str, other: str) -> tuple[str, ...]:
    """The lines of the unified diff of two texts."""
    here, there = (clean(each, len(each)).splitlines() for each in (text, other))
    return tuple(unified_diff(here, there, "A", "B", lineterm="", n=CONTEXT_LINES))


def _served(one: Side, other: Side) -> Iterator[TournamentDifference]:
    parts: tuple[Literal["host", "fingerprint"], ...] = ("host", "fingerprint")
    for agent in one.tournament.models:
        models, others = one.served(agent, "model"), other.served(agent, "model")
        if models and others and models != others:
            matters = any(is_other_model(*pair) for pair in product(models, others))
            words = f"{agent} was served by {', '.join(models)} in A"
            yield TournamentDifference(
                "served", agent, f"{words} and by {', '.join(others)} in B", matters
            )
        for part in parts:
            here, there = one.served(agent, part), other.served(agent, part)
            if here and there and here != there:
                words = f"{agent}: {part} {', '.join(here)} in A and {', '.join(there)} in B"
                yield TournamentDifference("served", agent, words, matters=False)


def _rest(one: Side, other: Side) -> Iterator[TournamentDifference]:
    """Yields differences that make no other tournament."""
    names = one.tournament.name, other.tournament.name
    if names[0] != names[1]:
        yield TournamentDifference("name", "name", _both("name", *names), matters=False)
    if one.programs and other.programs and one.programs != other.programs:
        played = " and ".join(one.programs), " and ".join(other.programs)
        words = f"played by Parlour {played[0]} in A and by {played[1]} in B"
        yield TournamentDifference("program", "program", words, matters=False)
    for key, value, its in _leaves(_budgets(one.options), _budgets(other.options)):
        yield TournamentDifference("run", key, _both(key, value, its), matters=False)


def _budgets(options: RunOptions) -> dict[str, float | None]:
    of_agents = {f"budget of {agent}": its for agent, its in options.agent_budgets.items()}
    return {"budget": options.budget, **of_agents}


def _leaves(one: Any, other: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yields each place where two values of JSON differ, with both; lists are one value."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from _leaves(one.get(key), other.get(key), f"{place}.{key}".strip("."))
    elif one != other:
        yield place, one, other


def _both(key: str, value: Any, other: Any) -> str:
    return f"{key} is {_short(value)} in A and {_short(other)} in B"


def _short(value: Any) -> str:
    text = "not set" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
