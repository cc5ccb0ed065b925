"""A match in few words: its game, its people, where it is, how it ended and who won."""

from collections.abc import Iterable, Sequence

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Outcome
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, fit
from parlour.tui.models.focus import Focus
from parlour.tui.models.save_view import SaveView
from parlour.tui.text import last_words

MOST_POINTS = 4
"""The seats of a match whose points are listed; of more seats the best is named."""
ENDING_WIDTH = 18
LEAST_TITLE = 8


def suit(look: Look, game: Game) -> str:
    """The sign of the family of a game."""
    return look.signs.suits.get(game.texts.family, "·")


def game_title(look: Look, game: Game, width: int | None = None) -> str:
    """The sign and the name of a game; its last words where not all fit a width."""
    title = one_line(game.texts.title)
    if width is not None:
        title = last_words(title, max(LEAST_TITLE, width - 2))
    return f"{suit(look, game)} {title}"


def phase(game: Game, kind: str, round: int, rounds: int, *, short: bool = False) -> str:
    """The word for where a match is, with the round where there are several: "pool 3/5"."""
    word = game.texts.phases.get(kind, one_line(kind).replace("_", " "))
    if short or not 0 < round <= rounds or rounds == 1:
        return word
    return f"{word} {round}/{rounds}"


def phase_of(watched: SaveView, number: int, *, short: bool = False) -> str:
    """The phase of a match: of its table if it is in focus, else of its newest answer."""
    line, focus = watched.lines[number], watched.focus
    game, rounds = watched.save.tournament.games[line.entry].game, watched.rounds[line.entry]
    table = focus.table if focus is not None and focus.match.number == number else None
    if table is not None and table.pending is not None:
        return phase(game, table.pending.kind, table.pending.round, rounds, short=short)
    return phase(game, line.kind, line.round, rounds, short=short) if line.kind else "begins"


def phase_of_table(watched: SaveView, focus: Focus) -> str:
    """The phase of a match by its table, or its ending."""
    table, rounds = focus.table, watched.rounds[focus.match.entry]
    if focus.match.frozen is not None:
        return "frozen"
    if table is None:
        return ""
    if table.outcome is not None:
        return short_ending(table.game, table.outcome)
    if table.pending is None:
        return ""
    return phase(table.game, table.pending.kind, table.pending.round, rounds)


def short_ending(game: Game, outcome: Outcome) -> str:
    """The ending in at most 18 columns: in words, else points by seat, else the best."""
    words = game.texts.short_endings.get(outcome.ending)
    if words is not None:
        return one_line(words)
    points = [f"{payoff:.1f}".removesuffix(".0") for payoff in outcome.payoffs]
    if len(points) <= MOST_POINTS:
        return "  ".join(points)
    return f"best {max(outcome.payoffs):.1f}"


def winners(look: Look, cast: Cast, match: StoredMatch) -> Text:
    """The letters of the agents that won, or of those with most points where nobody won."""
    outcome = match.outcome
    if outcome is None:
        return Text()
    sign, style = look.signs.won, look.palette.warn
    best: Sequence[int] = outcome.winners
    if not best and len(set(outcome.payoffs)) > 1:
        most = max(outcome.payoffs)
        sign, style = look.signs.most, look.palette.soft
        best = [seat for seat, payoff in enumerate(outcome.payoffs) if payoff == most]
    if not best:
        return Text()
    line = Text(no_wrap=True).append(f"{sign} ", style)
    for agent in dict.fromkeys(match.agents[seat] for seat in best):
        line.append_text(look.letters(cast[agent]))
    return line


def seats(
    look: Look,
    cast: Cast,
    agents: Sequence[str],
    waiting: Iterable[int] = (),
    *,
    dim: bool = False,
    hidden: bool = False,
) -> Text:
    """The letters of a match in the order of its seats, those reversed whose turn it is.

    ``hidden``: only the agents, not their seats, in the order of the tournament.
    """
    if hidden:
        present = [agent for agent in cast.agents if agent in agents]
        return Text(" ", no_wrap=True).join([look.letters(cast[agent]) for agent in present])
    turn = frozenset(waiting)
    if len(agents) > 2 and len(set(agents)) == 1:
        line = Text(no_wrap=True).append_text(look.letters(cast[agents[0]], dim=dim))
        line.append(f" × {len(agents)}", look.palette.faint)
        numbers = cast.seats(agents)
        for seat in sorted(turn):
            line.append("  " if seat == min(turn) else " ")
            line.append_text(look.letters(numbers[seat], turn=True))
        return line
    letters = [
        look.letters(cast[agent], turn=seat in turn, dim=dim) for seat, agent in enumerate(agents)
    ]
    return Text(" ", no_wrap=True).join(letters)


def ending(look: Look, game: Game, match: StoredMatch, width: int) -> Text:
    """The ending of a match in a width, or that it is frozen."""
    if match.frozen is not None:
        return fit(Text(f"{look.signs.failed} frozen", look.palette.bad), width)
    if match.outcome is None:
        return fit(Text(), width)
    words = short_ending(game, match.outcome)
    return fit(Text(words, look.palette.soft), width)
