"""The answers and calls of a save, read without pandas, which the doors' environments lack."""

from pathlib import Path

from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredAnswer, StoredCall


def answers_of(path: Path, agent: str) -> list[StoredAnswer]:
    """The answers of an agent."""
    with Save(path) as save:
        agents = {match.number: match.agents for match in save.matches()}
        return [each for each in save.answers() if agents[each.match][each.seat] == agent]


def calls_of(path: Path) -> list[StoredCall]:
    """All calls, answered or failed."""
    with Save(path) as save:
        return [call for _seq, call in save.calls()]
