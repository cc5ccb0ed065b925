"""The header of a tournament: its state, counts, speed, time and money, and what is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.transcript import counted
from parlour.tournament.calls.budget import dollars
from parlour.tournament.control.status import MoneyStatus
from parlour.tournament.run.state import WorkerState
from parlour.tui.look.look import Look, fit
from parlour.tui.models.save_view import SaveView
from parlour.tui.text import WARN, cut
from parlour.tui.views.header import clock, header_lines


@dataclass(frozen=True, slots=True)
class StateWord:
    """A state as drawn: a sign, a word and a colour, and a sentence where there is one."""

    sign: str
    word: str
    colour: str
    words: str = ""


def run_state(state: str, look: Look) -> StateWord:
    """The sign and the word of a state of a runner or of a save; an unknown one is trouble."""
    signs, palette = look.signs, look.palette
    known = {
        "running": (signs.running, "running", palette.accent),
        "pausing": (signs.paused, "pausing", palette.warn),
        "paused": (signs.paused, "paused", palette.warn),
        "stopping": (signs.stopped, "stopping", palette.warn),
        "finished": (signs.done, "finished", palette.good),
        "not running": (signs.stopped, "not running", palette.warn),
        "failed": (signs.failed, "failed", palette.bad),
        "stopped": (signs.stopped, "stopped", palette.soft),
        "unfinished": (signs.stopped, "unfinished", palette.soft),
        "unread": (signs.pending, "", palette.faint),
    }
    return StateWord(*known.get(state, (signs.failed, one_line(state), palette.bad)))


def state_pill(state: str, look: Look) -> Text:
    """A state as a word on its colour."""
    shown = run_state(state, look)
    return look.pill(shown.sign, shown.word, shown.colour)


def state_text(state: str, look: Look) -> Text:
    """A state as its sign and word in its colour; what runs now stands out as a pill."""
    if state == "running":
        return state_pill(state, look)
    shown = run_state(state, look)
    return Text(f" {shown.sign} {shown.word} ", f"bold {shown.colour}", no_wrap=True)


def watched_pill(watched: SaveView, look: Look) -> Text:
    """The state of a tournament on screen; one whose last run ended by itself has failed."""
    stopped_by_itself = watched.state == "not running" and watched.failed
    return state_pill("failed" if stopped_by_itself else watched.state, look)


# --- The header

WORD = "Parlour"
MOST_TROUBLE = 3
"""The most lines of trouble below the header."""
SPARKLINE = 16
FEW_PARKED = 5
"""A runner names so many parked matches at most."""


@dataclass(frozen=True, slots=True)
class Detail:
    """The parts of the first line for which there is room, from all to few."""

    money: bool = True
    to_go: bool = True
    sparkline: int = SPARKLINE
    playing: bool = True
    words: bool = True
    pace: bool = True


DETAILS = (
    Detail(),
    Detail(money=False),
    Detail(money=False, to_go=False, sparkline=12),
    Detail(money=False, to_go=False, sparkline=0),
    Detail(money=False, to_go=False, sparkline=0, playing=False),
    Detail(money=False, to_go=False, sparkline=0, playing=False, words=False),
    Detail(money=False, to_go=False, sparkline=0, playing=False, words=False, pace=False),
)


def run_header(look: Look, watched: SaveView, now: float, width: int) -> list[Text]:
    """The header of a tournament, its money where that has no room, and lines of trouble."""
    progress = _progress(look, watched, width)
    if watched.trouble:
        words = Text(f"{look.signs.failed} {one_line(watched.trouble)}", f"bold {look.palette.bad}")
        return header_lines(look, WORD, words, Text(), width, progress)
    for detail in DETAILS:
        left, right = _left(look, watched, detail), _right(look, watched, now, detail)
        if len(WORD) + left.cell_len + right.cell_len + 7 <= width:
            break
    lines = header_lines(look, WORD, left, right, width, progress)
    money = None if detail.money else money_line(watched.money)
    if money is not None:
        live = watched.live
        if live is not None and live.calls:
            money.append(f"  {_calls(live.calls, live.cached)}")
        lines.append(fit(Text(" ").append_text(money), width))
    if watched.live is not None and watched.live.workers:
        workers = workers_line(look, watched.live.workers)
        lines.append(fit(Text(" ").append_text(workers), width))
    return [*lines, *trouble_lines(look, watched, width, with_money=detail.money)]


def turn_pill(look: Look, watched: SaveView) -> Text:
    """The person whose turn it is, or how many, with the key that takes a seat; else nothing."""
    people = {} if watched.live is None else watched.live.people
    asked = [name for name, person in people.items() if person.asks]
    if not asked:
        return Text()
    words = f"{cut(asked[0], 16)}: your turn" if len(asked) == 1 else f"{len(asked)} people's turn"
    key = "" if watched.local.looked_on else ", s"
    return look.pill(look.signs.running, f"{words}{key}", look.palette.accent)


def _left(look: Look, watched: SaveView, detail: Detail) -> Text:
    """Name, state and counts."""
    palette, progress = look.palette, watched.progress
    bold, of = f"bold {palette.text}", f" of {progress.matches}{' matches' * detail.words}"
    line = Text.assemble(
        *((one_line(watched.save.name), bold), "  ", watched_pill(watched, look), "  "),
        *((str(progress.finished), bold), (of, palette.soft)),
        no_wrap=True,
    )
    playing = len(watched.at_table())
    to_go = progress.matches - progress.finished - progress.frozen - playing
    gap = "  ·  " if detail.to_go else " · "
    counts = [
        (playing if detail.playing else 0, "playing", palette.soft),
        (to_go if detail.to_go else 0, "to go", palette.soft),
        (progress.frozen, "frozen", palette.bad),
    ]
    for count, words, style in counts:
        if count:
            line.append(gap, palette.faint).append(str(count), bold).append(f" {words}", style)
    if watched.decided is not None and detail.words:
        line.append(gap, palette.faint).append(watched.decided, palette.soft)
    return line


def _right(look: Look, watched: SaveView, now: float, detail: Detail) -> Text:
    """Speed, time and money, or why nothing moves."""
    palette, live = look.palette, watched.live
    line = Text(no_wrap=True)
    bold = f"bold {palette.text}"
    if watched.state == "running" and live is not None:
        values = watched.activity.values(now)
        if detail.sparkline and any(values):
            line.append_text(look.sparkline(values, detail.sparkline)).append(" ")
        line.append(f"{live.per_second:,.0f}", bold)
        line.append(" asks/s" if detail.words else "/s", palette.soft)
    elif detail.pace:
        line.append(_at_rest(watched), palette.soft)
    if live is not None and live.pace and detail.pace:
        line.append(f" (pace {live.pace:g}/s)", palette.soft)
    if live is not None:
        if live.calls and detail.money:
            line.append(f"   {_calls(live.calls, live.cached)}", palette.soft)
        line.append("   " if detail.words else "  ").append(clock(live.elapsed), bold)
        if live.left is not None and watched.state == "running":
            about = " · about " if detail.words else " +"
            line.append(about, palette.soft).append(clock(live.left), bold)
            if detail.words and live.left_at_most is not None:
                line.append(" to the next decision, at most ", palette.soft)
                line.append(clock(live.left_at_most), bold)
            line.append(" left" if detail.words else "", palette.soft)
    money = _short_money(watched.money) if detail.money else None
    if money is not None:
        amount, _of, budget = money.partition(" of ")
        line.append("   ").append(amount, bold)
        line.append(f" of {budget}" if budget else "", palette.soft)
    return line


def _calls(calls: int, cached: int) -> str:
    return f"{calls} calls, {cached} cached" if cached else f"{calls} calls"


def _at_rest(watched: SaveView) -> str:
    """The words for a tournament that does not run."""
    if watched.state == "not running" and watched.failed:
        return "stopped by itself"
    words = {"paused": "nothing in flight, all stored", "not running": "space starts it"}
    return words.get(watched.state, "")


def _short_money(money: MoneyStatus | None) -> str | None:
    if money is None or not (money.dollars or money.budget is not None):
        return None
    of = "" if money.budget is None else f" of {dollars(money.budget)}"
    return f"{dollars(money.dollars)}{of}"


def _progress(look: Look, watched: SaveView, width: int) -> Text:
    progress = watched.progress
    matches = max(1, progress.matches)
    done = (progress.finished + progress.frozen) / matches
    return look.progress(done, width, playing=len(watched.at_table()) / matches)


def trouble_lines(
    look: Look, watched: SaveView, width: int, *, with_money: bool = True
) -> list[Text]:
    """Everything that is wrong or waits for someone, a sentence each with the key that helps.

    ``with_money``: no other line says that the budget will not suffice.
    """
    palette, live = look.palette, watched.live
    sentences: list[tuple[str, str]] = []
    if watched.hung:
        sentences.append((watched.hung, palette.bad))
    if watched.failed:
        sentences.append((watched.failed[0], palette.bad))
    if live is not None:
        waiting = sum(len(person.asks) for person in live.people.values())
        if waiting:
            seats = "1 seat waits" if waiting == 1 else f"{waiting} seats wait"
            sentences.append((f"{seats} for people, s takes one", palette.warn))
        if live.parked:
            count = len(live.parked)
            many = f"{count}{'+' if count == FEW_PARKED else ''}"
            matches = "match is" if count == 1 else "matches are"
            reason = next(iter(live.parked.values()))
            sentences.append((f"{many} {matches} parked: {reason}", palette.bad))
        sentences += [(limit, palette.warn) for limit in live.limits]
        at_end, budget = live.dollars_at_end, live.budget
        if with_money and at_end is not None and budget is not None and at_end > budget:
            about = f"about {dollars(at_end)} at the end, over the budget of {dollars(budget)}"
            sentences.append((f"{about}: b changes it", palette.warn))
    sentences += [(alarm.sentence, palette.warn) for alarm in watched.alarms]
    edge = f"{look.signs.edge} "
    return [
        fit(Text.assemble((edge, style), (one_line(words), f"bold {style}")), width)
        for words, style in sentences[:MOST_TROUBLE]
    ]


def money_line(live: MoneyStatus | None) -> Text | None:
    """Spending, budget, dollars per hour and the forecast total; None where nothing costs money."""
    if live is None or not (live.dollars or live.budget is not None or live.agent_budgets):
        return None
    budget, per_hour, at_end = live.budget, live.dollars_per_hour, live.dollars_at_end
    of = "" if budget is None else f" of {dollars(budget)}"
    text = Text(f"{dollars(live.dollars)}{of} spent", no_wrap=True)
    if per_hour is not None:
        text.append(f"  {dollars(per_hour)}/h")
    if at_end is not None and live.dollars_at_most is not None:
        most = dollars(live.dollars_at_most)
        text.append(f"  about {dollars(at_end)} by the next decision, at most {most}")
    elif at_end is not None:
        text.append(f"  about {dollars(at_end)} total")
        if budget is not None and at_end > budget:
            text.append("  over budget: b", WARN)
    return text


def workers_line(look: Look, workers: Sequence[WorkerState]) -> Text:
    """The workers in sum: matches, answers a second, calls in flight, and their silence."""
    palette = look.palette
    hosts = len({worker.host for worker in workers})
    on = f" on {hosts} machines" if hosts > 1 else ""
    line = Text(f"{counted(len(workers), 'worker')}{on}", palette.soft, no_wrap=True)
    parts = [
        (f"{sum(worker.matches for worker in workers):,}", "matches"),
        (f"{sum(worker.per_second for worker in workers):,.0f}", "answers/s"),
        (f"{sum(worker.in_flight for worker in workers)}", "calls in flight"),
    ]
    for number, words in parts:
        line.append("  ·  ", palette.faint).append(number, f"bold {palette.text}")
        line.append(f" {words}", palette.soft)
    silence = ceil(max(worker.heard for worker in workers))
    return line.append(f"  ·  all heard of within {silence} s", palette.soft)
