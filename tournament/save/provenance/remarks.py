"""Remarks on provenance: what changed within the figures of one agent or game.

A leaderboard takes an agent for one player. It is not if its provider served another model in the
middle, or if its prompts changed between two runs.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

from parlour.games.common.text import one_line
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.transcript import counted
from parlour.games.engine.wordings import KEY, LANGUAGES, TEMPLATES
from parlour.tournament.save.growing.retire import retired_matches
from parlour.tournament.save.provenance.model_names import is_other_model
from parlour.tournament.save.provenance.origins import NO_REPEATS, Repeats, finished_repeats
from parlour.tournament.save.queries import progress_by_agent, templates
from parlour.tournament.save.reader import Save

MOST_NAMED = 4
"""Models, hosts or fingerprints of an agent that a sentence names."""


@dataclass(frozen=True, slots=True)
class Serving:
    """Answered calls of an agent that have one provenance; those from the cache are left out.

    ``templates`` are (name, fingerprint) of the prompt templates. ``served`` (the model's name in
    the answer), ``fingerprint`` and ``host`` are empty where nothing says them. ``first`` is the
    ``seq`` of the first of the ``calls``, and ``match`` and ``game`` are those of that one.
    """

    agent: str
    asked: str
    game: str
    templates: tuple[tuple[str, str], ...]
    served: str
    fingerprint: str
    host: str
    calls: int
    first: int
    match: int

    @property
    def model(self) -> str:
        """The model's name in the answer; the asked one where the answer names none."""
        return self.served or self.asked


