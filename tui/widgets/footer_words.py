"""Entries of the footer: their order, and words shorter than those of the help."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hint:
    """One entry of the footer: the actions whose keys stand together, and words for them.

    ``shorter`` are the words where not all entries fit. ``between`` stands between two keys.
    """

    actions: tuple[str, ...]
    words: str
    shorter: str = ""
    between: str = " "


def _one(action: str, words: str, shorter: str = "") -> Hint:
    return Hint((action,), words, shorter)


ORDER: Sequence[Hint] = (
    Hint(("wall.left", "wall.up", "wall.right", "wall.down"), "choose", between=""),
    _one("wall.zoom", "zoom"),
    Hint(("replay.back", "replay.forward"), "ask back, forward", "ask"),
    Hint(("replay.round", "replay.next_round"), "round"),
    Hint(("replay.start", "replay.end"), "edges"),
    _one("match.why", "why"),
    Hint(("thoughts.next", "thoughts.previous"), "whose"),
    Hint(("thoughts.earlier", "thoughts.later"), "earlier, later", "when"),
    Hint(("board.overall", "board.conduct"), "view", between="–"),
    Hint(("who.next", "who.previous"), "agents"),
    _one("live.pause", "pause"),
    _one("wall.order", "order"),
    _one("live.turn", "step"),
    _one("list.open", "open"),
    _one("board.open", "agent"),
    _one("home.open", "open"),
    _one("home.demo", "demo"),
    _one("home.new", "new tournament"),
    _one("home.preset", "presets"),
    _one("home.theme", "theme"),
    _one("live.leaderboard", "leaderboard", "ranks"),
    _one("home.leaderboard", "leaderboard"),
    _one("home.find", "find"),
    _one("board.compare", "compare"),
    _one("who.compare", "compare"),
    Hint(("board.accused", "board.helped"), "accused, helped"),
    Hint(("board.more_ties", "board.fewer_ties"), "ties"),
    _one("board.race_game", "game"),
    _one("board.ranks", "as ranks"),
    _one("board.export", "export"),
    _one("board.faults", "without faults", "faults"),
    _one("new.next", "next pane", "pane"),
    _one("fields.tick", "tick"),
    _one("new.save", "save file", "save"),
    _one("new.play", "save and play", "play"),
)
"""Entries in the order of the footer; keys that stand nowhere here follow, then help and the end.

An entry of several actions is in the footer wherever they have keys, one of a single action only
where its binding is shown.
"""
HELP, LEAVE = "app.help", "app.leave"
WAYS_BACK = (".back", ".close", ".rise")
"""Ends of the actions that leave a screen for the one before: with them, leaving is not named."""
MOST = 6
"""The most entries of a footer."""
