"""Conformance of sentences and boards: they fit every event and every moment of a match."""

from parlour.games.engine.events import Event
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.moves import Outcome
from parlour.games.engine.table import Table
from parlour.games.testing.playthrough import hold, openings, play, stumbling


def check_shown(game: Game, variant: Frozen) -> None:
    """The game's sentences fit its events, and its board can be made at every moment."""
    for table in openings(game, variant, seeds=2):
        play(table, stumbling)
        for event in table.events:
            _hold_sentence(table, event)
        for shown in range(len(table.events) + 1):
            _hold_board(table, shown, None)
        _hold_board(table, len(table.events), table.outcome)


def _hold_sentence(table: Table, event: Event) -> None:
    own = table.game.texts.sentences.get(event.kind)
    try:
        text = "-" if own is None else own(event)
    except Exception as error:  # a sentence can raise anything
        hold(False, table, f"no sentence for {event}: {error!r}")
    else:
        hold(text and "\n" not in text, table, f"no sentence on one line for {event}: {text!r}")


def _hold_board(table: Table, shown: int, outcome: Outcome | None) -> None:
    try:
        boards = table.game.board(table.seats, table.events[:shown], outcome)
    except Exception as error:  # as above
        hold(False, table, f"no board after {shown} events: {error!r}")
    else:
        hold(all(board.title for board in boards), table, f"a picture has no title: {boards}")