@dataclass(frozen=True, slots=True)
class Playing:
    """A version of the program that played a part of a save; ``match`` is the first one."""

    program: str
    match: int


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark on an agent, a game or the save (``subject`` is empty then), and a sentence.

    A warning is about the figures; a note is what one may want to know. ``match`` is the match
    since which it holds, None if there is none.
    """

    kind: Literal[
        "models",
        "names",
        "hosts",
        "fingerprints",
        "prompts",
        "rules",
        "programs",
        "seeds",
        "retired",
        "unplayed",
    ]
    level: Literal["warning", "note"]
    subject: str
    match: int | None
    sentence: str


def remarks(
    servings: Sequence[Serving],
    rules: Iterable[tuple[str, int]] = (),
    playings: Sequence[Playing] = (),
    repeats: Repeats = NO_REPEATS,
) -> list[Remark]:
    """Returns the remarks, warnings first, then by agent and game.

    ``rules`` are game and version of every game block, ``repeats`` the matches that repeat others.
    """
    of_agents: dict[str, list[Serving]] = defaultdict(list)
    for serving in sorted(servings, key=lambda serving: serving.first):
        of_agents[serving.agent].append(serving)
    made: list[Remark] = []
    for agent, its in sorted(of_agents.items()):
        made += [*_served(agent, its), *_prompts(agent, its)]
    made += [*_rules(rules), *_programs(playings), *_seeds(repeats)]
    return sorted(made, key=lambda remark: remark.level == "note")  # stable


def _served(agent: str, its: Sequence[Serving]) -> Iterator[Remark]:
    """Yields what served an agent where it changed: models, hosts, fingerprints of a model."""
    names = _Share.of(its, lambda serving: serving.model)
    if any(is_other_model(one, other) for one, other in combinations(names, 2)):
        words = f"{agent} was served by {len(names)} models: {_listed(names)}"
        yield Remark("models", "warning", agent, _since(names), words)
    elif len(names) >= 2:
        words = f"{agent} was served under {len(names)} names of one model: {_listed(names)}"
        yield Remark("names", "note", agent, _since(names), words)
    hosts = _Share.of(its, lambda serving: serving.host)
    if len(hosts) >= 2:
        words = f"{agent} was served by {len(hosts)} hosts: {_listed(hosts)}"
        yield Remark("hosts", "warning", agent, _since(hosts), words)
    # By model, since another one has other fingerprints anyway.
    for model in dict.fromkeys(serving.model for serving in its):
        own = [serving for serving in its if serving.model == model]
        prints = _Share.of(own, lambda serving: serving.fingerprint)
        if len(prints) >= 2:
            words = f"{agent}: {model} answered under {len(prints)} fingerprints: {_listed(prints)}"
            yield Remark("fingerprints", "note", agent, _since(prints), words)


def _prompts(agent: str, its: Sequence[Serving]) -> Iterator[Remark]:
    texts: dict[tuple[str, str], dict[str, _Share]] = defaultdict(dict)
    for serving in its:
        for name, digest in serving.templates:
            _Share.add(texts[serving.game, name], digest, serving)
    for (game, name), shares in sorted(texts.items()):
        if len(shares) >= 2:
            since = _since(shares)
            words = (
                f"{agent}: the prompt {name} of {game} changed: {len(shares)} texts, another one"
                f" since match {since}"
            )
            yield Remark("prompts", "warning", agent, since, words)


def _rules(rules: Iterable[tuple[str, int]]) -> Iterator[Remark]:
    versions: dict[str, set[int]] = defaultdict(set)
    for game, version in rules:
        versions[game].add(version)
    for game, its in sorted(versions.items()):
        if len(its) >= 2:
            words = f"{game} is played by versions {_joined(map(str, sorted(its)))} of its rules"
            yield Remark("rules", "warning", game, None, words)


def _programs(playings: Sequence[Playing]) -> Iterator[Remark]:
    if len({playing.program for playing in playings}) >= 2:
        first, *later = playings
        since = [f"{playing.program} (since match {playing.match})" for playing in later]
        words = f"The matches were played by Parlour {_joined([first.program, *since])}"
        yield Remark("programs", "note", "", later[0].match, words)


def _seeds(repeats: Repeats) -> Iterator[Remark]:
    if repeats.scripted:
        words = (
            f"{counted(repeats.scripted, 'match')} of scripted players only repeat other matches,"
            " since merged runs had one seed: intervals are narrower than they should be"
        )
        yield Remark("seeds", "warning", "", None, words)
    if repeats.others:
        words = (
            f"{counted(repeats.others, 'match')} had the setting, seats and dice of another one,"
            " since merged runs had one seed"
        )
        yield Remark("seeds", "note", "", None, words)


@dataclass(slots=True)
class _Share:
    """Calls that have something in common, and the match of the first one."""

    calls: int
    match: int

    @staticmethod
    def add(shares: "dict[str, _Share]", key: str, serving: Serving) -> None:
        """Adds the calls of a serving, which are given in order."""
        share = shares.setdefault(key, _Share(0, serving.match))
        share.calls += serving.calls

    @staticmethod
    def of(servings: Iterable[Serving], key: Callable[[Serving], str]) -> "dict[str, _Share]":
        """The shares by a key, in order of their first call; those without one are left out."""
        shares: dict[str, _Share] = {}
        for serving in servings:
            if key(serving):
                _Share.add(shares, key(serving), serving)
        return shares


def _since(shares: Mapping[str, _Share]) -> int:
    """The match of the first call of another kind than the first one."""
    return [*shares.values()][1].match


def _listed(shares: Mapping[str, _Share]) -> str:
    (first, its), *later = shares.items()
    words = [f"{first} ({counted(its.calls, 'call')})"]
    for name, share in later[: MOST_NAMED - 1]:
        words.append(f"{name} ({counted(share.calls, 'call')}, since match {share.match})")
    if len(later) >= MOST_NAMED:
        words.append(f"and {len(later) + 1 - MOST_NAMED} more")
    return ", ".join(words)


def _joined(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


_TOTALS = (
    "SELECT agent, model, templates, served, fingerprint, host, total, first FROM provenances"
    " JOIN (SELECT provenance, count(*) AS total, min(seq) AS first FROM stored_calls"
    " WHERE provenance IS NOT NULL AND copy_of IS NULL GROUP BY provenance) ON number = provenance"
)
"""Reads an index alone: a tenth of a second for a million calls."""


def remarks_of(save: Save) -> list[Remark]:
    """Returns the remarks on the provenance of a save; none for most saves."""
    rules = [(entry.game.name, entry.played_version) for entry in save.tournament.games]
    made = remarks(servings(save), rules, playings(save), finished_repeats(save))
    return [*_retired(save), *_unplayed(save), *made]


def _unplayed(save: Save) -> Iterator[Remark]:
    """Yields a warning for each agent that no leaderboard has, though others finished matches."""
    count = save.match_count()
    if not count.finished or count.finished == count.matches:
        return
    known = {BUILT_IN, *retired_matches(save)}
    for agent, planned, finished in progress_by_agent(save):
        if not finished and agent not in known:
            words = f"{agent} is not on the leaderboard: 0 of {planned} matches are finished"
            yield Remark("unplayed", "warning", one_line(agent), None, one_line(words))


def _retired(save: Save) -> Iterator[Remark]:
    """Yields a warning for each retired agent: the others played some of their matches less."""
    for agent, (first, closed) in retired_matches(save).items():
        words = f"{agent} retired: {counted(closed, 'match')} closed, which were not over"
        yield Remark("retired", "warning", one_line(agent), first, one_line(words))


def servings(save: Save) -> list[Serving]:
    """Returns the servings of the save's agents."""
    rows = save._select(
        "SELECT totals.*, stored_matches.number, stored_matches.entry"
        f" FROM ({_TOTALS}) AS totals"
        " JOIN calls ON calls.seq = first JOIN stored_matches ON stored_matches.number = match"
    )
    texts, games = templates(save), save.tournament.games
    names = {agent.name for agent in save.tournament.agents}
    made = []
    for agent, asked, digests, served, fingerprint, host, calls, first, match, entry in rows:
        if agent not in names or not 0 <= entry < len(games):
            continue  # a damaged save may have others
        game, variant = games[entry].game.name, games[entry].variant
        values = {getattr(variant, key, "") for key in (KEY, "language")}
        if own := values & (TEMPLATES | LANGUAGES):  # it has other texts from the start
            game += f" ({', '.join(own)})"
        known = tuple((texts[each][0], each) for each in _digests(digests) if each in texts)
        behind = _label(served), _label(fingerprint), _label(host)
        made.append(Serving(agent, _label(asked), game, known, *behind, calls, first, match))
    return made


