"""The matches that fit a filter: those of a game, else those with a name, number or ending."""

from collections.abc import Sequence

from parlour.games.engine.game import Game
from parlour.tournament.save.queries import MatchLine


def fitting(lines: Sequence[MatchLine], games: Sequence[Game], text: str) -> list[int]:
    """The rows of the matches that fit a casefolded text; ``games`` are those of the entries.

    A text that is part of a game's title names games alone: "impostor" is no ending then.
    """
    titled = {entry for entry, game in enumerate(games) if text in game.texts.title.casefold()}
    if titled:
        return [row for row, line in enumerate(lines) if line.entry in titled]
    return [row for row, line in enumerate(lines) if text in _words(line, games[line.entry])]


def _words(line: MatchLine, game: Game) -> str:
    """The number, the name and the ending of a match as the list shows them, casefolded."""
    ending = game.texts.short_endings.get(line.ending or "", line.ending or "")
    return f"{line.number} {line.experiment} {'frozen' if line.frozen else ending}".casefold()
