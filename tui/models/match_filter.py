"""The matches that fit a filter: those of a game, else those with a name, number or ending."""

from collections.abc import Iterator

from parlour.games.engine.game import Game
from parlour.tournament.save.outline import endings_of_all
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import tidy
from parlour.tui.models.match_lines import MatchLines


def fitting(save: Save, lines: MatchLines, text: str) -> Iterator[int]:
    """Yields the matches that fit a casefolded text.

    A text that is part of a game's title names games alone: "impostor" is no ending then.
    """
    games = [entry.game for entry in save.tournament.games]
    titled = {entry for entry, game in enumerate(games) if text in game.texts.title.casefold()}
    known: dict[tuple[int, str, str | None, bool], str] = {}
    begins_as_number = text[:1].isdigit()  # else it lies beside the number or nowhere
    for number, entry, experiment, ending in endings_of_all(save):
        if titled:
            if entry in titled:
                yield number
            continue
        key = (entry, experiment, ending, lines.is_over(number))
        words = known.get(key)
        if words is None:
            words = known[key] = f" {_words(games[entry], *key[1:])}"
        if text in words or (begins_as_number and text in f"{number}{words}"):
            yield number


def _words(game: Game, experiment: str, ending: str | None, over: bool) -> str:
    """The name and the ending of a match as the list shows them, casefolded."""
    if ending is None:
        shown = "frozen" if over else ""
    else:
        shown = game.texts.short_endings.get(tidy(str(ending)), tidy(str(ending)))
    return f"{tidy(experiment)} {shown}".casefold()