def _label(text: object) -> str:
    return one_line(text) if isinstance(text, str) else ""


def _digests(text: str) -> list[str]:
    try:
        digests = json.loads(text)
    except (ValueError, RecursionError):  # `check` says so
        return []
    return [each for each in digests if isinstance(each, str)] if isinstance(digests, list) else []


def playings(save: Save) -> list[Playing]:
    """Returns the versions of the program that stored answers, in order."""
    rows = program_rows(save)
    made: list[Playing] = []
    newest = save.last_seq()
    ends = [row.last_answer for row in rows[1:]]
    for (_since, program, begin), end in zip(rows, [*ends, newest], strict=True):
        if begin < end and (not made or made[-1].program != program):
            after = "SELECT match FROM stored_answers WHERE seq > ? ORDER BY seq LIMIT 1"
            made.append(Playing(_label(program), save._one(after, begin)[0]))
    return made


class ProgramRow(NamedTuple):
    """A version of the program that went on with a save after an answer, and when it first did."""

    since: str
    program: str
    last_answer: int


def program_rows(save: Save) -> list[ProgramRow]:
    """Returns the versions of the program that had the save, in order; the first one made it."""
    rows = save._select(
        "SELECT created AS since, program, 0 AS last_answer, 0 AS number FROM tournament"
        " UNION ALL SELECT since, program, last_answer, number FROM programs"
        " ORDER BY last_answer, number"
    )
    return [ProgramRow(since, program, last) for since, program, last, _number in rows]


def newest_program(save: Save) -> str:
    """Returns the version of the program that went on with the save last, or that made it."""
    rows = save._select("SELECT program FROM programs ORDER BY number DESC LIMIT 1")
    return str(rows[0][0] if rows else save._one("SELECT program FROM tournament")[0])
