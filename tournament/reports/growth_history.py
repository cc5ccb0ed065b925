"""The history of a tournament: who joined when, against whom, under which versions."""

from collections.abc import Iterable
from dataclasses import dataclass

from parlour.games.common.text import one_line
from parlour.games.engine.transcript import counted
from parlour.tournament.save.reader import Save
from parlour.tournament.save.stages import StageKind, StoredStage, stages_of


@dataclass(frozen=True, slots=True)
class Step:
    """One stage of a tournament: what it added to the stage before.

    ``versions`` are those of all games by then; the rules of a game never change in a save.
    ``against`` are the anchors of the new ``agents``, None for all. ``matches`` is the number of
    new matches, ``since`` when they were planned, ``program`` the version of Parlour that did.
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

    @property
    def _meets(self) -> str:
        """The agents that the new ones meet, in words; "" for all."""
        if self.against is None:
            return ""
        return f" against {_listed(self.against) or 'each other'}"

    @property
    def sentence(self) -> str:
        """The step in words."""
        games = ", ".join(f"{name} (version {self.versions[name]})" for name in self.games)
        words = []
        if self.agents:
            words.append(f"{_listed(self.agents)}{self._meets}")
        if games:
            words.append(games)
        if self.repetitions > 1 and not self.agents and not self.games:
            words.append(counted(self.repetitions, "repetition"))
        by = f", by parlour {self.program}" if self.program else ""
        what = "; ".join(words)
        return f"{self.since}: {self.kind} {what}: {counted(self.matches, 'match')}{by}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(one_line, names))


def growth_history(save: Save) -> tuple[Step, ...]:
    """The stages of a save as steps, the oldest first."""
    steps: list[Step] = []
    tournament = save.tournament
    before: StoredStage | None = None
    for stored in stages_of(save):
        stage = stored.stage
        agents, games = (before.stage.agents, before.stage.games) if before else (0, 0)
        entries = tournament.games[: stage.games]
        steps.append(
            Step(
                *(stored.kind, stored.since, stored.program),
                matches=stored.last_match - (before.last_match if before else 0),
                agents=tuple(agent.name for agent in tournament.agents[agents : stage.agents]),
                against=stage.against,
                games=tuple(dict.fromkeys(entry.game.name for entry in entries[games:])),
                repetitions=stage.repetitions,
                versions={entry.game.name: entry.played_version for entry in entries},
            )
        )
        before = stored
    return tuple(steps)
