"""Words of the leaderboard: its header, its warnings, and what stands in an empty table."""

from typing import TYPE_CHECKING

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.transcript import counted
from parlour.tui.look.look import Look, wrapped
from parlour.tui.models.standings import ConductTable, Standings
from parlour.tui.models.tiles import game_title
from parlour.tui.views.leaderboard import (
    BY_GAME,
    BY_ROLE,
    CONDUCT,
    MET,
    OVERALL,
    LeaderboardState,
)

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Leaderboard


COMPUTING = "Computing …"
OF_MEETINGS = (
    "Share of matches that the row agent won against the column agent, half the 95 % interval and"
    " the matches; a draw is half a win. v: intervals or counts alone."
)


def header_note(state: LeaderboardState, *, without_faults: bool) -> Text:
    """The number of matches behind the figures, and what their intervals are."""
    palette, board = state.look.palette, state.board
    left_out = Text("without faults" if without_faults else "", f"bold {palette.warn}")
    if board is None or state.view == CONDUCT:
        return Text()
    if state.view == MET:
        return left_out
    from parlour.ratings.reports.leaderboard_report import matches_in_words

    count, _, words = matches_in_words(board).partition(" ")
    line = Text().append(count, f"bold {palette.text}").append(f" {words}", palette.soft)
    if without_faults:
        line.append(" ").append_text(left_out)
    return line.append(" · 95 % intervals", palette.soft)


def warnings(state: LeaderboardState, width: int) -> list[Text]:
    """The sentences that a reader of the figures must know, none in most tournaments."""
    palette, board, look = state.look.palette, state.board, state.look
    if board is None or state.view == CONDUCT or width < 1:
        return []
    if state.view == MET:
        games = "all games with winners" if state.met_game is None else game_title(state.met_game)
        return wrapped(Text(f"{OF_MEETINGS} Games: {games}.", palette.soft), width)
    lines: list[Text] = []
    notes = [remark.sentence for remark in state.remarks if remark.level == "note"]
    if state.decided is not None and state.decided.stop and state.view == OVERALL:
        notes.append(f"No more matches: {state.decided.stop}.")
    for words in [*_alarms(state), *_warnings(board), *notes]:
        colours = (palette.faint, palette.soft) if words in notes else (palette.warn, palette.text)
        edge = Text(f"{look.signs.edge} ", colours[0])
        body = wrapped(Text(one_line(words), colours[1]), width - 2)
        lines += [Text().append_text(edge).append_text(line) for line in body]
    return lines[:3]


def _alarms(state: LeaderboardState) -> list[str]:
    warnings = [remark.sentence for remark in state.remarks if remark.level == "warning"]
    return [*(alarm.sentence for alarm in state.alarms), *warnings]


def _warnings(board: "Leaderboard") -> list[str]:
    from parlour.ratings.reports.leaderboard_report import copies_sentences, faulty_agents
    from parlour.ratings.reports.never_met import never_met_sentences

    sentences = [*never_met_sentences(board.never_met), *copies_sentences(board)]
    if board.left_out is not None:
        sentences.append(f"Left out because of a fault: {counted(board.left_out, 'match')}.")
    if faulty := faulty_agents(board):
        sentences.append(
            f"Many invalid answers: {', '.join(faulty)}. Their other figures say little; 6 shows"
            " faults by kind."
        )
    if board.skipped:
        sentences.append(
            f"{counted(board.skipped, 'match')} not rated by TrueSkill: too unlikely for its"
            " arithmetic."
        )
    return sentences


def empty_words(state: LeaderboardState, standings: Standings, conduct: ConductTable) -> str:
    """The text in place of a table without rows."""
    if state.view == CONDUCT:
        if conduct.trouble or conduct.rows is None:
            return conduct.trouble or COMPUTING
        return "No answer is stored yet. Esc goes back."
    if standings.trouble or state.board is None:
        return standings.trouble or COMPUTING
    if state.view == MET:
        from parlour.ratings.reports.matrix import empty_message as nobody_met

        return f"{nobody_met(state.met_game)} Esc goes back."
    from parlour.ratings.reports.leaderboard_report import empty_message

    return f"{empty_message(state.board)} Esc goes back."


def table_title(state: LeaderboardState) -> Text:
    """The title of the table in sight."""
    titles = {
        BY_GAME: "Strength in each game",
        BY_ROLE: "Strength in each role",
        CONDUCT: "Conduct of all stored answers, unfinished matches too",
    }
    words = titles.get(state.view, "")
    if state.view == OVERALL and state.decided is not None:
        decided, pairs = state.decided.pairs
        words = f"Decided ranks · {decided} of {pairs} pairs"
    if state.shows != "values" and state.view != CONDUCT:
        shown = {"intervals": "half the 95 % interval", "counts": "counts"}[state.shows]
        words = f"{words} · {shown}" if words else shown
    return Text(words, f"bold {state.look.palette.text}")


def computing_lines(look: Look, width: int) -> list[Text]:
    """Grey rows in the shape of the result, while it is computed."""
    palette = look.palette
    lines = []
    for row in range(8):
        bar = look.signs.spared * max(0, min(width - 6, 37 - row))
        lines.append(Text(f"  {row + 1}  ", palette.faint).append(bar, palette.grid))
    return [*lines, Text(COMPUTING, palette.faint)]
