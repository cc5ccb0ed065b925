"""The history of a tournament: who joined when, against whom, under which versions."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from parlour.games.common.text import one_line
from parlour.games.engine.transcript import counted
from parlour.tournament.save.growing.stages import StageKind, last_matches, stages_of
from parlour.tournament.save.reader import Save


@dataclass(frozen=True, slots=True)
class AddedStage:
    """One stage of a tournament: what it added to the stage before.

    ``versions`` are those of all games by then; the rules of a game never change in a save.
    ``against`` are the anchors of the new ``agents``, None for all. ``matches`` is the number of
    new matches, ``since`` when they were planned, ``program`` the version of Parlour that did. In
    a merged save or a shard, ``joined`` has the time at which each agent had joined before. Of an
    adaptive tournament, the new matches are those that its decisions planned by the next stage, or
    until now, and ``most`` is the number that it plays at most.
    """

    kind: StageKind
    since: str
    program: str
    matches: int
    agents: tuple[str, ...]
    against: tuple[str, ...] | None
    games: tuple[str, ...]
    repetitions: int
    versions: dict[str, int]
    joined: dict[str, str]
    most: int | None = None

    @property
    def newcomers(self) -> str:
        """The new agents in words; with their times if they had joined at several."""
        names_at: defaultdict[str, list[str]] = defaultdict(list)
        for name in self.agents:
            names_at[self.joined.get(name, self.since)].append(name)
        if len(names_at) < 2:
            return _listed(self.agents)
        groups = sorted(names_at.items())
        return "; ".join(f"{_listed(names)} (joined {one_line(at)})" for at, names in groups)

    @property
    def sentence(self) -> str:
        """The step in words."""
        words = [self.newcomers] if self.agents else []
        if words and self.against is not None:
            words[0] += f" against {_listed(self.against) or 'each other'}"
        if self.games:
            versions = (f"{name} (version {self.versions[name]})" for name in self.games)
            words.append(", ".join(versions))
        if self.repetitions > 1 and not self.agents and not self.games:
            words.append(f"to {counted(self.repetitions, 'repetition')}")
        if self.most is not None and not words:
            words.append(f"to at most {counted(self.most, 'match')}")
        by = f", by parlour {self.program}" if self.program else ""
        what = "; ".join(words)
        return f"{self.since}: {self.kind} {what}: {counted(self.matches, 'match')}{by}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(one_line, names))


def has_grown(steps: Sequence[AddedStage]) -> bool:
    """True for a tournament that grew, or was merged from tournaments that had."""
    return len(steps) > 1 or len(set(steps[0].joined.values())) > 1


def growth_history(save: Save) -> tuple[AddedStage, ...]:
    """The stages of a save as steps, the oldest first."""
    steps: list[AddedStage] = []
    tournament, stages = save.tournament, stages_of(save)
    last = last_matches(save, stages)
    agents = games = 0
    for stored, begin, end in zip(stages, [0, *last], last, strict=False):
        stage = stored.stage
        entries = tournament.games[: stage.games]
        steps.append(
            AddedStage(
                *(stored.kind, stored.since, stored.program),
                matches=end - begin,
                agents=tuple(agent.name for agent in tournament.agents[agents : stage.agents]),
                against=stage.against,
                games=tuple(dict.fromkeys(entry.game.name for entry in entries[games:])),
                repetitions=stage.repetitions,
                versions={entry.game.name: entry.played_version for entry in entries},
                joined=dict(stored.joined),
                most=stage.matches,
            )
        )
        agents, games = stage.agents, stage.games
    return tuple(steps)
